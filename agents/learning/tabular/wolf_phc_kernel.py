"""WoLF policy hill-climbing in compiled code."""

from typing import NamedTuple

import numpy as np

from nashzoo.agents.learning.tabular.matrix_games import drawn
from nashzoo.agents.learning.tabular.states import WITH_CHANCE, Simulator, by_chance, outcome
from nashzoo.envs.core.kernels import Seeds, draw_uniform
from nashzoo.envs.jit.compiled import Floats, compiled


class Climber(NamedTuple):
    """The tables of one player for ``n`` states with at most ``a`` own actions, numbered among the legal ones."""

    q: Floats  # [n, a], value of an action to the player
    policy: Floats  # [n, a]
    average: Floats  # [n, a], of the policies so far
    visits: Floats  # [n]


class ClimbSchedule(NamedTuple):
    """The settings, see :class:`nashzoo.agents.learning.tabular.wolf_phc.WolfPHCSettings`."""

    gamma: float
    learning_rate: float
    final_learning_rate: float
    winning_step: float
    losing_step: float
    exploration: float
    total_timesteps: int
    exploring_starts: float


@compiled()
def _greedy(worth: Floats, state: int, count: int) -> int:
    best = 0
    for a in range(1, count):
        if worth[state, a] > worth[state, best]:
            best = a
    return best


@compiled()
def _climb(climber: Climber, state: int, count: int, schedule: ClimbSchedule, share: float) -> None:
    """Moves the policy at a state towards the best action: by a small step when winning, by a large one when losing."""
    climber.visits[state] += 1.0
    now = before = 0.0
    for a in range(count):
        climber.average[state, a] += (climber.policy[state, a] - climber.average[state, a]) / climber.visits[state]
        now += climber.policy[state, a] * climber.q[state, a]
        before += climber.average[state, a] * climber.q[state, a]
    step = (schedule.winning_step if now > before else schedule.losing_step) * (1.0 - share)
    best = _greedy(climber.q, state, count)
    for a in range(count):
        if a != best:
            moved = min(climber.policy[state, a], step / (count - 1))
            climber.policy[state, a] -= moved
            climber.policy[state, best] += moved


@compiled()
def _act(climber: Climber, state: int, count: int, exploration: float, streams: Seeds) -> int:
    if count == 1:
        return 0
    if draw_uniform(streams, 0) < exploration:
        return int(draw_uniform(streams, 0) * count)
    return drawn(climber.policy[state], count, draw_uniform(streams, 0))


@compiled()
def play_and_climb(
    climber0: Climber,
    climber1: Climber,
    simulator: Simulator,
    schedule: ClimbSchedule,
    streams: Seeds,
    done: int,
    until: int,
) -> tuple[int, int]:
    """Plays games, and learns backward from each at its end.

    Args:
        climber0: Player 0's tables.
        climber1: Player 1's tables.
        simulator: The game.
        schedule: The settings.
        streams: A stream of random numbers ``[1]``, advanced.
        done: Number of joint actions learned from before.
        until: Number of joint actions at which to end; the last game is played to its end.

    Returns:
        The numbers of joint actions and of games played.
    """
    following, chances = simulator.following, simulator.chances
    rows, columns = simulator.rows, simulator.columns
    room = simulator.max_cycles * (1 if chances.shape[1] == 0 else WITH_CHANCE)
    path = np.empty((room, 4), np.int64)
    steps = games = 0
    while done + steps < until:
        share = min((done + steps) / schedule.total_timesteps, 1.0)
        rate = schedule.learning_rate + share * (schedule.final_learning_rate - schedule.learning_rate)
        explores = draw_uniform(streams, 0) < schedule.exploring_starts
        uniform = draw_uniform(streams, 0)
        first = np.searchsorted(simulator.thresholds, uniform, side="right")
        state = int(uniform * len(simulator.following)) if explores else simulator.starts[first]
        length = made = 0
        while state >= 0 and made < simulator.max_cycles and length < room:
            row = column = 0
            if by_chance(chances, state):
                choice = outcome(chances, state, draw_uniform(streams, 0))
            else:
                row = _act(climber0, state, rows[state], schedule.exploration, streams)
                column = _act(climber1, state, columns[state], schedule.exploration, streams)
                choice = row * columns[state] + column
                made += 1
            path[length, 0], path[length, 1], path[length, 2], path[length, 3] = state, row, column, choice
            state = following[state, choice]
            length += 1
        for k in range(length - 1, -1, -1):
            state, row, column, choice = path[k]
            after, reward = following[state, choice], simulator.rewards[state, choice]
            discount = 1.0 if by_chance(chances, state) else schedule.gamma  # chance takes no time
            worth0 = discount * climber0.q[after, _greedy(climber0.q, after, rows[after])] if after >= 0 else 0.0
            worth1 = discount * climber1.q[after, _greedy(climber1.q, after, columns[after])] if after >= 0 else 0.0
            climber0.q[state, row] += rate * (reward + worth0 - climber0.q[state, row])
            climber1.q[state, column] += rate * (worth1 - reward - climber1.q[state, column])
            if rows[state] > 1:
                _climb(climber0, state, rows[state], schedule, share)
            if columns[state] > 1:
                _climb(climber1, state, columns[state], schedule, share)
        steps += made
        games += 1
    return steps, games
