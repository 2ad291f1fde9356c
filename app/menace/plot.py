"""``nashzoo menace plot``: learning curves of MENACE against better and worse players, played and computed."""

import dataclasses
import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import rich

from nashzoo.agents.basic.checks import check_probability
from nashzoo.agents.learning.menace.boxes import Boxes, Settings
from nashzoo.agents.learning.menace.training import Lessons, Training
from nashzoo.app.menace.measures import measure, rivals, seats_of
from nashzoo.app.shared.csv_text import write_csv
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import check_folder, written_whole
from nashzoo.envs.base.progress import progress_bar
from nashzoo.envs.core.checks import MOST_SEEDS, check_count, check_whole
from nashzoo.envs.core.game import Floats, Ints
from nashzoo.envs.core.seeds import derived

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 24  # moments at which boxes are measured
BAND = (10, 90)  # percentiles of the seeds between which a band lies
WAYS = ("win", "draw", "loss")
NAMES = {"win": "won", "draw": "drawn", "loss": "lost"}


class Human(NamedTuple):
    """A human teacher, by the probability of an optimal move."""

    first: float
    last: float  # differs from the first if the probability changes over all games

    def __str__(self) -> str:
        return f"{self.first:g}" if self.first == self.last else f"{self.first:g} to {self.last:g}"


class Curves(NamedTuple):
    """The measurements with one human, a row for each seed."""

    played: Floats  # [seeds, 3, games], games won, drawn and lost so far
    exact: dict[str, Floats]  # by name of a figure, [seeds, moments]


def main(
    settings: Settings,
    lessons: Lessons,
    probabilities: tuple[float, ...],
    rising: tuple[float, float] | None,
    seeds: int,
    iterations: int,
    out: Path,
) -> None:
    """Trains boxes with every probability and seed, and writes pictures and tables."""
    check_whole("seeds", seeds, 1, MOST_SEEDS)
    check_count("iterations", iterations)
    check_folder(out)
    if not probabilities:
        raise UsageError("probabilities must be at least one number from 0 to 1")
    for probability in probabilities:
        check_probability("probabilities", probability)
    for probability in rising or ():
        check_probability("rising", probability)
    humans = dict.fromkeys([*(Human(p, p) for p in probabilities), *([Human(*rising)] if rising else [])])
    moments = moments_of(iterations)
    total, done = len(humans) * seeds * len(moments), itertools.count(1)
    with progress_bar("training and measuring") as show:

        def advance() -> None:
            show(next(done), total)

        curves = {
            human: learn(settings, taught_by(human, lessons, iterations), seeds, moments, advance) for human in humans
        }
    write_played(out / "games.csv", curves, moments)
    write_exact(out / "exact.csv", curves, moments)
    for name, draw in (("games", picture_of_games), ("exact", picture_of_chances)):
        with written_whole(out / f"{name}.png") as path:
            draw(curves, moments, path)
    rich.print(f"Pictures and tables are in {out}: games.png, games.csv, exact.png, exact.csv.")


def taught_by(human: Human, lessons: Lessons, games: int) -> Lessons:
    """Returns the lessons of a human whose probability changes over so many games."""
    last = None if human.first == human.last else human.last
    return dataclasses.replace(lessons, probability=human.first, final_probability=last, anneal=games)


def moments_of(iterations: int) -> Ints:
    """Returns the numbers of games after which to measure: from the first to the last, closer together at first."""
    return np.unique(np.round(iterations * np.linspace(0, 1, POINTS) ** 2).astype(np.int64))


def learn(settings: Settings, lessons: Lessons, seeds: int, moments: Ints, advance: Callable[[], Any]) -> Curves:
    """Trains boxes with every seed and measures them at the moments."""
    against, seats = rivals(float(lessons.probability_after(lessons.anneal))), seats_of(lessons)
    human = list(against)[-1]  # it errs as often as the teacher does at the end
    played, exact = [], []
    for seed in range(seeds):
        training = Training(Boxes(settings), dataclasses.replace(lessons, seed=derived(lessons.seed, seed)))
        points, figures = [], []
        for moment in moments:
            points.append(training.run(int(moment) - training.games).points)
            measured = measure(training.boxes, seats, against)
            figures.append(
                {"exploitability": measured["exploitability"]}
                | {
                    f"{'human' if name == human else name} {way}": measured[name][way]
                    for name in against
                    for way in WAYS
                }
            )
            advance()
        won = np.concatenate(points)
        played.append([np.cumsum(won == worth) for worth in (1, 0, -1)])
        exact.append(figures)
    names = exact[0][0]
    return Curves(
        np.array(played, np.float64), {name: np.array([[at[name] for at in row] for row in exact]) for name in names}
    )


