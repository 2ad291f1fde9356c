"""Who plays whom next, where games cost much: whoever's games tell most about the ratings."""

import itertools

import numpy as np

from nashzoo.arena.ratings import SCALE, Ratings
from nashzoo.envs.core.game import Floats


def next_pairs(ratings: Ratings, games: int) -> list[tuple[int, int]]:
    """Returns pairs of players who play next, nobody twice, the most telling first.

    A pair's games make the sum of the ratings' variances smaller by as much as the Bradley-Terry model says; each pair
    is the one that makes it smallest, given the pairs before.

    Args:
        ratings: What is known of the players.
        games: How many each pair will play.
    """
    covariance = ratings.covariance / SCALE**2
    free = set(range(len(ratings.strengths)))
    chosen = []
    while len(free) > 1:
        gain, pair, following = max(
            (_gain(ratings.strengths / SCALE, covariance, pair, games) for pair in itertools.combinations(free, 2)),
            key=lambda one: (one[0], one[1]),
        )
        del gain
        chosen.append(pair)
        covariance = following
        free -= set(pair)
    return chosen


def _gain(
    strengths: Floats, covariance: Floats, pair: tuple[int, int], games: int
) -> tuple[float, tuple[int, int], Floats]:
    """Returns by how much a pair's games make the sum of variances smaller, the pair, and the covariance after."""
    one, other = pair
    expected = 1 / (1 + np.exp(strengths[other] - strengths[one]))
    weight = games * expected * (1 - expected)
    column = covariance[one] - covariance[other]
    spread = column[one] - column[other]
    change = np.outer(column, column) * (weight / (1 + weight * spread))
    return float(change.trace()), pair, covariance - change
