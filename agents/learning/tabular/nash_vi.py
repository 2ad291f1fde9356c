"""Optimistic Nash value iteration: learns a model, plans with upper and lower bounds, and proves its exploitability.

Without chance the transition of a joint action is known once it was tried; the value of an untried one is bounded by
the largest possible gain. Planning with the best possible values gives an upper bound of every value, planning with the
worst a lower one. In training both players are optimistic, which leads to states where the bounds differ. The learned
policy is cautious: player 0's is optimal by the lower bounds and player 1's by the upper ones, so that each secures its
bound. The bounds certify the policy without the exact solution, see :attr:`NashVI.exploitability_bound`.

With chance the learner counts the outcomes at each chance state, and knows their probabilities within a confidence set,
see :mod:`nashzoo.agents.learning.tabular.confidence`. The bounds there are the largest and the smallest expectation
over the set, where an outcome that never came may be worth the largest possible gain. So all bounds, those of the
policy too, hold together and at all times with probability ``1 - delta``; where only players choose they are certain.

With a discount factor below 1 the bounds are those of the discounted game. That is the default in turn-based games with
recurring states, where only discounting separates a draw from an unknown value; earlier wins have higher values, and
the policy is optimal without discounting too.

If states can recur, without chance and discounting, bounds may stay apart for ever: waiting keeps a value that nobody
wins. There the policy is optimal in the part of the game that is known, where untried joint actions lose and play
without end has the value 0; among such policies it is one that ends play, see
:meth:`nashzoo.agents.learning.tabular.states.LearnedStates.secured`. The best response to it proves what it guarantees.

Sources: Bai and Jin (2020), "Provable self-play algorithms for competitive reinforcement learning"; Liu, Yu, Bai and
Jin (2021), "A sharp analysis of model-based reinforcement learning with self-play"; Zhang, Kakade, Basar and Yang
(2020), "Model-based multi-agent RL in zero-sum Markov games with near-optimal sample complexity"; McMahan, Likhachev
and Gordon (2005), "Bounded real-time dynamic programming", for visiting states where the bounds differ; Nilim and El
Ghaoui (2005), "Robust control of Markov decision processes with uncertain transition matrices", for expectations over a
set of probabilities.
"""

import dataclasses
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.basic.checks import check_positive_probability
from nashzoo.agents.learning.self_play_learner import Arrays
from nashzoo.agents.learning.tabular.confidence import highest_mean, radius
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
from nashzoo.agents.learning.tabular.states import WITH_CHANCE, Simulator, by_chance, outcome
from nashzoo.envs.core.checks import check_count
from nashzoo.envs.core.game import Bools, Features, Floats, Ints, Mask
from nashzoo.envs.core.kernels import Seeds, draw_uniform
from nashzoo.envs.jit.compiled import borrowed, compiled

ROUNDING = 2.0**-48  # of a sum of products with as many terms as a player has actions, where 1 is the largest


@dataclasses.dataclass(frozen=True)
class NashVISettings:
    """Settings of Nash value iteration.

    Attributes:
        gamma: Discount factor; None for 1, and less in turn-based games with recurring states.
        tolerance: Points per game; a game continues while the bounds differ by more.
        exploration: Probability that the joint action is drawn by the gaps between bounds alone, not by the players'
            strategies: without knowledge every strategy is optimal. None for 0.1, and 1 where play may stand still
            without discounting: optimistic strategies may wait for ever.
        replay: Planning updates for each joint action that is played.
        most: The largest possible gain in a game, in points; None to compute it from the rewards.
        delta: In games with chance, the probability that some bound is wrong at some time: each chance state has an
            equal share of it.
        bonus: Factor of the radius of the confidence sets. Below 1 the bounds are narrower, and not guaranteed.
    """

    gamma: float | None = None
    tolerance: float = 1e-9
    exploration: float | None = None
    replay: int = 4
    most: float | None = None
    delta: float = 0.05
    bonus: float = 1.0


