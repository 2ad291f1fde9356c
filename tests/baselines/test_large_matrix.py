"""Matrix games of any size: values by formula and by another linear program, and what the certificate refuses."""

import itertools
from fractions import Fraction
from operator import mul

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from highs import solve_by_highs
from nashzoo.baselines import large_matrix, solve_matrix, strategy_bounds
from nashzoo.envs import LargeMatrix
from nashzoo.envs.base.errors import UsageError

PROVEN = 1e-9  # of the range of payoffs


def check(payoffs, value=None):
    """Solves a game; its certificate must hold, and its value be the known one. Returns the solution."""
    game = payoffs if isinstance(payoffs, LargeMatrix) else LargeMatrix(payoffs)
    solution = solve_matrix(game)
    bounds = strategy_bounds(game, solution.row_strategy, solution.column_strategy)
    assert bounds.proven
    assert bounds.gap <= PROVEN * bounds.span
    if value is not None:
        assert abs(solution.value - value) <= PROVEN * max(bounds.span, 1e-300) + 4e-16 * abs(value)
    return solution


@pytest.mark.parametrize("size", [63, 101])
def test_the_cyclic_game_of_an_odd_number_of_actions_is_played_uniformly(size):
    i = np.arange(size)
    ahead = (i[:, None] - i) % size
    solution = check(np.where(ahead == 0, 0, np.where(ahead <= size // 2, 1, -1)), 0.0)
    assert solution.row_strategy == pytest.approx(np.full(size, 1 / size), abs=1e-9)


def test_hide_and_seek_has_the_harmonic_value():
    worth = np.random.default_rng(0).uniform(1, 9, 80)
    check(np.diag(worth), 1 / (1 / worth).sum())


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12, 1e90])
def test_a_skew_symmetric_game_is_fair(scale):
    payoffs = np.random.default_rng(1).normal(size=(90, 90))
    check(scale * (payoffs - payoffs.T), 0.0)


def test_nearly_constant_payoffs_count_their_differences_alone():
    payoffs = np.random.default_rng(2).integers(-9, 10, (70, 80)).astype(float)
    near = check(1e12 + payoffs)
    assert near.gap < 1e-8  # a sum of rounded products would be off by 1e-4
    assert near.value - 1e12 == pytest.approx(solve_by_highs(payoffs).value, abs=1e-3)


def allocations(fields, soldiers):
    """Returns all ways to place soldiers on fields ``[n, fields]``."""
    cut = itertools.combinations(range(soldiers + fields - 1), fields - 1)
    return np.array([np.diff([-1, *bars, soldiers + fields - 1]) - 1 for bars in cut])


def blotto(fields, soldiers, vectorized=True, majority=False):
    """Returns the game in which a field is worth a point, or most of the fields are, by a function."""
    placed = allocations(fields, soldiers).astype(np.int8)

    def payoff(i, j):
        points = sum(np.sign(own[i] - own[j]) for own in placed.T)
        return np.sign(points) if majority else points

    names = [str(tuple(each)) for each in placed.tolist()]
    return LargeMatrix(payoff, names, names, "blotto", vectorized)


def test_colonel_blotto_by_a_function_is_fair():
    game = blotto(3, 14)
    assert game.shape == (120, 120)
    array = game.payoffs(np.arange(120), np.arange(120))
    assert (array == -array.T).all()
    check(game, 0.0)
    check(blotto(3, 14, vectorized=False), 0.0)
    check(array, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("majority", [False, True])
def test_blotto_with_ten_thousand_allocations(majority):
    """By majority thousands of allocations are as good as the best."""
    game = blotto(4, 37, majority=majority)
    assert game.shape == (9880, 9880)
    check(game, 0.0)


@pytest.mark.parametrize("off", [0.0, 1e-3, 1e-8])
def test_actions_that_are_alike_are_played_alike(off):
    """Turned together, rows and columns of all blocks change nothing: the value is that of the blocks' means."""
    rng = np.random.default_rng(7)
    means, size = rng.integers(-9, 10, (40, 35)), 9
    around = rng.integers(-50, 51, (40, 35, size))
    turned = (np.arange(size)[:, None] - np.arange(size)) % size
    blocks = means[:, :, None] + around - around.mean(axis=2, keepdims=True)
    payoffs = blocks[:, :, turned].transpose(0, 2, 1, 3).reshape(40 * size, 35 * size)
    payoffs[3, 4] += off
    order = rng.permutation(len(payoffs))
    found = check(payoffs[order])
    assert abs(found.value - solve_by_highs(means.astype(float))[0]) <= max(1e-7, off)
    if not off:
        mixed = np.zeros(len(order))
        mixed[order] = found.row_strategy
        assert np.allclose(mixed.reshape(40, size), mixed.reshape(40, size)[:, :1])


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(1203, 1203), (3571, 36), (36, 3571)])
def test_large_random_matrices(shape):
    payoffs = np.random.default_rng(3).normal(size=shape)
    check(payoffs)


