"""Pictures of the exact solution, as a map or a line of perfect play, and of single states."""

import itertools
import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nashzoo.app.shared.axes_canvas import draw_state
from nashzoo.app.shared.words import sentence, sides
from nashzoo.arena.pictures import draw_cells, headed, need_matplotlib, style, write
from nashzoo.baselines import Solution, solve
from nashzoo.baselines.principal_variation import principal_variation
from nashzoo.baselines.store import solution_of
from nashzoo.envs import Game
from nashzoo.envs.base.assignments import assignments
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import write_text
from nashzoo.envs.base.words import MINUS, counted, figure, noun
from nashzoo.envs.core.game import Floats
from nashzoo.envs.drawing.palette import GROUND, LINE, SIDES, check_theme, shade

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CELLS = 10_000  # of a map
CELL, LARGEST, ALL = 0.5, 0.9, 5.0  # inches: a cell at least and at most, and a map whose cells are between
BOARD_ALONE = 6.0  # inches, of a state
BOARD, BOARDS_IN_A_ROW, TITLE, HEAD = 2.6, 3, 0.34, 0.4  # inches wide, and inches of room for titles and the headline
COLOURS = "RdBu_r"  # from player 1's wins to player 0's
FAINTEST = 0.35  # the shade of the longest win, and of the least that is won, of 1
DIGITS, SIZE = 9, 10  # of compared values; of numbers, points
DPI = 110


class Map(NamedTuple):
    """The values of states that differ in two fields; NaN where there is no such state."""

    across: str  # the name of the field for people
    up: str
    columns: range  # the values of ``across``
    rows: range  # the values of ``up``
    values: Floats  # [rows, columns], points to player 0
    distances: Floats | None  # [rows, columns], moves to the end, NaN for a draw; None where players move at once
    stake: float  # the most points that a player can still lose in one of them


class Moment(NamedTuple):
    """A state in a line of play, and the move that led to it."""

    code: int
    player: int
    move: str  # empty for the first state


