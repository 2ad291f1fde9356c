"""Regret matching at every state, in compiled code."""

from typing import NamedTuple

import numpy as np

from nashzoo.agents.learning.tabular.states import WITH_CHANCE, Simulator, by_chance, expected, outcome
from nashzoo.envs.core.kernels import Seeds, draw_bits, draw_uniform
from nashzoo.envs.jit.compiled import Floats, Ints, compiled


class RegretTable(NamedTuple):
    """The tables for ``n`` states, with at most ``c`` joint actions, and ``a`` actions of a player."""

    q: Floats  # [n, c], value of a joint action to player 0
    values: Floats  # [n], of the average policies
    regrets0: Floats  # [n, a], sums of the regrets of each action, never below 0
    regrets1: Floats  # [n, a]
    averages0: Floats  # [n, a], of the policies so far
    averages1: Floats  # [n, a]
    visits: Floats  # [n]


@compiled(inline=True)
def _matched(regrets: Floats, state: int, count: int, policy: Floats) -> None:
    """Writes the policy that plays actions in proportion to their regrets."""
    total = 0.0
    for a in range(count):
        total += regrets[state, a]
    for a in range(count):
        policy[a] = regrets[state, a] / total if total > 0.0 else 1.0 / count


@compiled(inline=True)
def _averaged(averages: Floats, state: int, count: int, policy: Floats, weight: float) -> None:
    for a in range(count):
        averages[state, a] += weight * (policy[a] - averages[state, a])


@compiled()
def _match(table: RegretTable, state: int, m: int, n: int, policy0: Floats, policy1: Floats) -> None:
    """One step of regret matching of both players at a state, in its learned matrix game."""
    _matched(table.regrets0, state, m, policy0)
    _matched(table.regrets1, state, n, policy1)
    worth = 0.0
    for i in range(m):
        for j in range(n):
            worth += policy0[i] * policy1[j] * table.q[state, i * n + j]
    for i in range(m):
        instead = 0.0
        for j in range(n):
            instead += policy1[j] * table.q[state, i * n + j]
        table.regrets0[state, i] = max(table.regrets0[state, i] + instead - worth, 0.0)
    for j in range(n):
        instead = 0.0
        for i in range(m):
            instead += policy0[i] * table.q[state, i * n + j]
        table.regrets1[state, j] = max(table.regrets1[state, j] + worth - instead, 0.0)
    table.visits[state] += 1.0
    weight = 2.0 / (table.visits[state] + 1.0)  # later policies have larger weights
    _averaged(table.averages0, state, m, policy0, weight)
    _averaged(table.averages1, state, n, policy1, weight)
    value = 0.0
    for i in range(m):
        for j in range(n):
            value += table.averages0[state, i] * table.averages1[state, j] * table.q[state, i * n + j]
    table.values[state] = value


@compiled()
def play_and_match(
    table: RegretTable,
    outcomes: Ints,
    simulator: Simulator,
    gamma: float,
    exploring_starts: float,
    exploring_length: int,
    streams: Seeds,
    timesteps: int,
) -> tuple[int, int]:
    """Plays games uniformly at random and learns backward from each at its end.

    Args:
        table: The tables to update.
        outcomes: Counts of the outcomes of chance ``[n, outcomes]``; no columns in games without chance.
        simulator: The game.
        gamma: Discount factor.
        exploring_starts: Share of the games that begin at any state.
        exploring_length: Joint actions after which such a game is cut off.
        streams: A stream of random numbers ``[1]``, advanced.
        timesteps: Joint actions to play; the last game is played to its end.

    Returns:
        The numbers of joint actions and of games played.
    """
    longest = max(simulator.max_cycles, exploring_length)
    chances = simulator.chances
    room = longest * (1 if chances.shape[1] == 0 else WITH_CHANCE)
    path, choices = np.empty(room, np.int64), np.empty(room, np.int64)
    policy0, policy1 = np.empty(table.regrets0.shape[1]), np.empty(table.regrets1.shape[1])
    steps = games = 0
    while steps < timesteps:
        explores = draw_uniform(streams, 0) < exploring_starts
        uniform = draw_uniform(streams, 0)
        first = np.searchsorted(simulator.thresholds, uniform, side="right")
        state = int(uniform * len(simulator.following)) if explores else simulator.starts[first]
        last = exploring_length if explores else simulator.max_cycles
        length = made = 0
        while state >= 0 and made < last and length < room:
            if by_chance(chances, state):
                choice = outcome(chances, state, draw_uniform(streams, 0))
                outcomes[state, choice] += 1
            else:
                joint = np.uint64(simulator.rows[state] * simulator.columns[state])
                choice = int(np.int64((draw_bits(streams, 0) >> np.uint64(32)) * joint >> np.uint64(32)))
                made += 1
            path[length], choices[length] = state, choice
            state = simulator.following[state, choice]
            length += 1
        for k in range(length - 1, -1, -1):
            state, choice = path[k], choices[k]
            after = simulator.following[state, choice]
            worth = table.values[after] if after >= 0 else 0.0
            if by_chance(chances, state):  # takes no time, so no discount
                table.q[state, choice] = simulator.rewards[state, choice] + worth
                table.values[state] = expected(table.q, outcomes, state)
            else:
                table.q[state, choice] = simulator.rewards[state, choice] + gamma * worth
                _match(table, state, simulator.rows[state], simulator.columns[state], policy0, policy1)
        steps += made
        games += 1
    return steps, games
