"""The base class of learners that keep numbers for every state: a learner is its tables, its update, its policy.

Fictitious play in the matrix game of every state, each player answering the average of the other's answers::

    import numpy as np

    from nashzoo.agents.learning.tabular.learner import TabularLearner


    class FictitiousPlay(TabularLearner):
        GIVEN = "a simulator"
        UNIT = "backups"

        def make_tables(self):
            rows, columns = self.learned.simulator.rows, self.learned.simulator.columns
            self.values = np.zeros(len(rows))
            self.counts0, self.counts1 = ((np.arange(n.max()) < n[:, None]).astype(float) for n in (rows, columns))

        def tables(self):
            return {"values": self.values, "counts0": self.counts0, "counts1": self.counts1}

        def update(self, timesteps):
            rows, columns, following, rewards, *_, chances = self.learned.simulator
            backups = 0
            while backups < timesteps:
                payoffs = rewards + np.append(self.gamma * self.values, 0.0)[following]
                for state, (m, n) in enumerate(zip(rows, columns)):
                    matrix = payoffs[state, : m * n].reshape(m, n)
                    x, y = self.counts0[state, :m], self.counts1[state, :n]
                    x[np.argmax(matrix @ y)] += 1
                    y[np.argmin(x @ matrix)] += 1
                    self.values[state] = x @ matrix @ y / (x.sum() * y.sum())
                    if chances[state].any():
                        self.values[state] = chances[state] @ payoffs[state, : len(chances[state])]
                backups += len(rows)
            return backups, 0

        def action_probabilities(self, observations, action_masks):
            codes, players = self.states_of(observations)
            averages = tuple(counts / counts.sum(axis=1, keepdims=True) for counts in (self.counts0, self.counts1))
            return self.learned.policies(codes, players, action_masks, averages)
"""

import dataclasses
from abc import abstractmethod
from typing import Any, TypeVar

from numpy.typing import NDArray

from nashzoo.agents.learning.self_play_learner import Arrays, SelfPlayLearner, copy_into
from nashzoo.agents.learning.tabular.states import LearnedStates
from nashzoo.envs.core.seeds import streams

T = TypeVar("T", bound=tuple[Any, ...])


class TabularLearner(SelfPlayLearner):
    """A learner with numbers for every state, see the module for an example.

    Attributes:
        learned: The states, and a simulator.
        gamma: The discount factor: the setting of this name if there is one, see :meth:`LearnedStates.gamma`.
        streams: A stream of random numbers ``[1]``; a learner that draws from it has it among its tables.

    Raises:
        TooManyStatesError: the states do not fit a table.
        UsageError: a setting is out of its range.
    """

    def begin(self, seed: int) -> None:
        """Numbers the states, and makes the tables."""
        self.learned = LearnedStates(self.game)
        self.gamma = self.learned.gamma(getattr(self.settings, "gamma", None))
        self.streams = streams(seed, 1)
        self.make_tables()

    def schedule(self, kind: type[T]) -> T:
        """Returns the settings for compiled code: a named tuple with fields of the settings, and ``gamma``."""
        settings = dataclasses.asdict(self.settings) | {"gamma": self.gamma}
        return kind(**{name: settings[name] for name in kind._fields})  # type: ignore[attr-defined]

    def learn(self, timesteps: int) -> None:
        """Learns from at least ``timesteps`` more joint actions, to the end of a game or sweep."""
        steps, games = self.update(timesteps)
        self.num_timesteps += steps
        self.num_games += games

    @abstractmethod
    def make_tables(self) -> None:
        """Makes the tables of the untrained learner.

        Raises:
            UsageError: it cannot learn this game, or a setting is out of its range.
        """

    @abstractmethod
    def tables(self) -> dict[str, NDArray[Any]]:
        """Returns the tables by name: the learner's own arrays, into which a file's are copied."""

    @abstractmethod
    def update(self, timesteps: int) -> tuple[int, int]:
        """Learns from at least ``timesteps`` more joint actions; returns the numbers of these and of games played."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Returns the tables, and what identifies the states."""
        return self.learned.identity() | self.tables()

    def restore(self, arrays: Arrays) -> None:
        """Copies a file's tables into the learner's."""
        self.learned.check(arrays)
        copy_into(self.tables(), arrays)
