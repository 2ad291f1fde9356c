"""The report of a training run: the measurements of the learned policy, for people and as JSON."""

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import rich
from rich.box import SIMPLE
from rich.table import Table

from nashzoo.agents.learning.past_policies import KINDS, SELF
from nashzoo.agents.learning.registry import models
from nashzoo.app.shared.bounded import in_words
from nashzoo.app.shared.weak_spots import Spot, explained, titles
from nashzoo.app.shared.words import NOT_COMPUTED, of_draws
from nashzoo.app.training.ppo_config import POPULATION
from nashzoo.arena.match import MatchResult, Z, wilson
from nashzoo.arena.measure import stake_of
from nashzoo.arena.measurement.checkpoints import Curve
from nashzoo.arena.measurement.points import LEARNED_BOUNDS
from nashzoo.baselines import Weakness
from nashzoo.baselines.certificate.bounds import Bounds
from nashzoo.envs import Game
from nashzoo.envs.base.files import write_text
from nashzoo.envs.base.json_text import json_text
from nashzoo.envs.base.words import counted, figure, signed, with_minus, wrapped

EXACT_RESPONSES = "exact responses"  # the algorithm of runs that learn nothing
FEWEST = 30  # sampled games of a mean with an interval by the normal distribution
LEGEND = " Points: of these games, exact, of a best response; regret: best less exact."
UNKNOWN = f" -: {NOT_COMPUTED}"
SHOWN_SHORT = 10.0  # points from which one digit is shown


class Row(NamedTuple):
    """The result of the learned policy against one opponent, in points per game of the policy."""

    opponent: str
    title: str
    result: MatchResult
    value: float | None  # exact; None if a player's memory is too large to compute it
    best: float | None  # the best response's value
    trained: bool | None  # True if met in training, False if held out, None otherwise

    @property
    def regret(self) -> float | None:
        """The best response's value minus the policy's."""
        return None if self.value is None or self.best is None else self.best - self.value

    def as_json(self) -> dict[str, Any]:
        """Returns the row for ``report.json``."""
        shares = {}
        for name, count in self._counts():
            shares[name] = {"share": count / self.result.games, "interval": list(wilson(count, self.result.games))}
        return {
            "title": self.title,
            "trained": self.trained,
            "games": self.result.games,
            **shares,
            "unfinished": self.result.unfinished,
            "points_per_game": self.result.mean,
            "standard_error": self.result.standard_error,
            "exact_value": self.value,
            "best_response_value": self.best,
            "regret": self.regret,
        }

    def cells(self) -> list[str]:
        """Returns the row for the table, after its opponent."""
        shares = []
        for _, count in self._counts():
            share = count / self.result.games
            error = max(abs(share - end) for end in wilson(count, self.result.games))
            shares.append(f"{share:.1%} ±{100 * error:.1f}" if count else "0")
        return [*shares, *map(_figure, (self.result.mean, self.value, self.best, self.regret))]

    def _counts(self) -> list[tuple[str, int]]:
        return [("wins", self.result.wins), ("draws", self.result.draws), ("losses", self.result.losses)]


class Deterministic(NamedTuple):
    """The measurements of the most likely actions of the learned policy."""

    exploitability: float | None
    rows: list[Row]


