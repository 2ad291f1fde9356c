"""WoLF policy hill-climbing in compiled code."""

from typing import NamedTuple

import numpy as np

from nashzoo.agents.learning.tabular.matrix_games import drawn
from nashzoo.agents.learning.tabular.states import Simulator
from nashzoo.envs.compilation.compiled import Floats, compiled
from nashzoo.envs.core.kernels import Seeds, draw_uniform


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
def _learn_from(
    climber: Climber, simulator: Simulator, player: int, state: int, choice: int, action: int, gamma: float, rate: float
) -> None:
    """Q-learning of a player's own action."""
    counts = simulator.rows if player == 0 else simulator.columns
    after = simulator.following[state, choice]
    target = simulator.rewards[state, choice] * (1.0 if player == 0 else -1.0)
    if after >= 0:
        target += gamma * climber.q[after, _greedy(climber.q, after, counts[after])]
    climber.q[state, action] += rate * (target - climber.q[state, action])


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
    path = np.empty((simulator.max_cycles, 3), np.int64)
    steps = games = 0
    while done + steps < until:
        share = min((done + steps) / schedule.total_timesteps, 1.0)
        rate = schedule.learning_rate + share * (schedule.final_learning_rate - schedule.learning_rate)
        explores = draw_uniform(streams, 0) < schedule.exploring_starts
        uniform = draw_uniform(streams, 0)
        first = np.searchsorted(simulator.thresholds, uniform, side="right")
        state = int(uniform * len(simulator.following)) if explores else simulator.starts[first]
        length = 0
        while state >= 0 and length < simulator.max_cycles:
            row = _act(climber0, state, simulator.rows[state], schedule.exploration, streams)
            column = _act(climber1, state, simulator.columns[state], schedule.exploration, streams)
            path[length, 0], path[length, 1], path[length, 2] = state, row, column
            state = simulator.following[state, row * simulator.columns[state] + column]
            length += 1
        for k in range(length - 1, -1, -1):
            state, row, column = path[k]
            choice = row * simulator.columns[state] + column
            _learn_from(climber0, simulator, 0, state, choice, row, schedule.gamma, rate)
            _learn_from(climber1, simulator, 1, state, choice, column, schedule.gamma, rate)
            if simulator.rows[state] > 1:
                _climb(climber0, state, simulator.rows[state], schedule, share)
            if simulator.columns[state] > 1:
                _climb(climber1, state, simulator.columns[state], schedule, share)
        steps += length
        games += 1
    return steps, games
