"""What a training run is held against: exact values where there are any, and games against everyone."""

import functools
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import rich
from rich.box import SIMPLE
from rich.progress import Progress
from rich.table import Table

from nashzoo import agents
from nashzoo.agents import Agent
from nashzoo.agents.learner import Learner
from nashzoo.agents.self_play import KINDS, PolicyMixture, SelfPlay
from nashzoo.agents.tournament import MatchResult, play_match, wilson
from nashzoo.baselines.measures import best_or_none, exploitability_or_none, tabulated, value_or_none
from nashzoo.baselines.positions import TooManyPositionsError
from nashzoo.baselines.table import numbering
from nashzoo.envs import Game
from nashzoo.envs.agent import FiniteMemoryAgent, NoPolicyError
from nashzoo.envs.files import written_whole
from nashzoo.envs.seeds import derived
from nashzoo.envs.tables import Opponent

# A point for each measurement: timesteps, games, value, exploitability; and for everyone who learned as many games from
# the same opponent their exploitability, under their name after LEARNED. None for what is not known.
Curve = list[dict[str, Any]]
# From self-play also the exploitability of what past selves are mixed to, under MIXED.
LEARNED = "exploitability_of_"
MIXED = "mixed_exploitability"
BOUNDS = ("lower_bound", "upper_bound")  # of the game's value, by what exact responses win

QUICK = 100_000  # positions; to measure a policy at as many takes about a second
LEAST_PATIENCE = 60.0  # seconds: as long may exact figures take, or as long as learning did, if that is longer
RANDOM_GAMES = 20  # from which the length of random play is taken
SLOW = 1_000_000  # positions; to measure a policy at as many takes ten seconds or more
FEW_POINTS = 10
SAMPLED_STEPS = 100_000  # joint steps for a point of the curve against an opponent who has no exact value
SHOWN_SHORT = 10.0  # points from which one digit will do
PLAYED_STEPS = 200_000  # joint steps against each player for the report

SEATS: dict[int | str, tuple[int, ...]] = {0: (0,), 1: (1,), "random": (0, 1)}


class Row(NamedTuple):
    """How the learned policy does against one opponent, points per game of the policy."""

    opponent: str
    title: str
    result: MatchResult
    value: float | None  # exact; None where somebody remembers more than can be solved for
    best: float | None  # what the best response wins
    trained: bool | None  # whether it was met in training, or held out; None for neither

    @property
    def regret(self) -> float | None:
        """How much the policy leaves on the table."""
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
        """Returns the row for the table."""
        shares = []
        for _, count in self._counts():
            low, high = wilson(count, self.result.games)
            shares.append(f"{count / self.result.games:.1%}\n{100 * low:.1f}-{100 * high:.1f}")
        return [self.opponent, *shares, *map(_figure, (self.result.mean, self.value, self.best, self.regret))]

    def _counts(self) -> list[tuple[str, int]]:
        return [("wins", self.result.wins), ("draws", self.result.draws), ("losses", self.result.losses)]


