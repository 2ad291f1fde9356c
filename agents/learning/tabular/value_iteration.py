"""Value iteration: planning with a simulator, to compare learners with.

All states that the simulator leads to are listed. A sweep backs up every one of them, from the values of the sweep
before, which are 0 at first::

    v(s)  <-  value of the matrix game  r(s, a, b) + gamma * v(s'(s, a, b))

Where chance decides, the backup is the expectation over its outcomes. If states cannot recur, the values are exact
after as many sweeps as the longest game has decisions; with a discount factor below 1 the error falls by this factor in
every sweep. The policy is the equilibrium of the same matrix games.

It knows every transition from the start, and explores nothing, so it is no learner.

Source: Shapley (1953), "Stochastic games".
"""

import dataclasses
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.tabular.learner import TabularLearner
from nashzoo.baselines.solvers.backup import backup_equilibrium
from nashzoo.envs.core.game import Features, Floats, Mask


@dataclasses.dataclass(frozen=True)
class ValueIterationSettings:
    """Settings of value iteration.

    Attributes:
        gamma: Discount factor; None for 1, and 0.99 in turn-based games with recurring states.
    """

    gamma: float | None = None


class ValueIteration(TabularLearner):
    """Computes the values of all states with a simulator, see the module.

    Attributes:
        num_timesteps: Backups: the states that were backed up, counted once for each sweep.
        num_games: 0; no games are played.

    Raises:
        TooManyStatesError: the states do not fit a table.
        UsageError: a setting is out of its range.
    """

    NAME = "value_iteration"
    GIVEN = "a simulator"
    UNIT = "backups"
    TIMESTEPS = 20_000_000
    Settings: ClassVar[type[Any]] = ValueIterationSettings
    PROBABILITIES = ("gamma",)

    def make_tables(self) -> None:
        """Makes the tables of the untrained learner."""
        self._values = np.zeros(len(self.learned.states))
        successors = self.learned.states.successors
        chance, moves = np.flatnonzero(successors.by_chance), np.flatnonzero(~successors.by_chance)
        self._parts = [(moves, successors if len(chance) == 0 else successors.at(moves), self.gamma)]
        if len(chance) > 0:
            self._parts.append((chance, successors.at(chance), 1.0))  # chance takes no time

    def update(self, timesteps: int) -> tuple[int, int]:
        """Backs up at least ``timesteps`` more states, in whole sweeps."""
        self.__dict__.pop("_payoffs", None)
        self.__dict__.pop("_ending_play", None)
        done = 0
        while done < timesteps:
            self._sweep()
            done += len(self._values)
        return done, 0

    def _sweep(self) -> None:
        after = np.empty_like(self._values)
        for rows, successors, discount in self._parts:
            after[rows] = backup_equilibrium(successors, discount * self._values, self.game.num_actions)[0]
        self._values = after

    @cached_property
    def _payoffs(self) -> Floats:
        """The matrix games ``[n, joint actions]``, to player 0; meaningless where chance decides."""
        following, rewards = self.learned.states.successors[2:4]
        payoffs: Floats = rewards + np.append(self.gamma * self._values, 0.0)[following]  # the last is after the end
        return payoffs

    @cached_property
    def _ending_play(self) -> tuple[Floats, Floats] | None:
        return self.learned.ending_play(self._payoffs, self.gamma)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the equilibrium of the matrix game at each state ``[B, actions]``."""
        codes, players = self.states_of(observations)
        payoffs = self._payoffs, self._payoffs
        return self.learned.strategies(codes, players, action_masks, payoffs, self._ending_play)

    def tables(self) -> dict[str, NDArray[Any]]:
        """Returns the tables by name."""
        return {"values": self._values}
