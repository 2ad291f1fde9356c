"""Matrix games of any size: double oracle with linear programs, and a certificate of its own.

Each player has a set of actions. The game restricted to these is solved; the best replies to its equilibrium, of all
actions, are added, until they gain nothing (McMahan, Gordon and Blum 2003). Only payoffs of the chosen rows and columns
are needed: with 10,000 actions of which few are played, a function computes few of the 100 million. As a set grows by a
quarter at least, there are few steps, also where every action is played.

Where many actions are alike, as Colonel Blotto's are when battlefields are exchanged, restricted games grow before the
best replies end. So once they are large, actions are partitioned into classes by colour refinement: each action of a
class has the same sum of payoffs over each class of the other player. The game in which players choose a class, and
play its actions uniformly, has the same value, and its solution is one of the game (Grohe, Kersting, Mladenov and
Selman 2014).

A restricted game is solved by the compiled simplex method while it is small, which loses digits as it pivots thousands
of times, and then by HiGHS, by its interior point method with crossover: for a random matrix of 1,203 by 1,203 it takes
8 seconds, and its dual simplex method 32. Neither is trusted. Whatever finds two strategies, :func:`strategy_bounds`
bounds what they secure, from their probabilities as they are in double precision, and counts all rounding.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nashzoo.baselines.certificate.bounds import LEAST, PROVEN, SLACK, UNIT
from nashzoo.baselines.solvers import matrix as small
from nashzoo.baselines.solvers.matrix import MatrixSolution
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import MOST_ACTIONS
from nashzoo.envs.imported.large_matrix import LargeMatrix
from nashzoo.envs.jit.compiled import Floats, Ints

FIRST = 32  # actions of each player at first
GROWTH = 4  # the sets grow by a quarter at least
MOST = 2 / 3  # of all actions; with more than these all are taken
PIVOTED = 200  # actions of a restricted game that the compiled simplex method solves
MOST_PIVOTED = 300  # those that it solves if HiGHS, whose tolerances are 1e-7, does not do it well
PATIENCE = 10  # iterations of HiGHS for each action; a random matrix needs 3
HIGHS = ("highs-ipm", "highs-ds")
ALIKE = 1e-9  # difference of sums over a class that are the same but for rounding, relative to the largest
WEIGHTS = 1 << 20  # random weights of classes, whole numbers, with which sums of whole payoffs are exact
CLOSE = PROVEN / 10  # a gap that needs no other method, relative to the range of payoffs
BETTER = PROVEN / 1000  # what a reply must gain more than those known, relative to the same
BLOCK = 4_000_000  # payoffs at a time, of strategies that mix many actions
SUM = 1e-9  # by which the sum of probabilities may differ from 1


class StrategyBounds(NamedTuple):
    """What two mixed strategies of a matrix game guarantee, proven.

    Attributes:
        lower: A lower bound of what the row strategy secures, in points; below the value.
        upper: An upper bound of what the column strategy concedes, in points; above the value.
        gap: A bound of their difference, NashConv, in points; closer than that of the two numbers, as these are
            rounded to double precision.
        row: A best reply to the column strategy.
        column: A best reply to the row strategy.
        span: The largest payoff minus the smallest, of those looked at, in points.
    """

    lower: float
    upper: float
    gap: float
    row: int
    column: int
    span: float

    @property
    def exploitability(self) -> float:
        """Half of NashConv, in points."""
        return self.gap / 2

    @property
    def proven(self) -> bool:
        """Whether the strategies are an equilibrium to within 1e-9 of the range of payoffs."""
        return self.gap <= PROVEN * self.span


class _Centred:
    """The payoffs of a game, less a number near their middle, in units of a power of two.

    Then rounding is small beside the range of payoffs, however large these are.
    """

    def __init__(self, game: LargeMatrix) -> None:
        self.game = game
        sample = game.payoffs(*(spread(count, FIRST) for count in game.shape))
        self.low, self.high = float(sample.min()), float(sample.max())
        self.centre = (self.low + self.high) / 2
        self.unit = 2.0 ** max(math.frexp(self.high - self.low)[1], -1000) if self.high > self.low else 1.0

    def __call__(self, rows: Ints | None, columns: Ints | None) -> Floats:
        """Returns those of some rows and columns; None for all."""
        chosen = (
            np.arange(n) if some is None else some for n, some in zip(self.game.shape, (rows, columns), strict=True)
        )
        payoffs = self.game.payoffs(*chosen)
        self.low, self.high = min(self.low, float(payoffs.min())), max(self.high, float(payoffs.max()))
        centred: Floats = (payoffs - self.centre) / self.unit
        return centred

    @property
    def span(self) -> float:
        """The largest payoff minus the smallest, of those seen, in units."""
        return (self.high - self.low) / self.unit


def spread(count: int, most: int) -> Ints:
    """Returns at most so many of the numbers below ``count``, with equal steps between them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))


