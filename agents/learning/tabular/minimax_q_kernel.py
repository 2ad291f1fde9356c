"""Minimax-Q in compiled code: it plays games, and learns from each backward at its end."""

from typing import NamedTuple

import numpy as np

from nashzoo.agents.learning.tabular.matrix_games import Space, drawn, new_space, solve_at, value_at
from nashzoo.agents.learning.tabular.replay import UNCHANGED, Predecessors, Queue, pop, push
from nashzoo.agents.learning.tabular.states import Simulator
from nashzoo.envs.compilation.compiled import Bools, Floats, Ints, compiled
from nashzoo.envs.core.kernels import Seeds, draw_bits, draw_uniform


class QTable(NamedTuple):
    """The tables of minimax-Q for ``n`` states with at most ``c`` joint actions."""

    q: Floats  # [n, c], value of a joint action to player 0
    values: Floats  # [n], of the matrix games of ``q``
    tried: Bools  # [n, c]
    explored: Ints  # [1], number of joint actions after exploring starts


class Schedule(NamedTuple):
    """The settings, see :class:`nashzoo.agents.learning.tabular.minimax_q.MinimaxQSettings`."""

    gamma: float
    learning_rate: float
    final_learning_rate: float
    exploration: float
    final_exploration: float
    total_timesteps: int
    exploring_starts: float
    exploring_length: int
    replay: int


@compiled()
def _learn_from(
    table: QTable, queue: Queue, simulator: Simulator, space: Space, state: int, choice: int, gamma: float, rate: float
) -> None:
    """Updates the value of one joint action by its transition, and the state's value."""
    after = simulator.following[state, choice]
    target = simulator.rewards[state, choice] + (gamma * table.values[after] if after >= 0 else 0.0)
    before = table.q[state, choice]
    now = target if rate == 1.0 else before + rate * (target - before)
    if now == before:
        return
    table.q[state, choice] = now
    value, gap = value_at(table.q, state, simulator.rows[state], simulator.columns[state], space)
    if gap == np.inf:
        return
    moved = abs(value - table.values[state]) > UNCHANGED
    table.values[state] = value
    if moved:
        push(queue, state)


@compiled()
def _choose(
    table: QTable, simulator: Simulator, space: Space, state: int, exploration: float, streams: Seeds
) -> int:  # fmt: skip
    """Returns a joint action: each player explores or plays its strategy in the matrix game at the state.

    Where both explore, untried joint actions come first.
    """
    m, n = simulator.rows[state], simulator.columns[state]
    bits = draw_bits(streams, 0)
    row = int(np.int64((bits >> np.uint64(32)) * np.uint64(m) >> np.uint64(32)))
    column = int(np.int64((bits & np.uint64(0xFFFFFFFF)) * np.uint64(n) >> np.uint64(32)))
    exploits0 = exploration < 1.0 and draw_uniform(streams, 0) >= exploration
    exploits1 = exploration < 1.0 and draw_uniform(streams, 0) >= exploration
    if exploits0 or exploits1:
        _, gap = solve_at(table.q, state, m, n, space)
        if exploits0 and gap < np.inf:
            row = drawn(space.row_strategy, m, draw_uniform(streams, 0))
        if exploits1 and gap < np.inf:
            column = drawn(space.column_strategy, n, draw_uniform(streams, 0))
        return int(row * n + column)
    for k in range(m * n):
        choice = (row * n + column + k) % (m * n)
        if not table.tried[state, choice]:
            return int(choice)
    return int(row * n + column)


@compiled()
def _replay(
    table: QTable, queue: Queue, simulator: Simulator, space: Space, before: Predecessors, gamma: float, rate: float,
    updates: int,
) -> None:  # fmt: skip
    """Updates tried joint actions that led to states whose values have changed, about ``updates`` of them."""
    joint = simulator.following.shape[1]
    while updates > 0 and queue.ends[1] > 0:
        state = pop(queue)
        for k in range(before.offsets[state], before.offsets[state + 1]):
            origin, choice = before.edges[k] // joint, before.edges[k] % joint
            if table.tried[origin, choice]:
                _learn_from(table, queue, simulator, space, origin, choice, gamma, rate)
                updates -= 1


@compiled()
def play_and_learn(
    table: QTable,
    queue: Queue,
    simulator: Simulator,
    before: Predecessors,
    schedule: Schedule,
    streams: Seeds,
    done: int,
    until: int,
    num_actions: int,
) -> tuple[int, int]:
    """Plays games and learns from each when it is over.

    Args:
        table: The tables to update.
        queue: The states whose predecessors are to be updated.
        simulator: The game.
        before: The predecessors of every state; only tried joint actions are used.
        schedule: The settings.
        streams: A stream of random numbers ``[1]``, advanced.
        done: Number of joint actions learned from before.
        until: Number of joint actions at which to end; the last game is played to its end.
        num_actions: Largest number of actions.

    Returns:
        The numbers of joint actions and of games played.
    """
    space = new_space(num_actions, simulator.following.shape[1])
    longest = max(simulator.max_cycles, schedule.exploring_length)
    path, choices = np.empty(longest, np.int64), np.empty(longest, np.int64)
    steps = games = 0
    while done + steps < until:
        share = min((done + steps) / schedule.total_timesteps, 1.0)
        rate = schedule.learning_rate + share * (schedule.final_learning_rate - schedule.learning_rate)
        exploration = schedule.exploration + share * (schedule.final_exploration - schedule.exploration)
        explores = table.explored[0] < schedule.exploring_starts * (done + steps)
        uniform = draw_uniform(streams, 0)
        if explores:
            state, last = int(uniform * len(simulator.following)), schedule.exploring_length
        else:
            first = np.searchsorted(simulator.thresholds, uniform, side="right")
            state, last = simulator.starts[first], simulator.max_cycles
        length = 0
        while state >= 0 and length < last:
            choice = _choose(table, simulator, space, state, exploration, streams)
            table.tried[state, choice] = True
            path[length], choices[length] = state, choice
            state = simulator.following[state, choice]
            length += 1
        for k in range(length - 1, -1, -1):
            _learn_from(table, queue, simulator, space, path[k], choices[k], schedule.gamma, rate)
        table.explored[0] += length if explores else 0
        steps += length
        games += 1
        if schedule.replay > 0:
            _replay(table, queue, simulator, space, before, schedule.gamma, rate, schedule.replay * length)
    return steps, games
