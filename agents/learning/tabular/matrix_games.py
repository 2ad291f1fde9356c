"""The matrix game at a state, in compiled loops that allocate nothing."""

from typing import NamedTuple

import numpy as np

from nashzoo.baselines.solvers.matrix import solve_into, tableau_size
from nashzoo.envs.jit.compiled import Floats, Ints, compiled


class Space(NamedTuple):
    """Working space for one matrix game at a time."""

    matrix: Floats  # [c]
    row_strategy: Floats  # [actions]
    column_strategy: Floats  # [actions]
    tableau: Floats
    basis: Ints


@compiled(inline=True)
def new_space(num_actions: int, joint: int) -> Space:
    """Returns space for games with at most ``num_actions`` actions and ``joint`` joint actions."""
    tableau, basis = np.empty(tableau_size(num_actions, num_actions)), np.empty(2 * num_actions, np.int64)
    return Space(np.empty(joint), np.empty(num_actions), np.empty(num_actions), tableau, basis)


@compiled()
def solve_at(worth: Floats, state: int, m: int, n: int, space: Space) -> tuple[float, float]:
    """Solves the matrix game ``[m, n]`` in a row of ``worth`` ``[n, c]``, and writes the strategies into ``space``.

    Returns:
        The value, and the gap between the values that the strategies guarantee; infinite if rounding errors are too
        large.
    """
    for k in range(m * n):
        space.matrix[k] = worth[state, k]
    matrix, row_strategy, column_strategy, tableau, basis = space
    return solve_into(matrix, m, n, row_strategy, column_strategy, tableau, basis)


@compiled()
def value_at(worth: Floats, state: int, m: int, n: int, space: Space) -> tuple[float, float]:
    """Returns the value of the same matrix game and the gap; faster where only one player chooses."""
    if n == 1:
        best = worth[state, 0]
        for k in range(1, m):
            best = max(best, worth[state, k])
        return best, 0.0
    if m == 1:
        best = worth[state, 0]
        for k in range(1, n):
            best = min(best, worth[state, k])
        return best, 0.0
    return solve_at(worth, state, m, n, space)


@compiled(inline=True)
def drawn(strategy: Floats, count: int, uniform: float) -> int:
    """Returns an action by the probabilities of ``count`` actions and a number in [0, 1)."""
    action = 0
    while action < count - 1 and uniform >= strategy[action]:
        uniform -= strategy[action]
        action += 1
    return action
