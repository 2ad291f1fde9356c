"""Learners that play both seats: exploitability over the seconds of learning, as CSV, tables and pictures.

python -m studies.learners
python -m studies.learners minimax_q --games Footsies --seeds 1 --out /tmp/learners

Curves that are in the CSV file already are not computed again.
"""

import csv
import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import tyro
from matplotlib.figure import Figure

from nashzoo import agents
from nashzoo.agents.learning.self_play_learner import SelfPlayLearner
from nashzoo.agents.registry import self_play_learner
from nashzoo.arena import heat_map
from nashzoo.baselines import exploitability
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, roshambo_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.base.files import written_whole
from studies.tables import markdown, with_block, write_page

GAMES = {
    "Footsies": footsies_v0.game(),
    "tic-tac-toe": tictactoe_v0.game(),
    "Bodega Brawl, small": bodega_brawl_v0.game(preset="small"),
    "Roshambo": roshambo_v0.game(),
    "soccer, 11 x 5": soccer_v0.game(width=11, height=5),
    "soccer": soccer_v0.game(),
}
STAKES = {"Roshambo": 1000.0}  # points, the most that can be won; 1 in the others

# Decisions to learn from; all other settings are the defaults.
BUDGETS: dict[tuple[str, str], int] = {
    ("minimax_q", "Footsies"): 100_000,
    ("minimax_q", "tic-tac-toe"): 1_000_000,
    ("minimax_q", "Bodega Brawl, small"): 1_000_000,
    ("minimax_q", "Roshambo"): 4_000_000,
    ("minimax_q", "soccer, 11 x 5"): 4_000_000,
    ("minimax_q", "soccer"): 40_000_000,
    ("nash_vi", "Footsies"): 100_000,
    ("nash_vi", "tic-tac-toe"): 1_000_000,
    ("nash_vi", "Bodega Brawl, small"): 1_000_000,
    ("nash_vi", "Roshambo"): 1_000_000,
    ("nash_vi", "soccer, 11 x 5"): 4_000_000,
    ("nash_vi", "soccer"): 15_000_000,
    ("regret_matching", "Footsies"): 10_000_000,
    ("regret_matching", "tic-tac-toe"): 20_000_000,
    ("regret_matching", "Bodega Brawl, small"): 20_000_000,
    ("wolf_phc", "Footsies"): 20_000_000,
    ("wolf_phc", "tic-tac-toe"): 20_000_000,
    ("wolf_phc", "Bodega Brawl, small"): 20_000_000,
    ("value_iteration", "Footsies"): 10_000,
    ("value_iteration", "tic-tac-toe"): 100_000,
    ("value_iteration", "Bodega Brawl, small"): 300_000,
    ("value_iteration", "Roshambo"): 10_000_000,
    ("value_iteration", "soccer, 11 x 5"): 4_000_000,
    ("value_iteration", "soccer"): 40_000_000,
}
PAGES = {  # pages with tables of these learners
    Path("docs/minimax_q.md"): ("minimax_q", "regret_matching", "wolf_phc", "value_iteration"),
    Path("docs/nash_vi.md"): ("nash_vi",),
}
FIRST, RATIO = 1_000, 10**0.2  # decisions of the first point of a curve, and between points
FLOOR = 1e-9  # smaller figures are drawn as this, the accuracy of exact figures


@dataclass
class Options:
    """Measure learners that play both seats, and draw the curves."""

    learners: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """Names of the learners; all if none."""
    games: tuple[str, ...] = ()
    """Games, all if none."""
    seeds: int = 3
    """Seeds, from 0 on."""
    out: Path = Path("docs/learners")
    """Folder of ``curves.csv`` and a picture of each learner; with the default the tables of the pages are updated."""


class Point(NamedTuple):
    """A measurement of a learner."""

    learner: str
    game: str
    seed: int
    timesteps: int
    seconds: float  # of learning, of one core
    exploitability: float  # points per game
    lower_bound: float | None  # of the value, proven by the learner
    upper_bound: float | None


def curve(name: str, title: str, game: Game, seed: int, timesteps: int) -> list[Point]:
    """Returns the learning curve of a learner."""
    kind = self_play_learner(name)
    settings = {"total_timesteps": timesteps} if "total_timesteps" in kind.setting_names() else {}
    agents.make(name, game, seed, **settings)  # data made once for a game does not count as learning
    learner: SelfPlayLearner = kind(game, seed, **settings)
    learner.learn(0)  # compiles
    points, seconds, due = [], 0.0, float(FIRST)
    while learner.num_timesteps < timesteps:
        begun = time.process_time()
        learner.learn(min(math.ceil(due), timesteps) - learner.num_timesteps)
        seconds += time.process_time() - begun
        lower, upper = learner.value_bounds or (None, None)
        figure = exploitability(game, learner)
        points.append(Point(name, title, seed, learner.num_timesteps, seconds, figure, lower, upper))
        while due <= learner.num_timesteps:
            due *= RATIO
    return points


