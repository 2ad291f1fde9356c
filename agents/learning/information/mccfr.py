"""Monte Carlo counterfactual regret minimization: regret matching at information states, from sampled play.

Players learn in turn. The learning player follows all of its actions (external sampling), or one in each place
(outcome sampling); chance and the other player draw theirs. Regrets at the information states met are estimated
without bias, and matched: actions are played in proportion to the regrets above 0. The average of the strategies tends
to an equilibrium, since the other player's are added where they are met, as often as they are played. Nothing is stored
but a table of information states, which grows as they are met.

With outcome sampling a walk is a single game, and ``exploration`` is the share of uniform play in what the learning
player draws. Its estimates vary much more, so it takes more joint actions.

Sources: Lanctot, Waugh, Zinkevich and Bowling (2009), "Monte Carlo Sampling for Regret Minimization in Extensive
Games"; Lanctot (2013), "Monte Carlo Sampling and Regret Minimization for Equilibrium Computation and Decision-Making in
Large Extensive Form Games", section 4.4, for the average by what is met.
"""

import dataclasses
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.information.mccfr_kernel import (
    TABLE_FULL,
    WALK_FULL,
    Table,
    Walk,
    fill,
    find,
    walk_and_match,
)
from nashzoo.agents.learning.self_play_learner import Arrays, SelfPlayLearner
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import uniform_over
from nashzoo.envs.core.checks import check_one_of
from nashzoo.envs.core.code_index import FREE
from nashzoo.envs.core.game import Features, Floats, Mask
from nashzoo.envs.core.seeds import streams

EXTERNAL, OUTCOME = "external", "outcome"
ROWS, NODES = 1 << 10, 1 << 10  # at first
MOST_NODES = 1 << 24  # of a walk


@dataclasses.dataclass(frozen=True)
class MCCFRSettings:
    """Settings of Monte Carlo counterfactual regret minimization.

    Attributes:
        sampling: ``external`` or ``outcome``, see the module.
        exploration: Share of uniform play in outcome sampling.
    """

    sampling: str = EXTERNAL
    exploration: float = 0.6


class MCCFR(SelfPlayLearner):
    """Learns by Monte Carlo counterfactual regret minimization, see the module.

    Raises:
        UsageError: both players see the game's state, or a setting is out of its range.
    """

    NAME = "mccfr"
    GIVEN = "a simulator"
    OPEN, HIDDEN = False, True
    TIMESTEPS = 50_000_000
    Settings: ClassVar[type[Any]] = MCCFRSettings
    PROBABILITIES = ("exploration",)

    def begin(self, seed: int) -> None:
        """Makes an empty table."""
        sampling = check_one_of("sampling", self.settings.sampling, (EXTERNAL, OUTCOME))
        if sampling == OUTCOME and self.settings.exploration == 0.0:
            raise UsageError("exploration must be above 0 with outcome sampling, which must come to every action")
        self.streams = streams(seed, 1)
        self._known = 0
        self._table = _table(ROWS, self.game.num_actions)
        self._walk = _walk(NODES)

    def learn(self, timesteps: int) -> None:
        """Learns from at least ``timesteps`` more joint actions, to the end of a walk.

        Raises:
            UsageError: play does not end, or a walk is too long.
        """
        until = self.num_timesteps + timesteps
        while True:
            steps, games, self._known, lacking = walk_and_match(
                self.game.compiled, self._table, self._known, self._walk, *self.game.starts, self.streams,
                self.settings.sampling == OUTCOME, float(self.settings.exploration), self.num_games,
                until - self.num_timesteps,
            )  # fmt: skip
            self.num_timesteps += steps
            self.num_games += games
            if lacking == TABLE_FULL:
                self._grow()
            elif lacking == WALK_FULL:
                if len(self._walk.codes) >= MOST_NODES:
                    raise UsageError(
                        f"{self.NAME} came to {MOST_NODES:,} states of {self.game.name} from one start: play does not "
                        f"end, or has too many continuations for one player; with sampling={OUTCOME} there are fewer"
                    )
                self._walk = _walk(2 * len(self._walk.codes))
            else:
                return

    def _grow(self) -> None:
        grown = _table(2 * len(self._table.codes), self.game.num_actions)
        for new, old in zip(grown[:-1], self._table[:-1], strict=True):
            new[: len(old)] = old
        fill(grown, self._known)
        self._table = grown

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the average strategy, probabilities of actions ``[B, actions]``; uniform where it is unknown."""
        codes, players = self.states_of(observations)
        rows = np.empty(len(codes), np.int64)
        find(self._table, codes, players, rows)
        policy = uniform_over(action_masks)
        sums = self._table.sums[rows]  # FREE is the last row, and then not used
        totals = sums.sum(axis=1)
        met = (rows != FREE) & (totals > 0.0)
        policy[met] = sums[met] / totals[met, None]
        return policy

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Returns the rows of the table that are in use, and the stream of random numbers."""
        used = {name: array[: self._known] for name, array in self._table._asdict().items() if name != "slots"}
        return used | {"streams": self.streams}

    def restore(self, arrays: Arrays) -> None:
        """Makes the table of a file.

        Raises:
            KeyError: an array is missing.
            ValueError: an array has another shape or type than it must have.
        """
        self._known = len(arrays["codes"])
        self._table = _table(ROWS + self._known, self.game.num_actions)
        super().restore(arrays)
        fill(self._table, self._known)


def _table(rows: int, num_actions: int) -> Table:
    regrets, sums = np.zeros((2, rows, num_actions))
    slots = np.full(1 << (2 * rows - 1).bit_length(), FREE, np.int32)
    return Table(np.zeros(rows, np.int64), np.zeros(rows, np.int64), regrets, sums, slots)


def _walk(nodes: int) -> Walk:
    return Walk(*np.zeros((6, nodes), np.int64), *np.zeros((4, nodes)))
