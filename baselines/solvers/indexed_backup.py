"""Steps of play from states with an index, straight from the rules: where they lead, and what the states are worth.

States are numbered as by :class:`nashzoo.baselines.states.indexed.IndexedStates`: those of numbers ``2 k`` and
``2 k + 1`` are each other's mirror images, and the joint actions of both are computed at once.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nashzoo.envs.core.joint_steps import JOINT_STEPS, OVER
from nashzoo.envs.core.kernels import list_actions
from nashzoo.envs.jit.compiled import Bools, Floats, Ints, borrowed, compiled
from nashzoo.envs.jit.numba import boolean, float64, int8, int64, void
from nashzoo.envs.rules.compiled_game import GAME

NOBODY = -1  # decides: both players have a policy
VALID = -1  # all rows are


@compiled(inline=True)
def _place(number: int) -> int:
    """Returns the number of a state, given its ``index``."""
    return 2 * number if number >= 0 else 2 * ~number + 1


@compiled(void(GAME, JOINT_STEPS, int64[::1], float64[:, ::1], float64[:, ::1], boolean[::1]))
def mark_successors(game: Any, joint: Any, ids: Ints, policy0: Floats, policy1: Floats, reached: Bools) -> None:
    """Marks the states that play reaches in one step.

    Args:
        game: The game.
        joint: Its joint steps.
        ids: The numbers of states, ascending ``[L]``.
        policy0: Player 0's probabilities there ``[L, actions]``; no rows if it may play any action.
        policy1: Player 1's.
        reached: Marks by number ``[n]``.
    """
    legal, code_at, params = game.legal, game.code_at, borrowed(game.params)
    num_actions, expanded = game.num_actions, -1
    actions = (1 << num_actions) - 1
    rows, columns = np.empty(num_actions, np.int64), np.empty(num_actions, np.int64)
    after, numbers = np.empty(num_actions * num_actions, np.int64), np.empty(num_actions * num_actions, np.int64)
    rewards = np.empty(num_actions * num_actions)
    m = n = 0
    for k in range(len(ids)):
        if ids[k] >> 1 != expanded:
            expanded = ids[k] >> 1
            code = code_at(params, expanded)
            mask0, mask1 = legal(params, code, 0) & actions, legal(params, code, 1) & actions
            m, n = list_actions(mask0, rows), list_actions(mask1, columns)
            joint(params, code, mask0, mask1, mask0, mask1, after, numbers, rewards)
        mirrored = ids[k] & 1
        own, other = (policy1, policy0) if mirrored else (policy0, policy1)
        for i in range(m):
            if len(own) > 0 and own[k, rows[i]] == 0.0:
                continue
            for j in range(n):
                if after[n * i + j] >= 0 and (len(other) == 0 or other[k, columns[j]] > 0.0):
                    place = _place(numbers[n * i + j]) ^ mirrored
                    if place < len(reached):  # or else the step back objects
                        reached[place] = True


@compiled(
    int64(
        GAME, JOINT_STEPS, int64[::1], float64[:, ::1], float64[:, ::1], int64, int64, float64[::1], int8[::1],
        float64[::1],
    )
)  # fmt: skip
def back_up(
    game: Any, joint: Any, ids: Ints, policy0: Floats, policy1: Floats, decides: int, first: int, values: Floats,
    choices: NDArray[np.int8], largest: Floats,
) -> int:  # fmt: skip
    """Fills the values of states.

    Args:
        game: The game.
        joint: Its joint steps.
        ids: The numbers of the states, ascending ``[L]``.
        policy0: Player 0's probabilities there ``[L, actions]``; no rows if it decides.
        policy1: Player 1's.
        decides: The player who plays its best action, or ``NOBODY``.
        first: The number of the first state of their layer.
        values: To player 0, by number ``[n]``; filled at the states.
        choices: Filled with the best actions there ``[n]``, if somebody decides.
        largest: Filled with the largest reward, its sign left out ``[1]``.

    Returns:
        A row whose state has no action, or leads to what is no code, no earlier layer, or an infinite reward; ``VALID``
        if there is none.
    """
    legal, code_at, swap_players, params = game.legal, game.code_at, game.swap_players, borrowed(game.params)
    num_actions, expanded, symmetric = game.num_actions, -1, False
    actions = (1 << num_actions) - 1
    rows, columns = np.empty(num_actions, np.int64), np.empty(num_actions, np.int64)
    after, numbers = np.empty(num_actions * num_actions, np.int64), np.empty(num_actions * num_actions, np.int64)
    rewards = np.empty(num_actions * num_actions)
    likely0, likely1, worth0, worth1 = np.empty((4, num_actions))
    largest[0] = 0.0
    m = n = 0
    for k in range(len(ids)):
        if ids[k] >> 1 != expanded:
            expanded = ids[k] >> 1
            code = code_at(params, expanded)
            symmetric = swap_players(params, code) == code
            mask0, mask1 = legal(params, code, 0) & actions, legal(params, code, 1) & actions
            m, n = list_actions(mask0, rows), list_actions(mask1, columns)
            joint(params, code, mask0, mask1, mask0, mask1, after, numbers, rewards)
            valid = m * n > 0
            for choice in range(m * n):
                valid &= abs(rewards[choice]) < np.inf
                largest[0] = max(largest[0], abs(rewards[choice]))
                if after[choice] >= 0:
                    numbers[choice] = _place(numbers[choice])
                    valid &= numbers[choice] < first
                else:
                    valid &= after[choice] == OVER
            if not valid:
                return k
        # From here on the players are those of the state that is not mirrored.
        mirrored = 0 if symmetric else ids[k] & 1
        sign = -1.0 if mirrored else 1.0
        best_of = 1 - decides if mirrored and decides != NOBODY else decides
        own, other = (policy1, policy0) if mirrored else (policy0, policy1)
        for i in range(m):
            likely0[i] = own[k, rows[i]] if len(own) > 0 else 1.0
            worth0[i] = 0.0
        for j in range(n):
            likely1[j] = other[k, columns[j]] if len(other) > 0 else 1.0
            worth1[j] = 0.0
        for i in range(m):
            for j in range(n):
                choice = n * i + j
                worth = rewards[choice]
                if after[choice] >= 0:
                    worth += sign * values[numbers[choice] ^ mirrored]
                if best_of == 1:
                    worth1[j] += likely0[i] * worth
                else:
                    worth0[i] += likely1[j] * worth
        best, value = 0, 0.0
        if best_of == 0:
            for i in range(1, m):
                if worth0[i] > worth0[best]:
                    best = i
            value, best = worth0[best], rows[best]
        elif best_of == 1:
            for j in range(1, n):
                if worth1[j] < worth1[best]:
                    best = j
            value, best = worth1[best], columns[best]
        else:
            for i in range(m):
                value += likely0[i] * worth0[i]
        twin = ids[k] ^ 1 if symmetric else ids[k]  # the other number of a state that is its own mirror image
        values[ids[k]] = values[twin] = sign * value
        if decides != NOBODY:
            choices[ids[k]] = choices[twin] = best
    return VALID