def read(path: Path) -> list[Point]:
    """Returns the points of a CSV file; none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as lines:
        _, *rows = csv.reader(lines)
    return [
        Point(
            *row[:2],
            *map(int, row[2:4]),
            *map(float, row[4:6]),
            *(float(cell) if cell else None for cell in row[6:]),
        )
        for row in rows
    ]


def write(points: Sequence[Point], path: Path) -> None:
    """Writes points as CSV."""
    with written_whole(path) as unfinished, unfinished.open("w", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(Point._fields)
        for point in points:
            bounds = ["" if bound is None else f"{bound:.9g}" for bound in point[6:]]
            writer.writerow([*point[:4], f"{point.seconds:.4g}", f"{point.exploitability:.6g}", *bounds])


def table(points: Sequence[Point]) -> str:
    """Returns the ends of all curves: mean and range over seeds."""
    rows: list[Sequence[str]] = [("learner", "game", "decisions", "seconds", "exploitability, mean", "largest")]
    for name, title in dict.fromkeys((point.learner, point.game) for point in points):
        ends = [curve[-1] for curve in curves(points, name, title)]
        figures = [end.exploitability for end in ends]
        seconds = f"{statistics.fmean(end.seconds for end in ends):.2g}"
        small = ("0" if figure < FLOOR else f"{figure:.2g}" for figure in (statistics.fmean(figures), max(figures)))
        rows.append((name, title, f"{ends[0].timesteps:,}", seconds, *small))
    return markdown(rows, left=2) + "\n"


def curves(points: Sequence[Point], learner: str, game: str) -> list[list[Point]]:
    """Returns the curves of a learner in a game, by seed."""
    mine = [point for point in points if (point.learner, point.game) == (learner, game)]
    return [[point for point in mine if point.seed == seed] for seed in sorted({point.seed for point in mine})]


def draw(points: Sequence[Point], learner: str, out: Path) -> None:
    """Draws the exploitability of a learner in every game, and, if it proves any, its bounds of the value."""
    games = [title for title in GAMES if curves(points, learner, title)]
    bounded = any(point.lower_bound is not None for point in points if point.learner == learner)
    figure = Figure(figsize=(12 if bounded else 7, 4.2), layout="constrained")
    panels: Any = figure.subplots(1, 2 if bounded else 1, squeeze=False)[0]
    for number, title in enumerate(games):
        for curve in curves(points, learner, title):
            seconds = [point.seconds for point in curve]
            stake = STAKES.get(title, 1.0)
            first = curve[0].seed == 0
            figures = [max(point.exploitability / stake, FLOOR) for point in curve]
            panels[0].plot(seconds, figures, color=f"C{number}", label=title if first else None, linewidth=1.2)
            if bounded:
                for bounds in (6, 7):
                    shares = [point[bounds] / stake for point in curve]
                    panels[1].plot(seconds, shares, color=f"C{number}", linewidth=1.2)
    panels[0].set(xscale="log", yscale="log", title=f"{learner}: exploitability (exact), each line a seed")
    panels[0].set(xlabel="CPU seconds of learning", ylabel="share of the stake")
    panels[0].legend(fontsize=8, loc="lower left")
    if bounded:
        panels[1].axhline(0.0, color="black", linestyle="--", linewidth=0.8, label="value, not discounted (exact)")
        panels[1].set(xscale="log", title="bounds of the value, as the learner has proven them")
        panels[1].set(xlabel="CPU seconds of learning", ylabel="share of the stake")
        panels[1].legend(fontsize=8, loc="lower right")
    for axes in panels:
        axes.grid(alpha=0.3)
    heat_map.write(figure, out, 110)


def main(options: Options) -> None:
    """Computes missing curves, and writes all files."""
    path = options.out / "curves.csv"
    options.out.mkdir(parents=True, exist_ok=True)
    points = read(path)
    done = {(point.learner, point.game, point.seed) for point in points}
    for (name, title), timesteps in BUDGETS.items():
        for seed in range(options.seeds):
            chosen = (not options.learners or name in options.learners) and (
                not options.games or title in options.games
            )
            if chosen and (name, title, seed) not in done:
                points += curve(name, title, GAMES[title], seed, timesteps)
                print(points[-1])
                write(points, path)
    for name in dict.fromkeys(point.learner for point in points):
        draw(points, name, options.out / f"{name}.png")
    for page, names in PAGES.items():
        mine = [point for point in points if point.learner in names]
        if mine and page.parent == options.out.parent:
            write_page(page, with_block(page.read_text(), "table", table(mine)))


if __name__ == "__main__":
    main(tyro.cli(Options))
