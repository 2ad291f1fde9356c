"""Matrix games: textbook values, and two independent methods on thousands of matrices of every kind."""

import doctest
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from highs import solve_by_highs
from nashzoo.baselines import solve_matrix
from nashzoo.baselines.solvers import matrix as matrix_module
from nashzoo.baselines.solvers.backup import backup_equilibrium
from nashzoo.baselines.solvers.matrix import (
    GAP_TOLERANCE,
    GRAIN,
    MatrixSolution,
    solve_by_fractions,
    tableau_size,
)
from nashzoo.baselines.states.space import Successors
from nashzoo.envs.core.game import Floats
from nashzoo.envs.core.reachable import OVER

EXACT = 1e-12  # for payoffs around 1
NEARLY_DEGENERATE = 1e-9  # where payoffs differ by less than the tolerances of a linear program, relative

Kind = Callable[[np.random.Generator, int, int], Floats]

KINDS: dict[str, Kind] = {
    "normal": lambda rng, m, n: rng.normal(size=(m, n)),
    "degenerate integers": lambda rng, m, n: rng.integers(-1, 2, (m, n)).astype(float),
    "repeated rows and columns": lambda rng, m, n: np.kron(rng.integers(-2, 3, (m, n)), np.ones((2, 3))),
    "degenerate but for the last bits": lambda rng, m, n: rng.integers(-1, 2, (m, n)) + 1e-15 * rng.normal(size=(m, n)),
    "one row": lambda rng, m, n: rng.normal(size=(1, n)),
    "one column": lambda rng, m, n: rng.normal(size=(m, 1)),
    "constant": lambda rng, m, n: np.full((m, n), rng.normal()),
    "large": lambda rng, m, n: rng.normal(size=(m, n)) * 10.0 ** rng.integers(3, 13),
    "small": lambda rng, m, n: rng.normal(size=(m, n)) * 10.0 ** -rng.integers(3, 13),
    "far from zero": lambda rng, m, n: 1e6 + rng.normal(size=(m, n)),
    "skew-symmetric": lambda rng, m, n: (a := rng.integers(-2, 3, (m, m)).astype(float)) - a.T,
}
HARD: dict[str, Kind] = {
    "nearly degenerate": lambda rng, m, n: rng.integers(-1, 2, (m, n)) + 1e-10 * rng.normal(size=(m, n)),
    "of every size at once": lambda rng, m, n: rng.normal(size=(m, n)) * 10.0 ** rng.integers(-9, 10, (m, n)),
}


def check(payoff: Floats, solution: MatrixSolution, tolerance: float) -> None:
    """The strategies are distributions, and what they guarantee encloses the value as the certificate says."""
    scale = max(float(np.abs(payoff).max()), 1.0)
    for strategy in (solution.row_strategy, solution.column_strategy):
        assert (strategy >= 0).all()
        assert strategy.sum() == pytest.approx(1, abs=EXACT)
    lower = (solution.row_strategy @ payoff).min()
    upper = (payoff @ solution.column_strategy).max()
    assert solution.gap == pytest.approx(upper - lower, abs=EXACT * scale)
    assert lower - EXACT * scale <= solution.value <= upper + EXACT * scale
    assert solution.gap <= tolerance * scale


@pytest.mark.parametrize("kind", KINDS | HARD)
def test_random_matrices_are_solved_with_a_certificate(kind: str) -> None:
    rng = np.random.default_rng(1)
    for _ in range(400):
        payoff = (KINDS | HARD)[kind](rng, *rng.integers(1, 9, 2))
        check(payoff, solve_matrix(payoff), GAP_TOLERANCE if kind in KINDS else NEARLY_DEGENERATE)