class Report(NamedTuple):
    """A training run, held against the truth."""

    game: Game
    algorithm: str
    opponent: str
    player: int | str
    timesteps: int
    games: int  # played in training
    seed: int
    optimum: float | None  # what the best response wins from the training opponent
    exploitability: float | None
    learners: dict[str, float]  # exploitability of those who learned from as many games against the same opponent
    rows: list[Row]
    curve: Curve
    mixed_exploitability: float | None = None  # of what the past selves are mixed to
    unit: str = "decisions"  # of timesteps

    @property
    def learned(self) -> str:
        """What was trained, for people."""
        return "learned policy" if self.unit == "decisions" else "last response"

    def show(self) -> None:
        """Prints the report."""
        title = f"{self.algorithm}, {self.timesteps:,} {self.unit} against {self.opponent} in {self.game}"
        table = Table(title=title, box=SIMPLE, padding=0)
        table.add_column("against", overflow="fold")
        for heading in ("won", "drawn", "lost", "points", "exact", "best", "regret"):
            table.add_column(heading, justify="right", no_wrap=True)
        for row in self.rows:
            table.add_row(*row.cells(), style="bold" if row.opponent == self.opponent else None)
        rich.print(table)
        rich.print(
            "Points per game; 'exact' and 'best' (the best response's) are computed. Shares with 95 % intervals."
        )
        if any(row.result.unfinished for row in self.rows):
            rich.print(
                f"Some games were cut off after {self.game.max_cycles} steps, with what they had brought so far; "
                "what is computed lets play go on."
            )
        for trained, which in ((True, "met in training"), (False, "held out")):
            met = [row.result.mean for row in self.rows if row.trained is trained]
            if met:
                rich.print(f"Mean over the {len(met)} players {which}: {_mean(met):+.4f} points per game.")
        if self.exploitability is None:
            rich.print("The policy remembers, or there are too many positions: its exploitability is not known.")
        else:
            rich.print(f"Exploitability of the {self.learned} (exact): {self.exploitability:.6f} points per game.")
        if self.mixed_exploitability is not None:
            rich.print(f"Of {KINDS[self.opponent]} (exact): {self.mixed_exploitability:.6f}.")
        for name, figure in self.learners.items():
            rich.print(f"Of {name} after as many games, {self.games:,}, against {self.opponent}: {figure:.6f}.")
        if self.learners or self.mixed_exploitability is not None:
            rich.print("Of perfect play: 0.")

    def save(self, folder: Path) -> None:
        """Writes ``report.json`` and ``report.png``."""
        told = self._asdict() | {
            "game": self.game.name,
            "parameters": self.game.options,
            "rows": {row.opponent: row.as_json() for row in self.rows},
        }
        with written_whole(folder / "report.json") as path:
            path.write_text(json.dumps(told, indent=2) + "\n")
        with written_whole(folder / "report.png") as path:
            self.picture(path)

    def picture(self, path: Path) -> None:
        """Draws the learning curve, exploitability, and the points against every opponent."""
        from matplotlib.figure import Figure

        scale = 1000 if self.unit == "decisions" else 1
        steps = [point["timesteps"] / scale for point in self.curve]
        figure = Figure(figsize=(14, 4.2), layout="constrained")
        figure.suptitle(f"{self.algorithm} against {self.opponent} in {self.game}", size=11)
        learning, exploited, everyone = figure.subplots(1, 3)

        line = {"label": self.learned, "marker": "o" if len(steps) == 1 else ""}
        if BOUNDS[0] in self.curve[0]:
            for bound, dashes in zip(BOUNDS, ("-", ":"), strict=True):
                figures = [point[bound] for point in self.curve]
                learning.plot(steps, figures, color="tab:green", linestyle=dashes, label=bound.replace("_", " "))
        else:
            learning.plot(steps, [point["value"] for point in self.curve], color="tab:blue", **line)
        exact = any(row.value is not None for row in self.rows if row.opponent == self.opponent)
        how = "exact" if exact else "sampled: not both are policies by position"
        if self.optimum is not None and self.mixed_exploitability is None:  # an opponent who stays the same
            learning.axhline(self.optimum, color="black", linestyle="--", label="best response (exact optimum)")
        learning.set(title=f"against {self.opponent} ({how})", ylabel="points per game")
        learning.legend(loc="lower right")

        known = self.exploitability is not None
        if known:
            exploited.plot(steps, [point["exploitability"] for point in self.curve], color="tab:red", **line)
        if self.mixed_exploitability is not None:
            mixed = [point[MIXED] for point in self.curve]
            exploited.plot(steps, mixed, color="tab:green", **line | {"label": KINDS[self.opponent]})
        for number, name in enumerate(self.learners):
            figures = [point[LEARNED + name] for point in self.curve]
            style = line | {"label": f"{name}, after as many games"}
            exploited.plot(steps, figures, color=f"C{number + 4}", **style)
        exploited.axhline(0.0, color="black", linestyle="--", label="equilibrium (exact optimum)")
        exploited.set(title="exploitability (exact)" if known else "exploitability not known", ylabel="points per game")
        exploited.set_ylim(bottom=-0.02)
        exploited.legend(loc="lower right")
        for axes in (learning, exploited):
            axes.set_xlabel(f"thousand {self.unit}" if scale > 1 else self.unit)
            axes.grid(alpha=0.3)

        places = np.arange(len(self.rows))
        errors = [1.96 * row.result.standard_error for row in self.rows]
        everyone.barh(places, [row.result.mean for row in self.rows], xerr=errors, color="tab:blue", alpha=0.7)
        for place, row in zip(places, self.rows, strict=True):
            if row.best is not None:
                everyone.plot([row.best, row.best], [place - 0.4, place + 0.4], color="black", linestyle="--")
        everyone.axvline(0.0, color="grey", linewidth=0.8)
        everyone.set_yticks(places, [row.opponent for row in self.rows])
        everyone.invert_yaxis()
        everyone.set(title="against everyone (dashes: exact optimum)", xlabel="points per game")
        figure.savefig(path, format="png", dpi=110)


