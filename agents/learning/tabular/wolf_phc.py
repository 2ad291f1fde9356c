"""WoLF policy hill-climbing: both players learn independently, quickly when losing and slowly when winning.

Each player learns the values of its own actions by Q-learning, and does not observe the other's actions. Its policy
moves towards the best action by small steps: by ``winning_step`` if its value is above that of the average of its
policies so far, else by the larger ``losing_step`` ("win or learn fast"). It plays the average of its policies; in
turn-based games the current one, since the average contains all earlier mistakes.

It needs less than minimax-Q: neither the actions of the other nor a matrix game. Convergence is proven only for
games with two actions each. Its steps fall to 0 over ``total_timesteps``.

Source: Bowling and Veloso (2002), "Multiagent learning using a variable learning rate".
"""

import dataclasses
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.tabular.learner import TabularLearner
from nashzoo.agents.learning.tabular.matrix_games import drawn
from nashzoo.agents.learning.tabular.states import WITH_CHANCE, Simulator, by_chance, outcome
from nashzoo.envs.core.game import Features, Floats, Mask
from nashzoo.envs.core.kernels import Seeds, draw_uniform
from nashzoo.envs.jit.compiled import compiled


@dataclasses.dataclass(frozen=True)
class WolfPHCSettings:
    """Settings of WoLF policy hill-climbing.

    Attributes:
        total_timesteps: Joint actions over which the learning rate changes to its final value and the steps to 0.
        gamma: Discount factor; None for 1, and 0.99 in turn-based games with recurring states.
        learning_rate: Of Q-learning, at the start.
        final_learning_rate: The same at the end.
        winning_step: Probability by which the policy changes at a visit of a state where the player wins.
        losing_step: The same where it loses.
        exploration: Probability of a uniformly random action.
        exploring_starts: Share of the games that begin at a reachable state, drawn uniformly.
        average: Whether to play the average of the policies so far; None for True, but False in turn-based games.
    """

    total_timesteps: int = 1_000_000
    gamma: float | None = None
    learning_rate: float = 0.3
    final_learning_rate: float = 0.01
    winning_step: float = 0.001
    losing_step: float = 0.004
    exploration: float = 0.1
    exploring_starts: float = 0.5
    average: bool | None = None


class WolfPHC(TabularLearner):
    """Learns a policy for each seat independently, see the module.

    Raises:
        TooManyStatesError: the states do not fit a table.
        UsageError: a setting is out of its range.
    """

    NAME = "wolf_phc"
    GIVEN = "transitions, exploring starts, without the other's actions"
    TIMESTEPS = 20_000_000
    Settings: ClassVar[type[Any]] = WolfPHCSettings
    COUNTS = ("total_timesteps",)
    FLAGS = ("average",)
    PROBABILITIES = (
        "gamma", "learning_rate", "final_learning_rate", "winning_step", "losing_step", "exploration",
        "exploring_starts",
    )  # fmt: skip

    def make_tables(self) -> None:
        """Makes the tables of the untrained learner."""
        simulator = self.learned.simulator
        self._climbers = _climber(simulator.rows), _climber(simulator.columns)

    def update(self, timesteps: int) -> tuple[int, int]:
        """Learns from at least ``timesteps`` more joint actions, to the end of a game."""
        schedule, done = self.schedule(ClimbSchedule), self.num_timesteps
        return _play_and_climb(*self._climbers, self.learned.simulator, schedule, self.streams, done, done + timesteps)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]``."""
        codes, players = self.states_of(observations)
        averaged = not self.game.turn_based if self.settings.average is None else self.settings.average
        first, second = (climber.average if averaged else climber.policy for climber in self._climbers)
        return self.learned.policies(codes, players, action_masks, (first, second))

    def tables(self) -> dict[str, NDArray[Any]]:
        """Returns the tables by name."""
        tables = {
            f"{name}{player}": array
            for player, climber in enumerate(self._climbers)
            for name, array in climber._asdict().items()
        }
        return tables | {"streams": self.streams}


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
def _play_and_climb(
    climber0: Climber,
    climber1: Climber,
    simulator: Simulator,
    schedule: ClimbSchedule,
    streams: Seeds,
    done: int,
    until: int,
) -> tuple[int, int]:
    """Plays games, the last to its end, and learns backward from each at its end.

    It goes on from ``done`` joint actions to ``until``, with a stream of random numbers ``[1]``, which is advanced.

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


def _climber(counts: NDArray[np.int64]) -> Climber:
    """Returns the initial tables of a player with ``counts`` ``[n]`` legal actions: a uniform policy."""
    uniform = (np.arange(counts.max()) < counts[:, None]) / counts[:, None]
    return Climber(np.zeros(uniform.shape), uniform, uniform.copy(), np.zeros(len(counts)))