def value_map(game: Game, at: str, over: str) -> Map:
    """Returns the values of the states that ``at`` describes, for all values of the two fields ``over``.

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
        except UsageError as error:  # no state has these values
            refusal = error
            continue
        if not game.terminal(code):
            codes[column, row] = code
    if not codes:
        raise UsageError(f"there is no state to draw: {refusal}")
    columns, rows = (range(min(places), max(places) + 1) for places in zip(*codes, strict=True))
    solution = solution_of(game)
    if missing := [code for code in codes.values() if code not in solution.states]:  # unreachable from the start
        solution = solve(game, roots=[*game.start_codes, *missing])
    shape = len(rows), len(columns)
    values, distances = np.full(shape, np.nan), np.full(shape, np.nan)
    for (column, row), code in codes.items():
        place = row - rows[0], column - columns[0]
        values[place] = solution.value(code)
        distances[place] = np.nan if (distance := solution.distance(code)) is None else distance
    stake = max(game.at_stake(code) for code in codes.values())
    across, up = (_named(game, field) for field in (across, up))
    return Map(across, up, columns, rows, values, None if solution.distances is None else distances, stake)


def _two_fields(game: Game, over: str) -> tuple[str, str]:
    fields = over.split(",")
    known = game.state(int(game.start_codes[0]))._fields
    if len(fields) != 2 or fields[0] == fields[1]:
        raise UsageError(f"--over takes two different fields, as in {known[0]},{known[1]}; not {over!r}")
    for field in fields:
        if field not in known:
            raise UsageError(f"{game.name} has no field {field}; it has {', '.join(known)}")
    return fields[0], fields[1]


@style()
def map_figure(game: Game, at: str, grid: Map) -> "Figure":
    """Returns a figure of a map, a colour and a number in every cell, with a sentence on who is ahead where.

    The strongest colour is that of all that is at stake. In turn-based games the number is the moves to the end, and
    the colour is stronger the nearer the end is; a draw has neither. In other games the number is the value.
    """
    from matplotlib.figure import Figure

    cell = min(max(CELL, ALL / len(grid.columns)), LARGEST)
    drawn = Figure(figsize=(max(cell * len(grid.columns) + 1, 6), cell * len(grid.rows) + 1.6), layout="constrained")
    axes = drawn.subplots()
    meaning = f"Numbers: points that red wins with perfect play. The strongest colour is {grid.stake:g}, all at stake"
    numbers = grid.values.round(DIGITS)
    shades = np.sign(numbers) * FAINTEST + (1 - FAINTEST) * grid.values / grid.stake
    if grid.distances is not None:
        meaning = "Numbers: moves of both to the end; none: a draw. Colours are stronger the nearer the end is"
        longest = max(float(np.nanmax(grid.distances, initial=1.0)), 2.0)
        nearness = 1 - (1 - FAINTEST) * (np.nan_to_num(grid.distances, nan=1.0) - 1) / (longest - 1)
        shades, numbers = shades * nearness, grid.distances
        if len({*numbers[numbers > 0]}) == 1:
            meaning, numbers, shades = "All moves count. Light: a draw", np.full_like(numbers, np.nan), np.sign(shades)
    signs = {1: "+" * (grid.distances is None), 0: "", -1: MINUS}
    texts = [
        ["" if np.isnan(number) else signs[int(np.sign(number))] + figure(abs(number)) for number in row]
        for row in numbers
    ]
    extent = (grid.columns[0] - 0.5, grid.columns[-1] + 0.5, grid.rows[0] - 0.5, grid.rows[-1] + 0.5)
    draw_cells(axes, shades, texts, 1.25, COLOURS, SIZE, origin="lower", extent=extent, aspect="auto")
    axes.set(xlabel=grid.across, ylabel=grid.up, xticks=grid.columns, yticks=grid.rows)
    players = "".join(f"; {side}: {name}" for side, name in zip(SIDES, sides(game), strict=True) if side != name)
    fixed = {_named(game, name): value for name, value in (assignments(at.split(",")) if at else {}).items()}
    for side, other in (SIDES, SIDES[::-1]):  # a player that is at one place
        x, y = (fixed.get(name.replace(f"{other}'s", f"{side}'s"), -1) for name in (grid.across, grid.up))
        if x in grid.columns and y in grid.rows and np.isnan(grid.values[y - grid.rows[0], x - grid.columns[0]]):
            axes.text(x, y, side[0].upper(), size=14, weight="bold", ha="center", va="center")
            players += f"; {side[0].upper()}: where {side} is"
    if np.isnan(grid.values).sum() > players.count(": where "):
        axes.patch.set(hatch="///", edgecolor=shade(LINE))  # seen where the map is empty
        meaning += ". Hatched: the game is over, or there is no such state"
    held = [_holds(name, str(value)) for name, value in fixed.items()]
    seen = f"When {held.pop()}, {_seen(grid)}." if len(held) == 1 else sentence(_seen(grid))
    headed(drawn, seen, f"{', '.join([game.name, *held])}, all else as at the start{players}. {meaning}.")
    return drawn


def _holds(name: str, value: str) -> str:
    owner, _, things = name.partition("'s ")
    many = f"{owner} has {'no' if value == '0' else value} {things.removesuffix('s') if value == '1' else things}"
    return many if things.endswith("s") else f"{name} = {value}"


def _named(game: Game, field: str) -> str:
    """Returns the name of a field for people, with the players as their colours."""
    name = game.view.field_name(field) or field
    for colour, player in zip(SIDES, game.view.PLAYERS, strict=True):
        name = name.replace(player, colour)
    return name


def _seen(grid: Map) -> str:
    """Returns who wins where on a map and how much, or how soon."""
    states, values = counted(int(np.sum(~np.isnan(grid.values))), "state"), np.nan_to_num(grid.values).round(DIGITS)
    won, wins = [np.count_nonzero(sign * values > 0) for sign in (1, -1)], values != 0
    if not any(won):
        return f"neither is ahead in any of {states}"
    counts = f"{SIDES[not won[0]]} wins in {won[not won[0]]} of {states}" + f", {SIDES[1]} in {won[1]}" * all(won)
    amounts = np.abs(values[wins]) if grid.distances is None else grid.distances[wins]
    ends = [figure(end) for end in (amounts.min(), amounts.max())]
    how_much = " to ".join(dict.fromkeys(ends))
    if grid.distances is not None:
        return f"{counts}, {'always ' * (len(set(ends)) == 1)}in {how_much} {noun(float(ends[-1]), 'move')}"
    for name, places, axis in ((grid.up, grid.rows, 1), (grid.across, grid.columns, 0)):
        some = wins.any(axis=axis, keepdims=True)
        there = [place for place, is_there in zip(places, some.ravel(), strict=True) if is_there]
        if not min(won) and (wins == some & ~np.isnan(grid.values)).all() and len(there) == there[-1] - there[0] + 1:
            where = " to ".join(dict.fromkeys(map(str, (there[0], there[-1]))))
            only = f"only if {_holds(name, where)}" if len(there) < len(places) else "everywhere"
            return f"{SIDES[not won[0]]} wins {how_much} {noun(float(ends[-1]), 'point')} {only}"
    thing, other = (name.replace(f"{side}'s ", "") for name, side in zip((grid.across, grid.up), SIDES, strict=True))
    less = np.sign(np.subtract.outer(grid.rows, grid.columns))
    for word, sign in (("fewer", less), ("more", -less)):
        if thing == other and (np.sign(values) == sign).all():
            return f"whoever has {word} {thing} wins, by {how_much} {noun(float(ends[-1]), 'point')}"
    return f"{counts}, by {how_much} {noun(float(ends[-1]), 'point')}"


def perfect_line(solution: Solution, code: int) -> list[Moment]:
    """Returns play from a won state to the end: the winner takes the shortest way, the loser the longest.

    Raises:
        UsageError: the players move at once, chance decides, or the state is not won.
    """
    game = solution.game
    if game.has_chance:
        raise UsageError(f"chance decides in {game.name}; a line needs a game without chance")
    if solution.distances is None:
        raise UsageError(f"the players of {game.name} move at once; a line needs one of them to move at a time")
    if solution.distance(code) is None:
        raise UsageError(f"neither player can force a win from {game.spell(code)}; a line needs a state that one wins")
    line = [Moment(code, 0, "")]
    for step in principal_variation(solution, code, solution.num_states):
        player = game.turn(step.before)
        assert step.actions is not None
        line.append(Moment(step.after, player, game.actions[step.actions[player]]))
    return line


@style()
def line_figure(game: Game, line: list[Moment]) -> "Figure":
    """Returns a strip of boards, as the game draws them, each titled with the move that led to it."""
    from matplotlib.figure import Figure

    figure = Figure()
    canvases = []
    for number, (code, player, move) in enumerate(line):
        axes = figure.add_axes((0, 0, 1, 1), label=str(number))
        axes.set_title(f"{number}. {sides(game)[player]}: {move}" if move else "", size=10, loc="center")
        canvases.append(draw_state(game, code, axes, BOARD))
    top, bottom = min(canvas.top for canvas in canvases), max(canvas.bottom for canvas in canvases)
    columns = min(len(line), BOARDS_IN_A_ROW)
    rows = math.ceil(len(line) / columns)
    height = BOARD * (bottom - top) / 100
    total = HEAD + rows * (height + TITLE)
    figure.set_size_inches(columns * BOARD, total)
    for number, canvas in enumerate(canvases):
        row, column = divmod(number, columns)
        canvas.axes.set(xlim=(0, 100), ylim=(bottom, top))
        canvas.axes.set_position(
            (column / columns, 1 - (HEAD + (row + 1) * (height + TITLE)) / total, 1 / columns, height / total)
        )
    winner = sides(game)[game.payoff(line[-1].code) < 0]
    headed(figure, sentence(f"{winner} can force a win in {counted(len(line) - 1, 'move')}"))
    return figure


def write_board(game: Game, code: int, theme: str, out: Path) -> None:
    """Writes a state as the game draws it.

    Raises:
        UsageError: there is no such theme.
    """
    if out.suffix == ".svg":
        drawing = game.svg(code, theme)
        write_text(out, drawing)
        return
    need_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(BOARD_ALONE, BOARD_ALONE), facecolor=shade(GROUND, check_theme(theme)))
    draw_state(game, code, figure.add_axes((0, 0, 1, 1)), BOARD_ALONE, theme)
    write(figure, out, DPI)