class Report(NamedTuple):
    """A training run, compared with the exact solution."""

    game: Game
    algorithm: str
    opponent: str
    player: int | str
    timesteps: int
    games: int  # played in training
    seed: int
    optimum: float | None  # the best response's value against the training opponent
    exploitability: float | None  # None if it is not known, or if bounds alone are
    learners: dict[str, float]  # exploitability of other learners after as many games against the same opponent
    rows: list[Row]
    curve: Curve
    mixed_exploitability: float | None = None  # of the mixture of past policies
    unit: str = "decisions"  # of timesteps
    deterministic: Deterministic | None = None  # where some equilibrium needs no chance: in turn, nothing hidden
    games_each: int = 0  # intended against each player; there are fewer where the time ended before
    report_seconds: float = math.inf  # for all measurements
    late: tuple[str, ...] = ()  # what was not measured in this time
    bounds: Bounds | None = None  # of the exploitability, proven, where it cannot be computed
    unmet: tuple[str, ...] = ()  # players that need the exact solution, where there is none
    weaknesses: Sequence[Weakness] = ()  # where the policy loses most; none if that is not known

    @property
    def learned(self) -> str:
        """The name of the trained policy, for people."""
        return "last response" if self.algorithm == EXACT_RESPONSES else "learned policy"

    @property
    def title(self) -> str:
        """The title of the run, for people."""
        return f"{self.algorithm}, {self.timesteps:,} {self.unit} {self.against} in {self.game}"

    @property
    def against(self) -> str:
        """The training opponent, for people."""
        return (
            "in self-play"
            if self.opponent == SELF
            else f"against {'the ' * (self.opponent == POPULATION)}{self.opponent}"
        )

    @property
    def _everyone(self) -> list[Row]:
        return [*self.rows, *(self.deterministic.rows if self.deterministic is not None else ())]

    @property
    def cut(self) -> list[str]:
        """Sentences about what was left out for lack of time."""
        few = [f"{row.opponent} {row.result.games:,}" for row in self._everyone if row.result.games < self.games_each]
        fewer = f"Fewer than {self.games_each:,} games, for lack of time: {', '.join(few)}."
        late = f"Not measured within {self.report_seconds:,.0f} s: {'; '.join(self.late)}."
        return [fewer] * bool(few) + [late] * bool(self.late)

    @property
    def left_out(self) -> list[str]:
        """Sentences about all that was left out, also the players that it could not meet."""
        unmet = f"Not met, for they need the exact solution: {', '.join(self.unmet)}."
        return [unmet] * bool(self.unmet) + self.cut

    def show(self) -> None:
        """Prints the report."""
        if self.weaknesses and self.exploitability:
            alike: dict[tuple[str, int], list[Weakness]] = {}
            for each in self.weaknesses:
                alike.setdefault((Spot((each,)).heading.partition(":")[0], each.seat), []).append(each)
            spots = [Spot(tuple(states)) for states in alike.values()]
            print("\nWhere it loses most:")
            for title, spot in zip(titles(self.game, spots), spots, strict=True):
                print(wrapped(f"{title}; costs {figure(spot.share)} per game, at {counted(len(spot.states), 'state')}"))
            print(wrapped(explained(spots, self.exploitability, "game")) + "\n")
        self._print_table(self.title, self.rows)
        if self.deterministic is not None:
            self._print_table("the policy's most likely actions (deterministic=True)", self.deterministic.rows)
        if self.rows:
            exact = any(row.value is not None or row.best is not None for row in self._everyone)
            unknown = UNKNOWN * any("-" in row.cells() for row in self._everyone)
            print(wrapped(f"Shares with 95 % intervals.{(LEGEND + unknown) * exact}"))
        if any(row.result.unfinished for row in self._everyone):
            rich.print(
                f"Some games were cut off after {self.game.max_cycles} steps, and count with their points so far; "
                "exact figures are of games that continue."
            )
        for trained, which in ((True, "met in training"), (False, "held out")):
            met = [row.result.mean for row in self.rows if row.trained is trained]
            if met:
                players = f"{counted(len(met), 'player')} {which}"
                rich.print(f"Mean over the {players}: {signed(fmean(met))} points per game.")
        for sentence in self.left_out:
            print(wrapped(sentence))
        if self.cut:
            rich.print("With --resume and --report-seconds the report is made again in more time.")
        if self.bounds is not None:
            between = in_words(self.bounds)
            print(wrapped(f"Exploitability of the {self.learned}: {between} points per game, proven bounds."))
            print(wrapped("nashzoo exploitability --bounds brings them closer, the longer it searches."))
        elif self.exploitability is None and "the exploitability" not in self.late:
            rich.print("The policy has a memory, or there are too many states: its exploitability is not known.")
        elif self.exploitability is not None:
            rich.print(f"Exploitability of the {self.learned} (exact): {self.exploitability:.6f} points per game.")
        if self.deterministic is not None and self.deterministic.exploitability is not None:
            rich.print(f"Of the policy's most likely actions (exact): {self.deterministic.exploitability:.6f}.")
        if self.curve and LEARNED_BOUNDS[0] in self.curve[-1]:
            lower, upper = (self.curve[-1][bound] for bound in LEARNED_BOUNDS)
            rich.print(f"The learner's bounds of the value, with its discount factor: {lower:.6f} to {upper:.6f}.")
            if self.game.has_chance:
                rich.print("They hold with probability 1 - delta if bonus is 1, see its settings.")
        if self.mixed_exploitability is not None:
            rich.print(f"Of {KINDS[self.opponent]} (exact): {self.mixed_exploitability:.6f}.")
        for name, loss in self.learners.items():
            rich.print(f"Of {name} after as many games, {self.games:,}, against {self.opponent}: {loss:.6f}.")
        if self.learners or self.mixed_exploitability is not None:
            rich.print("Of perfect play: 0.")

    def _print_table(self, title: str, rows: Sequence[Row]) -> None:
        if not rows:
            rich.print(title)
            return
        table = Table(title=title, box=SIMPLE, padding=0, show_edge=False)
        table.add_column("against", overflow="fold")
        headings = ("won", "drawn", "lost", "points", "exact", "best", "regret")
        columns = zip(headings, *(row.cells() for row in rows), strict=True)
        told = [column for column in columns if any(cell not in ("0", "-") for cell in column[1:])]
        for heading, *_ in told:
            table.add_column(heading, justify="right", no_wrap=True)
        for number, row in enumerate(rows, 1):
            cells = [column[number] for column in told]
            table.add_row(row.opponent, *cells, style="bold" if row.opponent == self.opponent else None)
        rich.print(table)

    def as_json(self) -> str:
        """Returns the report as JSON."""
        likely = self.deterministic
        fields = self._asdict() | {
            "headline": headline(self),
            "game": self.game.name,
            "parameters": self.game.options,
            "rows": {row.opponent: row.as_json() for row in self.rows},
            "weaknesses": [Spot((each,)).as_json(self.game) for each in self.weaknesses],
            "deterministic": likely
            and likely._asdict() | {"rows": {row.opponent: row.as_json() for row in likely.rows}},
        }
        return json_text(fields)

    def save(self, path: Path) -> None:
        """Writes the report as JSON."""
        write_text(path, self.as_json() + "\n")


