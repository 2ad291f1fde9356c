"""Matrix games, solved exactly: a compiled simplex method, and one in fractions.

The row player chooses ``i`` to gain ``payoff[i, j]``, the column player chooses ``j`` to prevent it. With all
payoffs mapped to 1..2, the column player's best mix is ``q / sum(q)`` for the ``q >= 0`` of largest sum
with ``payoff @ q <= 1``; the row player's is the dual solution (Dantzig 1951; von Neumann 1928 for the theorem).
The matrices of these games are usually degenerate, so after a number of steps with Dantzig's rule the method uses
Bland's (1977), which cannot cycle.

Every result has a gap, between the values of the best replies to the two strategies: these enclose the value, but for
rounding.
If rounding leaves a gap, the method is tried on an equivalent game, and as a last resort in exact arithmetic.
"""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.jit.compiled import Floats, Ints, borrowed, compiled
from nashzoo.envs.jit.numba import float64, int64, types, void

GAP_TOLERANCE = 1e-12  # a matrix with payoffs around 1 is solved when its certificate is within this
PIVOT_TOLERANCE = 1e-13  # an entry this small is a rounding error, not a pivot
COST_TOLERANCE = 1e-15  # a column with a smaller improvement does not enter the basis
GRAIN = 2.0**-46  # payoffs that differ by less, where 1 is the largest, may be equal
TINY = np.finfo(np.float64).tiny
LIFT = 2.0**64  # makes normal numbers of those below TINY, exactly
LEAST = 2.0**-1074  # the smallest number above 0
LANES = 4  # numbers that processors subtract at once

_ARGUMENTS = float64[::1], int64, int64, float64[::1], float64[::1], float64[::1], int64[::1]


class MatrixSolution(NamedTuple):
    """The value of a matrix game to the row player, an optimal strategy of each player, and the certificate."""

    value: float
    row_strategy: Floats
    column_strategy: Floats
    gap: float


@compiled(inline="early")
def row_width(columns: int) -> int:
    """Returns the length of a row of the tableau: a column more than the matrix has, and filled up with zeros."""
    return (columns + LANES) // LANES * LANES


@compiled(inline="early")
def tableau_size(rows: int, columns: int) -> int:
    """Returns the length of the working space: a row more than the matrix has, and a copy of the pivot row."""
    return (rows + 2) * row_width(columns)


@compiled(inline="early")
def _bounds(
    payoff: Floats, rows: int, columns: int, row_strategy: Floats, column_strategy: Floats
) -> tuple[float, float]:  # fmt: skip
    """Returns what each strategy guarantees: a lower and an upper bound of the value."""
    lower, upper = np.inf, -np.inf
    for j in range(columns):
        guaranteed = 0.0
        for i in range(rows):
            guaranteed += row_strategy[i] * payoff[i * columns + j]
        lower = min(lower, guaranteed)
    for i in range(rows):
        conceded = 0.0
        for j in range(columns):
            conceded += column_strategy[j] * payoff[i * columns + j]
        upper = max(upper, conceded)
    return lower, upper


@compiled(inline="early")
def _saddle_point(payoff: Floats, rows: int, columns: int, highest: Floats) -> tuple[int, int, float, float]:
    """Returns a row and a column that are best against each other, or -1 twice; and the range of the payoffs.

    ``payoff`` is ``[m n]``; ``highest`` is working space ``[n]``.
    """
    best_row, best_column = -1, -1
    secured, conceded, smallest, largest = -np.inf, np.inf, np.inf, -np.inf
    for j in range(columns):
        highest[j] = -np.inf
    for i in range(rows):
        lowest = np.inf
        for j in range(columns):
            entry = payoff[i * columns + j]
            lowest = min(lowest, entry)
            highest[j] = max(highest[j], entry)
        smallest = min(smallest, lowest)
        if lowest > secured:
            secured, best_row = lowest, i
    for j in range(columns):
        largest = max(largest, highest[j])
        if highest[j] < conceded:
            conceded, best_column = highest[j], j
    if secured == conceded:
        return best_row, best_column, smallest, largest
    return -1, -1, smallest, largest


