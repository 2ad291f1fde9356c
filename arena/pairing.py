"""Adaptive pairing: the next pairs are those whose games reduce the variances of the ratings most."""

import itertools

import numpy as np

from nashzoo.arena.ratings import SCALE, Ratings
from nashzoo.envs.core.game import Floats


def next_pairs(ratings: Ratings, games: int) -> list[tuple[int, int]]:
    """Returns the pairs of players that play next, each player at most once, the most informative pair first.

    In the Bradley-Terry model a pair's games reduce the sum of the ratings' variances. Each pair is the one that
    reduces it most, given the pairs before.

    Args:
        ratings: The current ratings.
        games: The number of games of each pair.
    """
    covariance = ratings.covariance / SCALE**2
    free = set(range(len(ratings.strengths)))
    chosen = []
    while len(free) > 1:
        _, pair, covariance = max(
            (_gain(ratings.strengths / SCALE, covariance, pair, games) for pair in itertools.combinations(free, 2)),
            key=lambda one: (one[0], one[1]),
        )
        chosen.append(pair)
        free -= set(pair)
    return chosen


def _gain(
    strengths: Floats, covariance: Floats, pair: tuple[int, int], games: int
) -> tuple[float, tuple[int, int], Floats]:
    """Returns the reduction of the sum of variances by a pair's games, the pair, and the covariance after them."""
    one, other = pair
    expected = 1 / (1 + np.exp(strengths[other] - strengths[one]))
    weight = games * expected * (1 - expected)
    column = covariance[one] - covariance[other]
    spread = column[one] - column[other]
    change = np.outer(column, column) * (weight / (1 + weight * spread))
    return float(change.trace()), pair, covariance - change
