"""Matrix games, solved exactly: a compiled simplex method, and HiGHS as its reference.

The row player chooses ``i`` to gain ``payoff[i, j]``, the column player chooses ``j`` to prevent it. With all
payoffs mapped to 1..2, the column player's best mix is ``q / sum(q)`` for the ``q >= 0`` of largest sum
with ``payoff @ q <= 1``; the row player's is the dual solution (Dantzig 1951; von Neumann 1928 for the theorem).
The matrices of these games are usually degenerate, so after a number of steps with Dantzig's rule the method uses
Bland's (1977), which cannot cycle.

Every result has a gap, between the values of the best replies to the two strategies: these enclose the value, but for
rounding.
If rounding leaves a gap, the method is tried on an equivalent game, and as a last resort HiGHS.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import float64, types

from nashzoo.envs.jit.compiled import Floats, compiled

GAP_TOLERANCE = 1e-12  # a matrix with payoffs around 1 is solved when its certificate is within this
PIVOT_TOLERANCE = 1e-13  # an entry this small is a rounding error, not a pivot
COST_TOLERANCE = 1e-15  # a column with a smaller improvement does not enter the basis
GRAIN = 2.0**-46  # payoffs that differ by less, where 1 is the largest, may be equal
TINY = np.finfo(np.float64).tiny
LIFT = 2.0**64  # makes normal numbers of those below TINY, exactly
LEAST = 2.0**-1074  # the smallest number above 0


class MatrixSolution(NamedTuple):
    """The value of a matrix game to the row player, an optimal strategy of each player, and the certificate."""

    value: float
    row_strategy: Floats
    column_strategy: Floats
    gap: float


@compiled(inline=True)
def _bounds(payoff: Floats, row_strategy: Floats, column_strategy: Floats) -> tuple[float, float]:
    """Returns what each strategy guarantees: a lower and an upper bound of the value."""
    rows, columns = payoff.shape
    lower, upper = np.inf, -np.inf
    for j in range(columns):
        guaranteed = 0.0
        for i in range(rows):
            guaranteed += row_strategy[i] * payoff[i, j]
        lower = min(lower, guaranteed)
    for i in range(rows):
        conceded = 0.0
        for j in range(columns):
            conceded += column_strategy[j] * payoff[i, j]
        upper = max(upper, conceded)
    return lower, upper


@compiled(inline=True)
def _saddle_point(payoff: Floats) -> tuple[int, int]:
    """Returns a row and a column that are best against each other, or (-1, -1) if there are none."""
    rows, columns = payoff.shape
    best_row, best_column = -1, -1
    secured, conceded = -np.inf, np.inf
    for i in range(rows):
        worst = payoff[i, 0]
        for j in range(1, columns):
            worst = min(worst, payoff[i, j])
        if worst > secured:
            secured, best_row = worst, i
    for j in range(columns):
        best = payoff[0, j]
        for i in range(1, rows):
            best = max(best, payoff[i, j])
        if best < conceded:
            conceded, best_column = best, j
    if secured == conceded:
        return best_row, best_column
    return -1, -1


@compiled(inline=True)
def _choose_pivot(tableau: Floats, basis: Any, outside: Any, bland: bool) -> tuple[int, int]:
    """Returns the row and column of the next pivot; column -1 at the optimum, row -1 if there is no pivot."""
    rows, columns = tableau.shape[0] - 1, tableau.shape[1] - 1
    entering = -1
    for j in range(columns):
        if tableau[rows, j] < -COST_TOLERANCE:
            if entering < 0:
                entering = j
            elif bland:
                if outside[j] < outside[entering]:
                    entering = j
            elif tableau[rows, j] < tableau[rows, entering]:
                entering = j
    if entering < 0:
        return -1, -1
    leaving = -1
    smallest = np.inf
    for i in range(rows):
        if tableau[i, entering] > PIVOT_TOLERANCE:
            ratio = tableau[i, columns] / tableau[i, entering]
            if ratio < smallest or (ratio == smallest and basis[i] < basis[leaving]):
                smallest, leaving = ratio, i
    return leaving, entering


@compiled(inline=True)
def _pivot(tableau: Floats, row: int, column: int) -> None:
    """Exchanges a basic with a non-basic variable in the condensed tableau."""
    height, width = tableau.shape
    inverse = 1.0 / tableau[row, column]
    for j in range(width):
        tableau[row, j] *= inverse
    tableau[row, column] = inverse
    for i in range(height):
        if i != row:
            factor = tableau[i, column]
            if factor != 0.0:
                for j in range(width):
                    tableau[i, j] -= factor * tableau[row, j]
                tableau[i, column] = -factor * inverse


@compiled(inline=True)
def _range(payoff: Floats) -> tuple[float, float]:
    """Returns the smallest and the largest payoff."""
    smallest, largest = np.inf, -np.inf
    for i in range(payoff.shape[0]):
        for j in range(payoff.shape[1]):
            smallest, largest = min(smallest, payoff[i, j]), max(largest, payoff[i, j])
    return smallest, largest


@compiled(float64(float64[::1]))
def _sum(strategy: Floats) -> float:
    total = 0.0
    for i in range(len(strategy)):
        total += strategy[i]
    return total


@compiled(types.void(float64[::1]))
def _normalize(strategy: Floats) -> None:
    total = max(_sum(strategy), TINY)
    for i in range(len(strategy)):
        strategy[i] /= total


@compiled(types.void(float64[:, ::1], float64[:, ::1], float64[::1], float64[::1]))
def _simplex(payoff: Floats, tableau: Floats, row_strategy: Floats, column_strategy: Floats) -> None:
    """Fills optimal strategies; if the method fails, zeros or invalid strategies."""
    rows, columns = payoff.shape
    for i in range(rows):
        row_strategy[i] = 0.0
    for j in range(columns):
        column_strategy[j] = 0.0
    smallest, largest = _range(payoff)
    lift = 1.0 if largest - smallest >= TINY else LIFT
    scale = 1.0 / ((largest - smallest) * lift)
    for i in range(rows):
        for j in range(columns):
            tableau[i, j] = 1.0 + (payoff[i, j] - smallest) * lift * scale
        tableau[i, columns] = 1.0
    for j in range(columns):
        tableau[rows, j] = -1.0
    tableau[rows, columns] = 0.0
    # Variables 0..n-1 are the column player's, n..n+m-1 the slacks, which are the row player's dual.
    outside, basis = np.empty(columns, np.int64), np.empty(rows, np.int64)
    for j in range(columns):
        outside[j] = j
    for i in range(rows):
        basis[i] = columns + i
    patience = 4 * (rows + columns)
    for count in range(20 * patience):
        i, j = _choose_pivot(tableau, basis, outside, count > patience)
        if j < 0:
            break
        if i < 0:
            return
        _pivot(tableau, i, j)
        basis[i], outside[j] = outside[j], basis[i]

    for i in range(rows):
        if basis[i] < columns:
            column_strategy[basis[i]] = max(tableau[i, columns], 0.0)
    for j in range(columns):
        if outside[j] >= columns:
            row_strategy[outside[j] - columns] = max(tableau[rows, j], 0.0)
    _normalize(row_strategy)
    _normalize(column_strategy)


@compiled(inline=True)
def _are_distributions(row_strategy: Floats, column_strategy: Floats) -> bool:
    """Returns whether the simplex method has found strategies."""
    return abs(_sum(row_strategy) - 1.0) < 0.5 and abs(_sum(column_strategy) - 1.0) < 0.5


@compiled(types.boolean(float64[:, ::1], float64[::1], float64[::1], float64[::1]))
def _improve(payoff: Floats, row_strategy: Floats, column_strategy: Floats, bounds: Floats) -> bool:
    """Replaces ``bounds`` by those of the strategies if these are closer together; returns whether they are.

    Strategies that are no distribution guarantee nothing.
    """
    if not _are_distributions(row_strategy, column_strategy):
        return False
    lower, upper = _bounds(payoff, row_strategy, column_strategy)
    if upper - lower < bounds[1] - bounds[0]:
        bounds[0], bounds[1] = lower, upper
        return True
    return False


@compiled(types.void(float64[:, ::1], float64[::1], float64[::1], float64[::1]))
def _try_otherwise(payoff: Floats, row_strategy: Floats, column_strategy: Floats, bounds: Floats) -> None:
    """Tries the same game with the players swapped, and with payoffs that differ only by rounding made equal.

    Payoffs that are equal in exact arithmetic may differ in their last bits, and the method fails on pivots on the
    difference. Other pivots avoid this; the certificate is always that of the original payoffs.
    """
    rows, columns = payoff.shape
    game, exchanged = np.empty((rows, columns)), np.empty((columns, rows))
    tableau, exchanged_tableau = np.empty((rows + 1, columns + 1)), np.empty((columns + 1, rows + 1))
    own, other = np.empty(rows), np.empty(columns)
    smallest, largest = _range(payoff)
    grain = max(max(-smallest, largest) * GRAIN, LEAST)
    for attempt in range(1, 4):
        for i in range(rows):
            for j in range(columns):
                game[i, j] = payoff[i, j] if attempt == 1 else round(payoff[i, j] / grain) * grain
                exchanged[j, i] = -game[i, j]
        smallest, largest = _range(game)
        if smallest == largest:
            return
        if attempt % 2 == 1:
            _simplex(exchanged, exchanged_tableau, other, own)
        else:
            _simplex(game, tableau, own, other)
        if _improve(payoff, own, other, bounds):
            for i in range(rows):
                row_strategy[i] = own[i]
            for j in range(columns):
                column_strategy[j] = other[j]
        if bounds[1] - bounds[0] <= GAP_TOLERANCE:
            return


@compiled(types.UniTuple(float64, 2)(float64[:, ::1], float64[:, ::1], float64[::1], float64[::1]))
def solve_into(payoff: Floats, tableau: Floats, row_strategy: Floats, column_strategy: Floats) -> tuple[float, float]:
    """Solves a matrix game without large allocations; :func:`try_again` may close a remaining gap.

    Args:
        payoff: ``[m, n]``, to the row player.
        tableau: Working space ``[m + 1, n + 1]``.
        row_strategy: Filled with an optimal strategy ``[m]``.
        column_strategy: Filled with an optimal strategy ``[n]``.

    Returns:
        The value, and the gap between what the two strategies guarantee, infinite if no solution was found.
    """
    rows, columns = payoff.shape
    i, j = _saddle_point(payoff)
    if i >= 0:
        for k in range(rows):
            row_strategy[k] = 1.0 if k == i else 0.0
        for k in range(columns):
            column_strategy[k] = 1.0 if k == j else 0.0
        return payoff[i, j], 0.0
    _simplex(payoff, tableau, row_strategy, column_strategy)
    if not _are_distributions(row_strategy, column_strategy):
        return 0.0, np.inf
    lower, upper = _bounds(payoff, row_strategy, column_strategy)
    return 0.5 * (lower + upper), max(upper - lower, 0.0)


def try_again(payoff: Floats, solution: MatrixSolution) -> MatrixSolution:
    """Returns the solution of an equivalent game if its certificate is better, else ``solution``.

    It is separate from :func:`solve_into`, as it is seldom needed and takes long to compile.
    """
    _, row_strategy, column_strategy, _ = solution
    row_strategy, column_strategy = row_strategy.copy(), column_strategy.copy()
    bounds = np.array([-np.inf, np.inf])
    _improve(payoff, row_strategy, column_strategy, bounds)
    _try_otherwise(payoff, row_strategy, column_strategy, bounds)
    lower, upper = float(bounds[0]), float(bounds[1])
    if upper == np.inf:
        return solution
    return MatrixSolution(0.5 * (lower + upper), row_strategy, column_strategy, max(upper - lower, 0.0))


def solve_matrix(payoff: Any) -> MatrixSolution:
    """Solves a matrix game.

    Args:
        payoff: ``[m, n]``, finite, the gains of the row player and losses of the column player, in points.

    Raises:
        ValueError: ``payoff`` is not a matrix, is empty, or has an entry that is not finite.

    >>> solution = solve_matrix([[3.0, -1.0], [-1.0, 1.0]])  # value (3*1 - 1*1) / (3 + 1 + 1 + 1)
    >>> round(solution.value, 4), solution.row_strategy.round(4).tolist()
    (0.3333, [0.3333, 0.6667])
    """
    matrix = _checked(payoff)
    rows, columns = matrix.shape
    row_strategy, column_strategy = np.empty(rows), np.empty(columns)
    scale = max(float(np.abs(matrix).max()), 1.0)
    value, gap = solve_into(matrix / scale, np.empty((rows + 1, columns + 1)), row_strategy, column_strategy)
    scaled = MatrixSolution(float(value), row_strategy, column_strategy, float(gap))
    if gap > GAP_TOLERANCE:
        scaled = try_again(matrix / scale, scaled)
    solution = scaled._replace(value=scaled.value * scale, gap=scaled.gap * scale)
    return solution if scaled.gap <= GAP_TOLERANCE else better_by_highs(matrix, solution)


def better_by_highs(matrix: Floats, solution: MatrixSolution) -> MatrixSolution:
    """Returns the solution of HiGHS if its certificate is better, else ``solution``."""
    other = solve_by_highs(matrix)
    return other if other.gap < solution.gap else solution


def solve_by_highs(payoff: Any) -> MatrixSolution:
    """Solves a matrix game with ``scipy.optimize.linprog``; slow, independent, the reference for the compiled method.

    Raises:
        ValueError: as :func:`solve_matrix`.
        ArithmeticError: HiGHS fails.
    """
    matrix = _checked(payoff)
    scaled = matrix / max(float(np.abs(matrix).max()), np.finfo(np.float64).tiny)  # HiGHS has absolute tolerances,
    scaled -= scaled.min()
    scaled /= scaled.max() or 1.0  # and a matrix may be nearly constant
    row_strategy = _maximin_by_highs(scaled)
    column_strategy = _maximin_by_highs(-scaled.T)
    lower, upper = _bounds(matrix, row_strategy, column_strategy)
    return MatrixSolution(0.5 * (lower + upper), row_strategy, column_strategy, max(upper - lower, 0.0))


def _maximin_by_highs(matrix: Floats) -> Floats:
    from scipy.optimize import linprog

    rows, columns = matrix.shape
    objective = np.append(np.zeros(rows), -1.0)
    result = linprog(
        objective,
        A_ub=np.hstack([-matrix.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0.0, None)] * rows + [(None, None)],
        method="highs-ds",
    )
    if result.status != 0 or result.x is None:
        raise ArithmeticError(f"HiGHS could not solve a matrix game of shape {matrix.shape}: {result.message}")
    strategy: Floats = np.clip(result.x[:rows], 0.0, None)
    return np.ascontiguousarray(strategy / strategy.sum())


def _checked(payoff: Any) -> Floats:
    matrix = np.ascontiguousarray(payoff, np.float64)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(f"a matrix game needs a payoff matrix with rows and columns, not shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError("every payoff of a matrix game must be finite")
    return matrix
