"""Learners that play both seats, trained by the command: tables and pictures of their exploitability over seconds.

python -m studies.learners                      # resumes in runs/learners
python -m studies.learners nash_vi --seeds 1
"""

import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from matplotlib.figure import Figure

from nashzoo.app.bench.pictures import LEAST, LIMITS, TICKS
from nashzoo.arena import pictures
from nashzoo.arena.measurement.points import LEARNED_BOUNDS
from nashzoo.arena.pictures import plain_numbers
from nashzoo.envs.base.words import counted
from studies.tables import DOCS, markdown, run, with_block, write_page

RUNS = Path("runs/learners")
GAMES = {
    "Footsies": "footsies_v0",
    "tic-tac-toe": "tictactoe_v0",
    "Bodega Brawl, small": "bodega_brawl_v0 --param preset=small",
    "Roshambo": "roshambo_v0",
    "soccer, 11 x 5": "soccer_v0 --param width=11 height=5",
    "soccer": "soccer_v0",
}
STAKES = {"Roshambo": 1000.0}  # points, the most that can be won; 1 in the others

# Million decisions to learn from, by the learner, in the order of the games; all other settings are the defaults.
BUDGETS = {
    "minimax_q": (0.1, 1, 1, 4, 4, 40),
    "nash_vi": (0.1, 1, 1, 1, 4, 15),
    "regret_matching": (10, 20, 20),
    "wolf_phc": (20, 20, 20),
    "value_iteration": (0.01, 0.1, 0.3, 10, 4, 40),
}
PAGES = {  # pages with tables of these learners
    "minimax_q.md": ("minimax_q", "regret_matching", "wolf_phc", "value_iteration"),
    "nash_vi.md": ("nash_vi",),
}
FLOOR = 1e-9  # the accuracy of exact figures

Curve = list[dict[str, Any]]  # the points of a run's report


@dataclass
class Options:
    """Measure learners that play both seats, and draw the curves."""

    learners: Annotated[tuple[str, ...], tyro.conf.Positional] = tuple(BUDGETS)
    """Names of the learners; tables are written when all learners of the page are there."""
    seeds: int = 3
    """Seeds, from 0 on."""


def trained(learner: str, game: str, millions: float, seed: int) -> Curve:
    """Returns the learning curve of a run; it goes on with one that was interrupted."""
    folder = RUNS / f"{learner}-{game.replace(' ', '-')}-{seed}"
    run(
        f"nashzoo train {game} --algorithm {learner} --timesteps {round(millions * 1e6)} --seed {seed} --games 100 "
        f"--resume --quiet --out {folder}"
    )
    curve: Curve = json.loads((folder / "report.json").read_text())["curve"]
    return curve


def table(curves: dict[str, dict[str, list[Curve]]]) -> str:
    """Returns the ends of all curves, by learner and game: mean and largest over seeds."""
    rows: list[Sequence[str]] = [("learner", "game", "decisions", "seconds", "exploitability, mean", "largest")]
    for learner, games in curves.items():
        for title, of_seeds in games.items():
            ends = [curve[-1] for curve in of_seeds]
            figures = [end["exploitability"] for end in ends]
            seconds = f"{statistics.fmean(end['seconds'] for end in ends):.2g}"
            small = ("0" if figure < FLOOR else f"{figure:.2g}" for figure in (statistics.fmean(figures), max(figures)))
            rows.append((learner, title, f"{ends[0]['timesteps']:,}", seconds, *small))
    return markdown(rows, left=2) + "\n"


@pictures.style()
def draw(learner: str, games: dict[str, list[Curve]], out: Path) -> None:
    """Draws the exploitability of a learner in every game, and its bounds of the value."""
    figure = Figure(figsize=(11, 4.4), layout="constrained")
    panels, solved = figure.subplots(1, 2), 0
    for (title, of_seeds), colour, dashes in zip(games.items(), pictures.SERIES, pictures.DASHES, strict=False):
        stake = STAKES.get(title, 1.0)
        for curve in of_seeds:
            seconds, style = [point["seconds"] for point in curve], {"color": colour, "linestyle": dashes, "lw": 2.2}
            shares = [max(point["exploitability"] / stake, LEAST) for point in curve]
            panels[0].plot(seconds, shares, label=title if curve is of_seeds[0] else None, **style)
            for bound in LEARNED_BOUNDS:
                panels[1].plot(seconds, [point[bound] / stake for point in curve], **style)
        solved += all(curve[-1]["exploitability"] / stake <= FLOOR for curve in of_seeds)
    panels[0].set(yscale="log", ylim=LIMITS, title="exploitability (exact), each line a seed")
    panels[1].set(title="proven bounds of the value")
    for axes in panels:
        axes.set(xscale="log", xlabel="processor seconds of learning", ylabel="share of all that can be lost")
        plain_numbers(axes.xaxis)
        axes.minorticks_off()
    panels[0].set_yticks(list(TICKS), list(TICKS.values()))
    figure.legend(loc="outside right center", frameon=False, handlelength=3)
    pictures.headed(figure, f"{learner} reaches the equilibrium in {solved} of {counted(len(games), 'game')}.")
    pictures.write(figure, out)


def main(options: Options) -> None:
    """Trains what is missing, and writes pictures and tables."""
    curves = {}
    for learner in options.learners:
        curves[learner] = {
            title: [trained(learner, game, millions, seed) for seed in range(options.seeds)]
            for (title, game), millions in zip(GAMES.items(), BUDGETS[learner], strict=False)
        }
        if LEARNED_BOUNDS[0] in curves[learner]["Footsies"][0][0]:  # the others' pictures are of the benchmark
            draw(learner, curves[learner], DOCS / "learners" / f"{learner}.png")
    for name, learners in PAGES.items():
        if curves.keys() >= set(learners):
            page = DOCS / name
            write_page(page, with_block(page.read_text(), "table", table({one: curves[one] for one in learners})))


if __name__ == "__main__":
    main(tyro.cli(Options))
