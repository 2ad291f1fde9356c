"""The table of results, written as CSV, as text and as pictures."""

import itertools
import re
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Column, Table
from rich.text import Text

from nashzoo.app.results.rows import ROWS, ResultsRow
from nashzoo.app.shared.bounded import in_words
from nashzoo.app.shared.csv_text import csv_text
from nashzoo.arena import pictures
from nashzoo.arena.measurement.comparison import by_learner
from nashzoo.arena.measurement.reference import reference
from nashzoo.baselines.certificate.bounds import Bounds
from nashzoo.envs.base.files import write_text
from nashzoo.envs.base.words import MINUS
from nashzoo.envs.core.game import Floats
from nashzoo.envs.drawing.palette import INK

COLUMNS = (
    "game", "player", "kind", "given", "seed", "timesteps", "games", "seconds", "exploitability",
    "opponent", "points_per_game", "standard_error", "best_response", "plain_points_per_game",
)  # fmt: skip
SCRIPTED = "least exploitable script"  # one row of the overview for all scripted players except random play
RANDOM = "random"
BUDGET = " times the budget"  # end of the name of a learner that has learned for longer
DETERMINISTIC = ", deterministic"  # end of the name of a policy that plays its most likely actions
DIGITS = 3
HINT = """
Each learned for 60 processor seconds. Means ± deviations over ten seeds; three
of PPO, and in large Bodega Brawl and soccer. -: too many states for its table.

Name a game to measure all learners, searches and scripted players in it:
nashzoo results tictactoe_v0 --seeds 1 --timesteps 5000     about 1 minute
nashzoo results footsies_v0                                 about 3 minutes"""
SOME = "PPO", "policy_gradient", "deep_minimax", "minimax_q"  # learners of different kinds
TITLES = "loses to best responses", "wins from the scripted players"
BARS = "Bars: means over {} games, of players measured in all. Strokes: each game. n/a: not computed in some game."
AXIS = "share of all that can be lost or won"
COLOURS, ROW = (pictures.OWN, pictures.OTHER), 0.28  # of the two panels; inches of a player
WON = "Means ± standard deviations. Won: the mean against scripted players. *: in part from games. -: not known."
LEGEND = r"""Figures are means ± standard deviations over seeds; a standard deviation that rounds to 0 is left out.
Empty: not measured. -: no exact figure could be computed. \*: in part estimated from games. `results.csv` has each
seed, and the points against each opponent.

*Given*: the information about the game that a player uses. *Won*: the mean of its points per game against each scripted
player. Exploitability in the first table is a share of the largest possible return; in the others, points per game."""


class EntrantResult(NamedTuple):
    """One policy of an entrant, made with one seed."""

    player: str
    kind: str
    given: str  # the information about the game that it uses
    seed: int
    figures: dict[str, Any]  # exploitability, and by scripted player points per game, their error and plain points
    made: dict[str, Any]  # timesteps, games, seconds and curve, of learners
    unit: str = "decisions"  # that timesteps counts


class GameTable(NamedTuple):
    """All that was measured in one game."""

    row: ResultsRow
    measured: list[EntrantResult]
    best: dict[str, float | None]  # points of the best response against each scripted player

    @property
    def players(self) -> list[str]:
        """The names of all players, in order."""
        return list(dict.fromkeys(one.player for one in self.measured))

    @property
    def scripted(self) -> list[str]:
        """The scripted players except random play."""
        kinds = {one.player: one.kind for one in self.measured if one.player != RANDOM}
        return [player for player, kind in kinds.items() if kind == "scripted"]

    def of(self, player: str) -> list[EntrantResult]:
        """Returns the results of a player, by seed."""
        return [one for one in self.measured if one.player == player]

    def exploitability(self, player: str) -> list[float]:
        """Returns a player's exploitability by seed, points per game; empty if it is unknown."""
        figures = [one.figures["exploitability"] for one in self.of(player)]
        return [] if None in figures else figures

    def bounds(self, player: str) -> list[Bounds]:
        """Returns proven bounds of a player's exploitability by seed; empty where it is known, or they are not."""
        return [Bounds(*one.figures["bounds"]) for one in self.of(player) if "bounds" in one.figures]

    def value(self, player: str, opponents: Iterable[str]) -> list[float]:
        """Returns a player's mean points per game against opponents, by seed."""
        chosen = list(opponents)
        return [statistics.fmean(one.figures["values"][name][0] for name in chosen) for one in self.of(player)]


def write(tables: Sequence[GameTable], folder: Path, command: str) -> list[Path]:
    """Writes ``results.csv``, ``results.md``, and the picture ``results``; returns their paths."""
    paths = [folder / name for name in ("results.csv", "results.md")]
    for path, text in zip(paths, (as_csv(tables), as_markdown(tables, command)), strict=True):
        write_text(path, text)
    return [*paths, *draw_overview(tables, folder / "results")]


