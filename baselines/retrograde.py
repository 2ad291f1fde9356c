"""Turn-based play with cycles, solved backwards from its ends, as endgame tables are made.

Where points come only with the last step, a player who can force play out at some worth above nothing can do so
within finitely many steps, and play without end is worth nothing. So the best ways out are followed back first: who
is to move takes the first that turns up, the other gives in once no choice is left that is better. Each way is looked
at once for each player. Sources: Zermelo (1913); Andersson, Hansen, Miltersen and Sorensen (2008), "Deterministic
graphical games revisited".
"""

from typing import NamedTuple

import numpy as np
from numba import float64, int32, int64, types, void

from nashzoo.baselines.numbers import Numbers
from nashzoo.baselines.positions import FOLLOWING, MASKS, REWARDS, Successors
from nashzoo.envs.compiled import Floats, Ints, compiled
from nashzoo.envs.kernels import count_actions

ELSEWHERE = -1  # the place of a position outside of those that are solved together


class WaysBack(NamedTuple):
    """What leads to each of ``L`` positions: way ``choices k + c`` is choice ``c`` at position ``k``."""

    ways: Ints  # [w], those to position 0 first
    first: Ints  # [L + 1], where in ``ways`` those to each position begin


@compiled(types.UniTuple(int64[::1], 2)(FOLLOWING, int32[::1]))
def _ways_back(following: Numbers, place: Numbers) -> tuple[Ints, Ints]:
    length, choices = following.shape
    first = np.zeros(length + 2, np.int64)  # for now one further, and counting
    for k in range(length):
        for choice in range(choices):
            after = following[k, choice]
            if after >= 0 and place[after] >= 0:
                first[place[after] + 2] += 1
    for k in range(1, length + 1):
        first[k + 1] += first[k]
    ways = np.empty(first[length + 1], np.int64)
    for k in range(length):
        for choice in range(choices):
            after = following[k, choice]
            if after >= 0 and place[after] >= 0:
                ways[first[place[after] + 1]] = choices * k + choice
                first[place[after] + 1] += 1
    return ways, first[: length + 1].copy()


def ways_back(following: Numbers, place: Numbers) -> WaysBack:
    """Returns what leads to each of ``L`` positions from among themselves.

    Args:
        following: What follows on them ``[L, choices]``.
        place: Where each numbered position stands among them ``[n]``, or ``ELSEWHERE``.
    """
    return WaysBack(*_ways_back(following, place))


@compiled(int64(MASKS, MASKS, FOLLOWING, REWARDS, int32[::1], float64[::1], int64[::1], float64[::1]))
def _ways_out(
    legal0: Ints,
    legal1: Ints,
    following: Numbers,
    rewards: Floats,
    place: Numbers,
    values: Floats,
    ways: Ints,
    worths: Floats,
) -> int:
    """Fills the ways that lead elsewhere or end play, and their worths.

    Returns:
        Their number; -1 where players move at once, or points come on the way.
    """
    choices = following.shape[1]
    found = 0
    for k in range(len(following)):
        count0, count1 = count_actions(legal0[k]), count_actions(legal1[k])
        if count0 > 1 and count1 > 1:
            return -1
        for choice in range(count0 * count1):
            after = following[k, choice]
            if after >= 0 and place[after] >= 0:
                if rewards[k, choice] != 0.0:
                    return -1
                continue
            ways[found] = choices * k + choice
            worths[found] = rewards[k, choice] + (values[after] if after >= 0 else 0.0)
            found += 1
    return found


@compiled(void(int64, MASKS, MASKS, int64, int64[::1], int64[::1], float64[::1], float64[::1], int64[::1]))
def _force(
    winner: int,
    legal0: Ints,
    legal1: Ints,
    choices: int,
    ways: Ints,
    first: Ints,
    worths: Floats,
    own_values: Floats,
    chosen: Ints,
) -> None:
    """Fills what ``winner`` can force, and the choices of both, where that is more than nothing.

    Args:
        winner: The player who wants ways out of the greatest worths.
        legal0: Player 0's legal actions ``[L]``.
        legal1: Player 1's.
        choices: How many joint choices a row of successors has.
        ways: The ways back to each position, then the ways out, those that ``winner`` likes best first.
        first: Where in ``ways`` those to each position begin, then each way out ``[L + ways out + 1]``.
        worths: What the ways out are worth to player 0.
        own_values: Filled where play is forced ``[L]``.
        chosen: Filled with choices there ``[L]``.
    """
    length = len(legal0)
    left = np.ones(length, np.int64)  # choices that must turn out well for the winner yet; the winner's own needs one
    for k in range(length):
        left[k] = count_actions(legal1[k] if winner == 0 else legal0[k])
    stack = np.empty(length + 1, np.int64)
    for out in range(len(worths)):
        stack[0], height = length + out, 1
        while height > 0:
            height -= 1
            here = stack[height]
            for way in range(first[here], first[here + 1]):
                before = ways[way] // choices
                if left[before] == 0:
                    continue
                left[before] -= 1
                if left[before] == 0:
                    own_values[before] = worths[out]
                    chosen[before] = ways[way] % choices
                    stack[height] = before
                    height += 1


@compiled(void(MASKS, MASKS, FOLLOWING, REWARDS, int32[::1], float64[::1], float64[::1], int64[::1]))
def _keep(
    legal0: Ints,
    legal1: Ints,
    following: Numbers,
    rewards: Floats,
    place: Numbers,
    values: Floats,
    own_values: Floats,
    chosen: Ints,
) -> None:
    """Fills a choice that keeps the value where there is none yet."""
    for k in range(len(chosen)):
        if chosen[k] >= 0:
            continue
        for choice in range(count_actions(legal0[k]) * count_actions(legal1[k])):
            after = following[k, choice]
            worth = rewards[k, choice]
            if after >= 0:
                worth += values[after] if place[after] < 0 else own_values[place[after]]
            if worth == own_values[k]:
                chosen[k] = choice
                break


class Retrograde(NamedTuple):
    """What positions are worth to player 0, and the choice of whoever is to move there."""

    values: Floats  # [L]
    choices: Ints  # [L], numbers of joint choices


def retrograde(successors: Successors, ids: Ints, values: Floats) -> Retrograde | None:
    """Solves turn-based positions among which play can recur.

    Args:
        successors: What follows on them.
        ids: Their numbers ``[L]``.
        values: What all numbered positions are worth ``[n]``; those of the positions themselves do not matter.

    Returns:
        None where players move at once, or points come within play.
    """
    length, choices = successors.following.shape
    place = np.full(len(values), ELSEWHERE, np.int32)
    place[ids] = np.arange(length)
    out, worths = np.empty(length * choices, np.int64), np.empty(length * choices)
    count = _ways_out(*successors, place, values, out, worths)
    if count < 0:
        return None
    out, worths = out[:count], worths[:count]
    ascending = np.argsort(worths, kind="stable")
    back = ways_back(successors.following, place)
    solved = Retrograde(np.zeros(length), np.full(length, -1))
    positive, negative = count - np.searchsorted(worths[ascending], 0, "right"), np.searchsorted(worths[ascending], 0)
    for winner, good in ((0, ascending[::-1][:positive]), (1, ascending[:negative])):
        ways = np.concatenate([back.ways, out[good]])
        first = np.concatenate([back.first, np.arange(len(back.ways) + 1, len(ways) + 1)])
        _force(winner, successors.legal0, successors.legal1, choices, ways, first, worths[good], *solved)
    _keep(*successors, place, values, *solved)
    return solved