@compiled(inline="early")
def _range(payoff: Floats, size: int) -> tuple[float, float]:
    """Returns the smallest and the largest of the first payoffs."""
    smallest, largest = np.inf, -np.inf
    for k in range(size):
        smallest, largest = min(smallest, payoff[k]), max(largest, payoff[k])
    return smallest, largest


@compiled(inline="early")
def _fill(strategy: Floats, size: int, place: int) -> None:
    """Fills a strategy that always takes one action, or zeros if its place is negative."""
    for k in range(size):
        strategy[k] = 1.0 if k == place else 0.0


@compiled(inline="early")
def _sum(strategy: Floats, size: int) -> float:
    total = 0.0
    for k in range(size):
        total += strategy[k]
    return total


@compiled(inline="early")
def _normalize(strategy: Floats, size: int) -> None:
    inverse = 1.0 / max(_sum(strategy, size), TINY)
    for k in range(size):
        strategy[k] *= inverse


@compiled(inline="early")
def _choose_pivot(
    tableau: Floats, rows: int, columns: int, width: int, basis: Any, bland: bool
) -> tuple[int, int]:  # fmt: skip
    """Returns the row and column of the next pivot; column -1 at the optimum, row -1 if there is no pivot."""
    entering, costs, lowest = -1, rows * width, -COST_TOLERANCE
    if bland:
        for j in range(columns):
            if tableau[costs + j] < lowest and (entering < 0 or basis[rows + j] < basis[rows + entering]):
                entering = j
    else:
        for j in range(columns):
            if tableau[costs + j] < lowest:
                lowest, entering = tableau[costs + j], j
    if entering < 0:
        return -1, -1
    leaving, least, divisor = -1, 1.0, 0.0  # the smallest ratio is least / divisor
    for i in range(rows):
        entry = tableau[i * width + entering]
        if entry > PIVOT_TOLERANCE:
            own, other = tableau[i * width + columns] * divisor, least * entry
            if own < other or (bland and own == other and basis[i] < basis[leaving]):
                leaving, least, divisor = i, tableau[i * width + columns], entry
    return leaving, entering


@compiled(inline="early")
def _pivot(tableau: Floats, rows: int, width: int, leaving: int, entering: int) -> None:
    """Exchanges a basic with a non-basic variable in the condensed tableau."""
    pivot_row, copy = leaving * width, (rows + 1) * width
    inverse = 1.0 / tableau[pivot_row + entering]
    tableau[pivot_row + entering] = 1.0
    for first in range(0, width, LANES):
        for lane in range(LANES):
            tableau[copy + first + lane] = tableau[pivot_row + first + lane] * inverse
    tableau[pivot_row + entering] = 0.0
    for i in range(rows + 1):
        row = i * width
        factor = tableau[row + entering]
        if factor != 0.0:
            tableau[row + entering] = 0.0
            for first in range(0, width, LANES):
                for lane in range(LANES):
                    tableau[row + first + lane] -= factor * tableau[copy + first + lane]
    for k in range(width):
        tableau[pivot_row + k] = tableau[copy + k]


@compiled(inline="early")
def _pivots(tableau: Floats, rows: int, columns: int, width: int, basis: Any, most: int, bland: bool) -> bool:
    """Pivots until there is no other pivot, and returns whether this is so after a number of steps."""
    for _ in range(most):
        i, j = _choose_pivot(tableau, rows, columns, width, basis, bland)
        if i < 0:
            return True
        _pivot(tableau, rows, width, i, j)
        basis[i], basis[rows + j] = basis[rows + j], basis[i]
    return False


