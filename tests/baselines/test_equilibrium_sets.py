"""All equilibria of games without hidden information: by kernels of matrices, by the literature, and by hand."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from nashzoo.baselines import Equilibria, equilibria, solve
from nashzoo.baselines.equilibrium_sets import Decision
from nashzoo.baselines.solvers.face import TooManyVerticesError, optimal_strategies
from nashzoo.baselines.stage_game import stage_game
from nashzoo.envs import footsies_v0, matrix_game, roshambo_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Floats

EXACT = 1e-9
SMALL = 1e-6


def kernels(payoffs: Floats) -> set[tuple[float, ...]]:
    """Returns the extreme optimal strategies of the row player: Shapley and Snow (1950), by all square submatrices."""
    positive = payoffs - payoffs.min() + 1  # has a value above 0
    found = set()
    m, n = payoffs.shape
    for k in range(1, min(m, n) + 1):
        for rows, columns in itertools.product(*(itertools.combinations(range(count), k) for count in (m, n))):
            kernel = positive[np.ix_(rows, columns)]
            if abs(np.linalg.det(kernel)) < SMALL:
                continue
            inverse = np.linalg.inv(kernel)
            if abs(total := inverse.sum()) < SMALL:
                continue
            x, y = np.zeros(m), np.zeros(n)
            x[list(rows)], y[list(columns)] = inverse.sum(axis=0) / total, inverse.sum(axis=1) / total
            optimal = (x @ positive).min() >= 1 / total - EXACT and (positive @ y).max() <= 1 / total + EXACT
            if optimal and min(x.min(), y.min()) >= -EXACT:
                found.add(tuple((x.round(6) + 0.0).tolist()))
    return found


def decisions(found: Equilibria) -> list[Decision]:
    return list(found)


@pytest.mark.parametrize("seed", range(12))
def test_vertices_of_matrices_are_those_of_kernels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 5, 2)
    payoffs = rng.integers(-2, 3, shape).astype(float)
    for player, decision in enumerate(decisions(equilibria(matrix_game(payoffs)))):
        expected = kernels(payoffs if player == 0 else -payoffs.T)
        assert decision.vertices is not None
        assert {tuple(round(float(p), 6) + 0.0 for p in vertex) for vertex in decision.vertices} == expected
        assert all(sum(vertex) == 1 for vertex in decision.vertices)
        ends = np.array(sorted(expected))
        assert np.allclose([decision.lower, decision.upper], [ends.min(axis=0), ends.max(axis=0)], atol=SMALL)
        assert [action in decision.never for action in decision.actions] == (ends.max(axis=0) == 0).tolist()


@pytest.mark.slow
def test_vertices_of_many_matrices_are_those_of_kernels() -> None:
    for seed in range(12, 120):
        test_vertices_of_matrices_are_those_of_kernels(seed)


def test_every_strategy_is_optimal_where_nothing_can_be_won() -> None:
    for decision in equilibria(matrix_game(np.zeros((12, 12)))):
        assert decision.vertices is not None and len(decision.vertices) == 12
        assert set(decision.lower) == {0} and set(decision.upper) == {1} and decision.never == ()


def test_decimals_of_a_matrix_are_exact() -> None:
    """The row player's first probability p has 0.2 (1 - p) = 0.1 p - (1 - p), so p = 1.2 / 1.3."""
    first, second = equilibria(matrix_game([[0, 0.1], [0.2, -1]]))
    assert first.vertices == [[Fraction(12, 13), Fraction(1, 13)]]
    assert second.vertices == [[Fraction(11, 13), Fraction(2, 13)]]


def test_a_slack_has_all_strategies_that_lose_no_more() -> None:
    """Of matching pennies with payoffs of 1 and -1 a strategy 1/2 + d secures -2 d."""
    pennies = [[Fraction(1), Fraction(-1)], [Fraction(-1), Fraction(1)]]
    first, _ = optimal_strategies(pennies, Fraction(1, 50))
    assert first == [[Fraction(51, 100), Fraction(49, 100)], [Fraction(49, 100), Fraction(51, 100)]]


@pytest.mark.slow
def test_too_many_vertices_are_refused() -> None:
    """Each of 30 columns but one, in which nothing is won, is beaten by mixing two of 16 rows."""
    rng = np.random.default_rng(0)
    payoffs = np.where(rng.random((16, 30)) < 0.4, -1, 1)
    payoffs[:, 0] = 0
    with pytest.raises(TooManyVerticesError, match="more than 4,000 vertices"):
        equilibria(matrix_game(payoffs)).unique  # noqa: B018


@pytest.mark.parametrize("rounds", [1, 3])
def test_roshambo_has_one_equilibrium(rounds: int) -> None:
    found = equilibria(roshambo_v0.game(rounds=rounds))
    assert found.unique and "one equilibrium" in str(found)
    for decision in found:
        assert [*decision.lower, *decision.upper] == pytest.approx([1 / 3] * 6, abs=EXACT)
    assert list(found.choices()) == []


@pytest.mark.slow
def test_all_first_moves_of_tictactoe_draw() -> None:
    game = tictactoe_v0.game()
    found = equilibria(game)
    first = next(iter(found))
    assert first.lower == [0] * 9 and first.upper == [1] * 9 and not found.unique
    assert str(found).splitlines()[2] == "  any of 0, 1, 2, 3, 4, 5, 6, 7 and 8, and any mix of them"


def test_a_corner_is_answered_in_the_middle() -> None:
    """Everything else loses: Gardner, "Hexaflexagons and Other Mathematical Diversions" (1988), chapter 4."""
    game = tictactoe_v0.game()
    answer = equilibria(game).at(game.step(int(game.start_codes[0]), 0, 0), 1)
    assert answer.unique and answer.never == (1, 2, 3, 5, 6, 7, 8)


@pytest.mark.slow
def test_ranges_have_the_solution_and_keep_the_value_of_each_state() -> None:
    for game in (footsies_v0.game(), tictactoe_v0.game()):
        solution = solve(game)
        for decision in itertools.islice(equilibria(game, solution), 100):
            own = solution.strategies(np.array([decision.code]))[decision.player][0, list(decision.actions)]
            assert (own >= np.array(decision.lower, float) - EXACT).all()
            assert (own <= np.array(decision.upper, float) + EXACT).all()


@pytest.mark.slow
def test_ranges_of_states_are_those_of_kernels_of_their_matrix_games() -> None:
    game = footsies_v0.game()
    solution = solve(game)
    found = equilibria(game, solution)
    assert found.unique and len(decisions(found)) == 8  # in each state that is led to, both players have one mix
    wide = 0
    for code in solution.states.codes_at(np.arange(len(solution.states))).tolist():
        payoffs = stage_game(solution, code).payoffs
        for player in game.movers(code):
            ends = np.array(sorted(kernels(payoffs if player == 0 else -payoffs.T)))
            decision = found.at(code, player)
            assert np.allclose([decision.lower, decision.upper], [ends.min(axis=0), ends.max(axis=0)], atol=SMALL)
            wide += not decision.unique
    assert wide > 0


def test_what_is_not_asked_of_a_set_is_refused() -> None:
    game = tictactoe_v0.game()
    with pytest.raises(UsageError, match="player 1 does not choose at"):
        equilibria(game).at(int(game.start_codes[0]), 1)


def test_games_without_optimal_strategies_have_no_set_of_them() -> None:
    game = footsies_v0.game()
    solution = solve(game)
    solution.certificate = 1e-3  # as in games of Everett's (1957) kind
    with pytest.raises(UsageError, match="may have no optimal strategies"):
        equilibria(game, solution)