def solve_matrix(payoff: Any) -> MatrixSolution:
    """Solves a matrix game.

    Up to 62 actions the method is :func:`nashzoo.baselines.solvers.matrix.solve_matrix`; beyond, double oracle with
    linear programs.

    Args:
        payoff: ``[m, n]``, finite, the gains of the row player and losses of the column player, in points; or a
            :class:`nashzoo.envs.LargeMatrix`, whose payoffs a function may compute.

    Returns:
        The solution. Beyond 62 actions its ``gap`` includes all rounding, and is at most 1e-9 of the range of
        payoffs, unless payoffs that are nearly equal defeat the method: see :func:`strategy_bounds`.

    Raises:
        ValueError: ``payoff`` is not a matrix, is empty, or has an entry that is not finite.

    >>> solution = solve_matrix([[3.0, -1.0], [-1.0, 1.0]])  # value (3*1 - 1*1) / (3 + 1 + 1 + 1)
    >>> round(solution.value, 4), solution.row_strategy.round(4).tolist()
    (0.3333, [0.3333, 0.6667])
    >>> shifted = LargeMatrix(lambda i, j: 1.0 if i == j else 0.0, rows=100, columns=100)  # hide and seek
    >>> round(solve_matrix(shifted).value, 9)
    0.01
    """
    if not isinstance(payoff, LargeMatrix):
        if np.ndim(payoff) != 2 or max(np.shape(payoff)) <= MOST_ACTIONS:
            return small.solve_matrix(payoff)
        payoff = LargeMatrix(payoff)
    row_strategy, column_strategy = _double_oracle(payoff)
    bounds = strategy_bounds(payoff, row_strategy, column_strategy)
    return MatrixSolution((bounds.lower + bounds.upper) / 2, row_strategy, column_strategy, bounds.gap)