@pytest.mark.parametrize("kind", KINDS)
def test_two_methods_agree(kind: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        payoff = KINDS[kind](rng, *rng.integers(1, 9, 2))
        reference = solve_by_highs(payoff)
        check(payoff, reference, NEARLY_DEGENERATE)
        scale = max(float(np.abs(payoff).max()), 1.0)
        assert abs(solve_matrix(payoff).value - reference.value) <= NEARLY_DEGENERATE * scale


# Every one has a single solution.
KNOWN = {
    "rock-paper-scissors": ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], 0, [1 / 3] * 3, [1 / 3] * 3),
    "matching pennies": ([[1, -1], [-1, 1]], 0, [1 / 2] * 2, [1 / 2] * 2),
    # Ferguson, "Game Theory", part II, section 1.2, Odd or Even: -2p + 3(1-p) = 3p - 4(1-p) at p = 7/12.
    "odd or even": ([[-2, 3], [3, -4]], 1 / 12, [7 / 12, 5 / 12], [7 / 12, 5 / 12]),
    # Every line sums to 15: who plays all three alike gets 5 whatever the other does.
    "magic square": ([[4, 9, 2], [3, 5, 7], [8, 1, 6]], 5, [1 / 3] * 3, [1 / 3] * 3),
    # Equalising 1 * p1 = 2 * p2 = 3 * p3 gives p = (6, 3, 2) / 11, worth 6/11.
    "diagonal": (np.diag([1, 2, 3]), 6 / 11, np.array([6, 3, 2]) / 11, np.array([6, 3, 2]) / 11),
    "saddle point": ([[4, 1, 3], [5, 2, 6], [3, 0, 1]], 2, [0, 1, 0], [0, 1, 0]),
    "dominated": ([[0, -1, 1, -3], [1, 0, -1, -3], [-1, 1, 0, -3]], -3, None, [0, 0, 0, 1]),
}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("method", [solve_matrix, solve_by_highs, solve_by_fractions])
def test_known_games(name: str, method: Callable[[object], MatrixSolution]) -> None:
    payoff, value, rows, columns = KNOWN[name]
    solution = method(payoff)
    assert solution.value == pytest.approx(value, abs=EXACT)
    if rows is not None:
        assert solution.row_strategy == pytest.approx(np.array(rows), abs=EXACT)
    assert solution.column_strategy == pytest.approx(np.array(columns), abs=EXACT)


def kuhn_poker() -> Floats:
    """Returns Kuhn's poker as a matrix ``[27, 64]``: a plan of each player for every card."""
    # Player 0 with a card: pass and fold, pass and call, bet. Player 1: (call a bet?, bet after a pass?).
    plans0 = list(itertools.product(("fold", "call", "bet"), repeat=3))
    plans1 = list(itertools.product(itertools.product((False, True), repeat=2), repeat=3))

    def pays(plan0: str, plan1: tuple[bool, bool], wins: bool) -> int:
        calls, bets = plan1
        if plan0 == "bet":
            return (2 if wins else -2) if calls else 1
        if not bets:
            return 1 if wins else -1
        return (2 if wins else -2) if plan0 == "call" else -1

    deals = list(itertools.permutations(range(3), 2))
    return np.array([[sum(pays(a[x], b[y], x > y) for x, y in deals) / len(deals) for b in plans1] for a in plans0])


def test_kuhn_poker_in_normal_form() -> None:
    solution = solve_matrix(kuhn_poker())
    check(kuhn_poker(), solution, GAP_TOLERANCE)
    assert solution.value == pytest.approx(-1 / 18, abs=EXACT)  # Kuhn (1950), "A simplified two-person poker"


@pytest.mark.parametrize(
    ("payoff", "message"),
    [
        ([], "needs a payoff matrix with rows and columns"),
        ([[]], r"not shape \(1, 0\)"),
        ([1.0, 2.0], r"not shape \(2,\)"),
        (1.0, "not shape"),
        (np.zeros((2, 2, 2)), r"not shape \(2, 2, 2\)"),
        ([[1.0, np.nan]], "must be finite"),
        ([[1.0], [np.inf]], "must be finite"),
        ([[-np.inf]], "must be finite"),
    ],
)
@pytest.mark.parametrize("method", [solve_matrix, solve_by_fractions])
def test_what_is_no_matrix_game_is_refused(method: Callable[[object], object], payoff: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        method(payoff)


def fail(payoff: Floats, m: int, n: int, row_strategy: Floats, column_strategy: Floats, *_: Any) -> tuple[float, float]:
    row_strategy[:], column_strategy[:] = 0.0, 0.0
    return 0.0, np.inf


class TestSecondAttempts:
    """What is tried where the simplex method leaves a gap: the players swapped, and payoffs rounded."""

    def test_payoffs_that_rounding_makes_equal(self) -> None:
        payoff = 1.0 + GRAIN / 8 * np.array([[3.0, -1.0], [-1.0, 1.0]])
        check(payoff, solve_matrix(payoff), GRAIN)

    def test_most_of_what_the_simplex_leaves_open_is_closed(self) -> None:
        # A matrix of integers and a little noise: pivots of the size of the noise lose the last digits.
        rng = np.random.default_rng(5)
        left_open = closed = 0
        for _ in range(1000):
            payoff = np.ascontiguousarray(HARD["nearly degenerate"](rng, 9, 9))
            own, other = np.empty(9), np.empty(9)
            arguments = payoff.reshape(-1), 9, 9, own, other, np.empty(tableau_size(9, 9)), np.empty(18, np.int64)
            matrix_module._simplex(*arguments, payoff.min(), payoff.max())
            if own.sum() > 0.5 and (payoff @ other).max() - (own @ payoff).min() <= GAP_TOLERANCE:
                continue
            left_open += 1
            value, gap = matrix_module.solve_into(*arguments)
            solution = matrix_module.try_again(payoff, MatrixSolution(value, own, other, gap))
            closed += solution.gap <= GAP_TOLERANCE
            if solution.gap < np.inf:
                check(payoff, solution, 1.0)
        assert left_open > 100
        assert closed > left_open / 2


@pytest.mark.parametrize("size", [1e-310, 1e-308, 1e-200])
def test_payoffs_near_the_smallest_numbers(size: float) -> None:
    value, row_strategy, column_strategy, gap = solve_matrix([[size, 0.0], [0.0, size]])
    assert value == pytest.approx(size / 2) and gap < 1e-9 * size
    assert [*row_strategy, *column_strategy] == pytest.approx([0.5] * 4)


def test_exact_arithmetic_takes_over_where_the_simplex_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_module, "solve_into", fail)
    monkeypatch.setattr(matrix_module, "try_again", lambda payoff, solution: solution)
    for payoff, value, _, columns in KNOWN.values():
        solution = solve_matrix(payoff)
        assert solution.value == pytest.approx(value, abs=EXACT)
        assert solution.column_strategy == pytest.approx(np.array(columns), abs=EXACT)


