"""Points of learning curves: what is measured of a policy while it learns."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from nashzoo import agents
from nashzoo.agents import Agent
from nashzoo.agents.learning.learner import Learner
from nashzoo.agents.learning.past_policies import PolicyMixture, SelfPlay
from nashzoo.agents.learning.self_play_learner import SelfPlayLearner
from nashzoo.arena.match import games_of_steps, play_seats
from nashzoo.arena.measure import QUICK, SEARCHED, SLOW, Figure, measure
from nashzoo.arena.measurement.checkpoints import Checkpoint
from nashzoo.arena.measurement.pacer import Effort
from nashzoo.baselines.certificate.bounds import Bounds
from nashzoo.baselines.measures import EITHER, can_keep, states_measured, tabulated, value_or_none
from nashzoo.baselines.policies.tabular import as_policy
from nashzoo.envs import Game
from nashzoo.envs.base.deadlines import within
from nashzoo.envs.core.agent import FiniteMemoryAgent, NoPolicyError
from nashzoo.envs.jit.clock import working_time

T = TypeVar("T")

FEW_POINTS = 10
SAMPLED_STEPS = 100_000  # joint steps for a point against an opponent without an exact value

# A point has timesteps, games, seconds, value and exploitability; and the exploitability of other learners after as
# many games against the same opponent, under their names after LEARNED. None for unknown figures.
LEARNED = "exploitability_of_"
MIXED = "mixed_exploitability"  # in self-play, of the mixture of past policies
EXPLOITED = ("exploitability_lower", "exploitability_upper")  # its bounds, where it cannot be computed
BOUNDS = ("lower_bound", "upper_bound")  # of the game's value, by exact best responses
LEARNED_BOUNDS = ("learned_lower_bound", "learned_upper_bound")  # of the game's value, proven by the learner


def in_time(seconds: float, work: Callable[..., T], *arguments: Any) -> T | None:
    """Calls :func:`within`, but the time of compilation does not count: what it has cut is called once more."""
    end, done = working_time() + seconds, list[T]()
    while not done and (left := end - working_time()) > 0:
        within(left, lambda: done.append(work(*arguments)))
    return done[0] if done else None


def point_of(game: Game, checkpoint: Checkpoint, effort: Effort, walks: bool = False) -> dict[str, Any]:
    """Returns a point with the exploitability alone; ``walks`` as in :func:`nashzoo.arena.measure.measure`.

    Raises:
        NoPolicyError: its policy has a memory, or gives no probabilities, or others when it is asked again.
        UsageError: it gives no distribution over the legal actions.
    """
    found = measure(game, as_policy(checkpoint.policy, game), walks=walks, seconds=SEARCHED).exploitability
    if isinstance(found.why, NoPolicyError):
        raise found.why
    return {"timesteps": checkpoint.timesteps, "seconds": effort.seconds} | exploited(found)


def exploited(found: Figure) -> dict[str, float | None]:
    """Returns the exploitability as points have it: None with bounds where these alone are known."""
    bounds = {} if found.bounds is None else dict(zip(EXPLOITED, found.bounds, strict=True))
    return {"exploitability": found.value, **bounds}


def bounds_in(point: Mapping[str, Any]) -> Bounds | None:
    """Returns the bounds of the exploitability at a point; None where it is known, or nothing is."""
    return Bounds(*(point[name] for name in EXPLOITED)) if EXPLOITED[0] in point else None


class Points:
    """Points with all that is known of a policy; figures are means over the seats that it learns to play.

    Args:
        opponent: The training opponent; None of a learner that plays both seats itself.
        self_play: The source of the training opponent if it consists of the learner's past policies; then policies are
            measured against their mixture.
        seats: The seats.
        seed: Seed of games.
    """

    def __init__(
        self,
        game: Game,
        opponent: Agent | None = None,
        self_play: SelfPlay | PolicyMixture | None = None,
        seats: Sequence[int] = EITHER,
        seed: int = 0,
    ) -> None:
        self.game, self.self_play, self.seats, self.seed = game, self_play, seats, seed
        self.opponent: Any = opponent
        self.itself = opponent is None
        self._fixed = self_play is None and not self.itself
        self.learners = self._untaught() if self._fixed else {}
        self._taught = 0  # games that self.learners have learned from

    def _untaught(self) -> dict[str, Learner]:
        seat = self.seats[0] if len(self.seats) == 1 else "random"
        try:
            return {
                name: agents.untaught(name, self.game, self.opponent, seat, self.seed)
                for name in agents.learners(self.game)
            }
        except NoPolicyError:  # they learn from policies alone
            return {}

    @cached_property
    def opponent_table(self) -> Agent:
        """The training opponent, as a table if it does not change."""
        table: Agent = tabulated(self.game, self.opponent) if self._fixed else self.opponent
        return table

    @property
    def cost(self) -> float:
        """About the seconds that a point takes: of a search for bounds where nothing is exact."""
        memories = self.opponent.memory_states if isinstance(self.opponent, FiniteMemoryAgent) else 1
        return states_measured(self.game) * memories / QUICK if can_keep(self.game) else SEARCHED

    @property
    def acceptable(self) -> float:
        """The number of points of a curve whose time is acceptable; 0 for its end alone."""
        return math.inf if self.cost <= 1.0 else FEW_POINTS if self.cost <= SLOW / QUICK else 0

    def __call__(self, checkpoint: Checkpoint, effort: Effort, seconds: float = math.inf) -> dict[str, Any]:
        """Returns a point; the games of the effort must not decrease. Figures that take longer are None."""
        policy, games = checkpoint.policy, effort.games
        point: dict[str, Any] = {"timesteps": checkpoint.timesteps, "games": games}
        point |= {"value": None, "exploitability": None} | dict.fromkeys(BOUNDS if self.itself else ())
        in_time(seconds, self._measure, policy, point, SEARCHED if seconds == math.inf else seconds / 2)
        if isinstance(policy, SelfPlayLearner) and policy.value_bounds is not None:
            point |= dict(zip(LEARNED_BOUNDS, policy.value_bounds, strict=True))
        for name, learner in self.learners.items():
            learner.learn(games - self._taught)
            point[LEARNED + name] = measure(self.game, learner, seats=self.seats).exploitability.value
        self._taught = games
        return point | {"seconds": effort.seconds}

    def _measure(self, policy: Agent, point: dict[str, Any], seconds: float) -> None:
        table = tabulated(self.game, policy)
        found = measure(self.game, policy, seats=self.seats, table=table, seconds=seconds)
        point |= exploited(found.exploitability)
        if self.itself:
            point.update(zip(BOUNDS, found.secured or (None, None), strict=True))
            return
        if self.self_play is not None:
            point[MIXED] = self.self_play.exploitability
        value = value_or_none(self.game, table, self.opponent_table, self.seats)
        point["value"] = self._sampled(policy) if value is None else value

    def _sampled(self, policy: Agent) -> float:
        games = games_of_steps(self.game, SAMPLED_STEPS, 4_000)
        return play_seats(self.game, policy, self.opponent, games, self.seed, self.seats).mean