def spread(rows: Floats) -> tuple[Floats, Floats, Floats]:
    """Returns the mean over the rows ``[seeds, k]``, and the band."""
    low, high = np.percentile(rows, BAND, axis=0)
    return rows.mean(axis=0), low, high


def write_played(path: Path, curves: dict[Human, Curves], moments: Ints) -> None:
    """Writes games won, drawn and lost so far as CSV."""
    rows = []
    for human, measured in curves.items():
        for way, counts in zip(WAYS, measured.played.transpose(1, 0, 2), strict=True):
            for games in moments[moments > 0]:
                figures = (float(figure[0]) for figure in spread(counts[:, games - 1 : games]))
                rows.append((human, games, NAMES[way], *figures))
    write_csv(path, ("probability", "games", "ended", "mean", "low", "high"), rows, "\r\n")


def write_exact(path: Path, curves: dict[Human, Curves], moments: Ints) -> None:
    """Writes the computed figures as CSV."""
    rows = []
    for human, measured in curves.items():
        for name, figures in measured.exact.items():
            for games, *ends in zip(moments, *spread(figures), strict=True):
                rows.append((human, games, name, *map(float, ends)))
    write_csv(path, ("probability", "games", "figure", "mean", "low", "high"), rows, "\r\n")


def picture_of_games(curves: dict[Human, Curves], moments: Ints, path: Path) -> None:
    """Draws games won, drawn and lost against games played, a curve for each probability."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4.4), layout="constrained")
    figure.suptitle(f"MENACE against a human who plays an optimal move with probability p ({_band(curves)})", size=11)
    every = figure.subplots(1, 3, sharey=True)
    games = np.arange(1, moments[-1] + 1)
    for k, axes in enumerate(every):
        _draw_curves(axes, games, {p: measured.played[:, k] for p, measured in curves.items()})
        axes.set(title=f"games {NAMES[WAYS[k]]}", xlabel="games played", xlim=(0, moments[-1]))
    every[0].set_ylabel("games so far")
    every[0].legend(loc="upper left", frameon=False)
    figure.savefig(path, format="png", dpi=110)


def picture_of_chances(curves: dict[Human, Curves], moments: Ints, path: Path) -> None:
    """Draws exploitability, and the chances against the perfect, the random and the human player."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 7.6), layout="constrained")
    figure.suptitle(f"what MENACE's beads are worth after games against human(p), computed ({_band(curves)})", size=11)
    halves: Any = figure.subfigures(1, 2, width_ratios=(1, 2.1))
    exploited = halves[0].subplots()
    grid = halves[1].subplots(3, 3, sharex=True, sharey="row")
    panels = [(exploited, "exploitability", "exploitability, points per game")]
    for row, (rival, title) in zip(
        grid, (("perfect", "perfect"), ("random", "random"), ("human", "human(p)")), strict=True
    ):
        panels += [
            (axes, f"{rival} {way}", f"{NAMES[way]} against {title}") for axes, way in zip(row, WAYS, strict=True)
        ]
    for axes, name, title in panels:
        _draw_curves(axes, moments, {p: measured.exact[name] for p, measured in curves.items()})
        axes.set_title(title, size=10)
        axes.set(xlim=(0, moments[-1]), ylim=(-0.03, 1.03))
    exploited.set_xlabel("games played")
    exploited.legend(loc="upper right", frameon=False)
    for axes in grid[-1]:
        axes.set_xlabel("games played")
    for row in grid:
        row[0].set_ylabel("chance")
    figure.savefig(path, format="png", dpi=110)


def _draw_curves(axes: "Axes", games: Ints, figures: Mapping[Human, Floats]) -> None:
    """Draws the mean over the seeds and the band, for each probability; figures are ``[seeds, games]``."""
    from matplotlib import colormaps

    colours = colormaps["viridis"](np.linspace(0.0, 0.88, len(figures)))
    for colour, (human, rows) in zip(colours, figures.items(), strict=True):
        mean, low, high = spread(rows)
        axes.plot(games, mean, color=colour, label=f"p = {human}", linewidth=1.6)
        axes.fill_between(games, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.locator_params(axis="x", nbins=4)
    axes.grid(alpha=0.3)


def _band(curves: dict[Human, Curves]) -> str:
    seeds = len(next(iter(curves.values())).played)
    return f"mean of {seeds} seeds, bands from the {BAND[0]}th to the {BAND[1]}th percentile"