def described(tables: Sequence[GameTable]) -> list[dict[str, Any]]:
    """Returns the tables as a list for JSON: one entry a game, with the figures of each player and seed."""
    return [
        {
            "game": table.row.game,
            "parameters": table.row.make().options,
            "best_responses": table.best,
            "measured": [
                {"player": one.player, "kind": one.kind, "given": one.given, "seed": one.seed} | one.figures | one.made
                for one in table.measured
            ],
        }
        for table in tables
    ]


def as_csv(tables: Sequence[GameTable]) -> str:
    """Returns a line for each game, player, seed and opponent."""
    rows = []
    for table in tables:
        game = repr(table.row.make())
        for one in table.measured:
            made = [one.made.get(name, "") for name in ("timesteps", "games")]
            seconds = f"{one.made['seconds']:.1f}" if "seconds" in one.made else ""
            begins = [game, one.player, one.kind, one.given, one.seed, *made, seconds]
            exploitability = _number(one.figures["exploitability"])
            for name, (value, error, *plain) in one.figures["values"].items():
                figures = [value, error, table.best[name], *(plain or [None])]
                rows.append([*begins, exploitability, name, *map(_number, figures)])
    return csv_text(COLUMNS, rows)


def as_markdown(tables: Sequence[GameTable], command: str) -> str:
    """Returns the overview and a table for each game."""
    parts = [
        "# Results\n",
        f"Made by `{command}`.\n",
        f"{LEGEND}\n",
        "## Exploitability\n",
        _markdown(overview(tables)),
        *(part for table in tables for part in (f"## {table.row.title}\n", _markdown(game_table(table)))),
    ]
    return "\n".join(parts)


def printed(table: GameTable) -> Table:
    """Returns the table of a game for the terminal, without what players learned from."""
    title = f"{table.row.title}: points per game, and seconds of learning"
    return _printed([[*row[:3], row[4]] for row in game_table(table)], title, WON)


def known_rows() -> list[list[str]]:
    """Returns what some learners reached by the protocol of ``nashzoo bench``, a row for each game."""
    some, titles = [*map(by_learner(reference()).__getitem__, SOME)], [row.title for row in ROWS]
    rows = [[title, *(_spread(games[title].scores if title in games else []) for games in some)] for title in titles]
    return [["", *SOME], *rows]


def known() -> Table:
    """Returns the same for the terminal."""
    (_, *learners), *games = known_rows()
    title = "What an opponent who knows it wins from a learner: 0 nothing, 1 every game"
    return _printed([["game", *learners], *games], title, HINT)