def structured():
    """Yields matrices that methods stumble on."""
    rng, i = np.random.default_rng(4), np.arange(120)
    yield rng.normal(size=(120, 3)) @ rng.normal(size=(3, 120))
    yield rng.integers(-1, 2, (120, 120)).astype(float)
    yield rng.normal(size=(120, 90)) + np.linspace(0, 30, 120)[:, None]  # most rows are dominated
    yield np.kron(rng.normal(size=(10, 10)), np.ones((10, 10)))  # ten times the same
    yield np.full((70, 70), 3.0)
    yield np.sign(i[:, None] - i) * np.where(abs(i[:, None] - i) > 3, -2.0, 1.0)  # Silverman's game
    yield rng.normal(size=(1, 100))


@pytest.mark.parametrize("number", range(7))
def test_structured_matrices_agree_with_another_program(number):
    payoffs = list(structured())[number]
    check(payoffs, solve_by_highs(payoffs).value)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 90), st.integers(63, 90), st.sampled_from([0, 2, 1000]))
def test_random_matrices_agree_with_another_program(seed, rows, columns, values):
    rng = np.random.default_rng(seed)
    payoffs = rng.integers(0, values, (rows, columns)).astype(float) if values else rng.normal(size=(rows, columns))
    solution = solve_matrix(payoffs)
    span = np.ptp(payoffs)
    assert solution.gap <= PROVEN * span
    assert abs(solution.value - solve_by_highs(payoffs).value) <= 1e-8 * span


def guaranteed(payoffs, mixes):
    """Returns what strategies secure and concede, in fractions."""
    exact = [[Fraction(one) for one in row] for row in payoffs.tolist()]
    own, other = ([Fraction(one) / sum(map(Fraction, mix.tolist())) for one in mix.tolist()] for mix in mixes)
    secured = min(sum(map(mul, own, column)) for column in zip(*exact, strict=True))
    return secured, max(sum(map(mul, other, row)) for row in exact)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-9, 1.0, 1e12]))
def test_bounds_hold_in_fractions(seed, scale):
    rng = np.random.default_rng(seed)
    payoffs = scale * (rng.normal(size=(9, 8)) + rng.integers(0, 1000))
    mixes = [rng.dirichlet(np.ones(count)) * rng.integers(0, 2, count) for count in payoffs.shape]
    mixes = [mix / mix.sum() if mix.any() else np.eye(len(mix))[0] for mix in mixes]
    bounds = strategy_bounds(LargeMatrix(payoffs), *mixes)
    secured, conceded = guaranteed(payoffs, mixes)
    assert bounds.lower <= secured <= conceded <= bounds.upper
    assert conceded - secured <= bounds.gap <= float(conceded - secured) + 1e-12 * bounds.span


@pytest.mark.parametrize("seed", range(6))
def test_the_gap_of_an_equilibrium_includes_all_rounding(seed):
    """The gap is little but rounding: without the bound of it, some of these fail."""
    payoffs = np.random.default_rng(seed).normal(size=(64, 40))
    _, *mixes, gap = solve_matrix(payoffs)
    secured, conceded = guaranteed(payoffs, mixes)
    assert conceded - secured <= gap


def test_a_wrong_strategy_is_not_proven(monkeypatch):
    payoffs = np.random.default_rng(5).normal(size=(70, 70))
    game = LargeMatrix(payoffs)
    right = solve_matrix(game)
    wrong = right.row_strategy.copy()
    wrong[np.argsort(wrong)[-2:]] += [1e-6, -1e-6]
    assert not strategy_bounds(game, wrong, right.column_strategy).proven
    assert strategy_bounds(game, right.row_strategy, right.column_strategy).proven
    # A method that is wrong has a wide certificate, and never a wrong value.
    monkeypatch.setattr(
        large_matrix, "_equilibrium", lambda part: tuple(np.full(count, 1 / count) for count in part.shape)
    )
    mutant = solve_matrix(game)
    assert mutant.gap > 0.01
    assert abs(mutant.value - right.value) <= mutant.gap


def test_nearly_equal_payoffs_give_an_interval_that_has_the_value():
    rng = np.random.default_rng(6)
    alike = np.kron(rng.normal(size=(8, 8)), np.ones((10, 10)))
    found = solve_matrix(alike + 1e-8 * rng.normal(size=alike.shape))
    assert abs(found.value - solve_matrix(alike).value) <= found.gap + 1e-7


@pytest.mark.parametrize(
    ("mix", "message"),
    [
        (np.full(70, 1 / 69), "player 0 needs 70 probabilities in large_matrix, of sum 1, not 70 of sum 1.01449275"),
        (np.full(69, 1 / 69), "not 69 of sum 1"),
        (np.eye(70)[0] * 2 - np.eye(70)[1], "player 0 needs 70 probabilities"),
        (np.full(70, np.nan), "of sum nan"),
    ],
)
def test_what_is_no_distribution_is_refused(mix, message):
    with pytest.raises(UsageError, match=message):
        strategy_bounds(LargeMatrix(np.eye(70)), mix, np.full(70, 1 / 70))


def test_arrays_are_checked_as_before():
    with pytest.raises(ValueError, match="needs a payoff matrix with rows and columns"):
        solve_matrix(np.zeros(100))
    with pytest.raises(ValueError, match="payoffs must be finite, not nan as in row 0, column 0"):
        solve_matrix(np.full((100, 2), np.nan))
