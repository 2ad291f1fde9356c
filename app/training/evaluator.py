"""Measures the policies of a training run: exact values where possible, and games against all players."""

import itertools
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from nashzoo import agents
from nashzoo.agents import Agent
from nashzoo.agents.basic.deterministic import DeterministicAgent
from nashzoo.agents.learning.past_policies import KINDS
from nashzoo.app.training.options import Options
from nashzoo.app.training.report import EXACT_RESPONSES, Deterministic, Report, Row
from nashzoo.arena.match import MatchResult, games_of_steps, play_in_parts
from nashzoo.arena.measure import made, measure, worst_of
from nashzoo.arena.measurement.checkpoints import Curve
from nashzoo.arena.measurement.points import LEARNED, MIXED, Points, bounds_in, in_time
from nashzoo.baselines.measures import best_or_none, tabulated, value_or_none
from nashzoo.envs.base.progress import Show
from nashzoo.envs.jit.clock import working_time

LEAST_SECONDS = 60.0  # for the report, or the time of learning if that is longer
EXACT_SHARE = 0.75  # of this time, for exact figures
WORST = 3  # states that a report shows
PLAYED_STEPS = 200_000  # joint steps against each player for the report


class Trained(NamedTuple):
    """What was learned, and what it took; the policy uses the model itself, not a copy."""

    policy: Agent
    timesteps: int  # decisions it learned from
    unit: str  # what these are
    games: int  # of training
    seconds: float  # of the processor, without the time of measuring
    curve: Curve
    evaluator: "Evaluator"  # that measured it