def headline(report: Report) -> str:
    """Returns what was learned in two sentences at most: what is won from the opponent, and what one who knows it wins.

    Points per game are exact, or have a 95 % interval; a third sentence says where a draw is counted as 0.
    """
    name = models()[report.algorithm].title if report.algorithm in models() else report.algorithm
    who, sentences = "the last response" if report.algorithm == EXACT_RESPONSES else name, []
    for row in report.rows:
        if row.opponent == report.opponent and row.opponent not in KINDS:  # past policies are no outcome
            won, how = (
                (row.value, "") if row.value is not None else (row.result.mean, _sampled(report.game, row.result))
            )
            best = "" if row.best is None else f" of at most {_amount(row.best)}"
            verb, towards = ("loses", "to") if won < 0 else ("wins", "from")
            who = "it"
            rival = "its training opponents" if row.opponent == POPULATION else row.opponent
            sentences.append(f"{name} {verb} {_amount(abs(won))}{best * (won >= 0)} a game {towards} {rival}{how}.")
    if report.bounds is not None:
        sentences.append(_between(report.game, who, report.bounds))
    elif report.exploitability is not None:
        more, also = ("", "") if report.player == "random" else (" more", " than from perfect play")
        if report.mixed_exploitability is not None:
            also += f"; one who knows {KINDS[report.opponent]} {_amount(report.mixed_exploitability)}"
        sentences.append(f"An opponent who knows {who} wins {_amount(report.exploitability)}{more} a game{also}.")
    else:
        unknown = "was not measured in time" if "the exploitability" in report.late else "is not known"
        sentences.append(f"What an opponent who knows {who} wins {unknown}.")
    return " ".join(sentences) + of_draws(report.game)


def _between(game: Game, who: str, bounds: Bounds) -> str:
    """Returns what an opponent wins, by its bounds."""
    between = in_words(bounds, 2)
    if bounds.lower > 0:
        return f"An opponent who knows {who} wins {between} points a game: proven bounds."
    if bounds.upper < stake_of(game):
        return f"An opponent who knows {who} wins at most {between.split()[-1]} points a game, as is proven."
    return f"What an opponent who knows {who} wins is not known yet: a longer search may tell."


def _sampled(game: Game, result: MatchResult) -> str:
    if result.games < FEWEST:
        return f", in {counted(result.games, 'game')}"
    ends = interval(game, result)
    least, most = sorted(-end if result.mean < 0.0 else end for end in ends)  # of what is lost
    return with_minus(f" (sampled: {least:.2f} to {most:.2f})")


def interval(game: Game, result: MatchResult) -> tuple[float, float]:
    """Returns the 95 % interval of the points per game of at least :data:`FEWEST` games, within what can be won."""
    most = max(stake_of(game), float(abs(result.points).max()))  # by default the stake is that of games won or lost
    reach = Z * result.standard_error
    return max(result.mean - reach, -most), min(result.mean + reach, most)


def _amount(points: float) -> str:
    """Returns points, rounded, but few of them not to 0."""
    return "less than 0.01" if 0.0 < points < 0.005 else f"{points:.2f}"


def _figure(number: float | None) -> str:
    if number is None:
        return "-"
    return signed(number, ".4f" if abs(number) < SHOWN_SHORT else ".1f")