@compiled(void(*_ARGUMENTS, float64, float64))
def _simplex(
    payoff: Floats, rows: int, columns: int,
    row_strategy: Floats, column_strategy: Floats, tableau: Floats, basis: Ints, smallest: float, largest: float,
) -> None:  # fmt: skip
    """Fills optimal strategies, see :func:`solve_into`; if the method fails, zeros or invalid strategies.

    The smallest and the largest payoff are known.
    """
    payoff, tableau, basis = borrowed(payoff), borrowed(tableau), borrowed(basis)
    row_strategy, column_strategy = borrowed(row_strategy), borrowed(column_strategy)
    _fill(row_strategy, rows, -1)
    _fill(column_strategy, columns, -1)
    lift = 1.0 if largest - smallest >= TINY else LIFT
    scale = 1.0 / ((largest - smallest) * lift)
    width = row_width(columns)
    for i in range(rows + 1):
        for j in range(columns):
            tableau[i * width + j] = -1.0 if i == rows else 1.0 + (payoff[i * columns + j] - smallest) * lift * scale
        tableau[i * width + columns] = 0.0 if i == rows else 1.0
        for j in range(columns + 1, width):
            tableau[i * width + j] = 0.0
    # Variables 0..n-1 are the column player's, n..n+m-1 the slacks, which are the row player's dual. First come those
    # in the basis, by row, then the others, by column.
    for i in range(rows):
        basis[i] = columns + i
    for j in range(columns):
        basis[rows + j] = j
    patience = 4 * (rows + columns)
    if not _pivots(tableau, rows, columns, width, basis, patience, False):
        _pivots(tableau, rows, columns, width, basis, 20 * patience, True)

    for i in range(rows):
        if basis[i] < columns:
            column_strategy[basis[i]] = max(tableau[i * width + columns], 0.0)
    for j in range(columns):
        if basis[rows + j] >= columns:
            row_strategy[basis[rows + j] - columns] = max(tableau[rows * width + j], 0.0)
    _normalize(row_strategy, rows)
    _normalize(column_strategy, columns)


@compiled(inline="early")
def _are_distributions(row_strategy: Floats, rows: int, column_strategy: Floats, columns: int) -> bool:
    """Returns whether the simplex method has found strategies."""
    return abs(_sum(row_strategy, rows) - 1.0) < 0.5 and abs(_sum(column_strategy, columns) - 1.0) < 0.5


@compiled(types.boolean(float64[::1], float64[::1], float64[::1], float64[::1]))
def _improve(payoff: Floats, row_strategy: Floats, column_strategy: Floats, bounds: Floats) -> bool:
    """Replaces ``bounds`` by those of the strategies if these are closer together; returns whether they are.

    Strategies that are no distribution guarantee nothing.
    """
    rows, columns = len(row_strategy), len(column_strategy)
    if not _are_distributions(row_strategy, rows, column_strategy, columns):
        return False
    lower, upper = _bounds(payoff, rows, columns, row_strategy, column_strategy)
    if upper - lower < bounds[1] - bounds[0]:
        bounds[0], bounds[1] = lower, upper
        return True
    return False


@compiled(void(float64[::1], float64[::1], float64[::1], float64[::1]))
def _try_otherwise(payoff: Floats, row_strategy: Floats, column_strategy: Floats, bounds: Floats) -> None:
    """Tries the same game with the players swapped, and with payoffs that differ only by rounding made equal.

    Payoffs that are equal in exact arithmetic may differ in their last bits, and the method fails on pivots on the
    difference. Other pivots avoid this; the certificate is always that of the original payoffs.
    """
    rows, columns = len(row_strategy), len(column_strategy)
    game, exchanged = np.empty(rows * columns), np.empty(rows * columns)
    tableau = np.empty(max(tableau_size(rows, columns), tableau_size(columns, rows)))
    basis, own, other = np.empty(rows + columns, np.int64), np.empty(rows), np.empty(columns)
    smallest, largest = _range(payoff, rows * columns)
    grain = max(max(-smallest, largest) * GRAIN, LEAST)
    for attempt in range(1, 4):
        for i in range(rows):
            for j in range(columns):
                entry = payoff[i * columns + j]
                game[i * columns + j] = entry if attempt == 1 else round(entry / grain) * grain
                exchanged[j * rows + i] = -game[i * columns + j]
        smallest, largest = _range(game, rows * columns)
        if smallest == largest:
            return
        if attempt % 2 == 1:
            _simplex(exchanged, columns, rows, other, own, tableau, basis, -largest, -smallest)
        else:
            _simplex(game, rows, columns, own, other, tableau, basis, smallest, largest)
        if _improve(payoff, own, other, bounds):
            for i in range(rows):
                row_strategy[i] = own[i]
            for j in range(columns):
                column_strategy[j] = other[j]
        if bounds[1] - bounds[0] <= GAP_TOLERANCE:
            return


