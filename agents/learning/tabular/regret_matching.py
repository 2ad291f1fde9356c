"""Regret matching at every state: minimax-Q without a solver of matrix games.

The values of joint actions are learned as in :mod:`nashzoo.agents.learning.tabular.minimax_q`, with a learning rate of
1. At every visit of a state both players take one step of regret matching in the matrix game there: they play actions
in proportion to their regrets, and add to each regret the advantage that the action would have had. The average of
their strategies converges to the equilibrium of the matrix game; the value of a state is that of the averages. So
an update costs no more than a matrix product, for any number of actions. Its error falls with the inverse of the
number of visits, where minimax-Q is exact at once. In turn-based games with recurring states, such as soccer, it
fails: the average contains all earlier mistakes, and a patient opponent can wait for each of them. Where both
players choose and play can stand still, it may fail, too: an average of strategies that wait does not end play, and no
step penalty decides, since the averages are no equilibria of the matrix games. In Oshi-Zumo with 8 coins, 2 fields on
each side and bids from 0 the exploitability is 0.456 after a million joint actions (seed 0).

Regrets are kept above 0 and later policies count more in the average, as in CFR+.

Sources: Hart and Mas-Colell (2000), "A simple adaptive procedure leading to correlated equilibrium"; Tammelin (2014),
"Solving large imperfect information games using CFR+"; Kozuno, Menard, Munos and Valko (2021) and Bai, Jin and Yu
(2020), "Near-optimal reinforcement learning with self-play", for no-regret learning at every state.
"""

import dataclasses
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.tabular.learner import TabularLearner
from nashzoo.agents.learning.tabular.states import WITH_CHANCE, Simulator, by_chance, expected, outcome
from nashzoo.envs.core.game import Features, Floats, Ints, Mask
from nashzoo.envs.core.kernels import Seeds, draw_bits, draw_uniform
from nashzoo.envs.jit.compiled import compiled


@dataclasses.dataclass(frozen=True)
class RegretMatchingSettings:
    """Settings of regret matching.

    Attributes:
        gamma: Discount factor; None for 1, and 0.99 in turn-based games with recurring states.
        exploring_starts: Share of the games that begin at a reachable state, drawn uniformly.
        exploring_length: Joint actions after which a game with an exploring start is cut off.
    """

    gamma: float | None = None
    exploring_starts: float = 0.5
    exploring_length: int = 10


class RegretMatching(TabularLearner):
    """Learns a policy for each seat by regret matching at every state, see the module.

    Raises:
        TooManyStatesError: the states do not fit a table.
        UsageError: a setting is out of its range.
    """

    NAME = "regret_matching"
    GIVEN = "transitions, exploring starts"
    TIMESTEPS = 20_000_000
    Settings: ClassVar[type[Any]] = RegretMatchingSettings
    COUNTS = ("exploring_length",)
    PROBABILITIES = "gamma", "exploring_starts"

    def make_tables(self) -> None:
        """Makes the tables of the untrained learner."""
        simulator = self.learned.simulator
        size, joint = simulator.following.shape
        shapes = (size, int(simulator.rows.max())), (size, int(simulator.columns.max()))
        regrets = [np.zeros(shape) for shape in shapes]
        averages = [
            (np.arange(shape[1]) < counts[:, None]) / counts[:, None]
            for shape, counts in zip(shapes, (simulator.rows, simulator.columns), strict=True)
        ]
        self._table = RegretTable(
            np.zeros((size, joint)), np.zeros(size), regrets[0], regrets[1], averages[0], averages[1], np.zeros(size)
        )
        self._outcomes = np.zeros(simulator.chances.shape, np.int64)

    def update(self, timesteps: int) -> tuple[int, int]:
        """Learns from at least ``timesteps`` more joint actions, to the end of a game."""
        chosen: RegretMatchingSettings = self.settings
        return _play_and_match(
            self._table,
            self._outcomes,
            self.learned.simulator,
            self.gamma,
            chosen.exploring_starts,
            chosen.exploring_length,
            self.streams,
            timesteps,
        )

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the probability of each action ``[B, actions]``."""
        codes, players = self.states_of(observations)
        averages = self._table.averages0, self._table.averages1
        return self.learned.policies(codes, players, action_masks, averages)

    def tables(self) -> dict[str, NDArray[Any]]:
        """Returns the tables by name."""
        outcomes = {"outcomes": self._outcomes} if self.game.has_chance else {}
        return self._table._asdict() | outcomes | {"streams": self.streams}


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
def _play_and_match(
    table: RegretTable,
    outcomes: Ints,
    simulator: Simulator,
    gamma: float,
    exploring_starts: float,
    exploring_length: int,
    streams: Seeds,
    timesteps: int,
) -> tuple[int, int]:
    """Plays games uniformly at random, the last to its end, and learns backward from each at its end.

    ``outcomes`` ``[n, outcomes]`` are counts; without columns in games without chance. The stream of random numbers
    ``[1]`` is advanced.

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