def strategy_bounds(game: LargeMatrix, row_strategy: ArrayLike, column_strategy: ArrayLike) -> StrategyBounds:
    """Returns what strategies ``[m]`` and ``[n]`` guarantee: the certificate of a solution, the measure of any others.

    The probabilities are taken exactly as they are in double precision, divided by their exact sum. Every payoff that
    they meet is looked at, and nothing else is used.

    Raises:
        UsageError: these are no distributions.
    """
    mixes = [np.asarray(mix, np.float64) for mix in (row_strategy, column_strategy)]
    for player, mix in enumerate(mixes):
        likely = mix.shape == (game.shape[player],) and bool(((mix >= 0) & (mix <= 1 + SUM)).all())
        if not (likely and abs(math.fsum(mix) - 1) <= SUM):
            raise UsageError(
                f"player {player} needs {game.shape[player]:,} probabilities in {game.name}, of sum 1, not "
                f"{' x '.join(map(str, mix.shape))} of sum {float(mix.sum()):.9g}"
            )
    centred, sums = _Centred(game), []
    for player, mix in enumerate(mixes):
        total, played = np.zeros(game.shape[1 - player]), np.flatnonzero(mix)
        for part in _parts(played, len(total)):
            total += mix[part] @ centred(part, None) if player == 0 else centred(None, part) @ mix[part]
        sums.append(total / math.fsum(mix))
    column, row = int(sums[0].argmin()), int(sums[1].argmax())
    largest = max(centred.high - centred.centre, centred.centre - centred.low) / centred.unit
    # In any order, k products and sums are off by k roundings of the largest at most (Higham 2002); those of the
    # payoffs less the centre, of the sum of probabilities, and of the division and the bound itself, come on top.
    rounding = UNIT * SLACK * largest + (LEAST if largest > 0 else 0.0)
    slack = [(int(np.count_nonzero(mix)) + 10) * rounding for mix in mixes]
    lower, upper = float(sums[0][column]) - slack[0], float(sums[1][row]) + slack[1]
    least = math.nextafter(centred.centre + centred.unit * lower, -math.inf)
    most = math.nextafter(centred.centre + centred.unit * upper, math.inf)
    gap = (upper - lower) * (1 + 4 * UNIT) * centred.unit
    return StrategyBounds(least, most, gap, row, column, centred.high - centred.low)


def _double_oracle(game: LargeMatrix) -> tuple[Floats, Floats]:
    """Returns the strategies that secure the most and concede the least of those found ``[m]``, ``[n]``."""
    centred = _Centred(game)
    rows, columns = (spread(count, FIRST) for count in game.shape)
    across, down = centred(rows, None), centred(None, columns)
    secured, conceded = -np.inf, np.inf
    best_row, best_column = np.zeros(game.shape[0]), np.zeros(game.shape[1])
    refined = not game.vectorized and math.prod(game.shape) > BLOCK  # to call the function for every pair takes minutes
    while True:
        check_time()
        if not refined and max(len(rows), len(columns)) > PIVOTED:
            refined, mixes = True, _by_classes(centred)
            if mixes is not None and strategy_bounds(game, *mixes).proven:
                return mixes
        own, other = _equilibrium(across[:, columns])
        left, most = own @ across, down @ other
        if left.min() > secured:
            secured, best_row[:] = float(left.min()), 0.0
            best_row[rows] = own
        if most.max() < conceded:
            conceded, best_column[:] = float(most.max()), 0.0
            best_column[columns] = other
        more_rows = _replies(most, rows, own, centred.span)
        more_columns = _replies(-left, columns, other, centred.span)
        if conceded - secured <= CLOSE * centred.span or not len(more_rows) + len(more_columns):
            return best_row, best_column
        rows, columns = np.concatenate([rows, more_rows]), np.concatenate([columns, more_columns])
        if len(more_rows):
            across = np.concatenate([across, centred(more_rows, None)])
        if len(more_columns):
            down = np.concatenate([down, centred(None, more_columns)], axis=1)


def _by_classes(centred: _Centred) -> tuple[Floats, Floats] | None:
    """Returns the strategies that the game of classes of actions gives ``[m]``, ``[n]``; None if classes are many."""
    shape, rng = centred.game.shape, np.random.default_rng(0)
    classes, counts, before = [np.zeros(count, np.int64) for count in shape], [1, 1], [0, 0]
    while counts != before:
        weights = [rng.integers(1, WEIGHTS, count).astype(float) for count in counts]
        gains, losses = (weight[each] for weight, each in zip(weights, classes, strict=True))
        sums = [np.zeros(count) for count in shape]
        for part in _parts(np.arange(shape[0]), shape[1]):
            payoffs = centred(part, None)
            sums[0][part] = payoffs @ losses
            sums[1] += gains[part] @ payoffs
        classes = [_refined(each, own) for each, own in zip(classes, sums, strict=True)]
        before, counts = counts, [int(each.max()) + 1 for each in classes]
        if 2 * sum(counts) > sum(shape):
            return None
    sizes = [np.bincount(each) for each in classes]
    order = np.argsort(classes[1], kind="stable")
    firsts, starts = np.unique(classes[0], return_index=True)[1], np.cumsum(sizes[1]) - sizes[1]
    parts = _parts(firsts, shape[1])
    means = [np.add.reduceat(centred(part, None)[:, order], starts, axis=1) / sizes[1] for part in parts]
    mixes = _double_oracle(LargeMatrix(np.concatenate(means)))
    own, other = (mix[each] / size[each] for mix, each, size in zip(mixes, classes, sizes, strict=True))
    return own, other