@compiled(void(*_ARGUMENTS))
def equilibrium_into(
    payoff: Floats, rows: int, columns: int,
    row_strategy: Floats, column_strategy: Floats, tableau: Floats, basis: Ints,
) -> None:  # fmt: skip
    """Fills optimal strategies, see :func:`solve_into`; if the method fails, zeros or invalid strategies."""
    i, j, smallest, largest = _saddle_point(payoff, rows, columns, tableau)
    if i >= 0:
        _fill(row_strategy, rows, i)
        _fill(column_strategy, columns, j)
    else:
        _simplex(payoff, rows, columns, row_strategy, column_strategy, tableau, basis, smallest, largest)


@compiled(types.UniTuple(float64, 2)(*_ARGUMENTS))
def solve_into(
    payoff: Floats, rows: int, columns: int,
    row_strategy: Floats, column_strategy: Floats, tableau: Floats, basis: Ints,
) -> tuple[float, float]:  # fmt: skip
    """Solves a matrix game ``[m, n]`` without allocations; :func:`try_again` may close a remaining gap.

    The arrays may be longer than is said here; the rest is left as it is.

    Args:
        payoff: To the row player, row by row ``[m n]``.
        rows: ``m``.
        columns: ``n``.
        row_strategy: Filled with an optimal strategy ``[m]``.
        column_strategy: Filled with an optimal strategy ``[n]``.
        tableau: Working space ``[tableau_size(m, n)]``.
        basis: Working space ``[m + n]``.

    Returns:
        The value, and the gap between what the two strategies guarantee, infinite if no solution was found.
    """
    equilibrium_into(payoff, rows, columns, row_strategy, column_strategy, tableau, basis)
    if not _are_distributions(row_strategy, rows, column_strategy, columns):
        return 0.0, np.inf
    lower, upper = _bounds(payoff, rows, columns, row_strategy, column_strategy)
    return 0.5 * (lower + upper), max(upper - lower, 0.0)


def try_again(payoff: Floats, solution: MatrixSolution) -> MatrixSolution:
    """Returns the solution of an equivalent game if its certificate is better, else ``solution``.

    It is separate from :func:`solve_into`, as it is seldom needed and takes long to compile.
    """
    _, row_strategy, column_strategy, _ = solution
    row_strategy, column_strategy = row_strategy.copy(), column_strategy.copy()
    bounds, entries = np.array([-np.inf, np.inf]), np.ascontiguousarray(payoff).reshape(-1)
    _improve(entries, row_strategy, column_strategy, bounds)
    _try_otherwise(entries, row_strategy, column_strategy, bounds)
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
    scale = max(float(np.abs(matrix).max()), 1.0)
    scaled = by_simplex(matrix / scale)
    if scaled.gap > GAP_TOLERANCE:
        scaled = try_again(matrix / scale, scaled)
    solution = scaled._replace(value=scaled.value * scale, gap=scaled.gap * scale)
    return solution if scaled.gap <= GAP_TOLERANCE else better_by_fractions(matrix, solution)


def by_simplex(matrix: Floats) -> MatrixSolution:
    """Returns what the simplex method finds ``[m, n]``, with an infinite gap if it fails."""
    rows, columns = matrix.shape
    row_strategy, column_strategy = np.empty(rows), np.empty(columns)
    space = np.empty(tableau_size(rows, columns)), np.empty(rows + columns, np.int64)
    value, gap = solve_into(matrix.reshape(-1), rows, columns, row_strategy, column_strategy, *space)
    return MatrixSolution(float(value), row_strategy, column_strategy, float(gap))


