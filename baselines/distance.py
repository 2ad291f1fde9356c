"""Turn-based games: how long play lasts when the winner hurries and the loser delays.

An optimal move keeps the value. That alone does not win: a player who keeps a won position for ever wins nothing.
So the winner takes the optimal move with the shortest way to the end, the loser the longest, and where the value
is nothing any move that keeps it will do. Endgame tables call this the distance to the end.
"""

from typing import NamedTuple

import numpy as np
from numba import boolean, float64, int64, void

from nashzoo.baselines.backup import FOLLOWING, MASKS, REWARDS
from nashzoo.baselines.positions import Positions, Successors
from nashzoo.envs.compiled import Bools, Floats, Ints, compiled
from nashzoo.envs.game import BOTH

UNDECIDED = -1  # the distance of a position that is worth nothing: play need not end
SAME_VALUE = 1e-12


class BestMoves(NamedTuple):
    """The move to make at each of ``L`` positions, and the moves to the end from there."""

    actions0: Ints  # [L]
    actions1: Ints  # [L]
    distances: Ints  # [L], UNDECIDED where the position is worth nothing


@compiled(
    void(
        MASKS, MASKS, FOLLOWING, REWARDS, float64[::1], float64[::1], int64[::1], int64[::1], int64[::1], int64[::1]
    )
)  # fmt: skip
def _best_moves(
    legal0: Ints,
    legal1: Ints,
    following: Ints,
    rewards: Floats,
    own_values: Floats,
    values: Floats,
    distances: Ints,
    actions0: Ints,
    actions1: Ints,
    new_distances: Ints,
) -> None:
    num_actions = following.shape[1]
    for k in range(len(legal0)):
        mover = 0 if legal1[k] & (legal1[k] - 1) == 0 else 1
        value = own_values[k]
        hurries = value > SAME_VALUE if mover == 0 else value < -SAME_VALUE
        worthless = abs(value) <= SAME_VALUE
        best = -1
        known = True
        actions0[k], actions1[k] = -1, -1
        for i in range(num_actions):
            for j in range(num_actions):
                if not (legal0[k] >> i & 1 and legal1[k] >> j & 1):
                    continue
                after = following[k, i, j]
                worth = rewards[k, i, j] + (0.0 if after < 0 else values[after])
                if abs(worth - value) > SAME_VALUE:
                    continue
                decided = after < 0 or abs(values[after]) <= SAME_VALUE
                distance = 0 if decided else distances[after]
                if worthless:
                    distance = 0
                elif distance == UNDECIDED:
                    known = False
                    continue
                if best < 0 or (hurries and distance < best) or (not hurries and distance > best):
                    best, actions0[k], actions1[k] = distance, i, j
        if worthless or best < 0 or not (hurries or known):
            new_distances[k] = UNDECIDED
        else:
            new_distances[k] = best + 1


def best_moves(successors: Successors, own_values: Floats, values: Floats, distances: Ints) -> BestMoves:
    """Returns the optimal move at each position that keeps to the distance.

    Args:
        successors: What follows on the positions.
        own_values: What the positions themselves are worth to player 0 ``[L]``.
        values: What all numbered positions are worth ``[n]``.
        distances: Their distances ``[n]``.
    """
    moves = BestMoves(*(np.empty(len(own_values), np.int64) for _ in BestMoves._fields))
    _best_moves(*successors, own_values, values, distances, *moves)
    return moves


@compiled(
    void(
        MASKS, MASKS, FOLLOWING, REWARDS, int64[::1], float64[::1], int64[::1], float64[::1], int64[::1], boolean[:, ::1]
    )
)  # fmt: skip
def _optimal_actions(
    legal0: Ints,
    legal1: Ints,
    following: Ints,
    rewards: Floats,
    turns: Ints,
    own_values: Floats,
    own_distances: Ints,
    values: Floats,
    distances: Ints,
    optimal: Bools,
) -> None:
    num_actions = following.shape[1]
    for k in range(len(legal0)):
        for i in range(num_actions):
            for j in range(num_actions):
                if not (legal0[k] >> i & 1 and legal1[k] >> j & 1):
                    continue
                after = following[k, i, j]
                worth = rewards[k, i, j] + (0.0 if after < 0 else values[after])
                if abs(worth - own_values[k]) > SAME_VALUE:
                    continue
                left = 0 if after < 0 or distances[after] == UNDECIDED else distances[after]
                if own_distances[k] == UNDECIDED or left == own_distances[k] - 1:
                    optimal[k, i if turns[k] == 0 else j] = True


def optimal_actions(successors: Successors, turns: Ints, ids: Ints, values: Floats, distances: Ints) -> Bools:
    """Returns which moves of the player to move are as good as any ``[L, actions]``.

    They keep the value and, unless that is nothing, the distance.

    Args:
        successors: What follows on the positions.
        turns: Who is to move there ``[L]``.
        ids: The numbers of the positions ``[L]``.
        values: What all numbered positions are worth ``[n]``.
        distances: Their distances ``[n]``.
    """
    optimal = np.zeros(successors.following.shape[:2], np.bool_)
    _optimal_actions(*successors, turns, values[ids], distances[ids], values, distances, optimal)
    return optimal


def distances(positions: Positions, values: Floats) -> Ints | None:
    """Returns the distance of every position ``[n]``; None where the players ever move at once.

    Sweeps from the end: after ``k`` of them every distance up to ``k`` is known, and no other.
    """
    turn, params = positions.game.rules.turn, positions.game.params
    if any(turn(params, int(code)) == BOTH for code in positions.codes):
        return None
    found = np.full(len(positions), UNDECIDED)
    open_ids = np.flatnonzero(np.abs(values) > SAME_VALUE)
    while len(open_ids):
        successors = positions.successors.at(open_ids)
        new = best_moves(successors, values[open_ids], values, found).distances
        if (new == UNDECIDED).all():
            raise ArithmeticError(
                f"{positions.game.name}: {len(open_ids)} positions are won, but not in any number of moves"
            )
        found[open_ids] = new
        open_ids = open_ids[new == UNDECIDED]
    return found
