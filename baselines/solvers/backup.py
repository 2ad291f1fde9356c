"""One step of dynamic programming, in its three forms: equilibrium, best response, evaluation.

At a state, ``M[i, j] = reward + value of the next state`` is a matrix game. Its value is that of the equilibrium; its
best row against a fixed mix of columns is the best response; its bilinear form is the value of two policies.
Terminal states have the value 0. A chance state has one joint choice, with several outcomes. Arrays of ``[L]`` rows
are for the states that are backed up; ``values`` ``[n]`` is for all numbered states.

The inner loops call no function with an array: counting references would take ten times as long as the arithmetic.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nashzoo.baselines.solvers.matrix import (
    GAP_TOLERANCE,
    MatrixSolution,
    better_by_fractions,
    solve_into,
    tableau_size,
    try_again,
)
from nashzoo.baselines.states.space import SUCCESSORS, Successors
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.core.kernels import list_actions
from nashzoo.envs.jit.compiled import Floats, Ints, compiled
from nashzoo.envs.jit.numba import float64, int64, types, void


class Trusted(NamedTuple):
    """How a player chooses that is trusted: at each state with some probability by its policy, and else freely."""

    player: int
    policy: Floats  # its policy [L, actions]
    trust: Floats  # with which probability it plays it [L]; no rows if nobody is trusted
    values: Floats = np.empty(0)  # of what follows on its policy [n]; no rows if they are those of all play

    def at(self, ids: Ints) -> "Trusted":
        """Returns the same at some states."""
        return self._replace(policy=self.policy[ids], trust=self.trust[ids]) if len(self.trust) else self

    def played(self, strategies: Sequence[Floats]) -> tuple[Floats, Floats]:
        """Returns what both players do if they choose freely by these strategies ``[L, actions]``."""
        first, second = strategies
        if len(self.trust):
            free = strategies[self.player]
            mixed = free + self.trust[:, None] * (self.policy - free)
            first, second = (mixed, second) if self.player == 0 else (first, mixed)
        return first, second


NOBODY = Trusted(0, np.empty((0, 0)), np.empty(0))


@compiled(inline=True)
def expectation(following: Numbers, rewards: Floats, chances: Floats, values: Floats, k: int) -> float:
    """Returns the value of a chance state to player 0."""
    total = sum_of_chances = 0.0
    for outcome in range(chances.shape[1]):
        if chances[k, outcome] > 0.0:
            after = following[k, outcome]
            total += chances[k, outcome] * (rewards[k, outcome] + (values[after] if after >= 0 else 0.0))
            sum_of_chances += chances[k, outcome]
    return total / sum_of_chances


@compiled(inline=True)
def worth_of(following: Numbers, rewards: Floats, chances: Floats, values: Floats, k: int, choice: int) -> float:
    """Returns the expected reward plus value of the next state after a joint choice, to player 0."""
    if chances.shape[1] > 0 and chances[k, 0] > 0.0:
        return expectation(following, rewards, chances, values, k)
    after = following[k, choice]
    return rewards[k, choice] + (values[after] if after >= 0 else 0.0)  # type: ignore[no-any-return]


@compiled(inline=True)
def _mix(
    matrix: Floats, rows: Ints, columns: Ints, m: int, n: int, trusted: Trusted, successors: Successors, k: int
) -> None:
    """Changes the payoffs ``[m n]`` at a state to those that are expected when a player is trusted there."""
    player, policy, trust, values = trusted
    _, _, following, rewards, chances = successors
    lines, length, between, along = (m, n, n, 1) if player == 1 else (n, m, 1, n)
    for line in range(lines):  # one for each action of the other player
        mean, first = 0.0, line * between
        for choice in range(length):
            action = columns[choice] if player == 1 else rows[choice]
            place = first + choice * along
            known = worth_of(following, rewards, chances, values, k, place) if len(values) > 0 else matrix[place]
            mean += policy[k, action] * known
        for choice in range(length):
            place = first + choice * along
            matrix[place] += trust[k] * (mean - matrix[place])


_TRUSTED = types.NamedTuple((int64, float64[:, ::1], float64[::1], float64[::1]), Trusted)


@compiled(void(SUCCESSORS, float64[::1], _TRUSTED, float64[::1], float64[::1], float64[:, ::1], float64[:, ::1]))
def _equilibrium(
    successors: Successors,
    values: Floats,
    trusted: Trusted,
    new_values: Floats,
    gaps: Floats,
    strategies0: Floats,
    strategies1: Floats,
) -> None:
    legal0, legal1, following, rewards, chances = successors
    num_actions = strategies0.shape[1]
    rows, columns = np.empty(num_actions, np.int64), np.empty(num_actions, np.int64)
    matrix, tableau = np.empty(following.shape[1]), np.empty(tableau_size(num_actions, num_actions))
    basis = np.empty(2 * num_actions, np.int64)
    mix0, mix1 = np.empty(num_actions), np.empty(num_actions)
    for k in range(len(legal0)):
        for a in range(num_actions):
            strategies0[k, a], strategies1[k, a] = 0.0, 0.0
        m = list_actions(legal0[k], rows)
        n = list_actions(legal1[k], columns)
        for choice in range(m * n):
            matrix[choice] = worth_of(following, rewards, chances, values, k, choice)
        if len(trusted.trust) > 0 and trusted.trust[k] > 0.0:
            _mix(matrix, rows, columns, m, n, trusted, successors, k)
        new_values[k], gaps[k] = solve_into(matrix, m, n, mix0, mix1, tableau, basis)
        for i in range(m):
            strategies0[k, rows[i]] = mix0[i]
        for j in range(n):
            strategies1[k, columns[j]] = mix1[j]


def backup_equilibrium(
    successors: Successors, values: Floats, num_actions: int, trusted: Trusted = NOBODY
) -> tuple[Floats, Floats, Floats]:
    """Solves the matrix game at each state, where a player may be trusted to play a policy.

    Returns:
        The values to player 0 ``[L]`` and optimal strategies of both players ``[L, actions]`` each.
    """
    check_time()
    length = len(successors.following)
    new_values, gaps = np.empty(length), np.empty(length)
    strategies0, strategies1 = np.empty((length, num_actions)), np.empty((length, num_actions))
    _equilibrium(successors, values, trusted, new_values, gaps, strategies0, strategies1)
    if not (gaps > GAP_TOLERANCE).any():  # nearly always; in small games the rest takes longer than the sweep
        return new_values, strategies0, strategies1
    smallest = GAP_TOLERANCE
    for improve in (try_again, better_by_fractions):
        for k in np.flatnonzero(gaps > smallest):
            rows, columns, matrix = matrix_at(successors, values, int(k))
            if len(trusted.trust):
                _mix(matrix.ravel(), rows, columns, len(rows), len(columns), trusted, successors, int(k))  # of a view
            solution = MatrixSolution(new_values[k], strategies0[k, rows], strategies1[k, columns], gaps[k])
            new_values[k], strategies0[k, rows], strategies1[k, columns], gaps[k] = improve(matrix, solution)
        smallest = GAP_TOLERANCE * np.abs(new_values).max(initial=1.0)
    return new_values, strategies0, strategies1


def matrix_at(successors: Successors, values: Floats, k: int) -> tuple[Ints, Ints, Floats]:
    """Returns the legal actions of both players at row ``k``, no chance state, and their matrix game."""
    rows, columns = (
        np.array([action for action in range(int(mask).bit_length()) if mask >> action & 1])
        for mask in (successors.legal0[k], successors.legal1[k])
    )
    shape = len(rows), len(columns)
    following = successors.following[k, : shape[0] * shape[1]].reshape(shape)
    rewards = successors.rewards[k, : shape[0] * shape[1]].reshape(shape)
    return rows, columns, rewards + np.where(following < 0, 0.0, values[following])


@compiled(void(SUCCESSORS, float64[::1], float64[:, ::1], int64, float64[:, ::1]))
def _action_values(successors: Successors, values: Floats, policy: Floats, player: int, action_values: Floats) -> None:
    legal0, legal1, following, rewards, chances = successors
    num_actions = policy.shape[1]
    for k in range(len(legal0)):
        own = legal0[k] if player == 0 else legal1[k]
        for a in range(num_actions):
            action_values[k, a] = 0.0 if own >> a & 1 else -np.inf
        choice = -1
        for i in range(num_actions):
            if not legal0[k] >> i & 1:
                continue
            for j in range(num_actions):
                if not legal1[k] >> j & 1:
                    continue
                choice += 1
                likely = policy[k, j] if player == 0 else policy[k, i]
                if likely > 0.0:
                    worth = worth_of(following, rewards, chances, values, k, choice)
                    if player == 0:
                        action_values[k, i] += likely * worth
                    else:
                        action_values[k, j] -= likely * worth


def action_values(successors: Successors, values: Floats, policy: Floats, player: int) -> Floats:
    """Returns the value of each action of ``player`` to that player ``[L, actions]``; minus infinity for illegal ones.

    ``values`` ``[n]`` are to player 0; ``policy`` ``[L, actions]`` is the other player's.
    """
    table = np.empty(policy.shape)
    _action_values(successors, values, np.ascontiguousarray(policy), player, table)
    return table


@compiled(void(SUCCESSORS, float64[::1], float64[:, ::1], float64[:, ::1], float64[::1]))
def _evaluation(successors: Successors, values: Floats, policy0: Floats, policy1: Floats, new_values: Floats) -> None:
    legal0, legal1, following, rewards, chances = successors
    num_actions = policy0.shape[1]
    for k in range(len(following)):
        total = 0.0
        choice = -1
        for i in range(num_actions):
            if not legal0[k] >> i & 1:
                continue
            for j in range(num_actions):
                if not legal1[k] >> j & 1:
                    continue
                choice += 1
                likely = policy0[k, i] * policy1[k, j]
                if likely > 0.0:
                    total += likely * worth_of(following, rewards, chances, values, k, choice)
        new_values[k] = total


def evaluation(successors: Successors, values: Floats, policy0: Floats, policy1: Floats) -> Floats:
    """Returns the values of the states to player 0 ``[L]`` when these policies ``[L, actions]`` act next."""
    new_values = np.empty(len(successors.following))
    _evaluation(successors, values, np.ascontiguousarray(policy0), np.ascontiguousarray(policy1), new_values)
    return new_values