def better_by_fractions(matrix: Floats, solution: MatrixSolution) -> MatrixSolution:
    """Returns the exact solution, rounded, if its certificate is better, else ``solution``."""
    other = solve_by_fractions(matrix)
    return other if other.gap < solution.gap else solution


def solve_by_fractions(payoff: Any) -> MatrixSolution:
    """Solves a matrix game by the simplex method in exact arithmetic; it takes a thousand times as long.

    Matrices whose equilibrium hangs on the last bits of payoffs defeat every method that rounds.

    Raises:
        ValueError: as :func:`solve_matrix`.
    """
    matrix = _checked(payoff)
    _, *mixes = solve_exactly([[Fraction(entry) for entry in row] for row in matrix.tolist()])
    row_strategy, column_strategy = (np.array(list(map(float, mix))) for mix in mixes)
    rows, columns = matrix.shape
    lower, upper = _bounds(matrix.reshape(-1), rows, columns, row_strategy, column_strategy)
    return MatrixSolution(0.5 * (lower + upper), row_strategy, column_strategy, max(upper - lower, 0.0))


ExactMatrix = Sequence[Sequence[Fraction]]


def solve_exactly(entries: ExactMatrix) -> tuple[Fraction, list[Fraction], list[Fraction]]:
    """Returns the value of a matrix game ``[m, n]``, and optimal strategies ``[m]`` and ``[n]`` that prove it.

    Raises:
        ArithmeticError: they do not, which is an error of this library.
    """
    rows, columns = len(entries), len(entries[0])
    smallest = min(map(min, entries))
    scale = max(map(max, entries)) - smallest or Fraction(1)
    tableau = [[1 + (entry - smallest) / scale for entry in row] + [Fraction(1)] for row in entries]
    tableau.append([Fraction(-1)] * columns + [Fraction(0)])
    basis, outside = [columns + i for i in range(rows)], list(range(columns))
    for count in itertools.count():
        improving = [j for j in range(columns) if tableau[rows][j] < 0]
        if not improving:
            break
        bland = count > 4 * (rows + columns)
        entering = min(improving, key=outside.__getitem__ if bland else tableau[rows].__getitem__)
        ratios = [
            (tableau[i][columns] / tableau[i][entering], basis[i], i) for i in range(rows) if tableau[i][entering] > 0
        ]
        leaving = min(ratios)[2]
        pivot = tableau[leaving][entering]
        pivot_row = [entry / pivot for entry in tableau[leaving]]
        pivot_row[entering] = 1 / pivot
        for i in range(rows + 1):
            factor = tableau[i][entering]
            if i != leaving and factor != 0:
                tableau[i] = [entry - factor * other for entry, other in zip(tableau[i], pivot_row, strict=True)]
                tableau[i][entering] = -factor / pivot
        tableau[leaving] = pivot_row
        basis[leaving], outside[entering] = outside[entering], basis[leaving]
    total = tableau[rows][columns]
    row_strategy, column_strategy = [Fraction(0)] * rows, [Fraction(0)] * columns
    for i, variable in enumerate(basis):
        if variable < columns:
            column_strategy[variable] = tableau[i][columns] / total
    for j, variable in enumerate(outside):
        if variable >= columns:
            row_strategy[variable - columns] = tableau[rows][j] / total
    value = (1 / total - 1) * scale + smallest
    secured = min(sum(map(mul, row_strategy, column)) for column in zip(*entries, strict=True))
    if not secured == value == max(sum(map(mul, column_strategy, row)) for row in entries):
        raise ArithmeticError("the exact simplex method has found no equilibrium of a matrix game")
    return value, row_strategy, column_strategy


def _checked(payoff: Any) -> Floats:
    matrix = np.ascontiguousarray(payoff, np.float64)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(f"a matrix game needs a payoff matrix with rows and columns, not shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError("every payoff of a matrix game must be finite")
    return matrix
