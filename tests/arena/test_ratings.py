"""Ratings and the Nash average."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from nashzoo.arena.match import MatchResult, Z
from nashzoo.arena.ratings import SCALE, bradley_terry, nash_average
from nashzoo.arena.standings import standings
from nashzoo.arena.tournament import Tournament
from nashzoo.baselines.solvers.matrix import solve_matrix
from nashzoo.envs import footsies_v0
from nashzoo.envs.core.game import Floats

CYCLE = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])


def antisymmetric(rng: np.random.Generator, players: int) -> Floats:
    upper = np.triu(rng.normal(size=(players, players)), 1)
    return upper - upper.T


def entropy(mixture: Floats) -> float:
    positive = mixture[mixture > 0]
    return float(-(positive * np.log(positive)).sum())


class TestNashAverage:
    def test_rock_paper_scissors_with_two_rocks_splits_what_a_rock_has(self) -> None:
        """Balduzzi et al. (2018), section 4: copies of a player change nothing for the others."""
        twice = CYCLE[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
        assert nash_average(CYCLE) == pytest.approx([1 / 3] * 3, abs=1e-9)
        assert nash_average(twice) == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=1e-9)

    def test_whoever_beats_all_has_all_of_it_and_equals_share_it(self) -> None:
        assert nash_average(np.array([[0, 0.1, 1], [-0.1, 0, 1], [-1, -1, 0]])) == pytest.approx([1, 0, 0], abs=1e-9)
        assert nash_average(np.zeros((4, 4))) == pytest.approx([0.25] * 4)
        assert nash_average(CYCLE * 1e-9) == pytest.approx([1 / 3] * 3, abs=1e-9)

    @pytest.mark.parametrize("seed", range(20))
    def test_it_is_an_equilibrium_of_at_least_the_entropy_that_the_linear_program_finds(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        payoffs = antisymmetric(rng, int(rng.integers(2, 25)))
        if seed % 2:  # many equilibria
            payoffs = np.sign(payoffs) * (np.abs(payoffs) > 1)
        mixture = nash_average(payoffs)
        assert (payoffs @ mixture).max() <= 1e-6 * np.abs(payoffs).max()
        assert entropy(mixture) >= entropy(solve_matrix(payoffs).row_strategy) - 1e-6
        if not seed % 2:  # one equilibrium
            assert mixture == pytest.approx(solve_matrix(payoffs).row_strategy, abs=1e-5)

    def test_no_equilibrium_has_more_entropy(self) -> None:
        """Against a linear program over the equilibria, which linear inequalities describe."""
        pairs = np.array([0, 0, 1, 1, 0, 0])  # who meet draw unless they are of different kinds
        payoffs = np.sign(antisymmetric(np.random.default_rng(1), 6)) * (pairs[:, None] != pairs)
        mixture = nash_average(payoffs)
        slope = -np.log(np.maximum(mixture, 1e-12))  # of the entropy, which is concave: no equilibrium may lie upwards
        found = linprog(-slope, A_ub=payoffs, b_ub=np.zeros(6), A_eq=np.ones((1, 6)), b_eq=[1.0])
        assert slope @ mixture == pytest.approx(-found.fun, abs=1e-5)

    def test_what_is_no_tournament_is_refused(self) -> None:
        for sign, message in ((math.nan, "the points of every pair"), (1, "what one player wins, the other loses")):
            with pytest.raises(ValueError, match=message):
                nash_average(np.array([[0, sign], [sign, 0]]))


class TestBradleyTerry:
    def test_two_players_stand_as_far_apart_as_the_model_says(self) -> None:
        """From 10 games won of 11, with one won and one lost added: log odds of 11 to 2."""
        ratings = bradley_terry(np.array([[0.0, 10.0], [1.0, 0.0]]), np.zeros((2, 2)))
        assert ratings.strengths[0] - ratings.strengths[1] == pytest.approx(400 * math.log10(11 / 2))
        assert ratings.strengths.sum() == pytest.approx(0, abs=1e-9)

    def test_the_interval_of_two_players_is_that_of_the_logarithm_of_odds(self) -> None:
        ratings = bradley_terry(np.array([[0.0, 59.0], [39.0, 0.0]]), np.zeros((2, 2)))
        difference = ratings.covariance[0, 0] + ratings.covariance[1, 1] - 2 * ratings.covariance[0, 1]
        assert math.sqrt(difference) == pytest.approx(SCALE * math.sqrt(1 / 60 + 1 / 40))

    def test_a_cycle_is_rated_equal_and_draws_narrow_the_intervals(self) -> None:
        wins = 100 * (CYCLE > 0)
        assert bradley_terry(wins, np.zeros((3, 3))).strengths == pytest.approx([0, 0, 0], abs=1e-9)
        apart = np.ones((3, 3)) - np.eye(3)
        drawn, decided = bradley_terry(0 * wins, 100 * apart), bradley_terry(50 * apart, 0 * apart)
        assert (drawn.errors < decided.errors / 4).all()

    @pytest.mark.parametrize("draw_share", [0.0, 0.5])
    def test_intervals_hold_the_truth_as_often_as_they_say(self, draw_share: float) -> None:
        rng = np.random.default_rng(0)
        truth = np.array([1.5, 0.5, 0.0, -0.5, -1.5])
        expected = 1 / (1 + np.exp(truth[None] - truth[:, None]))
        held = []
        for _ in range(400):
            wins, draws = np.zeros((5, 5)), np.zeros((5, 5))
            for i in range(5):
                for j in range(i):
                    draw = draw_share * 2 * min(expected[i, j], expected[j, i])
                    one, even, other = rng.multinomial(
                        200, [expected[i, j] - draw / 2, draw, expected[j, i] - draw / 2]
                    )
                    wins[i, j], wins[j, i], draws[i, j], draws[j, i] = one, other, even, even
            ratings = bradley_terry(wins, draws)
            held.append(np.abs(ratings.strengths - SCALE * truth) <= Z * ratings.errors)
        assert 0.93 <= np.mean(held) <= 0.97  # 2,000 intervals: 0.95 with a standard error of at least 0.005

    def test_who_wins_every_game_has_a_rating_and_who_met_nobody_has_none(self) -> None:
        strengths = bradley_terry(np.array([[0.0, 50.0], [0.0, 0.0]]), np.zeros((2, 2))).strengths
        assert np.isfinite(strengths).all() and strengths[0] > strengths[1]
        apart = np.kron(np.eye(2), np.array([[0.0, 5.0], [5.0, 0.0]]))
        with pytest.raises(ValueError, match="players without games between them"):
            bradley_terry(apart, np.zeros((4, 4)))


def won(share: float, games: int = 1000) -> MatchResult:
    return MatchResult(np.repeat([1.0, -1.0], [round(share * games), games - round(share * games)]))


def results_of(shares: dict[tuple[str, str], float]) -> dict[tuple[str, str], MatchResult]:
    results = {pair: won(share) for pair, share in shares.items()}
    return results | {(two, one): result.reversed() for (one, two), result in results.items()}


class TestStandings:
    def test_a_cycle_of_three_is_equal_in_elo_and_shares_the_nash_average(self) -> None:
        """Besides a fourth who loses a little to each of them, and a lot less than they lose to each other."""
        cycle = {("r", "p"): 0.2, ("p", "s"): 0.2, ("s", "r"): 0.2}
        fourth = {(name, "q"): 0.55 for name in "rps"}
        everyone = {one.player: one for one in standings(Tournament(footsies_v0.game(), results_of(cycle | fourth)))}
        assert {round(everyone[name].rating, 6) for name in "rps"} == {round(everyone["r"].rating, 6)}
        assert [everyone[name].nash for name in "rpsq"] == pytest.approx([1 / 3] * 3 + [0], abs=1e-6)
        assert everyone["q"].against_nash == pytest.approx(-0.1)
        assert everyone["r"].nash_interval[0] < 1 / 3 < everyone["r"].nash_interval[1]
        assert everyone["q"].shares == pytest.approx((0.45, 0, 0.55))

    def test_exact_points_need_no_interval(self) -> None:
        results = results_of({("a", "b"): 0.6})
        one, other = standings(Tournament(footsies_v0.game(), results, {("a", "b"): -0.1, ("b", "a"): 0.1}))
        assert (one.player, one.nash, one.nash_interval) == ("a", 0.0, (0.0, 0.0))
        assert (other.nash, other.against_nash, other.nash_interval) == (1.0, 0.0, (1.0, 1.0))
