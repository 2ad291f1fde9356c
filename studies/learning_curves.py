"""What learners reach in a minute: for the page of results a table, and pictures of the games that have curves.

python -m studies.learning_curves
"""

import statistics
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nashzoo.app.bench.panels import ROUNDED, lines_of
from nashzoo.app.bench.pictures import LEAST, Line, on_page, percent
from nashzoo.app.results.table import known_rows
from nashzoo.arena.measurement.comparison import by_learner
from nashzoo.arena.measurement.outcomes import SizeOutcome
from nashzoo.arena.measurement.reference import reference
from nashzoo.envs.base.words import either
from nashzoo.envs.drawing.palette import CHALK, GROUND, INK, MUTED, PLAYER_COLOURS, shade
from studies.tables import DOCS, markdown, theme_rules, with_block, write_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OWN, OTHER = PLAYER_COLOURS
Styles = Mapping[str, tuple[str, str, Any]]
LEARNERS: Styles = {  # by name: what it is called here, its colour, width and dashes
    "deep_minimax": ("deep_minimax", OTHER, {"linewidth": 4}),  # seen below what lies on it
    "minimax_q": ("minimax_q", CHALK, {"linestyle": (0, (3, 2))}),
    "policy_gradient": ("policy_gradient", OWN, {"linestyle": (0, (7, 2, 1.5, 2))}),
    "PPO": ("PPO against bots", MUTED, {"linestyle": (0, (1, 1))}),
}
TABLES: Styles = {  # of the page of minimax-Q
    "minimax_q": ("minimax_q", OTHER, {"linewidth": 4}),
    "regret_matching": ("regret_matching", CHALK, {"linestyle": (0, (3, 2))}),
    "wolf_phc": ("wolf_phc", OWN, {"linestyle": (0, (7, 2, 1.5, 2))}),
    "value_iteration": ("value_iteration", MUTED, {"linestyle": (0, (1, 1))}),
}
SMALL, LETTERS = (4.0, 3.3), 47  # inches, a picture of one game; of a line above it
SECONDS = (0.002, 90.0)  # that all pictures show
TICKS, QUARTERS = (0.01, 0.1, 1, 10, 60), (0, 0.25, 0.5, 0.75, 1)
PAIRS = {"ncols": 2, "columnspacing": 1.2, "handlelength": 1.9, "handletextpad": 0.5, "borderaxespad": 0.2}
IMAGES = DOCS / "images"
PAGE, ALL = DOCS / "results.md", DOCS / "results" / "results.md"
ALONE = {  # a picture of each game, as wide as a telephone: by its title, the end of the file's name
    "Footsies": "footsies", "Roshambo": "roshambo", "Bodega Brawl, small": "bodega-small",
    "tic-tac-toe": "tictactoe", "soccer, 11 x 5": "soccer-small", "soccer": "soccer",
}  # fmt: skip
SHOWN = "Bodega Brawl, small", "soccer, 11 x 5"  # on the page of minimax-Q

Games = Mapping[str, Mapping[str, SizeOutcome]]


def draw_panel(axes: "Axes", games: Games, title: str, learners: Styles) -> None:
    """Draws exploitability over the processor's time in one game."""
    outcomes = [
        games[learner][title]._replace(learner=name)
        for learner, (name, *_) in learners.items()
        if title in games[learner]
    ]
    means = {one.learner: statistics.fmean(one.scores) for one in outcomes}
    lines = [  # seeds end at times of their own: the last point is of the figures in the table
        line._replace(mean=np.append(line.mean[:-1], means[line.learner])) for line in lines_of(outcomes)
    ]
    for line in lines:
        name, colour, drawn = next(style for style in learners.values() if style[0] == line.learner)
        label = f"{name} {percent(line.mean[-1], least=1e-3)}"
        axes.plot(line.places, line.mean, color=shade(colour), label=label, **{"linewidth": 2.4} | drawn)
    axes.set(xscale="log", xlim=SECONDS, ylim=(-0.03, 1.03), xlabel="processor seconds of learning")
    axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.set_yticks(QUARTERS, [f"{tick:.0%}" for tick in QUARTERS])
    axes.set_ylabel("exploitability")
    axes.minorticks_off()
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), fontsize=9, frameon=False, **PAIRS)
    figure = axes.get_figure(root=True)
    figure.suptitle(seen(lines, title), size=9.5, x=0.01, ha="left")


def seen(lines: Sequence[Line], title: str) -> str:
    """Returns which learners solve a game, or who comes nearest, in lines of a picture's width."""
    ends = {line.learner: line.mean[-1] for line in lines}
    there = [name for name, end in ends.items() if end <= LEAST * ROUNDED]
    said = f"{min(ends, key=lambda name: ends[name])} comes nearest to solving {title}"
    if there:
        only = "Only " * (len(there) < len(ends))
        said = f"{only}{either(there, 'and')} always {'solves' if len(there) == 1 else 'solve'} {title}"
    return textwrap.fill(said.replace(" x ", "\N{NO-BREAK SPACE}x\N{NO-BREAK SPACE}"), LETTERS, break_on_hyphens=False)


def alone(games: Games, title: str, learners: Styles = LEARNERS) -> str:
    """Returns the picture of a game, in the colours of the reader's theme."""
    draw = partial(draw_panel, games=games, title=title, learners=learners)
    return themed(on_page(draw, SMALL, f"Exploitability in {title}"))


def drawn() -> Iterator[tuple[Path, str]]:
    """Yields the files of all pictures, and what they hold."""
    outcomes = by_learner(reference())
    for game, file in ALONE.items():
        yield IMAGES / f"learning-{file}.svg", alone(outcomes, game)
    for game in SHOWN:
        yield DOCS / "learners" / f"tables-{ALONE[game]}.svg", alone(outcomes, game, TABLES)


def themed(drawn: str) -> str:
    """Returns a drawing in the colours of the reader's theme."""
    roles = (GROUND, INK, MUTED, CHALK, *PLAYER_COLOURS)
    rules = "\n".join([*theme_rules(roles), f"svg {{ color: var(--{INK}); background: var(--{GROUND}) }}"])
    for role in roles[2:]:
        drawn = drawn.replace(shade(role), f"var(--{role})")
    return drawn.replace("<defs>", f"<style>\n{rules}\n</style>\n <defs>", 1)


def glance(overview: str) -> str:
    """Returns the means that ``nashzoo results`` prints, with random play from the overview of all players."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in overview.splitlines() if "|" in line]
    random = dict(zip(rows[0], next(row for row in rows if row[0] == "random"), strict=True))
    (_, *learners), *games = known_rows()
    heads = ["game", *(f"`{name}`" if "_" in name else name for name in learners), "random"]
    means = [[cell.partition(" ±")[0].removesuffix("-") for cell in row] for row in games]
    return markdown([heads, *([*row, random[row[0]]] for row in means)]) + "\n"


def page() -> str:
    """Returns the page of results with its table made anew."""
    everyone = ALL.read_text(encoding="utf-8").split("## Exploitability\n")[1].split("\n## ")[0]
    return with_block(PAGE.read_text(encoding="utf-8"), "glance", glance(everyone))


if __name__ == "__main__":
    for file, picture in drawn():
        write_page(file, picture)
    write_page(PAGE, page())
