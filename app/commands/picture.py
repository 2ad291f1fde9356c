"""``nashzoo picture``: what the exact solution looks like, as a map over two fields or as a line of perfect play."""

import itertools
import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nashzoo.app.command_line.parsing import assignments, code_of, game_of
from nashzoo.app.commands.axes_canvas import AxesCanvas
from nashzoo.app.commands.solve import solved_with
from nashzoo.arena.heat_map import draw_cells, need_matplotlib, write
from nashzoo.baselines import Solution, solve
from nashzoo.baselines.store import solution_of
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_CELLS = 10_000  # of a map
CELL = 0.36  # inches
BOARD, BOARDS_IN_A_ROW, TITLE = 2.0, 6, 0.3  # inches wide, and inches of room for the title
COLOURS = "coolwarm"  # from player 1's wins to player 0's
FAINTEST = 0.35  # the shade of the longest win, of 1
DPI = 110


class Map(NamedTuple):
    """What states are worth that differ in two fields; NaN where there is no such state."""

    across: str
    up: str
    columns: range  # the values of ``across``
    rows: range  # the values of ``up``
    values: Floats  # [rows, columns], points to player 0
    distances: Floats | None  # [rows, columns], moves to the end, NaN for a draw; None where players move at once


class Moment(NamedTuple):
    """A state in a line of play, and the move that led to it."""

    code: int
    player: int
    move: str  # empty for the first


def value_map(game: Game, at: str, over: str) -> Map:
    """Returns what the states are worth that ``at`` describes but for two fields, ``over``.

    Args:
        game: The game.
        at: The fields of the states as ``field=value,field=value``; those left out are as at the start.
        over: The two fields, as ``across,up``.

    Raises:
        UsageError: ``over`` is not two fields of the game, or there is no such state at all.
    """
    across, up = _two_fields(game, over)
    fixed = assignments(at.split(",")) if at else {}
    for field in (across, up):
        if field in fixed:
            raise UsageError(f"the map is over {field}, so that --at must leave it open, not fix it to {fixed[field]}")
    maxima = game.field_maxima
    columns, rows = range(getattr(maxima, across) + 1), range(getattr(maxima, up) + 1)
    if len(columns) * len(rows) > MOST_CELLS:
        raise UsageError(f"a map over {over} has {len(columns) * len(rows):,} cells; at most {MOST_CELLS:,} are drawn")
    codes: dict[tuple[int, int], int] = {}
    refusal = UsageError(f"the game is over wherever {over} leads")
    for column, row in itertools.product(columns, rows):
        try:
            code = game.code(**fixed, **{across: column, up: row})
        except UsageError as error:  # these two values do not go together, or not with the rest
            refusal = error
            continue
        if not game.terminal(code):
            codes[column, row] = code
    if not codes:
        raise UsageError(f"there is no state to draw: {refusal}")
    columns, rows = (range(min(places), max(places) + 1) for places in zip(*codes, strict=True))
    solution = _solved_with_all(game, list(codes.values()))
    shape = len(rows), len(columns)
    values, distances = np.full(shape, np.nan), np.full(shape, np.nan)
    for (column, row), code in codes.items():
        place = row - rows[0], column - columns[0]
        values[place] = solution.value(code)
        distances[place] = np.nan if (distance := solution.distance(code)) is None else distance
    return Map(across, up, columns, rows, values, None if solution.distances is None else distances)


def _two_fields(game: Game, over: str) -> tuple[str, str]:
    fields = over.split(",")
    known = game.state(int(game.start_codes[0]))._fields
    if len(fields) != 2 or fields[0] == fields[1]:
        raise UsageError(f"--over takes two different fields, as in {known[0]},{known[1]}; not {over!r}")
    for field in fields:
        if field not in known:
            raise UsageError(f"{game.name} has no field {field}; it has {', '.join(known)}")
    return fields[0], fields[1]


def _solved_with_all(game: Game, codes: list[int]) -> Solution:
    """Returns the solution, extended to states that play from the start does not lead to."""
    solution = solution_of(game)
    missing = [code for code in codes if code not in solution.states]
    return solve(game, roots=[*game.start_codes, *missing]) if missing else solution


