"""The exact solution of a game with too many states to list: only values, in one array that can be in a file.

Every state is solved as a matrix game from the values of the layer before, backwards from the end. Strategies are not
stored; those of a state are computed from its own small matrix game. In a symmetric game the value of a mirror image
is the negative, so only half of the values are stored.

The checker of :mod:`nashzoo.baselines.certificate.layers` does so: it asks a method for matrix games for the strategies
at every state, and proves what they guarantee.
"""

from typing import Any

import numpy as np

from nashzoo.baselines.certificate.checker import NO_INTS, Progress
from nashzoo.baselines.certificate.layers import Proven, Solver, certify_layers, strategies_at
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.solvers.matrix import equilibrium_into, solve_matrix
from nashzoo.baselines.solvers.threaded_loops import in_parts
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.envs.core.game import Floats, Ints

SOLVER = Solver(equilibrium_into, solve_matrix)


class SymmetricValues:
    """The values of a table by number; only those of even numbers are stored, the others are their negatives.

    Args:
        half: The values of the even numbers ``[n / 2]``.
    """

    def __init__(self, half: Floats) -> None:
        self.half = half

    def __len__(self) -> int:
        return 2 * len(self.half)

    def __getitem__(self, ids: Any) -> Floats:
        values: Floats = np.where(ids & 1, -1.0, 1.0) * self.half[ids >> 1]
        return values


class IndexedSolution(Solution):
    """The exact solution of a game whose rules have a closed-form index of states.

    Args:
        states: The game's states.
        half: The values of the states of even numbers to player 0 ``[n / 2]``; those of odd numbers are the negatives.
        certificate: An upper bound of the gap, at every state, between what player 0's strategy guarantees and what
            player 1's concedes.
    """

    def __init__(self, states: IndexedStates, half: Floats, certificate: float) -> None:
        self.game = states.game
        self.states: IndexedStates = states
        self._values = SymmetricValues(half)
        self.certificate = certificate

    def verify(self, progress: Progress | None = None) -> float:
        """Proves the solution by the rules of the game alone, see :class:`nashzoo.baselines.solution.Solution`."""
        return certify_layers(self.game, self.values.half, self.states.bounds // 2, SOLVER, progress, stored=True)

    @property
    def values(self) -> SymmetricValues:
        """The value of each state to player 0, by number, points."""
        return self._values

    @property
    def optimal(self) -> bool:
        """Whether the policies are optimal but for rounding, as the proof of each step shows."""
        return True

    @property
    def num_states(self) -> int:
        """The number of non-terminal states."""
        assert self.game.indexed_rules is not None
        return self.game.indexed_rules.num_states(self.game.params)

    def strategies(self, codes: Ints) -> tuple[Floats, Floats]:
        """Returns equilibrium probabilities of both players, see :class:`nashzoo.baselines.solution.Solution`."""
        ids = self.states.ids(codes)
        both = np.empty((2, len(ids), self.game.num_actions))

        def solve_part(rows: slice) -> None:
            both[:, rows] = self._strategies_at(ids[rows])

        in_parts(solve_part, len(ids))
        return both[0], both[1]

    def _strategies_at(self, ids: Ints) -> tuple[Floats, Floats]:
        proven = Proven(NO_INTS, self.values.half)
        own, other = strategies_at(self.game, SOLVER, proven, True, self.states.codes_at(ids & ~1))
        mirrored = (ids & 1 == 1)[:, None]
        return np.where(mirrored, other, own), np.where(mirrored, own, other)


def solve_indexed(states: IndexedStates, progress: Progress | None = None) -> IndexedSolution:
    """Solves every state of a table.

    Args:
        states: The table, of a symmetric game.
        progress: Called during the work, from several threads, but once at a time.

    Raises:
        CertificateError: the proof fails, as where a reward is not finite.
    """
    half = np.zeros(len(states) // 2)
    return IndexedSolution(states, half, certify_layers(states.game, half, states.bounds // 2, SOLVER, progress))
