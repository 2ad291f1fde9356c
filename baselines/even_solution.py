"""Of all strategies that are optimal at a state the most random, so that actions which are alike are equally likely."""

from functools import lru_cache
from typing import cast

import numpy as np

from nashzoo.baselines.certificate.checker import Progress
from nashzoo.baselines.equilibrium_sets import StateEquilibria
from nashzoo.baselines.policies.tabular import Rows
from nashzoo.baselines.selection import most_random_mean
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.solvers.face import TooManyVerticesError
from nashzoo.baselines.stage_game import StageGame, stage_game
from nashzoo.baselines.states.space import StateSpace
from nashzoo.envs.core.game import Floats, Ints

NONE = 1e-9  # a probability or a regret, points, that rounding leaves
RANK = 1e-7  # of the largest payoff: what counts as none for the rank of a matrix
LARGEST = 12  # actions: the vertices of larger matrices can be too many
REMEMBERED = 100_000  # states


class EvenSolution(Solution):
    """A solution with the most random of all optimal strategies at each state where both players choose at once.

    They are found when they are asked for. At each state they lose at most four times the certificate, and rounding.

    Attributes:
        certificate: That of the solution that a solver found; the values are its values.
        found: The solution that a solver found; its strategies are had in no time.
    """

    def __init__(self, found: Solution) -> None:
        self.game, self.states, self.certificate = found.game, found.states, found.certificate
        self.found, self._equilibria = found, StateEquilibria(found)
        self._mixes = lru_cache(REMEMBERED)(self._mixed)

    def verify(self, progress: Progress | None = None) -> float:
        """Proves the solution from which this one is made, see :class:`nashzoo.baselines.solution.Solution`."""
        return self.found.verify(progress)

    @property
    def values(self) -> Rows:
        """The value of each state to player 0, by number, points."""
        return self.found.values

    @property
    def num_states(self) -> int:
        """The number of non-terminal states."""
        return self.found.num_states

    @property
    def optimal(self) -> bool:
        """Whether the policies are optimal but for rounding; else the certificate bounds what they lose."""
        return self.found.optimal

    def strategies(self, codes: Ints) -> tuple[Floats, Floats]:
        """Returns equilibrium probabilities of both players at states, see :class:`nashzoo.baselines.Solution`."""
        tables = self.found.strategies(codes)
        for row, code in enumerate(np.asarray(codes).tolist()):
            for player, actions, mix in self._mixes(code):
                tables[player][row, actions] = mix
        return tables

    def _mixed(self, code: int) -> list[tuple[int, list[int], Floats]]:
        """Returns the strategies of those at a state who have several: player, legal actions, their probabilities."""
        if len(self.game.movers(code)) < 2:
            return []
        stage = stage_game(self.found, code)
        several = [player for player in (0, 1) if _has_several(stage, player)]
        if not several or max(stage.payoffs.shape) > LARGEST:
            return []
        try:
            sets = self._equilibria.strategies(code)[:2]
        except TooManyVerticesError:
            return []
        return [
            (player, list(stage.actions[player]), most_random_mean(np.array(sets[player], np.float64)))
            for player in several
        ]


def evened(solution: Solution) -> Solution:
    """Returns a solution with the most random strategies, where none of them can put off the end of play."""
    if not solution.has_values or solution.game.turn_based or cast(StateSpace, solution.states).recurs:
        return solution
    return EvenSolution(solution)


def as_found(solution: Solution) -> Solution:
    """Returns the solution that a solver found."""
    return solution.found if isinstance(solution, EvenSolution) else solution


def _has_several(stage: StageGame, player: int) -> bool:
    """Returns whether a player has several optimal strategies: they solve equations of too small a rank."""
    best, taken = stage.losses(player) <= NONE, stage.strategies[1 - player] > NONE
    payoffs = stage.payoffs if player == 0 else stage.payoffs.T
    equations = np.hstack([payoffs[best][:, taken] - stage.value, np.ones((best.sum(), 1))])
    return bool(np.linalg.matrix_rank(equations, RANK * max(1.0, float(np.abs(equations).max()))) < len(equations))
