"""Turn-based play with cycles, solved backwards from its ends, as endgame tables are made.

Where points come only with the last step, a player who can force play out at some worth above nothing can do so
within finitely many steps, and play without end has the value 0. So the best exits are followed back first: who
is to move takes the first that turns up, the other gives in once no choice is left that is better. Each edge is looked
at once for each player. Sources: Zermelo (1913); Andersson, Hansen, Miltersen and Sorensen (2008), "Deterministic
graphical games revisited".
"""

from typing import NamedTuple

import numpy as np
from numba import float64, int32, int64, types, void

from nashzoo.baselines.states.listed import FOLLOWING, MASKS, REWARDS, Successors
from nashzoo.envs.compilation.compiled import Floats, Ints, compiled
from nashzoo.envs.core.kernels import count_actions
from nashzoo.envs.states.code_index import Numbers

ELSEWHERE = -1  # the place of a state outside of those that are solved together


class WaysBack(NamedTuple):
    """What leads to each of ``L`` states: edge ``choices k + c`` is choice ``c`` at state ``k``."""

    edges: Ints  # [w], those to state 0 first
    first: Ints  # [L + 1], where in ``edges`` those to each state begin


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
    edges = np.empty(first[length + 1], np.int64)
    for k in range(length):
        for choice in range(choices):
            after = following[k, choice]
            if after >= 0 and place[after] >= 0:
                edges[first[place[after] + 1]] = choices * k + choice
                first[place[after] + 1] += 1
    return edges, first[: length + 1].copy()


def edges_back(following: Numbers, place: Numbers) -> WaysBack:
    """Returns what leads to each of ``L`` states from among themselves.

    Args:
        following: What follows on them ``[L, choices]``.
        place: Where each numbered state stands among them ``[n]``, or ``ELSEWHERE``.
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
    edges: Ints,
    exit_values: Floats,
) -> int:
    """Fills the edges that lead elsewhere or end play, and their values.

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
            edges[found] = choices * k + choice
            exit_values[found] = rewards[k, choice] + (values[after] if after >= 0 else 0.0)
            found += 1
    return found


@compiled(void(int64, MASKS, MASKS, int64, int64[::1], int64[::1], float64[::1], float64[::1], int64[::1]))
def _force(
    winner: int,
    legal0: Ints,
    legal1: Ints,
    choices: int,
    edges: Ints,
    first: Ints,
    exit_values: Floats,
    own_values: Floats,
    chosen: Ints,
) -> None:
    """Fills what ``winner`` can force, and the choices of both, where that is more than nothing.

    Args:
        winner: The player who wants the exits of the greatest values.
        legal0: Player 0's legal actions ``[L]``.
        legal1: Player 1's.
        choices: How many joint choices a row of successors has.
        edges: The edges back to each state, then the exits, those that ``winner`` likes best first.
        first: Where in ``edges`` those to each state begin, then each exit ``[L + exits + 1]``.
        exit_values: What the exits are worth to player 0.
        own_values: Filled where play is forced ``[L]``.
        chosen: Filled with choices there ``[L]``.
    """
    length = len(legal0)
    left = np.ones(length, np.int64)  # choices that must turn out well for the winner yet; the winner's own needs one
    for k in range(length):
        left[k] = count_actions(legal1[k] if winner == 0 else legal0[k])
    stack = np.empty(length + 1, np.int64)
    for out in range(len(exit_values)):
        stack[0], height = length + out, 1
        while height > 0:
            height -= 1
            here = stack[height]
            for edge in range(first[here], first[here + 1]):
                before = edges[edge] // choices
                if left[before] == 0:
                    continue
                left[before] -= 1
                if left[before] == 0:
                    own_values[before] = exit_values[out]
                    chosen[before] = edges[edge] % choices
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
            exit_value = rewards[k, choice]
            if after >= 0:
                exit_value += values[after] if place[after] < 0 else own_values[place[after]]
            if exit_value == own_values[k]:
                chosen[k] = choice
                break


class Retrograde(NamedTuple):
    """What states are worth to player 0, and the choice of whoever is to move there."""

    values: Floats  # [L]
    choices: Ints  # [L], numbers of joint choices


def retrograde(successors: Successors, ids: Ints, values: Floats) -> Retrograde | None:
    """Solves turn-based states among which play can recur.

    Args:
        successors: What follows on them.
        ids: Their numbers ``[L]``.
        values: What all numbered states are worth ``[n]``; those of the states themselves do not matter.

    Returns:
        None where players move at once, points come within play, or chance decides.
    """
    if successors.by_chance.any():
        return None
    length, choices = successors.following.shape
    place = np.full(len(values), ELSEWHERE, np.int32)
    place[ids] = np.arange(length)
    out, exit_values = np.empty(length * choices, np.int64), np.empty(length * choices)
    count = _ways_out(*successors[:4], place, values, out, exit_values)
    if count < 0:
        return None
    out, exit_values = out[:count], exit_values[:count]
    ascending = np.argsort(exit_values, kind="stable")
    back = edges_back(successors.following, place)
    solved = Retrograde(np.zeros(length), np.full(length, -1))
    positive, negative = (
        count - np.searchsorted(exit_values[ascending], 0, "right"),
        np.searchsorted(exit_values[ascending], 0),
    )
    for winner, good in ((0, ascending[::-1][:positive]), (1, ascending[:negative])):
        edges = np.concatenate([back.edges, out[good]])
        first = np.concatenate([back.first, np.arange(len(back.edges) + 1, len(edges) + 1)])
        _force(winner, successors.legal0, successors.legal1, choices, edges, first, exit_values[good], *solved)
    _keep(*successors[:4], place, values, *solved)
    return solved
