"""Optimistic Nash value iteration in compiled code: it plays games where the bounds differ, and plans backward."""

from typing import NamedTuple

import numpy as np

from nashzoo.agents.learning.tabular.confidence import highest_mean, radius
from nashzoo.agents.learning.tabular.matrix_games import Space, drawn, new_space, solve_at, value_at
from nashzoo.agents.learning.tabular.replay import UNCHANGED, Predecessors, Queue, pop, push
from nashzoo.agents.learning.tabular.states import WITH_CHANCE, Simulator, by_chance, outcome
from nashzoo.envs.core.kernels import Seeds, draw_uniform
from nashzoo.envs.jit.compiled import Bools, Floats, Ints, borrowed, compiled


class Bounds(NamedTuple):
    """Bounds of the values of joint actions and outcomes, for ``n`` states with at most ``c`` of them."""

    upper: Floats  # [n, c], to player 0
    lower: Floats  # [n, c]
    upper_values: Floats  # [n], of the matrix games of ``upper``
    lower_values: Floats  # [n]
    tried: Bools  # [n, c], whether the transition is known
    counts: Ints  # [n, outcomes], of the outcomes of chance; no columns in games without chance


class Plan(NamedTuple):
    """The settings, see :class:`nashzoo.agents.learning.tabular.nash_vi.NashVISettings`."""

    gamma: float
    tolerance: float
    exploration: float
    replay: int
    rounding: float  # points: a bound of the rounding error of one backup
    log_confidence: float  # logarithm of the number of chance states over delta
    bonus: float
    waits: bool  # whether play may stand still without discounting, so that bounds may stay apart for ever


@compiled()
def _plan_at_chance(
    bounds: Bounds, queue: Queue, simulator: Simulator, state: int, choice: int, plan: Plan
) -> None:  # fmt: skip
    """Tightens the bounds of an outcome of chance that was drawn, and those of its state."""
    after, reward = simulator.following[state, choice], simulator.rewards[state, choice]
    upper = reward + (bounds.upper_values[after] + plan.rounding if after >= 0 else 0.0)
    lower = reward + (bounds.lower_values[after] - plan.rounding if after >= 0 else 0.0)
    bounds.upper[state, choice] = min(upper, bounds.upper[state, choice])
    bounds.lower[state, choice] = max(lower, bounds.lower[state, choice])
    size = plan.bonus * radius(bounds.counts, state, plan.log_confidence)
    upper = highest_mean(bounds.upper, 1.0, bounds.counts, state, size)
    lower = -highest_mean(bounds.lower, -1.0, bounds.counts, state, size)
    change = max(bounds.upper_values[state] - upper, lower - bounds.lower_values[state])
    bounds.upper_values[state] = min(upper, bounds.upper_values[state])
    bounds.lower_values[state] = max(lower, bounds.lower_values[state])
    if change > UNCHANGED:
        push(queue, state)


@compiled()
def _plan(
    bounds: Bounds, queue: Queue, simulator: Simulator, space: Space, state: int, choice: int, plan: Plan
) -> None:
    """Tightens the bounds of a joint action or an outcome that was tried, and those of its state."""
    if by_chance(simulator.chances, state):
        _plan_at_chance(bounds, queue, simulator, state, choice, plan)
        return
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
    bounds: Bounds,
    simulator: Simulator,
    space: Space,
    likely: Floats,
    state: int,
    exploration: float,
    streams: Seeds,
    met: Ints,
    game: int,
) -> int:
    """Returns a joint action, drawn by both optimistic strategies and by the gaps between bounds.

    Player 0's strategy is optimal by the upper bounds, player 1's by the lower ones. The weight of a joint action is
    its probability in these strategies times the gap between its bounds. The gap of the state is at most their mean.

    ``met`` has the last game in which a state was met ``[n]``, if play may stand still, else nothing. Then a known
    joint action that leads back has the weight 0; the return value is -1 if all have.
    """
    m, n = simulator.rows[state], simulator.columns[state]
    for k in range(m * n):
        likely[k] = max(bounds.upper[state, k] - bounds.lower[state, k], 0.0)
        after = simulator.following[state, k]
        if len(met) > 0 and bounds.tried[state, k] and after >= 0 and met[after] == game:
            likely[k] = 0.0
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
        return -1 if len(met) > 0 else int(draw_uniform(streams, 0) * (m * n))
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
    """Plays games from the start of the game, and plans backward through each at its end.

    A game is cut off, after its first joint action, where the gap between the bounds of its state, discounted from its
    start, is within the tolerance; if play may stand still, also where everything known leads back.

    Args:
        bounds: The bounds to update.
        queue: The states whose predecessors are to be updated.
        simulator: The game.
        before: The predecessors of every state; only tried joint actions and outcomes are used.
        plan: The settings.
        streams: A stream of random numbers ``[1]``, advanced.
        timesteps: Joint actions to play; the last game is played to its end.
        num_actions: Largest number of actions.

    Returns:
        The numbers of joint actions and of games played.
    """
    bounds, queue, simulator = borrowed(bounds), borrowed(queue), borrowed(simulator)
    joint = simulator.following.shape[1]
    space, likely = new_space(num_actions, joint), np.empty(joint)
    chances = simulator.chances
    room = simulator.max_cycles * (1 if chances.shape[1] == 0 else WITH_CHANCE)
    path, choices = np.empty(room, np.int64), np.empty(room, np.int64)
    met = np.full(len(simulator.rows) if plan.waits else 0, -1)  # see _choose
    steps = games = 0
    while steps < timesteps:
        first = np.searchsorted(simulator.thresholds, draw_uniform(streams, 0), side="right")
        state, length, made, discount = simulator.starts[first], 0, 0, 1.0
        while True:
            if by_chance(chances, state):
                choice = outcome(chances, state, draw_uniform(streams, 0))
                bounds.counts[state, choice] += 1
            else:
                if plan.waits:
                    met[state] = games
                choice = _choose(bounds, simulator, space, likely, state, plan.exploration, streams, met, games)
                if choice < 0 and made > 0:
                    break
                choice = max(choice, 0)
                made += 1
                discount *= plan.gamma
            bounds.tried[state, choice] = True
            path[length], choices[length] = state, choice
            state = simulator.following[state, choice]
            length += 1
            if state < 0 or made == simulator.max_cycles or length == room:
                break
            if made > 0 and discount * (bounds.upper_values[state] - bounds.lower_values[state]) <= plan.tolerance:
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
        steps += made
        games += 1
    return steps, games
