"""All optimal strategies of a matrix game: the vertices of a polytope, in fractions.

A strategy is optimal if it has no negative probability and secures the value against every column. These inequalities
form a cone of multiples of strategies, whose extreme rays are found by taking the inequalities one after the other.

Source: Motzkin, Raiffa, Thompson and Thrall (1953), "The double description method"; Fukuda and Prodon (1996).
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from operator import mul

from nashzoo.baselines.solvers.matrix import ExactMatrix, solve_exactly
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.base.errors import UsageError

MOST_RAYS = 4_000
NEAR = 1e-5  # how near a bound of a probability should be to one that a strategy has
ALIKE = 3 * NEAR  # a difference of probabilities that counts as none

Vector = list[int]  # any multiple of it would do: it has no common divisor
Strategy = list[Fraction]


class TooManyVerticesError(UsageError, ArithmeticError):
    """The polytope has too many vertices."""


def optimal_strategies(matrix: ExactMatrix, slack: Fraction = Fraction(0)) -> tuple[list[Strategy], list[Strategy]]:
    """Returns the vertices of both players' sets of strategies that secure the value ``[m, n]``, less a slack.

    Raises:
        TooManyVerticesError: there are more than ``MOST_RAYS``, or were on the way.
    """
    value, first, second = solve_exactly(matrix)
    negative = [[-entry for entry in column] for column in zip(*matrix, strict=True)]
    return _vertices(matrix, value, second, slack), _vertices(negative, -value, first, slack)


def _vertices(matrix: ExactMatrix, value: Fraction, theirs: Strategy, slack: Fraction) -> list[Strategy]:
    """Returns the vertices of the row player's set; ``theirs`` is an optimal strategy of the other."""
    count = len(matrix)
    earned = [sum(map(mul, row, theirs)) for row in matrix]
    signs = [_primitive([int(i == k) for k in range(count)]) for i in range(count)]
    secured = [_primitive([entry - value + slack for entry in column]) for column in zip(*matrix, strict=True)]
    never = [sign for sign, won in zip(signs, earned, strict=True) if won < value]
    tight = [row for row, share in zip(secured, theirs, strict=True) if share > 0]
    # Every optimal strategy meets these with equality; with a slack they are likely to be the boundary.
    others = [row for row in (*signs, *secured) if row not in never and row not in tight]
    rays = _rays(others, never + tight) if slack == 0 else _rays(never + tight + others, [])
    return sorted(([Fraction(part, sum(ray)) for part in ray] for ray in rays), reverse=True)


def _rays(inequalities: Sequence[Vector], equalities: Sequence[Vector]) -> list[Vector]:
    """Returns the extreme rays of a cone without lines."""
    width = len(inequalities[0] if inequalities else equalities[0])
    space = _null_space(equalities, width)
    within = [[sum(map(mul, row, axis)) for axis in space] for row in inequalities]
    chosen, _ = _reduced(within, len(space))
    # Of as many inequalities as dimensions each ray meets all but one with equality.
    rays: list[tuple[Vector, int]] = []  # and which inequalities it meets with equality, as a bit mask
    all_chosen = sum(1 << k for k in chosen)
    for k in chosen:
        (axis,) = _null_space([within[other] for other in chosen if other != k], len(space))
        ray = _primitive([sum(map(mul, axis, column)) for column in zip(*space, strict=True)])
        sign = 1 if sum(map(mul, inequalities[k], ray)) > 0 else -1
        rays.append(([sign * part for part in ray], all_chosen & ~(1 << k)))
    for k, row in enumerate(inequalities):
        if k not in chosen:
            rays = _cut(rays, row, 1 << k, len(space))
    return [ray for ray, _ in rays]


def _cut(rays: list[tuple[Vector, int]], row: Vector, bit: int, dimension: int) -> list[tuple[Vector, int]]:
    """Returns the extreme rays of a cone after a further inequality, which has the bit."""
    check_time()
    worth = [sum(map(mul, row, ray)) for ray, _ in rays]
    kept = [(ray, met | bit if won == 0 else met) for (ray, met), won in zip(rays, worth, strict=True) if won >= 0]
    masks = [met for _, met in rays]
    above = [k for k, won in enumerate(worth) if won > 0]
    for low in (k for k, won in enumerate(worth) if won < 0):
        for high in above:
            common = masks[low] & masks[high]
            if common.bit_count() < dimension - 2 or sum(common & met == common for met in masks) > 2:
                continue  # they share no face of two dimensions
            joined = [worth[high] * a - worth[low] * b for a, b in zip(rays[low][0], rays[high][0], strict=True)]
            kept.append((_primitive(joined), common | bit))
    if len(kept) > MOST_RAYS:
        raise TooManyVerticesError(f"the optimal strategies have more than {MOST_RAYS:,} vertices")
    return kept


def _primitive(row: Sequence[Fraction | int]) -> Vector:
    """Returns the shortest vector of whole numbers in a direction."""
    scale = math.lcm(*(entry.denominator for entry in row))
    whole = [int(entry * scale) for entry in row]
    divisor = math.gcd(*whole) or 1
    return [entry // divisor for entry in whole]


def _reduced(rows: Sequence[Vector], count: int) -> tuple[list[int], dict[int, list[Fraction]]]:
    """Returns the numbers of the first ``count`` independent rows, and their reduced echelon form by pivot column."""
    chosen: list[int] = []
    pivots: dict[int, list[Fraction]] = {}
    for k, row in enumerate(rows):
        if len(chosen) == count:
            break
        left = list(map(Fraction, row))
        for pivot, other in pivots.items():
            left = _without(left, pivot, other)
        if any(left):
            new = next(j for j, entry in enumerate(left) if entry)
            left = [entry / left[new] for entry in left]
            pivots = {pivot: _without(other, new, left) for pivot, other in pivots.items()} | {new: left}
            chosen.append(k)
    return chosen, pivots


def _without(row: list[Fraction], pivot: int, other: list[Fraction]) -> list[Fraction]:
    factor = row[pivot]
    return [a - factor * b for a, b in zip(row, other, strict=True)] if factor else row


def _null_space(rows: Sequence[Vector], width: int) -> list[Vector]:
    """Returns a basis of the vectors that are orthogonal to all rows."""
    _, pivots = _reduced(rows, width)
    free = [j for j in range(width) if j not in pivots]
    return [_primitive([-pivots[j][k] if j in pivots else Fraction(j == k) for j in range(width)]) for k in free]
