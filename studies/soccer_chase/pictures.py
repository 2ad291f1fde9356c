"""The pictures of the page."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nashzoo.app.matches.picture import DPI, Moment, draw_map, line_figure, value_map
from nashzoo.arena.heat_map import write
from nashzoo.envs.core.game import Ints
from studies.soccer_chase.field import Field
from studies.soccer_chase.search import GameRecords, blinded, last_drawn, play, side_steps

COLUMN = 4  # of the holder in the maps
BEFORE, AFTER = 5, 6  # boards of the strip, before and after the slip
MOVERS = {"red": "the holder is to move", "blue": "the hunter is to move"}


def map_figure(field: Field) -> Figure:
    """Returns the values of chases by the hunter's cell, for a holder on the centre row and on a low one."""
    figure = _figure(14, 10.4)
    rows = (field.centre[1], max(field.mouth[0] - 2, 1))
    panels = [(y, turn) for y in rows for turn in MOVERS]
    states = [f"red_x={COLUMN},red_y={y},ball=red,turn={turn}" for y, turn in panels]
    maps = [value_map(field.game, at, "blue_x,blue_y") for at in states]
    longest = max(float(np.nanmax(found.distances)) for found in maps if found.distances is not None)
    for axes, found, (y, turn) in zip(figure.subplots(2, 2).flat, maps, panels, strict=True):
        draw_map(axes, found, longest)
        axes.text(COLUMN, y, "R", size=14, weight="bold", color="firebrick", ha="center", va="center")
        _mark_mouth(axes, field)
        _mark_limits(axes, field, y, turn)
        title = f"red holds the ball on ({COLUMN}, {y}); {MOVERS[turn]}"
        axes.set(title=title, xlabel="blue's column", ylabel="blue's row")
    return figure


def _figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height))
    figure.subplots_adjust(left=0.05, right=0.98, bottom=0.07, top=0.95, wspace=0.12, hspace=0.16)
    return figure


def _mark_limits(axes: Axes, field: Field, y: int, turn: str) -> None:
    """Draws the limits from which a hunter reaches the edge of the goal mouth in time, above and below the holder."""
    column = COLUMN + (0.5 if turn == "red" else -0.5)
    lowest, highest = field.mouth
    for edge, first, last in (
        (lowest + 0.5, max(lowest, y) + 0.5, field.height + 0.5),
        (highest - 0.5, min(highest, y) - 0.5, 0.5),
    ):
        axes.plot([column + abs(row - edge) for row in (first, last)], [first, last], "k--", linewidth=1.5)


def _mark_mouth(axes: Axes, field: Field) -> None:
    lowest, highest = field.mouth
    for x, colour in ((0.5, "firebrick"), (field.width + 0.5, "royalblue")):
        axes.plot([x, x], [lowest - 0.5, highest + 0.5], color=colour, linewidth=8, solid_capstyle="butt")


def rows_figure(field: Field) -> Figure:
    """Returns the values for a holder with the hunter in the next column, by the rows of both."""
    figure = _figure(13, 6.8)
    for axes, turn in zip(figure.subplots(1, 2), MOVERS, strict=True):
        found = value_map(field.game, f"red_x={COLUMN},blue_x={COLUMN + 1},ball=red,turn={turn}", "red_y,blue_y")
        draw_map(axes, found)
        axes.set(
            title=f"the hunter in the next column; {MOVERS[turn]}", xlabel="the holder's row", ylabel="the hunter's row"
        )
    return figure


def slip(field: Field, chosen: Ints, played: GameRecords) -> list[Moment]:
    """Returns the moves around a hunter's mistake in a game in which the holder side-steps; empty if there is none."""
    games = np.flatnonzero(side_steps(field, played))
    if not len(games):
        return []
    numbers = played.numbers[:, games[0]]
    numbers = numbers[numbers >= 0]
    after_slip = int(np.flatnonzero(numbers == last_drawn(field, numbers))[-1]) + 1
    line: list[Moment] = []
    for place in range(max(after_slip - BEFORE, 0), min(after_slip + AFTER + 1, len(numbers))):
        number, before = numbers[place], numbers[place - 1]
        move = field.game.actions[chosen[before]] if line else ""
        line.append(Moment(int(field.codes[number]), int(field.turn[before]), move))
    return line


def draw(field: Field, folder: Path) -> list[Path]:
    """Draws all pictures; returns the files."""
    figures = {"soccer-chase-map": map_figure(field), "soccer-chase-rows": rows_figure(field)}
    chosen = blinded(field)
    line = slip(field, chosen, play(field, chosen))
    if line:
        figures["soccer-chase-slip"] = line_figure(field.game, line)
    paths = []
    for name, figure in figures.items():
        paths.append(folder / f"{name}.png")
        write(figure, paths[-1], DPI)
    return paths
