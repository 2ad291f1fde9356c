"""The exact solution of a game with too many states to list: only values, in one array that can be in a file.

Every state is solved as a matrix game from the values of the layer before, backwards from the end. Strategies are not
stored; those of a state are computed from its own small matrix game. In a symmetric game the value of a mirror image
is the negative, so only half of the values are stored.

The checker of :mod:`nashzoo.baselines.certificate.checker` asks for the strategies at every state, and computes their
one-step losses against the value, given the values of the successors. The loss of a strategy in a whole game is at most
the sum of these on the way, one for each layer. The certificate is twice the sum of the largest loss of each layer,
once for each player, and holds for every state of the table.
"""

from functools import partial
from typing import Any

import numpy as np
from numba import float64, int64, types, void

from nashzoo.baselines.certificate.checker import Progress
from nashzoo.baselines.certificate.layers import Known, Storage, Workers, certify_layers
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.solvers.backup import backup_equilibrium
from nashzoo.baselines.solvers.matrix import GAP_TOLERANCE, solve_into
from nashzoo.baselines.solvers.threaded_loops import in_parts
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.envs.base.memory import available_memory
from nashzoo.envs.core.game import Floats, Game, Ints
from nashzoo.envs.core.joint_steps import JOINT_STEPS, joint_steps
from nashzoo.envs.core.kernels import list_actions
from nashzoo.envs.core.reachable import TooManyStatesError
from nashzoo.envs.jit.compiled import borrowed, compiled
from nashzoo.envs.rules.compiled_game import GAME

NO_CODES = np.empty(0, np.int64)
BYTES = 24  # of memory for a state of the two layers at work: its code, value and loss
READABLE = types.Array(float64, 1, "C", readonly=True)  # the values may be those of a file


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
        return certify_layers(game, Storage(self.values.half), bounds, partial(_solved, game), progress, stored=True)

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
        known = Known(0, NO_CODES, self.values.half)
        _, own, other = _equilibria_at(self.game, known, ids >> 1)  # for which the certificate holds
        mirrored = (ids & 1 == 1)[:, None]
        return np.where(mirrored, other, own), np.where(mirrored, own, other)


def _solved(game: Game, known: Known, rows: slice) -> tuple[Floats, Floats, Floats]:
    """Solves states of a layer, see :class:`nashzoo.baselines.certificate.layers.Part`."""
    return _equilibria_at(game, known, np.arange(rows.start, rows.stop))


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
        ValueError: a reward of the game is not finite.
        TooManyStatesError: there is too little memory.
    """
    _check_memory(states, in_memory=storage is None)
    storage = storage or Storage(np.zeros(len(states) // 2))
    game, bounds = states.game, states.bounds // 2
    certificate = certify_layers(game, storage, bounds, partial(_solved, game), progress, workers=workers)
    return IndexedSolution(states, storage.values, certificate)


def _check_memory(states: IndexedStates, in_memory: bool) -> None:
    """Raises an error if there is too little memory for two layers, and for all values if they are kept in memory."""
    layer = int(np.diff(states.bounds).max()) // 2
    needed, left = 2 * BYTES * layer + in_memory * 4 * len(states), available_memory()
    if left is not None and needed > left:
        remedy = "; with --out the values are kept on disk, which takes less" if in_memory else ""
        raise TooManyStatesError(
            f"solving {states.game!r} takes {needed / 1e9:.2f} GB of memory, and {left / 1e9:.2f} GB are left{remedy}"
        )


def _equilibria_at(game: Game, known: Known, numbers: Ints) -> tuple[Floats, Floats, Floats]:
    """Returns the values of states of even numbers, ``2 * numbers`` ``[L]``, and strategies ``[L, actions]`` each.

    Raises:
        ValueError: a reward of the game is not finite.
    """
    values, gaps = np.empty((2, len(numbers)))
    strategies0, strategies1 = np.empty((2, len(numbers), game.num_actions))
    solved = values, gaps, strategies0, strategies1
    _equilibria(game.compiled, joint_steps(game), known.first, known.values, numbers, *solved)
    left = np.flatnonzero(~(gaps <= GAP_TOLERANCE))
    if len(left) > 0:
        states = IndexedStates(game)
        successors = states.successors_at(2 * numbers[left])
        live = successors.following >= 0
        after = SymmetricValues(known.values)[successors.following[live] - 2 * known.first]
        successors.following[live] = np.arange(len(after))
        values[left], strategies0[left], strategies1[left] = backup_equilibrium(successors, after, game.num_actions)
        values[left[states.codes_at(2 * numbers[left] + 1) == states.codes_at(2 * numbers[left])]] = 0.0
    return values, strategies0, strategies1


@compiled(
    void(GAME, JOINT_STEPS, int64, READABLE, int64[::1], float64[::1], float64[::1], float64[:, ::1], float64[:, ::1])
)
def _equilibria(
    game: Any, joint: Any, first: int, half: Floats, numbers: Ints,
    values: Floats, gaps: Floats, strategies0: Floats, strategies1: Floats,
) -> None:  # fmt: skip
    """Solves the matrix game at each state ``[L]``; a gap is not finite where it cannot be formed."""
    legal, code_at, swap_players = game.legal, game.code_at, game.swap_players
    params, num_actions = borrowed(game.params), game.num_actions
    actions = (1 << num_actions) - 1
    rows, columns = np.empty(num_actions, np.int64), np.empty(num_actions, np.int64)
    matrix_space, tableau_space = np.empty(num_actions * num_actions), np.empty((num_actions + 1) * (num_actions + 1))
    mix0, mix1 = np.empty(num_actions), np.empty(num_actions)
    after, places = np.empty(num_actions * num_actions, np.int64), np.empty(num_actions * num_actions, np.int64)
    for k in range(len(numbers)):
        for a in range(num_actions):
            strategies0[k, a], strategies1[k, a] = 0.0, 0.0
        code = code_at(params, numbers[k])
        mask0, mask1 = legal(params, code, 0) & actions, legal(params, code, 1) & actions
        m, n = list_actions(mask0, rows), list_actions(mask1, columns)
        joint(params, code, mask0, mask1, mask0, mask1, after, places, matrix_space)
        finite = m * n > 0
        for choice in range(m * n):
            if after[choice] >= 0:
                place = max(places[choice], ~places[choice]) - first
                value = half[place] if 0 <= place < len(half) else 0.0  # then the checker objects
                matrix_space[choice] += value if places[choice] >= 0 else -value
            finite &= abs(matrix_space[choice]) < np.inf
        if not finite:
            values[k], gaps[k] = 0.0, np.inf
            continue
        matrix = matrix_space[: m * n].reshape((m, n))
        tableau = tableau_space[: (m + 1) * (n + 1)].reshape((m + 1, n + 1))
        values[k], gaps[k] = solve_into(matrix, tableau, mix0[:m], mix1[:n])
        if swap_players(params, code) == code:
            values[k] = 0.0
        for i in range(m):
            strategies0[k, rows[i]] = mix0[i]
        for j in range(n):
            strategies1[k, columns[j]] = mix1[j]