def test_exact_arithmetic_takes_over_in_a_backup(monkeypatch: pytest.MonkeyPatch) -> None:
    # Rock-paper-scissors among the second to fourth of four actions, then an end.
    rewards = np.array([[0.0, -1, 1, 1, 0, -1, -1, 1, 0]])
    legal = np.array([0b1110])
    successors = Successors(legal, legal, np.full((1, 9), OVER, np.int32), rewards)
    calls: list[Floats] = []

    def watched(payoff: Floats) -> MatrixSolution:
        calls.append(payoff)
        return solve_by_fractions(payoff)

    monkeypatch.setattr(matrix_module, "solve_by_fractions", watched)
    monkeypatch.setattr("nashzoo.baselines.solvers.backup.GAP_TOLERANCE", -1.0)
    value, strategy0, strategy1 = backup_equilibrium(successors, np.zeros(1), 4)
    assert [payoff.shape for payoff in calls] == [(3, 3)]
    assert value == pytest.approx(0, abs=EXACT)
    for strategy in (strategy0, strategy1):
        assert strategy == pytest.approx(np.array([[0, 1 / 3, 1 / 3, 1 / 3]]), abs=EXACT)


def test_backups_of_hard_matrices() -> None:
    rng = np.random.default_rng(12)
    rewards = np.array([HARD["nearly degenerate"](rng, 8, 8) for _ in range(300)])
    legal = np.full(300, 0xFF)
    successors = Successors(legal, legal, np.full((300, 64), OVER, np.int32), rewards.reshape(300, 64))
    for payoff, *solution in zip(rewards, *backup_equilibrium(successors, np.zeros(1), 8), strict=True):
        value, strategy0, strategy1 = solution
        assert (strategy0 @ payoff).min() >= value - NEARLY_DEGENERATE
        assert (payoff @ strategy1).max() <= value + NEARLY_DEGENERATE


# Of a state of Bodega Brawl; methods that round leave a gap of about 1e-8.
TREACHEROUS = np.array(
    [
        [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0],
        [1.0, 1.0, -1.0, -1.0, -1.0, -1.0],
        [
            -0.2885430822524623,
            -0.28854308225282543,
            0.5477850190717561,
            -0.058098886511491143,
            0.18397566290883974,
            0.5485555865918433,
        ],
        [
            -0.2885430822524282,
            -0.28854308225242864,
            0.5477850190717561,
            -0.05809888752555689,
            0.18397566290883974,
            0.5485555865918433,
        ],
        [
            -0.5198093493666692,
            -0.5198040866326707,
            -0.08043765407323325,
            0.5670459494180267,
            -0.2935414635426311,
            -0.07594689513336413,
        ],
        [
            -0.2886795069366459,
            -0.28867944455080363,
            0.547729677654825,
            0.07687293770047207,
            -0.0756690225081003,
            -0.29150550814175724,
        ],
        [
            -0.2886795069366458,
            -0.28867944455080297,
            0.547729677654825,
            0.0768597905756678,
            -0.07567284276891457,
            -0.29153302615710475,
        ],
        [
            -0.519696963296186,
            -0.5196908841790648,
            -0.07892526888025958,
            -0.3444753514631066,
            0.5485555865918433,
            -0.07567284276891457,
        ],
    ]
)


def test_exact_arithmetic_solves_what_rounding_defeats() -> None:
    assert solve_by_highs(TREACHEROUS).gap > 1e-10
    for solution in (solve_matrix(TREACHEROUS), solve_by_fractions(TREACHEROUS)):
        assert solution.gap <= EXACT
        assert (solution.row_strategy @ TREACHEROUS).min() >= solution.value - EXACT
        assert (TREACHEROUS @ solution.column_strategy).max() <= solution.value + EXACT


def test_examples_in_the_documentation() -> None:
    assert doctest.testmod(matrix_module) == doctest.TestResults(failed=0, attempted=2)
