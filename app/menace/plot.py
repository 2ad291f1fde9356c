"""``nashzoo menace plot``: learning curves of MENACE against better and worse players, played and computed."""

import dataclasses
import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import rich

from nashzoo.agents.basic.checks import check_probability
from nashzoo.agents.learning.menace.boxes import Boxes, Settings
from nashzoo.agents.learning.menace.training import Lessons, Training
from nashzoo.app.menace.measures import measure, rivals, seats_of
from nashzoo.app.shared.csv_text import write_csv
from nashzoo.arena import pictures
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import check_folder
from nashzoo.envs.base.progress import progress_bar
from nashzoo.envs.base.words import counted
from nashzoo.envs.core.checks import MOST_SEEDS, check_count, check_whole
from nashzoo.envs.core.game import Floats, Ints
from nashzoo.envs.core.seeds import derived

POINTS = 24  # moments at which boxes are measured
BAND = (10, 90)  # percentiles of the seeds between which a band lies
WAYS = ("win", "draw", "loss")
DRAWN = {  # figures that are drawn, with their titles
    "exploitability": "exploitability, points per game",
    "random win": "wins from a random player, chance",
}
NAMES = {"win": "won", "draw": "drawn", "loss": "lost"}


class Human(NamedTuple):
    """A human teacher, by the probability of an optimal move."""

    first: float
    last: float  # differs from the first if the probability changes over all games

    def __str__(self) -> str:
        return f"{self.first:g}" if self.first == self.last else f"{self.first:g} to {self.last:g}"

    @property
    def share(self) -> str:
        """The share of perfect moves."""
        ends = dict.fromkeys(f"{100 * end:g}" for end in (self.first, self.last))
        return f"{' to '.join(ends)}%"


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
    later = moments[moments > 0]
    played = {
        human: {NAMES[way]: one.played[:, k, later - 1] for k, way in enumerate(WAYS)} for human, one in curves.items()
    }
    write(out / "games.csv", "ended", played, later)
    write(out / "exact.csv", "figure", {human: one.exact for human, one in curves.items()}, moments)
    drawn = [*picture_of_games(curves, moments, out / "games"), *picture_of_chances(curves, moments, out / "exact")]
    rich.print(f"Pictures and tables are in {out}: {', '.join(one.name for one in drawn)}, games.csv, exact.csv.")


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
    *others, human = against  # the human errs as often as the teacher does at the end
    columns = {f"{name} {way}": (name, way) for name in others for way in WAYS}
    columns |= {f"human {way}": (human, way) for way in WAYS}
    played, exact = [], []
    for seed in range(seeds):
        training = Training(Boxes(settings), dataclasses.replace(lessons, seed=derived(lessons.seed, seed)))
        points, figures = [], []
        for moment in moments:
            points.append(training.run(int(moment) - training.games).points)
            measured = measure(training.boxes, seats, against)
            chances = {column: measured[name][way] for column, (name, way) in columns.items()}
            figures.append({"exploitability": measured["exploitability"]} | chances)
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


def write(path: Path, what: str, figures: dict[Human, dict[str, Floats]], moments: Ints) -> None:
    """Writes figures ``[seeds, moments]`` by human and name, which are called ``what``, as CSV."""
    rows = [
        (human, games, name, *map(float, ends))
        for human, named in figures.items()
        for name, measured in named.items()
        for games, *ends in zip(moments, *spread(measured), strict=True)
    ]
    write_csv(path, ("probability", "games", what, "mean", "low", "high"), rows, "\r\n")


def picture_of_games(curves: dict[Human, Curves], moments: Ints, path: Path) -> list[Path]:
    """Draws games won, drawn and lost against games played, a curve for each probability."""
    games, last = np.arange(1, moments[-1] + 1), int(moments[-1])
    panels = {
        f"games {NAMES[way]}": {human: measured.played[:, k] for human, measured in curves.items()}
        for k, way in enumerate(WAYS)
    }
    won = {human: rows[:, -1].mean() for human, rows in panels["games won"].items()}
    most, least = (choose(won, key=won.__getitem__) for choose in (max, min))
    seen = (
        f"Of {last:,} games MENACE won {won[most]:,.0f} against a teacher with {most.share} perfect moves, and "
        f"{won[least]:,.0f} with {least.share}."
    )
    return _draw(seen, (most, least), games, panels, "games so far", curves, path)


def picture_of_chances(curves: dict[Human, Curves], moments: Ints, path: Path) -> list[Path]:
    """Draws exploitability, and the chance to win from a random player."""
    panels = {title: {human: one.exact[name] for human, one in curves.items()} for name, title in DRAWN.items()}
    ends = {human: rows[:, -1].mean() for human, rows in panels["exploitability, points per game"].items()}
    least, most = (choose(ends, key=ends.__getitem__) for choose in (min, max))
    seen = (
        f"After {moments[-1]:,} games an opponent who knows MENACE wins {ends[least]:.2f} points a game if "
        f"{least.share} of its teacher's moves are perfect, and {ends[most]:.2f} if {most.share} are."
    )
    return _draw(seen, (least, most), moments, panels, "points per game, or chance", curves, path)


@pictures.style()
def _draw(
    seen: str,
    told: tuple[Human, Human],
    games: Ints,
    panels: Mapping[str, Mapping[Human, Floats]],
    vertical: str,
    curves: dict[Human, Curves],
    path: Path,
) -> list[Path]:
    """Draws means over the seeds for each probability, with a band for those that are told; returns the paths."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.4 + 2.0 * len(panels), 4.2), layout="constrained")
    pictures.headed(figure, seen, f"Per cent: the teacher's perfect moves; its others are random. {_band(curves)}.")
    most = max(rows.max() for drawn in panels.values() for rows in drawn.values())
    every = figure.subplots(1, len(panels), sharey=True)
    for axes, (title, drawn) in zip(every, panels.items(), strict=True):
        ends = []
        for number, (human, rows) in enumerate(drawn.items()):
            mean, low, high = spread(rows)
            dashes, is_told = pictures.DASHES[number % len(pictures.DASHES)], human in told
            colour = pictures.SERIES[told.index(human) if is_told else -1]
            axes.plot(games, mean, color=colour, linestyle=dashes, linewidth=2.5 if is_told else 1.2)
            if is_told:
                axes.fill_between(games, low, high, color=colour, alpha=0.25, linewidth=0)
            ends.append(pictures.End(float(games[-1]), float(mean[-1]), human.share, colour, is_told))
        axes.set(title=title, xlabel="games played", xlim=(0, games[-1]), ylim=(-0.03 * most, 1.03 * most))
        axes.locator_params(axis="x", nbins=3)
        pictures.name_ends(axes, ends)
    every[0].set_ylabel(vertical)
    return pictures.write_each(figure, path)


def _band(curves: dict[Human, Curves]) -> str:
    seeds = len(next(iter(curves.values())).played)
    return f"Mean of {counted(seeds, 'seed')}, bands from the {BAND[0]}th to the {BAND[1]}th percentile"
