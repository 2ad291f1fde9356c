"""Confidence sequences: intervals of points per game that hold at any time of stopping.

A 95 % interval for a fixed number of games is missed far too often by who looks after each part of the games and stops
when it is narrow, or when it excludes 0. A confidence sequence contains the true points at all times together with
95 %. This one is asymptotic, like the intervals for a fixed number of games: it needs no bounds of the points, which
for luck-adjusted points would be loose by orders of magnitude. Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas
(2024), "Time-uniform central limit theory and asymptotic confidence sequences", Theorem 2.2. A time is a game in each
seat.

A few games may be alike by chance, above all luck-adjusted ones and those of a strong player. So that their variance is
not taken for 0, one more time is added to it, at which a player loses all, or as far from the mean as any game was.
"""

import math

import numpy as np

from nashzoo.arena.match import MatchResult, Z

ALPHA = 0.05
NARROWEST = 1_000  # times at which the sequence is about the narrowest possible
FIRST = 200  # games before the first look
GROWTH = 1.5  # ratio of the numbers of games at a look and at the one before


def half_width(result: MatchResult, at_stake: float) -> float:
    """Returns half the width of the confidence sequence of the luck-adjusted points; infinite below ``FIRST`` games.

    Args:
        result: The result, with as many games in each seat if it has both.
        at_stake: The points that a player can lose in a game.
    """
    if result.games < FIRST:
        return math.inf
    times = result.games / len(np.unique(result.seats))
    farthest = max(at_stake, float(np.abs(result.adjusted - result.adjusted_mean).max()))
    variance = times * (result.adjusted_error - result.unseen / Z) ** 2 + farthest**2 / times
    tuned = times / NARROWEST * (-2 * math.log(ALPHA) + math.log(1 - 2 * math.log(ALPHA)))
    half = math.sqrt(variance * 2 * (tuned + 1) / (times * tuned) * math.log(math.sqrt(tuned + 1) / ALPHA))
    return half + result.unseen


def games_of_block(block: int, before: int, most: int) -> int:
    """Returns the number of games up to the next look, an even one: the first, or as many that they grow in proportion.

    Args:
        block: The number of the block of games, from 0.
        before: Games of the blocks before.
        most: Games of all blocks.
    """
    wanted = FIRST if block == 0 else 2 * int((GROWTH - 1) * before / 2)
    return min(wanted, most - before)
