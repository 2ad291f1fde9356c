"""The exact solution of a game with a clock and too many states to list with their successors: only values are stored.

The states of each value of the clock are solved as matrix games from the values of later ones, backwards from the end.
The strategies of a state are computed from its own matrix game whenever they are asked for. The checker proves the
values while they are solved, see :mod:`nashzoo.baselines.certificate.layers`.
"""

import numpy as np

from nashzoo.baselines.certificate.checker import Progress
from nashzoo.baselines.certificate.layers import Storage, certify_layers
from nashzoo.baselines.certificate.parts import Proven, strategies_at
from nashzoo.baselines.indexed_solution import SOLVER
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.states.clocked import ClockedStates
from nashzoo.envs.core.game import Floats, Ints


class ClockedSolution(Solution):
    """The exact solution of a game with a clock.

    Args:
        states: The game's states.
        values: Their values to player 0 ``[n]``, points.
        certificate: An upper bound of the gap, at every state, between what player 0's strategy guarantees and what
            player 1's concedes.
    """

    def __init__(self, states: ClockedStates, values: Floats, certificate: float) -> None:
        self.game = states.game
        self.states: ClockedStates = states
        self._values = values
        self.certificate = certificate

    def verify(self, progress: Progress | None = None) -> float:
        """Proves the solution by the rules of the game alone, see :class:`nashzoo.baselines.solution.Solution`."""
        bounds, codes = self.states.bounds, self.states.codes
        return certify_layers(self.game, Storage(self.values), bounds, SOLVER, progress, stored=True, codes=codes)

    @property
    def values(self) -> Floats:
        """The value of each state to player 0 ``[n]``, points."""
        return self._values

    @property
    def optimal(self) -> bool:
        """Whether the policies are optimal but for rounding, as the proof of each step shows."""
        return True

    def strategies(self, codes: Ints) -> tuple[Floats, Floats]:
        """Returns equilibrium probabilities of both players, see :class:`nashzoo.baselines.solution.Solution`."""
        proven = Proven(self.states.codes, self.values)
        return strategies_at(self.game, SOLVER, proven, False, self.states.codes[self.states.ids(codes)])


def solve_clocked(states: ClockedStates, progress: Progress | None = None) -> ClockedSolution:
    """Solves every state of a game with a clock.

    Args:
        states: The states.
        progress: Called during the work, from several threads, but once at a time.

    Raises:
        CertificateError: the proof fails, as where a reward is not finite.
    """
    values = np.zeros(len(states))
    certificate = certify_layers(states.game, Storage(values), states.bounds, SOLVER, progress, codes=states.codes)
    return ClockedSolution(states, values, certificate)
