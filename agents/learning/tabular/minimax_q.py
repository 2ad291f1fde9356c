"""Minimax-Q: Q-learning in which the value of a state is the value of its matrix game.

After every joint action ``(a, b)`` at state ``s``, with reward ``r`` and next state ``s'``::

    Q(s, a, b) += learning_rate * (r + gamma * V(s') - Q(s, a, b))
    V(s) = value of the matrix game Q(s, ., .)

The policy is the equilibrium of each matrix game; where one player moves alone, that is Q-learning. Nash-Q (Hu and
Wellman, 2003) is the same in zero-sum games, where all equilibria of a matrix game have one value. Updates are made
backward through each finished game, so that rewards at its end reach its start at once. With ``replay``, joint
actions that were tried before are updated again when the values of their next states have changed.

Without chance transitions are deterministic, so that a learning rate of 1 is right. With chance the state that the
actions lead to (an afterstate) has its own value, the mean over the outcomes so far; a learning rate of 1 is right
there, too.

Sources: Littman (1994), "Markov games as a framework for multi-agent reinforcement learning"; Moore and Atkeson (1993),
"Prioritized sweeping", for the replay; Watkins (1989) for Q-learning.
"""

import dataclasses
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.self_play_learner import Arrays
from nashzoo.agents.learning.tabular.learner import TabularLearner
from nashzoo.agents.learning.tabular.minimax_q_kernel import QTable, Schedule, play_and_learn
from nashzoo.agents.learning.tabular.replay import Predecessors, check_queue, new_queue, predecessors
from nashzoo.envs.core.checks import check_count
from nashzoo.envs.core.game import Features, Floats, Mask


@dataclasses.dataclass(frozen=True)
class MinimaxQSettings:
    """Settings of minimax-Q.

    Attributes:
        total_timesteps: Joint actions over which learning rate and exploration change to their final values.
        gamma: Discount factor; None for 1, and 0.99 in turn-based games with recurring states.
        learning_rate: Learning rate at the start.
        final_learning_rate: Learning rate at the end.
        exploration: Probability, at the start, that a player's action is uniformly random instead of its strategy's.
        final_exploration: The same at the end.
        exploring_starts: Share of the joint actions in games that begin at a reachable state, drawn uniformly; the
            other games are played from the start to the end.
        exploring_length: Joint actions after which a game with an exploring start is cut off.
        replay: Updates from earlier transitions for each joint action; 0 for none.
    """

    total_timesteps: int = 1_000_000
    gamma: float | None = None
    learning_rate: float = 1.0
    final_learning_rate: float = 1.0
    exploration: float = 1.0
    final_exploration: float = 1.0
    exploring_starts: float = 0.5
    exploring_length: int = 10
    replay: int = 4


class MinimaxQ(TabularLearner):
    """Learns the value of every joint action, from transitions alone, see the module.

    Raises:
        TooManyStatesError: the states do not fit a table.
        UsageError: a setting is out of its range.
    """

    NAME = "minimax_q"
    GIVEN = "transitions, exploring starts"
    TIMESTEPS = 40_000_000
    Settings: ClassVar[type[Any]] = MinimaxQSettings
    COUNTS = "total_timesteps", "exploring_length"
    PROBABILITIES = (
        "gamma", "learning_rate", "final_learning_rate", "exploration", "final_exploration", "exploring_starts",
    )  # fmt: skip

    def make_tables(self) -> None:
        """Makes the tables of the untrained learner."""
        chosen: MinimaxQSettings = self.settings
        check_count("replay", chosen.replay, least=0)
        size, joint = self.learned.simulator.following.shape
        q, tried = np.zeros((size, joint)), np.zeros((size, joint), np.bool_)
        outcomes = np.zeros(self.learned.simulator.chances.shape, np.int64)
        self._table = QTable(q, np.zeros(size), tried, np.zeros(1, np.int64), outcomes)
        self._queue = new_queue(size if chosen.replay else 0)
        nowhere = Predecessors(np.empty(0, np.int64), np.empty(0, np.int64))
        self._before = predecessors(self.learned.simulator) if chosen.replay else nowhere

    def update(self, timesteps: int) -> tuple[int, int]:
        """Learns from at least ``timesteps`` more joint actions, to the end of a game."""
        self.__dict__.pop("_ending_play", None)  # computed from the tables, which change now
        return play_and_learn(
            self._table,
            self._queue,
            self.learned.simulator,
            self._before,
            self.schedule(Schedule),
            self.streams,
            self.num_timesteps,
            self.num_timesteps + timesteps,
            self.game.num_actions,
        )

    @cached_property
    def _ending_play(self) -> tuple[Floats, Floats] | None:
        table = self._table
        return self.learned.ending_play(table.q, self.gamma, table.tried, table.outcomes)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the equilibrium of the matrix game at each state ``[B, actions]``.

        Where states can recur, it is one that ends play.
        """
        codes, players = self.states_of(observations)
        payoffs = self._table.q, self._table.q
        return self.learned.strategies(codes, players, action_masks, payoffs, self._ending_play)

    def tables(self) -> dict[str, NDArray[Any]]:
        """Returns the tables by name."""
        table = self._table._asdict()
        if not self.game.has_chance:
            del table["outcomes"]
        return table | self._queue._asdict() | {"streams": self.streams}

    def restore(self, arrays: Arrays) -> None:
        """Copies a file's tables into the learner's."""
        super().restore(arrays)
        check_queue(self._queue)