class Evaluator:
    """Measures policies in one game against one training opponent.

    Args:
        game: The game.
        name: The training opponent's name.
        opponent: The training opponent.
        player: The learner's seat, 0, 1 or ``"random"``; figures are means over the seats it learns to play.
        seed: Seed of the sampled games.
        trained: The names of the players that the training opponent is a mixture of.
        held_out: The names of those kept back.
        self_play: Where the training opponent comes from when it is made of the learner's past; then the policies are
            measured against what past selves are mixed to.
    """

    def __init__(
        self,
        game: Game,
        name: str,
        opponent: Agent,
        player: int | str,
        seed: int,
        trained: Sequence[str] = (),
        held_out: Sequence[str] = (),
        self_play: SelfPlay | PolicyMixture | None = None,
    ) -> None:
        self.game = game
        self.trained = dict.fromkeys(trained, True) | dict.fromkeys(held_out, False)
        self.name = name
        self.opponent = opponent if self_play is None else self_play.mixed
        self.self_play = self_play
        self.player = player
        self.seats = SEATS[player]
        self.seed = seed
        self.opponent_table = tabulated(game, opponent)
        self.optimum = best_or_none(game, self.opponent_table, self.seats) if self_play is None else None
        self.learners = self._untaught() if self_play is None else {}
        self.taught = 0  # games that they have learned from
        self.made = time.monotonic()

    @property
    def points(self) -> float:
        """How many points a learning curve can have without taking longer than the learning; 0 for its end alone."""
        memories = self.opponent.memory_states if isinstance(self.opponent, FiniteMemoryAgent) else 1
        try:
            effort = len(numbering(self.game)) * memories
        except TooManyPositionsError:
            return math.inf  # nothing is exact, and a few games are quick
        return math.inf if effort <= QUICK else FEW_POINTS if effort <= SLOW else 0

    def point(self, policy: Agent, timesteps: int, games: int) -> dict[str, Any]:
        """Returns a point of the learning curve; ``games`` are never fewer than before."""
        policy_table = tabulated(self.game, policy)
        rival = self.opponent if self.self_play is not None else self.opponent_table
        value = value_or_none(self.game, policy_table, rival, self.seats)
        if value is None:
            value = self._sampled(policy)
        for learner in self.learners.values():
            learner.learn(games - self.taught)
        self.taught = games
        others: dict[str, Any] = {
            LEARNED + name: exploitability_or_none(self.game, learner, self.seats)
            for name, learner in self.learners.items()
        }
        exploitability = exploitability_or_none(self.game, policy_table, self.seats)
        if self.self_play is not None:
            others[MIXED] = self.self_play.exploitability
        return {"timesteps": timesteps, "games": games, "value": value, "exploitability": exploitability} | others

    def _sampled(self, policy: Agent) -> float:
        games = games_of_steps(self.game, SAMPLED_STEPS, 4_000)
        return play_seats(self.game, policy, self.opponent, games, self.seed, self.seats).mean

    def _untaught(self) -> dict[str, Learner]:
        try:
            return {
                name: agents.untaught(name, self.game, self.opponent, self.player, self.seed)
                for name in agents.learners(self.game)
            }
        except NoPolicyError:  # they learn from policies alone
            return {}

    def report(
        self,
        policy: Agent,
        algorithm: str,
        timesteps: int,
        played: int,
        curve: Curve,
        games: int | None,
        progress: Progress,
    ) -> Report:
        """Plays the policy against everyone and returns the report.

        Args:
            policy: The policy.
            algorithm: What it learned by.
            timesteps: How many decisions it learned from.
            played: In how many games.
            curve: Its learning curve.
            games: Games against each player; when None 10,000, and fewer where games are long.
            progress: Where to show how far the work is.
        """
        games = games_of_steps(self.game, PLAYED_STEPS, 10_000) if games is None else games
        begun = time.monotonic()
        patience = max(begun - self.made, LEAST_PATIENCE)
        left_out = []
        rivals = {self.name: self.opponent}
        for name in agents.names(self.game):
            if name not in ("manual", self.name):
                rivals[name] = agents.make(name, self.game)
        rows = []
        policy_table = tabulated(self.game, policy)
        last = curve[-1] if curve and curve[-1]["timesteps"] == timesteps else self.point(policy, timesteps, played)
        if self.self_play is not None:
            self.optimum = best_or_none(self.game, self.opponent, self.seats)
        for name, rival in progress.track(rivals.items(), total=len(rivals), description="measuring"):
            if name != self.name or self.self_play is not None:
                value = best = None
                if time.monotonic() - begun <= patience:
                    value, best = self._against(policy_table, rival)
                else:
                    left_out.append(name)
            else:
                exact = self.optimum is not None and last["exploitability"] is not None
                value, best = last["value"] if exact else None, self.optimum
            title = agents.title(name) if name in agents.names(self.game) else KINDS.get(name, name)
            rows.append(
                Row(
                    name,
                    title,
                    play_seats(self.game, policy, rival, games, self.seed, self.seats),
                    value,
                    best,
                    self.trained.get(name),
                )
            )
        if left_out:
            progress.console.print(
                f"Exact figures against {', '.join(left_out)} are left out: to measure would take longer than to learn."
            )
        return Report(
            self.game,
            algorithm,
            self.name,
            self.player,
            timesteps,
            played,
            self.seed,
            self.optimum,
            last["exploitability"],
            {name: last[LEARNED + name] for name in self.learners},
            rows,
            curve,
            last.get(MIXED),
        )

    def _against(self, policy: Agent, rival: Agent) -> tuple[float | None, float | None]:
        """Returns what a policy and what the best response wins from a rival, if that can be computed."""
        asked = tabulated(self.game, rival)
        return value_or_none(self.game, policy, asked, self.seats), best_or_none(self.game, asked, self.seats)


