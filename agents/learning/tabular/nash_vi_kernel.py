"""Optimistic Nash value iteration in compiled code: games are played where the bounds differ, and planned backward."""

from typing import NamedTuple

import numpy as np

from nashzoo.agents.learning.tabular.matrix_games import Space, drawn, new_space, solve_at, value_at
from nashzoo.agents.learning.tabular.replay import UNCHANGED, Predecessors, Queue, pop, push
from nashzoo.agents.learning.tabular.states import Simulator
from nashzoo.envs.compilation.compiled import Bools, Floats, compiled
from nashzoo.envs.core.kernels import Seeds, draw_uniform


class Bounds(NamedTuple):
    """What is known of ``n`` states with at most ``c`` joint actions: all that a joint action can be worth."""

    upper: Floats  # [n, c], to player 0
    lower: Floats  # [n, c]
    upper_values: Floats  # [n], of the matrix games of ``upper``
    lower_values: Floats  # [n]
    tried: Bools  # [n, c], whether what follows is known


class Plan(NamedTuple):
    """How it learns, see :class:`nashzoo.agents.learning.tabular.nash_vi.NashVISettings`."""

    gamma: float
    tolerance: float
    exploration: float
    replay: int
    rounding: float  # points: more than the arithmetic of one backup can be wrong


@compiled()
def _plan(
    bounds: Bounds, queue: Queue, simulator: Simulator, space: Space, state: int, choice: int, plan: Plan
) -> None:
    """Tightens the bounds of a joint action that was tried, and those of its state."""
    gamma, rounding = plan.gamma, plan.rounding
    m, n = simulator.rows[state], simulator.columns[state]
    after, reward = simulator.following[state, choice], simulator.rewards[state, choice]
    upper = reward + (gamma * bounds.upper_values[after] + rounding if after >= 0 else 0.0)
    lower = reward + (gamma * bounds.lower_values[after] - rounding if after >= 0 else 0.0)
    moved = False
    if upper < bounds.upper[state, choice]:
        bounds.upper[state, choice] = upper
        value, gap = value_at(bounds.upper, state, m, n, space)
        value += 0.5 * gap + (rounding if m > 1 and n > 1 else 0.0)
        if value < bounds.upper_values[state]:
            moved |= bounds.upper_values[state] - value > UNCHANGED
            bounds.upper_values[state] = value
    if lower > bounds.lower[state, choice]:
        bounds.lower[state, choice] = lower
        value, gap = value_at(bounds.lower, state, m, n, space)
        value -= 0.5 * gap + (rounding if m > 1 and n > 1 else 0.0)
        if value > bounds.lower_values[state]:
            moved |= value - bounds.lower_values[state] > UNCHANGED
            bounds.lower_values[state] = value
    if moved:
        push(queue, state)


@compiled()
def _choose(
    bounds: Bounds, simulator: Simulator, space: Space, likely: Floats, state: int, exploration: float, streams: Seeds
) -> int:  # fmt: skip
    """Returns a joint action: both players hope for the best, and what is best known is left out.

    Player 0's strategy is optimal by the upper bounds, player 1's by the lower ones; a joint action is drawn as likely
    as it is in both, times how far its bounds are apart. The gap of the state is at most the mean of theirs.
    """
    m, n = simulator.rows[state], simulator.columns[state]
    for k in range(m * n):
        likely[k] = max(bounds.upper[state, k] - bounds.lower[state, k], 0.0)
    if draw_uniform(streams, 0) >= exploration:
        _, gap = solve_at(bounds.upper, state, m, n, space)
        for k in range(m * n):
            likely[k] *= space.row_strategy[k // n] if gap < np.inf else 1.0
        _, gap = solve_at(bounds.lower, state, m, n, space)
        for k in range(m * n):
            likely[k] *= space.column_strategy[k % n] if gap < np.inf else 1.0
    total = 0.0
    for k in range(m * n):
        total += likely[k]
    if total <= 0.0:
        return int(draw_uniform(streams, 0) * (m * n))
    return drawn(likely, m * n, draw_uniform(streams, 0) * total)


@compiled()
def play_and_plan(
    bounds: Bounds,
    queue: Queue,
    simulator: Simulator,
    before: Predecessors,
    plan: Plan,
    streams: Seeds,
    timesteps: int,
    num_actions: int,
) -> tuple[int, int]:
    """Plays games from the start of the game, and plans backward through each when it is over.

    A game is broken off where its bounds, discounted from its start, are within the tolerance.

    Args:
        bounds: What is learned.
        queue: The states whose predecessors are to learn of their new bounds.
        simulator: The game.
        before: The predecessors of every state; only with what was tried is planned.
        plan: How.
        streams: A stream of random numbers ``[1]``, moved on.
        timesteps: Joint actions to play; the last game is played to its end.
        num_actions: Actions at most.

    Returns:
        How many joint actions and how many games were played.
    """
    joint = simulator.following.shape[1]
    space, likely = new_space(num_actions, joint), np.empty(joint)
    path, choices = np.empty(simulator.max_cycles, np.int64), np.empty(simulator.max_cycles, np.int64)
    steps = games = 0
    while steps < timesteps:
        first = np.searchsorted(simulator.thresholds, draw_uniform(streams, 0), side="right")
        state, length, discount = simulator.starts[first], 0, 1.0
        while True:
            choice = _choose(bounds, simulator, space, likely, state, plan.exploration, streams)
            bounds.tried[state, choice] = True
            path[length], choices[length] = state, choice
            state = simulator.following[state, choice]
            length += 1
            discount *= plan.gamma
            if state < 0 or length == simulator.max_cycles:
                break
            if discount * (bounds.upper_values[state] - bounds.lower_values[state]) <= plan.tolerance:
                break
        for k in range(length - 1, -1, -1):
            _plan(bounds, queue, simulator, space, path[k], choices[k], plan)
        updates = plan.replay * length
        while updates > 0 and queue.ends[1] > 0:
            state = pop(queue)
            for k in range(before.offsets[state], before.offsets[state + 1]):
                origin, choice = before.edges[k] // joint, before.edges[k] % joint
                if bounds.tried[origin, choice]:
                    _plan(bounds, queue, simulator, space, origin, choice, plan)
                    updates -= 1
        steps += length
        games += 1
    return steps, games
