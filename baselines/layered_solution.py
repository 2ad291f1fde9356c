"""The exact solution of a game with layers of states, too many to list with their successors: only values are stored.

Play leads from a layer to layers before it alone, by the rules' index of states or by a clock. Every state is solved as
a matrix game from the values of those, backwards from the end; strategies are computed from it when they are asked for.
The values are one array, in memory or in a file. Games with an index are symmetric, and the value of a mirror image is
the negative, so only half of theirs are stored.

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
from nashzoo.baselines.states.clocked import ClockedStates
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.envs.core.game import Floats, Ints
from nashzoo.envs.core.reachable import check_memory

LayeredStates = ClockedStates | IndexedStates
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


class LayeredSolution(Solution):
    """The exact solution of a game with layers of states.

    Args:
        states: The game's states.
        stored: Their values to player 0, points: of all ``[n]``, or of those of even numbers in a game with an index
            ``[n / 2]``; there those of odd numbers are the negatives.
        certificate: An upper bound of the gap, at every state, between what player 0's strategy guarantees and what
            player 1's concedes.
    """

    def __init__(self, states: LayeredStates, stored: Floats, certificate: float) -> None:
        self.game = states.game
        self.states: LayeredStates = states
        self.certificate = certificate
        self._bounds, self._codes = _layout(states)
        self.stored, self._values = stored, SymmetricValues(stored) if self._codes is None else stored

    def verify(self, progress: Progress | None = None) -> float:
        """Proves the solution by the rules of the game alone, see :class:`nashzoo.baselines.solution.Solution`."""
        storage, bounds = Storage(self.stored), self._bounds
        return certify_layers(self.game, storage, bounds, SOLVER, progress, stored=True, codes=self._codes)

    @property
    def values(self) -> Floats | SymmetricValues:
        """The value of each state to player 0, by number, points."""
        return self._values

    @property
    def optimal(self) -> bool:
        """Whether the policies are optimal but for rounding, as the proof of each step shows."""
        return True

    @property
    def num_states(self) -> int:
        """The number of non-terminal states."""
        rules = self.game.indexed_rules if self._codes is None else None
        return len(self.states) if rules is None else rules.num_states(self.game.params)

    def strategies(self, codes: Ints) -> tuple[Floats, Floats]:
        """Returns equilibrium probabilities of both players, see :class:`nashzoo.baselines.solution.Solution`."""
        ids, numbered = self.states.ids(codes), self._codes is None
        proven = Proven(NO_INTS if self._codes is None else self._codes, self.stored)
        both, mirrored = np.empty((2, len(ids), self.game.num_actions)), ids & numbered

        def solve_part(rows: slice) -> None:
            at = self.states.codes_at(ids[rows] - mirrored[rows])
            own, other = strategies_at(self.game, SOLVER, proven, numbered, at)
            swapped = mirrored[rows, None] == 1
            both[:, rows] = np.where(swapped, other, own), np.where(swapped, own, other)

        in_parts(solve_part, len(ids))
        return both[0], both[1]


def solve_layers(
    states: LayeredStates,
    progress: Progress | None = None,
    storage: Storage | None = None,
    workers: Workers | None = None,
) -> LayeredSolution:
    """Solves every state of a game with layers.

    Args:
        states: The states.
        progress: Called during the work, see :func:`nashzoo.baselines.certificate.layers.certify_layers`.
        storage: Where the values are kept; in memory when None.
        workers: Do parts of a layer elsewhere; the threads of this process when None.

    Raises:
        CertificateError: the proof fails, as where a reward is not finite.
        TooManyStatesError: there is too little memory.
    """
    bounds, codes = _layout(states)
    if codes is None:  # else they fit, or could not have been listed
        _check_memory(states, in_memory=storage is None)
    storage = storage or Storage(np.zeros(bounds[-1]))
    certificate = certify_layers(states.game, storage, bounds, SOLVER, progress, codes=codes, workers=workers)
    return LayeredSolution(states, storage.values, certificate)


def _layout(states: LayeredStates) -> tuple[Ints, Ints | None]:
    """Returns the number of the first stored value of each layer and of all, and the codes unless rules number them."""
    return (states.bounds, states.codes) if isinstance(states, ClockedStates) else (states.bounds // 2, None)


def _check_memory(states: LayeredStates, in_memory: bool) -> None:
    """Raises an error if there is too little memory for two layers, and for all values if they are kept in memory."""
    layer = int(np.diff(states.bounds).max()) // 2
    remedy = "; with --out the values are kept on disk, which takes less" if in_memory else ""
    check_memory(2 * BYTES * layer + in_memory * 4 * len(states), f"solving {states.game!r}", remedy)