def draw_map(axes: "Axes", found: Map) -> None:
    """Draws a map: a wash of colour in every cell, and a number.

    In turn-based games the number is the moves to the end, and the nearer the end the stronger the colour; a draw has
    none. In others the number is the value.
    """
    scale = max(float(np.nanmax(np.abs(found.values))), np.finfo(float).tiny)
    shades, numbers, digits = found.values / scale, found.values.round(2) + 0.0, "+.2f"
    if found.distances is not None:
        longest = max(float(np.nanmax(found.distances, initial=1.0)), 2.0)
        nearness = 1 - (1 - FAINTEST) * (np.nan_to_num(found.distances, nan=1.0) - 1) / (longest - 1)
        shades, numbers, digits = shades * nearness, found.distances, ".0f"
    texts = [["" if np.isnan(number) else format(number, digits) for number in row] for row in numbers]
    extent = (found.columns[0] - 0.5, found.columns[-1] + 0.5, found.rows[0] - 0.5, found.rows[-1] + 0.5)
    draw_cells(axes, shades, texts, 1.0, COLOURS, 7, origin="lower", extent=extent, interpolation="none")
    axes.set(xlabel=found.across, ylabel=found.up, xticks=found.columns, yticks=found.rows)


def map_figure(game: Game, at: str, found: Map) -> "Figure":
    """Returns a figure of one map."""
    from matplotlib.figure import Figure

    size = max(CELL * len(found.columns) + 1, 5), max(CELL * len(found.rows) + 1.2, 3)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    draw_map(axes, found)
    meaning = "number: value to player 0" if found.distances is None else "number: moves to the end, none: a draw"
    axes.set_title(f"{game.name} {at}\nred: player 0 is ahead, blue: player 1; {meaning}", size=8)
    return figure


def perfect_line(solution: Solution, code: int) -> list[Moment]:
    """Returns play from a won state to the end: the winner takes the shortest way, the loser the longest.

    Raises:
        UsageError: the players move at once, or the state is not won.
    """
    game = solution.game
    if solution.distances is None:
        raise UsageError(f"the players of {game.name} move at once; a line needs one of them to move at a time")
    if solution.distance(code) is None:
        raise UsageError(f"play need not end from {game.spell(code)}; a line needs a state that somebody wins")
    line = [Moment(code, 0, "")]
    while not game.terminal(code):
        player = game.turn(code)
        actions = [int(strategies[0].argmax()) for strategies in solution.strategies(np.array([code]))]
        code = game.step(code, actions[0], actions[1])
        line.append(Moment(code, player, game.actions[actions[player]]))
    return line


def line_figure(game: Game, line: list[Moment]) -> "Figure":
    """Returns a strip of boards, as the game draws them, each titled with the move that led to it."""
    from matplotlib.figure import Figure

    figure = Figure()
    canvases = []
    for number, (code, player, move) in enumerate(line):
        axes = figure.add_axes((0, 0, 1, 1), label=str(number))
        axes.set_title(f"{number}. player {player}: {move}" if move else "", size=8)
        canvases.append(AxesCanvas(axes, BOARD))
        game.draw(code, canvases[-1])
    top, bottom = min(canvas.top for canvas in canvases), max(canvas.bottom for canvas in canvases)
    columns = min(len(line), BOARDS_IN_A_ROW)
    rows = math.ceil(len(line) / columns)
    height = BOARD * (bottom - top) / 100
    total = rows * (height + TITLE)
    figure.set_size_inches(columns * BOARD, total)
    for number, canvas in enumerate(canvases):
        row, column = divmod(number, columns)
        canvas.axes.set(xlim=(0, 100), ylim=(bottom, top))
        canvas.axes.set_position(
            (column / columns, 1 - (row + 1) * (height + TITLE) / total, 1 / columns, height / total)
        )
    return figure


def main(game: str, param: tuple[str, ...], at: str, over: str | None, line: bool, out: Path) -> None:
    """Draws a map or a line and writes it to a file."""
    if line == (over is not None):
        raise UsageError("ask for one picture: --over FIELD,FIELD for a map, or --line for a line of perfect play")
    if out.suffix not in (".png", ".svg", ".pdf"):
        raise UsageError(f"--out must end in .png, .svg or .pdf, not {out.name!r}")
    need_matplotlib()
    chosen = game_of(game, param)
    if over is not None:
        figure = map_figure(chosen, at, value_map(chosen, at, over))
    else:
        code = code_of(chosen, at)
        figure = line_figure(chosen, perfect_line(solved_with(chosen, code), code))
    write(figure, out, DPI)
    print(f"written: {out}")