class Evaluator:
    """Measures the policies of a training run; figures are means over the seats it learns to play.

    Args:
        options: The options of the run. The time for the report is 60 seconds when left out, or the time since this
            call if that is longer.
        points: What measures its learning curve.
    """

    def __init__(self, options: Options, points: Points) -> None:
        self.options, self.points, self.game, self.seats = options, points, points.game, points.seats
        self.name = options.opponent_name()
        met, held_out = options.population(self.game)
        self.trained = dict.fromkeys(met, True) | dict.fromkeys(held_out, False)
        self._rivals: dict[str, Any] = {} if points.itself else {self.name: points.opponent}
        self.made = working_time()

    @cached_property
    def limit(self) -> float:
        """Seconds for the measurements of the report, without compilation; they begin when this is first asked for."""
        self._begun = working_time()
        asked = self.options.report_seconds
        return max(self._begun - self.made, LEAST_SECONDS) if asked is None else asked

    @property
    def left(self) -> float:
        """Seconds that are left for the measurements of the report."""
        return self.limit + self._begun - working_time()

    @property
    def left_for_exact(self) -> float:
        """Seconds that are left for exact figures; the rest is for games."""
        return self.left - (1 - EXACT_SHARE) * self.limit if self.limit < math.inf else math.inf

    def report(self, learned: Trained, show: Show) -> Report:
        """Plays the policy against all players and returns the report.

        Of games in turn with nothing hidden it has the most likely actions of a network's policy, too.
        """
        options, policy, curve = self.options, learned.policy, learned.curve
        timed = options.games is None or options.report_seconds is not None
        games = games_of_steps(self.game, PLAYED_STEPS, 10_000) if options.games is None else options.games
        exact, pure = options.oracle == "exact", self.game.perfect_information
        deterministic = pure and not exact and options.entry.gives_distributions
        show("measuring the policy", 0, None)
        last = curve[-1]
        bounds = bounds_in(last)
        late = ["the exploitability"] * (bounds is None and last["exploitability"] is None and self.left_for_exact <= 0)
        players = [policy, DeterministicAgent(policy)] if deterministic else [policy]
        tables, likeliest, optimum = in_time(self.left_for_exact, self._prepared, players) or ([], None, None)
        known = [name for name in agents.names(self.game) if name != "manual"]
        unmet = [name for name in known if name not in self._rivals and not self._meets(name)]
        names = [name for name in dict.fromkeys([*self._rivals, *known]) if name not in unmet]
        figures = {}
        for number, name in enumerate(names):
            show(f"exact figures against {name}", number, len(names))
            seconds = self.left_for_exact if tables else 0.0
            figures[name] = in_time(seconds, self._exact, name, tables, optimum)
        show("looking for where it loses", 0, None)
        seat, exploited = self.seats[0] if len(self.seats) == 1 else None, last["exploitability"]
        left = self.left_for_exact
        worst = in_time(left, worst_of, self.game, tables[0], WORST, exploited, seat) if tables else []
        results: dict[str, list[MatchResult]] = {name: [] for name in names}
        for number, (name, player) in enumerate(itertools.product(names, players)):
            seconds = self.left / (len(names) * len(players) - number) if timed else math.inf
            in_time(seconds, self._play, name, player, games, seconds, results[name], len(results[name]), show)
        missing = [name for name in names if figures[name] is None]
        unplayed = [name for name in names if len(results[name]) < len(players)]
        late += ["where it loses"] * (worst is None)
        late += [f"exact figures against {', '.join(missing)}"] * bool(missing)
        late += [f"games against {', '.join(unplayed)}"] * bool(unplayed)
        rows: list[list[Row]] = [[] for _ in players]
        for name in names:
            best, values = figures[name] or (None, [None] * len(players))
            title = agents.title(name) if name in known else KINDS.get(name, name)
            for place, result in enumerate(results[name] if name not in unplayed else []):
                rows[place].append(Row(name, title, result, values[place], best, self.trained.get(name)))
        return Report(
            self.game,
            EXACT_RESPONSES if exact else options.entry.name,
            self.name,
            options.seat,
            learned.timesteps,
            games=learned.games,
            seed=options.seed,
            optimum=optimum,
            exploitability=last["exploitability"],
            bounds=bounds,
            unmet=tuple(unmet),
            learners={name: last[LEARNED + name] for name in self.points.learners},
            rows=rows[0],
            curve=curve,
            mixed_exploitability=last.get(MIXED),
            unit=learned.unit,
            deterministic=Deterministic(likeliest, rows[1]) if deterministic else None,
            games_each=games,
            report_seconds=self.limit,
            late=tuple(late),
            weaknesses=worst or [],
        )

    def _prepared(self, players: Sequence[Agent]) -> tuple[list[Agent], float | None, float | None]:
        """Returns policies as tables, the exploitability of the last of several, and the best response's value."""
        tables = [tabulated(self.game, player) for player in players]
        likeliest = None
        if len(players) > 1:
            likeliest = measure(self.game, players[1], seats=self.seats, table=tables[1]).exploitability.value
        optimum = None if self.points.itself else best_or_none(self.game, self.points.opponent_table, self.seats)
        return tables, likeliest, optimum

    def _meets(self, name: str) -> bool:
        """Makes a player by name; returns whether there is one, see :func:`nashzoo.arena.measure.made`."""
        self._rivals |= made([name], self.game)
        return name in self._rivals

    def _exact(
        self, name: str, tables: Sequence[Agent], optimum: float | None
    ) -> tuple[float | None, list[float | None]]:
        """Returns the value of the best response to a player, and those of policies against it."""
        if name == self.name and self.points.self_play is None:
            asked, best = self.points.opponent_table, optimum
        else:
            asked = tabulated(self.game, self._rivals[name])
            best = best_or_none(self.game, asked, self.seats)
        return best, [value_or_none(self.game, table, asked, self.seats) for table in tables]

    def _play(
        self, name: str, player: Agent, games: int, seconds: float, results: list[MatchResult], place: int, show: Show
    ) -> None:
        """Plays against a player; puts the result into ``results``, and renews it after every part of the games."""
        show(f"measuring against {name}, game", 0, games)
        for result in play_in_parts(
            self.game, player, self._rivals[name], games, self.options.seed, self.seats, seconds
        ):
            if result.games >= sum(earlier.games for earlier in results[place:]):  # it may be asked once more
                results[place:] = [result]
            show(f"measuring against {name}, game", result.games, games)
