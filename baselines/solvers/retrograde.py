"""Turn-based games with recurring states, solved backwards from their terminal states, like endgame tables.

If all rewards are terminal, a player who can force an exit of positive value can do so
within finitely many steps, and play without end has the value 0. So the best exits are followed back first: the
winner takes the first one that is reached; the other player is forced to one once it has no better choice. Each edge
is processed once for each player. Sources: Zermelo (1913); Andersson, Hansen, Miltersen and Sorensen (2008),
"Deterministic graphical games revisited".
"""

from typing import NamedTuple

import numpy as np

from nashzoo.baselines.states.space import FOLLOWING, MASKS, SUCCESSORS, Successors
from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.core.kernels import count_actions
from nashzoo.envs.jit.compiled import Floats, Ints, compiled
from nashzoo.envs.jit.numba import float64, int32, int64, types, void

ELSEWHERE = -1  # the place of a state outside of those solved here


@compiled(types.UniTuple(int64[::1], 2)(FOLLOWING, int32[::1]))
def edges_back(following: Numbers, place: Numbers) -> tuple[Ints, Ints]:
    """Returns the edges among ``L`` states, by their targets: edge ``choices k + c`` is choice ``c`` at state ``k``.

    Args:
        following: The successors of the states ``[L, choices]``.
        place: The index of each numbered state among them ``[n]``, or ``ELSEWHERE``.

    Returns:
        The edges, those to state 0 first, and the index among them of the first to each state ``[L + 1]``.
    """
    length, choices = following.shape
    first = np.zeros(length + 2, np.int64)  # shifted by one, first counts
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


@compiled(int64(SUCCESSORS, int32[::1], float64[::1], int64[::1], float64[::1]))
def _ways_out(successors: Successors, place: Numbers, values: Floats, edges: Ints, exit_values: Floats) -> int:
    """Fills the edges that lead elsewhere or end play, and their values.

    Returns:
        Their number; -1 with simultaneous moves, or rewards before the end.
    """
    legal0, legal1, following, rewards, _ = successors
    choices = following.shape[1]
    exits = 0
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
            edges[exits] = choices * k + choice
            exit_values[exits] = rewards[k, choice] + (values[after] if after >= 0 else 0.0)
            exits += 1
    return exits


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
    """Fills the values that ``winner`` can force if they are positive, and the choices of both there.

    Args:
        winner: The player for whom the exits of the greatest values are best.
        legal0: Player 0's legal actions ``[L]``.
        legal1: Player 1's.
        choices: The number of joint choices of a row of successors.
        edges: The edges back to each state, then the exits, the best ones for ``winner`` first.
        first: Index in ``edges`` of the first edge to each state, then of each exit ``[L + exits + 1]``.
        exit_values: The values of the exits to player 0.
        own_values: Filled at states at which an exit can be forced ``[L]``.
        chosen: Filled with choices there ``[L]``.
    """
    length = len(legal0)
    left = np.ones(length, np.int64)  # number of choices that are not yet won; at the winner's own states one is enough
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


@compiled(void(SUCCESSORS, int32[::1], float64[::1], float64[::1], int64[::1]))
def _keep(successors: Successors, place: Numbers, values: Floats, own_values: Floats, chosen: Ints) -> None:
    """Fills a choice that preserves the value at states without a choice."""
    legal0, legal1, following, rewards, _ = successors
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
    """The values of states to player 0, and the choices of the players to move there."""

    values: Floats  # [L]
    choices: Ints  # [L], numbers of joint choices


def retrograde(successors: Successors, ids: Ints, values: Floats) -> Retrograde | None:
    """Solves turn-based states that can recur.

    ``values`` are those of all numbered states ``[n]``; those of the states ``ids`` ``[L]`` themselves are ignored.

    Returns:
        None with simultaneous moves, rewards before the end, or chance.
    """
    if not successors.deterministic:
        return None
    length, choices = successors.following.shape
    place = np.full(len(values), ELSEWHERE, np.int32)
    place[ids] = np.arange(length)
    out, exit_values = np.empty(length * choices, np.int64), np.empty(length * choices)
    count = _ways_out(successors, place, values, out, exit_values)
    if count < 0:
        return None
    out, exit_values = out[:count], exit_values[:count]
    ascending = np.argsort(exit_values, kind="stable")
    back, first_back = edges_back(successors.following, place)
    solved = Retrograde(np.zeros(length), np.full(length, -1))
    positive, negative = (
        count - np.searchsorted(exit_values[ascending], 0, "right"),
        np.searchsorted(exit_values[ascending], 0),
    )
    for winner, good in ((0, ascending[::-1][:positive]), (1, ascending[:negative])):
        edges = np.concatenate([back, out[good]])
        first = np.concatenate([first_back, np.arange(len(back) + 1, len(edges) + 1)])
        _force(winner, successors.legal0, successors.legal1, choices, edges, first, exit_values[good], *solved)
    _keep(successors, place, values, *solved)
    return solved
