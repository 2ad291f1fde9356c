"""Minimax-Q in compiled code: it plays games, and learns from each backward at its end."""

from typing import NamedTuple

import numpy as np

from nashzoo.agents.learning.tabular.matrix_games import Space, drawn, new_space, solve_at, value_at
from nashzoo.agents.learning.tabular.replay import UNCHANGED, Predecessors, Queue, pop, push
from nashzoo.agents.learning.tabular.states import WITH_CHANCE, Simulator, by_chance, expected, outcome
from nashzoo.envs.core.kernels import Seeds, draw_bits, draw_uniform
from nashzoo.envs.jit.compiled import Bools, Floats, Ints, compiled


class QTable(NamedTuple):
    """The tables of minimax-Q for ``n`` states with at most ``c`` joint actions."""

    q: Floats  # [n, c], value of a joint action to player 0
    values: Floats  # [n], of the matrix games of ``q``
    tried: Bools  # [n, c]
    explored: Ints  # [1], number of joint actions after exploring starts
    outcomes: Ints  # [n, outcomes], counts of the outcomes of chance; no columns in games without chance


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
def _update(table: QTable, space: Space, state: int, choice: int, target: float, m: int, n: int, rate: float) -> float:
    """Moves the value of one of ``m n`` joint actions towards the target; returns the state's new value."""
    before = table.q[state, choice]
    now = target if rate == 1.0 else before + rate * (target - before)
    if now == before:
        return table.values[state]  # type: ignore[no-any-return]
    table.q[state, choice] = now
    value, gap = value_at(table.q, state, m, n, space)
    return value if gap < np.inf else table.values[state]


@compiled()
def _learn_from(
    table: QTable, queue: Queue, simulator: Simulator, space: Space, edges: Ints, gamma: float, rate: float
) -> int:
    """Learns from joint actions and outcomes of chance, one after the other, if they were tried; returns how many were.

    Each edge is the number of a state, times ``c``, plus that of a joint action or an outcome there.
    """
    following, rewards, chances = simulator.following, simulator.rewards, simulator.chances
    values, tried, joint = table.values, table.tried, simulator.following.shape[1]
    updates = 0
    for edge in edges:
        state, choice = edge // joint, edge % joint
        if not tried[state, choice]:
            continue
        updates += 1
        after, target = following[state, choice], rewards[state, choice]
        if by_chance(chances, state):  # takes no time, so no discount
            table.q[state, choice] = target + (values[after] if after >= 0 else 0.0)
            value = expected(table.q, table.outcomes, state)
        else:
            target += gamma * values[after] if after >= 0 else 0.0
            m, n = simulator.rows[state], simulator.columns[state]
            value = _update(table, space, state, choice, target, m, n, rate)
        moved = abs(value - values[state]) > UNCHANGED
        values[state] = value
        if moved:
            push(queue, state)
    return updates


@compiled()
def _choose(
    q: Floats, tried: Bools, space: Space, state: int, m: int, n: int, exploration: float, streams: Seeds
) -> int:
    """Returns one of ``m n`` joint actions: each player explores or plays its strategy in the matrix game at the state.

    Where both explore, untried joint actions come first.
    """
    bits = draw_bits(streams, 0)
    row = int(np.int64((bits >> np.uint64(32)) * np.uint64(m) >> np.uint64(32)))
    column = int(np.int64((bits & np.uint64(0xFFFFFFFF)) * np.uint64(n) >> np.uint64(32)))
    exploits0 = exploration < 1.0 and draw_uniform(streams, 0) >= exploration
    exploits1 = exploration < 1.0 and draw_uniform(streams, 0) >= exploration
    if exploits0 or exploits1:
        _, gap = solve_at(q, state, m, n, space)
        if exploits0 and gap < np.inf:
            row = drawn(space.row_strategy, m, draw_uniform(streams, 0))
        if exploits1 and gap < np.inf:
            column = drawn(space.column_strategy, n, draw_uniform(streams, 0))
        return int(row * n + column)
    for k in range(m * n):
        choice = (row * n + column + k) % (m * n)
        if not tried[state, choice]:
            return int(choice)
    return int(row * n + column)


@compiled()
def _replay(
    table: QTable, queue: Queue, simulator: Simulator, space: Space, before: Predecessors, gamma: float, rate: float,
    updates: int,
) -> None:  # fmt: skip
    """Updates tried joint actions that led to states whose values have changed, about ``updates`` of them."""
    while updates > 0 and queue.ends[1] > 0:
        state = pop(queue)
        edges = before.edges[before.offsets[state] : before.offsets[state + 1]]
        updates -= _learn_from(table, queue, simulator, space, edges, gamma, rate)


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
    chances = simulator.chances
    room = longest * (1 if chances.shape[1] == 0 else WITH_CHANCE)
    path, joint = np.empty(room, np.int64), simulator.following.shape[1]  # the edges of a game, its last one first
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
        length = made = 0
        while state >= 0 and made < last and length < room:
            if by_chance(chances, state):
                choice = outcome(chances, state, draw_uniform(streams, 0))
                table.outcomes[state, choice] += 1
            else:
                m, n = simulator.rows[state], simulator.columns[state]
                choice = _choose(table.q, table.tried, space, state, m, n, exploration, streams)
                made += 1
            table.tried[state, choice] = True
            length += 1
            path[room - length] = state * joint + choice
            state = simulator.following[state, choice]
        _learn_from(table, queue, simulator, space, path[room - length :], schedule.gamma, rate)
        table.explored[0] += made if explores else 0
        steps += made
        games += 1
        if schedule.replay > 0:
            _replay(table, queue, simulator, space, before, schedule.gamma, rate, schedule.replay * length)
    return steps, games