class NashVI(TabularLearner):
    """Learns bounds of every value, from transitions and the largest possible gain, see the module.

    In games with chance it also uses the numbers of chance states and of outcomes that a chance state can have.

    Raises:
        TooManyStatesError: the states do not fit a table.
        UsageError: a setting is out of its range, or the sum of rewards can be unbounded.
    """

    NAME = "nash_vi"
    GIVEN = "transitions"
    TIMESTEPS = 20_000_000
    Settings: ClassVar[type[Any]] = NashVISettings
    PROBABILITIES = "gamma", "exploration"
    POSITIVE = "tolerance", "most", "bonus"

    def make_tables(self) -> None:
        """Makes the tables of the untrained learner."""
        chosen: NashVISettings = self.settings
        check_count("replay", chosen.replay, least=0)
        check_positive_probability("delta", chosen.delta)
        self._waits = self.learned.recurrent and self.gamma == 1.0 and not self.game.has_chance
        unset = 1.0 if self._waits else 0.1
        self._exploration: float = unset if chosen.exploration is None else chosen.exploration
        shape = self.learned.simulator.following.shape
        most = self.learned.most(self.gamma) if chosen.most is None else np.full(shape[0], chosen.most)
        self._rounding = ROUNDING * max(1.0, float(most.max()))
        every = np.repeat(most[:, None], shape[1], axis=1)
        chances = self.learned.simulator.chances
        counts = np.zeros(chances.shape, np.int64)
        self._bounds = Bounds(every, -every, most, -most, np.zeros(shape, np.bool_), counts)
        states = int(np.count_nonzero(chances.any(axis=1)))
        self._log_confidence = float(np.log(max(states, 1) / chosen.delta))
        self._queue = new_queue(shape[0] if chosen.replay else 0)
        self._before = predecessors(self.learned.simulator)

    def update(self, timesteps: int) -> tuple[int, int]:
        """Learns from at least ``timesteps`` more joint actions, to the end of a game."""
        chosen: NashVISettings = self.settings
        known = np.count_nonzero(self._bounds.tried)
        done = _play_and_plan(
            self._bounds,
            self._queue,
            self.learned.simulator,
            self._before,
            Plan(
                self.gamma,
                chosen.tolerance,
                self._exploration,
                chosen.replay,
                self._rounding,
                self._log_confidence,
                chosen.bonus,
                self._waits,
            ),
            self.streams,
            timesteps,
            self.game.num_actions,
        )
        if np.count_nonzero(self._bounds.tried) > known:  # else the known part of the game is the same
            self.__dict__.pop("_secured", None)
        return done

    @cached_property
    def _secured(self) -> tuple[tuple[Floats, Floats], tuple[float, float]] | None:
        """The strategies that end play, and what they guarantee from the start; None in other games."""
        if not self._waits:
            return None
        sides = self._bounds.lower, self._bounds.upper
        (strategy0, low), (strategy1, high) = (
            self.learned.secured(self._bounds.tried, sides[player], player) for player in range(2)
        )
        return (strategy0, strategy1), (low.lower, high.upper)

    @property
    def value_bounds(self) -> tuple[float, float]:
        """The lower and the upper bound of the game's value to player 0, points per game, discounted.

        In games with chance they hold with probability ``1 - delta``, at all times together, if ``bonus`` is 1.
        """
        starts, likely = self.learned.states.ids(self.game.start_codes), self.game.start_probabilities
        lower, upper = self._bounds.lower_values[starts], self._bounds.upper_values[starts]
        learned = float(likely @ lower), float(likely @ upper)
        if self._secured is None:
            return learned
        return max(learned[0], self._secured[1][0]), min(learned[1], self._secured[1][1])

    @property
    def exploitability_bound(self) -> float:
        """An upper bound of the policy's exploitability, points per game, discounted.

        Each seat secures its bound of the value. In symmetric games the policy is that of player 0 in both seats. With
        chance it holds with the same probability as :attr:`value_bounds`, and together with them.
        """
        lower, upper = self.value_bounds if self._secured is None else self._secured[1]
        return -lower if self.game.symmetric else 0.5 * (upper - lower)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the cautious strategy at each state ``[B, actions]``."""
        codes, players = self.states_of(observations)
        tables = None if self._secured is None else self._secured[0]
        return self.learned.strategies(codes, players, action_masks, (self._bounds.lower, self._bounds.upper), tables)

    def tables(self) -> dict[str, NDArray[Any]]:
        """Returns the tables by name."""
        bounds = self._bounds._asdict()
        if not self.game.has_chance:
            del bounds["counts"]
        return bounds | self._queue._asdict() | {"streams": self.streams}

    def restore(self, arrays: Arrays) -> None:
        """Copies a file's tables into the learner's."""
        super().restore(arrays)
        check_queue(self._queue)


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
def _play_and_plan(
    bounds: Bounds,
    queue: Queue,
    simulator: Simulator,
    before: Predecessors,
    plan: Plan,
    streams: Seeds,
    timesteps: int,
    num_actions: int,
) -> tuple[int, int]:
    """Plays games from the start of the game, the last to its end, and plans backward through each at its end.

    A game is cut off, after its first joint action, where the gap between the bounds of its state, discounted from its
    start, is within the tolerance; if play may stand still, also where everything known leads back. Of predecessors
    only tried joint actions and outcomes are used. The stream of random numbers ``[1]`` is advanced.

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