def play_seats(
    game: Game, player: Opponent, rival: Opponent, games: int, seed: int, seats: Sequence[int] = (0, 1)
) -> MatchResult:
    """Plays at least so many games, as many in each of a player's seats; returns the player's result."""
    each = math.ceil(games / len(seats))
    results = []
    for seat in seats:
        if seat == 0:
            results.append(play_match(game, player, rival, each, seed))
        else:
            # The seats must not play the same games.
            results.append(play_match(game, rival, player, each, derived(seed, seat)).reversed())
    return sum(results[1:], start=results[0])


def games_of_steps(game: Game, steps: int, most: int) -> int:
    """Returns how many games take about as many joint steps, at least 50."""
    return max(50, min(most, steps // random_length(game)))


@functools.cache
def random_length(game: Game) -> int:
    """Returns how many joint steps a game of random players takes, the mean of some games."""
    rng = np.random.default_rng(0)
    steps = 0
    for _ in range(RANDOM_GAMES):
        code, end = game.start(rng), steps + game.max_cycles
        while not game.terminal(code) and steps < end:
            code = game.step(code, *(int(rng.choice(game.legal_actions(code, player))) for player in range(2)))
            steps += 1
    return max(1, steps // RANDOM_GAMES)


def _mean(figures: Sequence[float]) -> float:
    return sum(figures) / len(figures)


def _figure(number: float | None) -> str:
    if number is None:
        return "-"
    return f"{number:+.4f}" if abs(number) < SHOWN_SHORT else f"{number:+.1f}"
