"""Turn-based games: the number of moves to the end when the winner wins as soon as possible and the loser delays.

An optimal move preserves the value. This alone does not win: a player who keeps a won state for ever wins nothing.
So the winner takes the optimal move with the shortest way to the end, the loser that with the longest, and at states of
value 0 any move that preserves it is optimal. Endgame tables call this the distance to the end.
"""

import numpy as np

from nashzoo.baselines.solvers.retrograde import edges_back
from nashzoo.baselines.states.space import SUCCESSORS, StateSpace, StoredStates, Successors
from nashzoo.envs.core.game import BOTH, CHANCE
from nashzoo.envs.core.kernels import count_actions, nth_action
from nashzoo.envs.jit.compiled import Bools, Floats, Ints, compiled
from nashzoo.envs.jit.numba import boolean, float64, int64, void

UNDECIDED = -1  # the distance of a state of value 0: play need not end
SAME_VALUE = 1e-12


@compiled(int64(SUCCESSORS, float64[::1], int64[::1], int64[::1], int64[::1]))
def _distances(successors: Successors, values: Floats, edges: Ints, first: Ints, distances: Ints) -> int:
    """Fills the distances; returns the number of states with a value other than 0 that no number of moves reaches.

    The queue has the states in the order of their distances. The winner moves to the first successor in it that
    preserves the value, the loser to the last.
    """
    legal0, legal1, following, rewards, _ = successors
    length, choices = following.shape
    left = np.zeros(length, np.int64)  # number of choices whose distances are not known yet
    queue = np.empty(length, np.int64)
    known = open_states = 0
    for k in range(length):
        distances[k] = UNDECIDED
        if abs(values[k]) <= SAME_VALUE:
            continue
        open_states += 1
        over = 0
        for choice in range(count_actions(legal0[k]) * count_actions(legal1[k])):
            after = following[k, choice]
            worth = rewards[k, choice] + (values[after] if after >= 0 else 0.0)
            if abs(worth - values[k]) <= SAME_VALUE:
                left[k] += 1
                if after < 0 or abs(values[after]) <= SAME_VALUE:
                    over += 1
        if count_actions(legal0[k] if values[k] > 0 else legal1[k]) > 1:  # the winner's move
            left[k] = min(left[k], 1)
        if over > 0:
            left[k] = max(left[k] - over, 0)
            if left[k] == 0:
                distances[k] = 1
                queue[known] = k
                known += 1
    done = 0
    while done < known:
        here = queue[done]
        done += 1
        for edge in range(first[here], first[here + 1]):
            k, choice = edges[edge] // choices, edges[edge] % choices
            if left[k] > 0 and abs(rewards[k, choice] + values[here] - values[k]) <= SAME_VALUE:
                left[k] -= 1
                if left[k] == 0:
                    distances[k] = distances[here] + 1
                    queue[known] = k
                    known += 1
    return open_states - known


def distances(states: StoredStates, values: Floats) -> Ints | None:
    """Returns the distance of every state ``[n]``; None in games with simultaneous moves or chance.

    Raises:
        ArithmeticError: a state has a value that its successors do not lead to.
    """
    if np.isin(states.turns(np.arange(len(states))), (BOTH, CHANCE)).any():
        return None
    moves = np.empty(len(states), np.int64)
    back = edges_back(states.successors.following, np.arange(len(states), dtype=np.int32))
    missing = _distances(states.successors, values, *back, moves)
    if missing:
        raise ArithmeticError(f"{states.game.name}: {missing} states are won, but not in any number of moves")
    return moves


@compiled(void(SUCCESSORS, int64[::1], int64[::1], float64[::1], int64[::1], boolean[:, ::1]))
def _optimal_actions(
    successors: Successors, turns: Ints, ids: Ints, values: Floats, distances: Ints, optimal: Bools
) -> None:
    legal0, legal1, following, rewards, _ = successors
    for k in range(len(ids)):
        value, distance = values[ids[k]], distances[ids[k]]
        legal = legal0[k] if turns[k] == 0 else legal1[k]
        for choice in range(count_actions(legal)):
            after = following[k, choice]
            worth = rewards[k, choice] + (values[after] if after >= 0 else 0.0)
            if abs(worth - value) > SAME_VALUE:
                continue
            left = 0 if after < 0 or distances[after] == UNDECIDED else distances[after]
            if distance == UNDECIDED or left == distance - 1:
                optimal[k, nth_action(legal, choice)] = True


def optimal_actions(states: StateSpace, ids: Ints, values: Floats, distances: Ints) -> Bools:
    """Returns whether actions of the player to move are optimal ``[L, actions]`` at states of a turn-based game.

    They preserve the value and, unless it is 0, the distance.

    ``values`` and ``distances`` are those of all states ``[n]``.
    """
    optimal = np.zeros((len(ids), states.game.num_actions), np.bool_)
    _optimal_actions(states.successors_at(ids), states.turns(ids), ids, values, distances, optimal)
    return optimal
