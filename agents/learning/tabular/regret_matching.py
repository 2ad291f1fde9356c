"""Regret matching at every state: minimax-Q without a solver of matrix games.

The values of joint actions are learned as in :mod:`nashzoo.agents.learning.tabular.minimax_q`, with a learning rate of
1. At every visit of a state both players take one step of regret matching in the matrix game there: they play actions
in proportion to their regrets, and add to each regret the advantage that the action would have had. The average of
their strategies converges to the equilibrium of the matrix game; the value of a state is that of the averages. So
an update costs no more than a matrix product, for any number of actions. Its error falls with the inverse of the
number of visits, where minimax-Q is exact at once. In turn-based games with recurring states, such as soccer, it
fails: the average contains all earlier mistakes, and a patient opponent can wait for each of them. Where both
players choose and play can stand still, it may fail, too: an average of strategies that wait does not end play, and no
step penalty decides, since the averages are no equilibria of the matrix games. In Oshi-Zumo with 8 coins, 2 fields on
each side and bids from 0 the exploitability is 0.456 after a million joint actions (seed 0).

Regrets are kept above 0 and later policies count more in the average, as in CFR+.

Sources: Hart and Mas-Colell (2000), "A simple adaptive procedure leading to correlated equilibrium"; Tammelin (2014),
"Solving large imperfect information games using CFR+"; Kozuno, Menard, Munos and Valko (2021) and Bai, Jin and Yu
(2020), "Near-optimal reinforcement learning with self-play", for no-regret learning at every state.
"""

import dataclasses
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.tabular.learner import TabularLearner
from nashzoo.agents.learning.tabular.regret_matching_kernel import RegretTable, play_and_match
from nashzoo.envs.core.game import Features, Floats, Mask


@dataclasses.dataclass(frozen=True)
class RegretMatchingSettings:
    """Settings of regret matching.

    Attributes:
        gamma: Discount factor; None for 1, and 0.99 in turn-based games with recurring states.
        exploring_starts: Share of the games that begin at a reachable state, drawn uniformly.
        exploring_length: Joint actions after which a game with an exploring start is cut off.
    """

    gamma: float | None = None
    exploring_starts: float = 0.5
    exploring_length: int = 10


class RegretMatching(TabularLearner):
    """Learns a policy for each seat by regret matching at every state, see the module.

    Raises:
        TooManyStatesError: the states do not fit a table.
        UsageError: a setting is out of its range.
    """

    NAME = "regret_matching"
    GIVEN = "transitions, exploring starts"
    TIMESTEPS = 20_000_000
    Settings: ClassVar[type[Any]] = RegretMatchingSettings
    COUNTS = ("exploring_length",)
    PROBABILITIES = "gamma", "exploring_starts"

    def make_tables(self) -> None:
        """Makes the tables of the untrained learner."""
        simulator = self.learned.simulator
        size, joint = simulator.following.shape
        shapes = (size, int(simulator.rows.max())), (size, int(simulator.columns.max()))
        regrets = [np.zeros(shape) for shape in shapes]
        averages = [
            (np.arange(shape[1]) < counts[:, None]) / counts[:, None]
            for shape, counts in zip(shapes, (simulator.rows, simulator.columns), strict=True)
        ]
        self._table = RegretTable(
            np.zeros((size, joint)), np.zeros(size), regrets[0], regrets[1], averages[0], averages[1], np.zeros(size)
        )
        self._outcomes = np.zeros(simulator.chances.shape, np.int64)

    def update(self, timesteps: int) -> tuple[int, int]:
        """Learns from at least ``timesteps`` more joint actions, to the end of a game."""
        chosen: RegretMatchingSettings = self.settings
        return play_and_match(
            self._table,
            self._outcomes,
            self.learned.simulator,
            self.gamma,
            chosen.exploring_starts,
            chosen.exploring_length,
            self.streams,
            timesteps,
        )

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]``."""
        codes, players = self.states_of(observations)
        averages = self._table.averages0, self._table.averages1
        return self.learned.policies(codes, players, action_masks, averages)

    def tables(self) -> dict[str, NDArray[Any]]:
        """Returns the tables by name."""
        outcomes = {"outcomes": self._outcomes} if self.game.has_chance else {}
        return self._table._asdict() | outcomes | {"streams": self.streams}