def _printed(rows: Sequence[Sequence[str]], title: str, caption: str) -> Table:
    """Returns rows, the first of them the headings, as a table for the terminal."""
    columns = [Column(rows[0][0]), *(Column(heading, justify="right") for heading in rows[0][1:])]
    table = Table(*columns, title=title, caption=caption, caption_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.caption_style = ""
    for name, *cells in rows[1:]:
        table.add_row(Text(name), *(re.sub(r"-(?=\d)", MINUS, cell) for cell in cells))
    return table


def overview(tables: Sequence[GameTable]) -> list[list[str]]:
    """Returns each player's exploitability in each game, mean and spread over seeds, as a share of the stake."""
    rows = [["", "given", *(table.row.title for table in tables)]]
    information = {one.player: one.given for table in tables for one in table.measured}
    for player in _rows(tables):
        standing = [(table, _stands_for(table, player)) for table in tables]
        cells = [_spread(one.exploitability(name), one.row.stake) * (name in one.players) for one, name in standing]
        rows.append([player, information.get(player, "by hand"), *cells])
    return rows


def game_table(table: GameTable) -> list[list[str]]:
    """Returns each player's exploitability, mean points against the scripted players, and time of learning."""
    rows = [["player", "exploitability", "won", "learned from", "seconds"]]
    for player in table.players:
        made = [one.made for one in table.of(player) if one.made]
        seconds = [one["seconds"] for one in made if "seconds" in one]
        number, unit = [one["timesteps"] for one in made], table.of(player)[0].unit
        learned = f"{statistics.fmean(number):,.0f} {unit}" if made else ""
        sampled = any(one.figures["values"][name][1] for one in table.of(player) for name in table.best)
        won = _spread(table.value(player, table.best)) + "*" * sampled
        took = f"{statistics.fmean(seconds):.3g}" if seconds else ""
        bounds = table.bounds(player)
        exploited = _between(bounds) if bounds else _spread(table.exploitability(player))
        rows.append([player, exploited, won, learned, took])
    return rows


@pictures.style()
def draw_overview(tables: Sequence[GameTable], path: Path) -> list[Path]:
    """Draws exploitability, and points won from the scripted players: means over the games, of players in all of them.

    Raises:
        ImportError: matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    standing = {row: [(table, _stands_for(table, row)) for table in tables] for row in _rows(tables)}
    rows = [row for row, some in standing.items() if all(name in table.players for table, name in some)]
    figures = np.full((2, len(rows), len(tables)), np.nan)
    for (place, row), column in itertools.product(enumerate(rows), range(len(tables))):
        table, name = standing[row][column]
        for kind, some in enumerate((table.exploitability(name), table.value(name, table.best))):
            figures[kind, place, column] = statistics.fmean(some) / table.row.stake if some else np.nan
    means, several, places = figures.mean(axis=2), len(tables) > 1, np.arange(len(rows))
    figure = Figure(figsize=(9, 1.8 + ROW * len(rows)), layout="constrained")
    pictures.headed(figure, _contrast(rows, *means), BARS.format(len(tables)) * several)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, values, mean, colour, title in zip(panels, figures, means, COLOURS, TITLES, strict=True):
        axes.barh(places, mean, height=0.6, color=colour, alpha=0.6)
        if several:
            axes.plot(values, places, "|", color=pictures.COLOURS[INK], markersize=10, markeredgewidth=1.2)
        for place, value in enumerate(mean.round(2) + 0.0):
            written = "n/a" if np.isnan(value) else f"{value:.2f}".replace("-", MINUS)
            axes.text(1.08, place, written, ha="center", va="center", transform=axes.get_yaxis_transform(), size=9)
        axes.set(title=title, xlabel=AXIS, xlim=(min(0.0, *axes.get_xlim()), 1.02), ylim=(len(rows) - 0.5, -0.5))
        axes.locator_params(axis="x", nbins=5)
        axes.grid(visible=False, axis="y")
    panels[0].set_yticks(places, rows)
    return pictures.write_each(figure, path)


def _contrast(rows: Sequence[str], lost: Floats, won: Floats) -> str:
    """Returns who wins most from the scripted players, of those of known exploitability, and what this one loses."""
    known = [row for row in range(len(rows)) if not np.isnan(lost[row] + won[row])]
    if not known:
        return "What players win from the scripted players."
    first = max(known, key=lambda row: won[row].round(2))
    lead = f"{rows[first]} wins {won[first]:.2f} of the stake from the scripted players, no player more"
    return f"{lead}, and loses {lost[first]:.2f} of it to best responses."


def _rows(tables: Sequence[GameTable]) -> list[str]:
    """Returns the rows of the overview: the players of all games, with two rows for the scripted players."""
    everyone = dict.fromkeys(name for table in tables for name in table.players if name not in table.scripted)
    named = [name for name in everyone if name not in (RANDOM, "exact solution") and not name.endswith(DETERMINISTIC)]
    longer = [name for name in named if name.endswith(BUDGET)]  # each after the same learner with the usual budget
    forms = [
        (name, name + DETERMINISTIC, *(one for one in longer if one.startswith(f"{name}, ")))
        for name in named
        if name not in longer
    ]
    rows = [form for some in forms for form in some if form in everyone]
    kinds = {one.player: one.kind for table in tables for one in table.measured}
    rows.sort(key=lambda name: (kinds[name] != "learned", _by_numbers(name) if kinds[name] == "searched" else []))
    scripted = [SCRIPTED] if any(table.scripted for table in tables) else []
    return [*rows, *scripted, RANDOM, "exact solution"]


def _by_numbers(name: str) -> list[str | int]:
    """Returns a key that sorts names by the numbers in them."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name.replace(",", ""))]


def _stands_for(table: GameTable, row: str) -> str:
    """Returns the player in a row of the overview."""
    if row != SCRIPTED:
        return row
    known = [name for name in table.scripted if table.exploitability(name)]
    return min(known, key=lambda name: table.exploitability(name)[0], default=SCRIPTED)


def _spread(figures: Sequence[float], stake: float = 1.0) -> str:
    """Returns the mean and the standard deviation of figures as shares of a stake; a dash if there are none."""
    if not figures:
        return "-"
    both = statistics.fmean(figures), statistics.stdev(figures) if len(figures) > 1 else 0.0
    mean, spread = (f"{figure / stake:z.{DIGITS}f}" for figure in both)  # no -0.000
    return f"{mean} ± {spread}" if float(spread) else mean


def _between(bounds: Sequence[Bounds]) -> str:
    """Returns the means of lower and of upper bounds; they are bounds of the mean."""
    return in_words(Bounds(*map(statistics.fmean, zip(*bounds, strict=True))), DIGITS)


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    """Returns rows, the first of them the headings, as a table in Markdown."""
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (rows[0], ["---"] * len(rows[0]), *rows[1:]))


def _number(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.9f}"
