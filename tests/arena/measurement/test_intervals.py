"""Interquartile means, probabilities of improvement and ranks, against definitions, SciPy and known distributions."""

import itertools
import statistics
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import bootstrap, trim_mean

from nashzoo.arena.measurement.intervals import (
    Estimate,
    Scores,
    interquartile_mean,
    probability_of_improvement,
    ranks,
    rounded,
)

RESAMPLED = 0.03  # by which ends of intervals of width about 0.4 differ between two bootstraps
EXACT = 1e-12
GAMES = [[0.1, 0.4, 0.2, 0.9, 0.3], [0.5, 0.7, 0.1, 0.2, 0.6], [0.0, 1.0, 0.3, 0.3, 0.8]]
LOWER = [[0.0, 0.1, 0.2, 0.1, 0.2], [0.2, 0.1, 0.0, 0.3, 0.1], [0.1, 0.1, 0.2, 0.2, 0.0]]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def interval(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval


class TestInterquartileMean:
    def test_it_is_the_mean_of_the_middle_half_of_all_runs(self) -> None:
        assert interquartile_mean([[8.0, 1.0], [3.0, 2.0]], rng()).value == 2.5
        assert interquartile_mean([[8.0, 1.0, 100.0, 4.0], [3.0, 2.0, 5.0, -50.0]], rng()).value == 3.5

    def test_runs_at_the_ends_of_the_middle_half_count_by_their_part(self) -> None:
        """Of 10 runs the third and the eighth count half, of 2 both do."""
        assert interquartile_mean([[0.0, 1.0]], rng()).value == 0.5
        middle = [2.0 / 2, 3.0, 4.0, 5.0, 6.0, 100.0 / 2]
        runs = [[0.0, 3.0, 5.0, 1.0, 100.0], [500.0, 2.0, 4.0, 6.0, 200.0]]
        assert interquartile_mean(runs, rng()).value == pytest.approx(sum(middle) / 5, abs=EXACT)

    def test_a_game_with_more_runs_does_not_count_more(self) -> None:
        few, many = [[0.0, 1.0], [0.5, 0.5], [2.0, 3.0]], [[0.0, 1.0] * 3, [0.5] * 5, [2.0, 3.0] * 2]
        assert interquartile_mean(many, rng()).value == pytest.approx(interquartile_mean(few, rng()).value, abs=EXACT)

    def test_one_run_out_of_many_does_not_move_it_far(self) -> None:
        almost = [[0.1] * 9 + [1.0], [0.1] * 10]
        assert interquartile_mean(almost, rng()).value == pytest.approx(0.1, abs=EXACT)

    def test_the_interval_is_that_of_scipy(self) -> None:
        def statistic(*games: np.ndarray, axis: int = -1) -> np.ndarray:
            return np.asarray(trim_mean(np.repeat(np.concatenate(games, axis=axis), 4, axis=axis), 0.25, axis=axis))

        known = bootstrap(GAMES, statistic, paired=False, method="percentile", n_resamples=20_000, rng=rng(1))
        ours = interval(interquartile_mean(GAMES, rng()))
        assert ours == pytest.approx(tuple(known.confidence_interval), abs=RESAMPLED)

    def test_the_interval_is_that_of_all_resamples(self) -> None:
        game = [0.03, 0.11, 0.32, 0.58, 0.77, 0.95]
        draws = (sorted(draw) for draw in itertools.product(game, repeat=len(game)))
        drawn = [(draw[1] / 2 + draw[2] + draw[3] + draw[4] / 2) / 3 for draw in draws]
        ours = interval(interquartile_mean([game], rng()))
        assert ours == pytest.approx(np.percentile(drawn, [2.5, 97.5]), abs=RESAMPLED)

    def test_games_of_different_levels_without_spread_have_no_width(self) -> None:
        low, high = interval(interquartile_mean([[0.1] * 5, [0.9] * 5, [0.5] * 5], rng()))
        assert low == high == pytest.approx(0.5, abs=EXACT)

    def test_the_order_of_seeds_makes_no_difference(self) -> None:
        assert interquartile_mean([game[::-1] for game in GAMES], rng()) == interquartile_mean(GAMES, rng())

    def test_the_order_of_games_makes_no_difference_but_for_the_draw(self) -> None:
        one, other = interquartile_mean(GAMES, rng()), interquartile_mean(GAMES[::-1], rng())
        assert one.value == other.value
        assert interval(one) == pytest.approx(interval(other), abs=RESAMPLED)

    @pytest.mark.parametrize("scores", [[[0.3], [0.2]], [[0.3, 0.2, 0.2, 0.1], [0.1, 0.2, 0.4, 0.3, 0.2]]])
    def test_a_game_with_few_seeds_leaves_no_interval(self, scores: Scores) -> None:
        assert interquartile_mean(scores, rng()).interval is None
        assert probability_of_improvement(scores, scores, rng()).interval is None
        assert ranks([scores, scores], rng())[1] is None

    @pytest.mark.slow
    @pytest.mark.parametrize(("seeds", "least", "most"), [(10, 0.88, 0.98), (5, 0.83, 0.97)])
    @pytest.mark.parametrize("centres", [[0.5] * 7, np.linspace(0.1, 0.9, 11), [0.0, 0.0, 0.0, 0.1, 0.4, 0.9, 1.0]])
    def test_most_intervals_have_the_true_mean(
        self, centres: Sequence[float], seeds: int, least: float, most: float
    ) -> None:
        """Games are alike, of different levels, or mostly easy; the true mean is that of very many seeds."""
        draw, times = rng(5), 300

        def runs(number: int) -> Scores:
            return [draw.normal(centre, 0.02, size=number).tolist() for centre in centres]

        true = trim_mean(runs(100_000), 0.25, axis=None)
        inside = [
            low <= true <= high for low, high in (interval(interquartile_mean(runs(seeds), draw)) for _ in range(times))
        ]
        assert least <= statistics.fmean(inside) <= most


class TestImprovement:
    def test_it_counts_pairs_and_half_of_the_ties(self) -> None:
        assert probability_of_improvement([[1.0, 2.0]], [[2.0, 3.0]], rng()).value == 7 / 8
        assert probability_of_improvement([[1.0, 1.0], [5.0, 5.0]], [[2.0, 2.0], [4.0, 4.0]], rng()).value == 0.5

    def test_exact_solutions_tie_whatever_their_rounding(self) -> None:
        assert probability_of_improvement([[1e-16, 3e-14]], [[0.0, 2e-15]], rng()).value == 0.5

    def test_the_other_side_has_the_rest(self) -> None:
        one, other = (probability_of_improvement(*pair, rng()) for pair in ((GAMES, LOWER), (LOWER, GAMES)))
        assert one.value + other.value == pytest.approx(1.0, abs=EXACT)
        low, high = interval(other)
        assert interval(one) == pytest.approx((1.0 - high, 1.0 - low), abs=RESAMPLED)

    @pytest.mark.slow
    def test_the_interval_is_that_of_a_bootstrap_game_by_game(self) -> None:
        draw = rng(2)
        drawn = []
        for _ in range(2_000):
            games = []
            for ours, theirs in zip(LOWER, GAMES, strict=True):
                pairs = list(itertools.product(draw.choice(ours, len(ours)), draw.choice(theirs, len(theirs))))
                games.append(statistics.fmean(1.0 if x < y else 0.5 if x == y else 0.0 for x, y in pairs))
            drawn.append(statistics.fmean(games))
        ours = interval(probability_of_improvement(LOWER, GAMES, rng()))
        assert ours == pytest.approx(np.percentile(drawn, [2.5, 97.5]), abs=RESAMPLED)


class TestRanks:
    def test_the_lowest_mean_is_first_and_shares_add_up(self) -> None:
        order, shares = ranks([GAMES, LOWER, [[2.0, 3.0, 2.0, 3.0, 2.0]] * 3], rng())
        assert order == [2, 1, 3]
        assert shares is not None
        assert shares.sum(axis=1) == pytest.approx(1.0, abs=EXACT)
        assert shares[2].tolist() == [0.0, 0.0, 1.0]
        assert shares[1, 0] > 0.9

    def test_equal_learners_are_as_often_first(self) -> None:
        _, shares = ranks([GAMES, GAMES], rng())
        assert shares is not None
        assert shares[0, 0] == pytest.approx(shares[1, 0], abs=0.05)
        assert 0.4 < shares[0, 0] < 0.6

    def test_those_that_tie_share_the_first_of_their_ranks(self) -> None:
        solved, almost = [[0.0] * 5], [[1e-15, 1e-13] * 3]
        order, shares = ranks([solved, [[0.5, 0.6] * 3], almost], rng())
        assert order == [1, 3, 1]
        assert shares is not None
        assert shares.tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]


def test_figures_are_printed_with_the_digits_they_have() -> None:
    assert str(Estimate(0.21437, (0.1811, 0.2449))) == "0.21 [0.18, 0.24]"
    assert str(Estimate(1e-15, (0.0, 2e-14))) == "0"
    assert str(Estimate(1.2e-7, (8.6e-8, 1.57e-7))) == "< 0.0001"
    assert str(Estimate(0.00005, (0.0, 0.0002))) == "< 0.0001 [0, 0.0002]"
    assert str(Estimate(0.21437, None)) == "0.21"
    assert [rounded(-0.001, 0.5), rounded(21.437, 3.2), rounded(95.8, 30.0)] == ["0.00", "21.4", "96"]
