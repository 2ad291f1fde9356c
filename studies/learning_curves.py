"""What learners reach in a minute: for the page of results a table, and pictures of the games that have curves.

python -m studies.learning_curves
"""

import statistics
import textwrap
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from nashzoo.app.bench.panels import ROUNDED, lines_of
from nashzoo.app.bench.pictures import Line, draw_lines, on_page
from nashzoo.app.results.table import known_rows
from nashzoo.app.shared.curves import LEAST
from nashzoo.arena.measurement.comparison import by_learner
from nashzoo.arena.measurement.outcomes import SizeOutcome
from nashzoo.arena.measurement.reference import reference
from nashzoo.arena.pictures import DASHES, SERIES
from nashzoo.envs.base.words import either
from nashzoo.envs.drawing.palette import GROUND, INK
from studies.tables import DOCS, markdown, theme_rules, with_block, write_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEARNERS = {  # by name: what it is called here, and its colour
    "PPO": ("PPO against bots", SERIES[-1]),
    "policy_gradient": ("policy_gradient", SERIES[0]),
    "deep_minimax": ("deep_minimax", SERIES[1]),
    "minimax_q": ("minimax_q", SERIES[2]),
}
SMALL, LETTERS = (3.7, 3.0), 44  # inches, a picture of one game; of a line above it
IMAGES = DOCS / "images"
PAGE, ALL = DOCS / "results.md", DOCS / "results" / "results.md"
ALONE = {  # a picture of each game, as wide as a telephone: by its title, the end of the file's name
    "Footsies": "footsies", "Roshambo": "roshambo", "Bodega Brawl, small": "bodega-small",
    "tic-tac-toe": "tictactoe", "soccer, 11 x 5": "soccer-small", "soccer": "soccer",
}  # fmt: skip

Games = Mapping[str, Mapping[str, SizeOutcome]]


def draw_panel(axes: "Axes", games: Games, title: str) -> None:
    """Draws exploitability over the processor's time in one game."""
    outcomes = [
        games[learner][title]._replace(learner=name)
        for learner, (name, _) in LEARNERS.items()
        if title in games[learner]
    ]
    means = {one.learner: statistics.fmean(one.scores) for one in outcomes}
    lines = [  # seeds end at times of their own: the last point is of the figures in the table
        line._replace(mean=np.append(line.mean[:-1], means[line.learner])) for line in lines_of(outcomes)
    ]
    styles = {name: (colour, dashes) for (name, colour), dashes in zip(LEARNERS.values(), DASHES, strict=False)}
    draw_lines(axes, lines, styles, width=2, linear=True)
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


def alone(games: Games, title: str) -> str:
    """Returns the picture of a game, in the colours of the reader's theme."""
    colours = [*theme_rules((GROUND, INK)), f"svg {{ color: var(--{INK}); background: var(--{GROUND}) }}"]
    drawn = on_page(partial(draw_panel, games=games, title=title), SMALL, f"Exploitability in {title}")
    return drawn.replace("<defs>", "<style>\n" + "\n".join(colours) + "\n</style>\n <defs>", 1)


def glance(overview: str) -> str:
    """Returns the table that ``nashzoo results`` prints, with random play from the overview of all players."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in overview.splitlines() if "|" in line]
    random = dict(zip(rows[0], next(row for row in rows if row[0] == "random"), strict=True))
    (_, *learners), *games = known_rows()
    heads = ["game", *(f"`{name}`" if "_" in name else name for name in learners), "random"]
    table = markdown([heads, *([*row, random[row[0]]] for row in games)])
    return table.replace(" - ", "  ").replace("± ", "±\N{NO-BREAK SPACE}") + "\n"


def page() -> str:
    """Returns the page of results with its table made anew."""
    everyone = ALL.read_text(encoding="utf-8").split("## Exploitability\n")[1].split("\n## ")[0]
    return with_block(PAGE.read_text(encoding="utf-8"), "glance", glance(everyone))


if __name__ == "__main__":
    outcomes = by_learner(reference())
    for game, file in ALONE.items():
        write_page(IMAGES / f"learning-{file}.svg", alone(outcomes, game))
    write_page(PAGE, page())
