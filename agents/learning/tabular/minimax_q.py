"""Minimax-Q: Q-learning in which the value of a state is the value of its matrix game.

After every joint action ``(a, b)`` at state ``s``, with reward ``r`` and next state ``s'``::

    Q(s, a, b) += learning_rate * (r + gamma * V(s') - Q(s, a, b))
    V(s) = value of the matrix game Q(s, ., .)

The policy is the equilibrium of each matrix game; where one player moves alone, that is Q-learning. Nash-Q (Hu and
Wellman, 2003) is the same in zero-sum games, where all equilibria of a matrix game have one value. Updates are made
backward through each finished game, so that rewards at its end reach its start at once. With ``replay``, joint
actions that were tried before are updated again when the values of their next states have changed.

Without chance transitions are deterministic, so that a learning rate of 1 is right. With chance the state that the
actions lead to (an afterstate) has its own value, the mean over the outcomes so far; a learning rate of 1 is right
there, too.

Sources: Littman (1994), "Markov games as a framework for multi-agent reinforcement learning"; Moore and Atkeson (1993),
"Prioritized sweeping", for the replay; Watkins (1989) for Q-learning.
"""

import dataclasses
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.self_play_learner import Arrays
from nashzoo.agents.learning.tabular.learner import TabularLearner
from nashzoo.agents.learning.tabular.matrix_games import Space, drawn, new_space, solve_at, value_at
from nashzoo.agents.learning.tabular.replay import (
    UNCHANGED,
    Predecessors,
    Queue,
    check_queue,
    new_queue,
    pop,
    predecessors,
    push,
)
from nashzoo.agents.learning.tabular.states import WITH_CHANCE, Simulator, by_chance, expected, outcome
from nashzoo.envs.core.checks import check_count
from nashzoo.envs.core.game import Bools, Features, Floats, Ints, Mask
from nashzoo.envs.core.kernels import Seeds, draw_bits, draw_uniform
from nashzoo.envs.jit.compiled import compiled


@dataclasses.dataclass(frozen=True)
class MinimaxQSettings:
    """Settings of minimax-Q.

    Attributes:
        total_timesteps: Joint actions over which learning rate and exploration change to their final values.
        gamma: Discount factor; None for 1, and 0.99 in turn-based games with recurring states.
        learning_rate: Learning rate at the start.
        final_learning_rate: Learning rate at the end.
        exploration: Probability, at the start, that a player's action is uniformly random instead of its strategy's.
        final_exploration: The same at the end.
        exploring_starts: Share of the joint actions in games that begin at a reachable state, drawn uniformly; the
            other games are played from the start to the end.
        exploring_length: Joint actions after which a game with an exploring start is cut off.
        replay: Updates from earlier transitions for each joint action; 0 for none.
    """

    total_timesteps: int = 1_000_000
    gamma: float | None = None
    learning_rate: float = 1.0
    final_learning_rate: float = 1.0
    exploration: float = 1.0
    final_exploration: float = 1.0
    exploring_starts: float = 0.5
    exploring_length: int = 10
    replay: int = 4


class MinimaxQ(TabularLearner):
    """Learns the value of every joint action, from transitions alone, see the module.

    Raises:
        TooManyStatesError: the states do not fit a table.
        UsageError: a setting is out of its range.
    """

    NAME = "minimax_q"
    GIVEN = "transitions, exploring starts"
    TIMESTEPS = 40_000_000
    Settings: ClassVar[type[Any]] = MinimaxQSettings
    COUNTS = "total_timesteps", "exploring_length"
    PROBABILITIES = (
        "gamma", "learning_rate", "final_learning_rate", "exploration", "final_exploration", "exploring_starts",
    )  # fmt: skip

    def make_tables(self) -> None:
        """Makes the tables of the untrained learner."""
        chosen: MinimaxQSettings = self.settings
        check_count("replay", chosen.replay, least=0)
        size, joint = self.learned.simulator.following.shape
        q, tried = np.zeros((size, joint)), np.zeros((size, joint), np.bool_)
        outcomes = np.zeros(self.learned.simulator.chances.shape, np.int64)
        self._table = QTable(q, np.zeros(size), tried, np.zeros(1, np.int64), outcomes)
        self._queue = new_queue(size if chosen.replay else 0)
        nowhere = Predecessors(np.empty(0, np.int64), np.empty(0, np.int64))
        self._before = predecessors(self.learned.simulator) if chosen.replay else nowhere

    def update(self, timesteps: int) -> tuple[int, int]:
        """Learns from at least ``timesteps`` more joint actions, to the end of a game."""
        self.__dict__.pop("_ending_play", None)  # computed from the tables, which change now
        return _play_and_learn(
            self._table,
            self._queue,
            self.learned.simulator,
            self._before,
            self.schedule(Schedule),
            self.streams,
            self.num_timesteps,
            self.num_timesteps + timesteps,
            self.game.num_actions,
        )

    @cached_property
    def _ending_play(self) -> tuple[Floats, Floats] | None:
        table = self._table
        return self.learned.ending_play(table.q, self.gamma, table.tried, table.outcomes)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the equilibrium of the matrix game at each state ``[B, actions]``.

        Where states can recur, it is one that ends play.
        """
        codes, players = self.states_of(observations)
        payoffs = self._table.q, self._table.q
        return self.learned.strategies(codes, players, action_masks, payoffs, self._ending_play)

    def tables(self) -> dict[str, NDArray[Any]]:
        """Returns the tables by name."""
        table = self._table._asdict()
        if not self.game.has_chance:
            del table["outcomes"]
        return table | self._queue._asdict() | {"streams": self.streams}

    def restore(self, arrays: Arrays) -> None:
        """Copies a file's tables into the learner's."""
        super().restore(arrays)
        check_queue(self._queue)


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
def _play_and_learn(
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
    """Plays games, the last to its end, and learns from each when it is over; only tried joint actions are used.

    It goes on from ``done`` joint actions to ``until``, with a stream of random numbers ``[1]``, which is advanced.

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