def _parts(actions: Ints, others: int) -> Iterator[Ints]:
    """Yields some actions at a time, so that their payoffs against ``others`` actions are not too many."""
    size = max(BLOCK // others, 1)
    for first in range(0, len(actions), size):
        check_time()
        yield actions[first : first + size]


def _refined(classes: Ints, sums: Floats) -> Ints:
    """Returns a finer partition: classes ``[n]``, split where their sums ``[n]`` differ."""
    order = np.lexsort([sums, classes])
    differs = np.diff(sums[order]) > ALIKE * np.abs(sums).max()
    found = np.zeros_like(classes)
    found[order[1:]] = np.cumsum(differs | (np.diff(classes[order]) != 0))
    return found


def _replies(gains: Floats, known: Ints, mix: Floats, span: float) -> Ints:
    """Returns the actions with the largest gains ``[n]`` that are not known; none if none gains more than the known.

    ``mix`` has the probabilities of the known ones; ``span`` is the range of payoffs.
    """
    others = gains.copy()
    others[known] = -np.inf
    better = int(np.count_nonzero(others > gains[known].max() + BETTER * span))
    if not better:
        return known[:0]
    count, left = min(better, int(np.count_nonzero(mix))), len(gains) - len(known)
    count = min(max(FIRST, len(known) // GROWTH, count), left)
    count = left if len(known) + count > MOST * len(gains) else count
    return np.argpartition(-others, count - 1)[:count]


def _equilibrium(payoffs: Floats) -> tuple[Floats, Floats]:
    """Returns strategies of a restricted game ``[k, l]``: the best of three methods, or the first that is good."""
    low, span = float(payoffs.min()), float(np.ptp(payoffs))
    own, other = (np.eye(1, count)[0] for count in payoffs.shape)
    least = np.inf
    scaled = np.ascontiguousarray((payoffs - low) / (span or 1.0))
    size = max(scaled.shape)
    methods = ("simplex", *HIGHS) if size <= PIVOTED else (*HIGHS, "simplex") if size <= MOST_PIVOTED else HIGHS
    for method in methods:
        found = small.by_simplex(scaled)[1:3] if method == "simplex" else _program(scaled, method)
        gap = float((scaled @ found[1]).max() - (found[0] @ scaled).min())
        if gap < least and all(abs(mix.sum() - 1.0) < SUM for mix in found):
            (own, other), least = found, gap
        if least <= CLOSE:
            break
    return own, other


def _program(payoffs: Floats, method: Any) -> tuple[Floats, Floats]:
    """Returns strategies of a game ``[k, l]`` with payoffs from 0 to 1, as HiGHS finds them; zeros if it fails."""
    from scipy.optimize import linprog  # whose import takes long

    rows, columns = payoffs.shape
    result: Any = linprog(  # the most v that probabilities secure against each column; the duals are the other's
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-payoffs.T, np.ones((columns, 1))]), b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None], b_eq=[1.0],
        bounds=[(0.0, None)] * rows + [(None, None)], method=method, options={"maxiter": PATIENCE * (rows + columns)},
    )  # fmt: skip
    if result.x is None:
        return np.zeros(rows), np.zeros(columns)
    own, other = (np.maximum(mix, 0.0) for mix in (result.x[:rows], -result.ineqlin.marginals))
    return own / max(own.sum(), 0.5), other / max(other.sum(), 0.5)
