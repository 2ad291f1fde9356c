"""Confidence sets of probabilities: what they hold, and the largest expectation over them."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from nashzoo.agents.learning.tabular.confidence import highest_mean, radius
from nashzoo.envs.core.game import Floats, Ints

ROUNDING = 1e-10
NEWTON = 1e-4  # of the distance from the mean: the search for the bound is not exact


def divergence(q: Floats, p: Floats) -> float:
    """Returns the Kullback-Leibler divergence of p from q."""
    seen = q > 0
    return float((q[seen] * np.log(q[seen] / p[seen])).sum())


@pytest.mark.parametrize(
    ("counts", "mean_likelihood_ratio"),
    [
        ([1, 0, 0, 0], 4.0),  # 1 against the mean of p_0, which is 1/4
        ([0, 3], 4.0),  # 1 against the mean of p^3
        ([1, 1], 1.5),  # 1/4 against the mean of p (1 - p), which is 1/6
    ],
)
def test_the_radius_is_that_of_the_likelihoods(counts: list[int], mean_likelihood_ratio: float) -> None:
    found = radius(np.array([counts]), 0, math.log(20.0))
    assert found == pytest.approx((math.log(20.0) + math.log(mean_likelihood_ratio)) / sum(counts), abs=ROUNDING)


@pytest.mark.slow
def test_the_true_probabilities_are_seldom_outside_at_any_time() -> None:
    delta, runs, draws = 0.2, 200, 400
    rng = np.random.default_rng(0)
    outside = 0
    for _ in range(runs):
        p = rng.dirichlet(np.ones(4))
        sofar = np.cumsum(np.eye(4, dtype=np.int64)[rng.choice(4, draws, p=p)], axis=0)
        divergences = [divergence(counts / counts.sum(), p) for counts in sofar]
        outside += any(divergences[n] > radius(sofar, n, math.log(1 / delta)) for n in range(draws))
    assert 0.02 < outside / runs < delta


@pytest.mark.parametrize(("heads", "tails", "size"), [(3, 7, 0.1), (900, 100, 0.003), (1, 10**7, 1e-6), (5, 5, 3.0)])
def test_of_two_outcomes_the_likelier_is_as_likely_as_the_set_allows(heads: int, tails: int, size: float) -> None:
    counts, worth = np.array([[heads, tails]]), np.array([[1.0, 0.0]])
    q = np.array([heads, tails]) / (heads + tails)

    def beyond(p: float) -> float:
        return divergence(q, np.array([p, 1.0 - p])) - size

    most, least = brentq(beyond, q[0], 1.0 - 1e-12, xtol=1e-15), brentq(beyond, 1e-15, q[0], xtol=1e-15)
    assert 0.0 <= highest_mean(worth, 1.0, counts, 0, size) - most + ROUNDING < NEWTON * (most - q[0]) + 2 * ROUNDING
    lowest = -highest_mean(worth, -1.0, counts, 0, size)
    assert 0.0 <= least - lowest + ROUNDING < NEWTON * (q[0] - least) + 2 * ROUNDING


def test_what_never_came_may_come() -> None:
    counts, worth = np.array([[5, 0, 0]]), np.array([[-1.0, 3.0, 2.0]])
    unseen = 1.0 - math.exp(-0.25)  # 5 KL = -5 log(1 - unseen)
    assert highest_mean(worth, 1.0, counts, 0, 0.25) == pytest.approx(3.0 * unseen - (1.0 - unseen), abs=ROUNDING)
    assert -highest_mean(worth, -1.0, counts, 0, 0.25) == pytest.approx(-1.0, abs=ROUNDING)


def test_no_distribution_of_the_set_has_a_larger_expectation() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        m = int(rng.integers(2, 7))
        counts: Ints = rng.multinomial(int(rng.integers(1, 500)), rng.dirichlet(np.ones(m)))[None]
        worth, q = np.round(rng.normal(size=(1, m)), 1), counts[0] / counts.sum()
        size = radius(counts, 0, 3.0)
        bound = highest_mean(worth, 1.0, counts, 0, size)
        assert q @ worth[0] - ROUNDING <= bound <= worth.max() + ROUNDING
        for p in rng.dirichlet(counts[0] + 1.0, 50):
            if divergence(q, p) <= size:
                assert p @ worth[0] <= bound + ROUNDING
