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
from nashzoo.baselines.certificate.layers import Storage, Workers, certify_layers
from nashzoo.baselines.certificate.parts import Proven, Solver, strategies_at
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.solvers.matrix import equilibrium_into, solve_matrix
from nashzoo.baselines.solvers.threaded_loops import in_parts
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.envs.core.game import Floats, Ints
from nashzoo.envs.core.reachable import check_memory

SOLVER = Solver(equilibrium_into, solve_matrix)
BYTES = 24  # of memory for a state of the two layers at work: its code, value and loss


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
        game, bounds = self.game, self.states.bounds // 2
        return certify_layers(game, Storage(self.values.half), bounds, SOLVER, progress, stored=True)

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


def solve_indexed(
    states: IndexedStates,
    progress: Progress | None = None,
    storage: Storage | None = None,
    workers: Workers | None = None,
) -> IndexedSolution:
    """Solves every state of a table.

    Args:
        states: The table, of a symmetric game.
        progress: Called during the work, see :func:`nashzoo.baselines.certificate.layers.certify_layers`.
        storage: Where the values of the even numbers are kept; in memory when None.
        workers: Do parts of a layer elsewhere; the threads of this process when None.

    Raises:
        CertificateError: the proof fails, as where a reward is not finite.
        TooManyStatesError: there is too little memory.
    """
    _check_memory(states, in_memory=storage is None)
    storage = storage or Storage(np.zeros(len(states) // 2))
    game, bounds = states.game, states.bounds // 2
    certificate = certify_layers(game, storage, bounds, SOLVER, progress, workers=workers)
    return IndexedSolution(states, storage.values, certificate)


def _check_memory(states: IndexedStates, in_memory: bool) -> None:
    """Raises an error if there is too little memory for two layers, and for all values if they are kept in memory."""
    layer = int(np.diff(states.bounds).max()) // 2
    remedy = "; with --out the values are kept on disk, which takes less" if in_memory else ""
    check_memory(2 * BYTES * layer + in_memory * 4 * len(states), f"solving {states.game!r}", remedy)
