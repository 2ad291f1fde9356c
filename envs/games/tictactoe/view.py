"""Tic-tac-toe for people: boards as text and as drawings."""

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.drawing.canvas import Canvas
from nashzoo.envs.drawing.palette import GLOW, INK, MUTED, PANEL, PLAYER_COLOURS, WEIGHT
from nashzoo.envs.games.tictactoe.rules import (
    CELLS,
    COLUMNS,
    DIAGONALS,
    ROWS,
    SIDE,
    State,
    has_line,
    payoff,
    terminal,
    turn,
)

EMPTY_CELL, CROSS, NOUGHT = MARKS = ".xo"
PLAYERS = ("crosses", "noughts")
LABELS = (
    "top left", "top middle", "top right", "left middle", "middle", "right middle", "bottom left", "bottom middle",
    "bottom right",
)  # fmt: skip
LEFT, TOP, PITCH, WIDTH = 24.0, 16.5, 26.0, 25.0  # units: middle of the first cell, distance of cells, width of a cell
BOLD = 3.4  # units, of the strokes of crosses and noughts


def spelled(field: str, text: str) -> dict[str, int]:
    """Parses ``board``, nine characters of ``.``, ``x`` and ``o``, row by row.

    Raises:
        UsageError: it is anything else.
    """
    if field != "board":
        return {}
    board = text.lower()
    if len(board) != CELLS or set(board) - set(MARKS):
        raise UsageError(f"board must be {CELLS} characters, each one of {' '.join(MARKS)}, not {text!r}")
    return {
        name: sum(1 << cell for cell in range(CELLS) if board[cell] == mark)
        for name, mark in zip(State._fields, (CROSS, NOUGHT), strict=True)
    }


def board_of(state: State) -> str:
    """Returns the nine characters of a position, as :func:`spelled` reads them.

    >>> board_of(State(crosses=0b000_010_001, noughts=0b000_000_100))
    'x.o.x....'
    """
    return "".join(MARKS[(state.crosses >> cell & 1) + 2 * (state.noughts >> cell & 1)] for cell in range(CELLS))


def spell(state: State) -> str:
    """Returns a position as one line of text."""
    return f"board={board_of(state)}"


def text(state: State) -> str:
    """Returns the board, beside it the numbers of the empty cells, and the player to move or the result."""
    board = board_of(state)
    lines = []
    for row in ROWS:
        marks = " | ".join(board[cell].replace(EMPTY_CELL, " ") for cell in row)
        numbers = " | ".join(str(cell) if board[cell] == EMPTY_CELL else " " for cell in row)
        lines.append(f" {marks}       {numbers}".rstrip())
    lines = ["\n---|---|---     ---|---|---\n".join(lines)]
    if not terminal(state):
        mover = turn(state)
        lines.append(f"player {mover} ({MARKS[1 + mover]}) to move")
    elif has_line(state.crosses) or has_line(state.noughts):
        winner = int(has_line(state.noughts))
        lines.append(f"player {winner} ({MARKS[1 + winner]}): three in a row")
    else:
        lines.append("a draw")
    return "\n".join(lines)


def event(state: State, action: int, after: State) -> str:
    """Describes the player, its cell, and why the game ends."""
    mover = turn(state)
    marked = f"{PLAYERS[mover]} marked {action}"
    if not terminal(after):
        return marked
    return f"{marked}: three in a row" if payoff(after) else f"{marked}: the board is full"


def introduction(player: int) -> str:
    """Returns the marks of the player."""
    begins = "and begin" if player == 0 else "and move second"
    return f"You are {PLAYERS[player]}, {MARKS[1 + player]}, {begins}. Three in a row win."


def in_short() -> list[str]:
    """Returns three boards with three in a row."""
    lines = ROWS[0], COLUMNS[0], DIAGONALS[0]
    boards = [[" ".join(".x"[cell in line] for cell in row) for line in lines] for row in ROWS]
    return [
        "Mark an empty cell. Three in a row, a column or a diagonal win.",
        "\n".join("    ".join(row) for row in boards),
        "A full board is a draw.",
    ]


rules_text = """{Tic-tac-toe}, on a board of 3 rows with 3 cells each.
The players, {crosses} and {noughts}, mark an empty cell in turn, player 0 first: x for {crosses}, o for {noughts}. \
Marks stay.
The first player with three of its marks in a row, a column or a diagonal wins 1 point, and the game is over. If the \
board is full before, it is a draw, which brings 0. Nothing is hidden.
In texts a choice is the number of a cell, row by row: 0 is at the top left, 8 at the bottom right."""


def legend() -> str:
    """Returns the meaning of the second board."""
    return "On the right are the numbers of the cells that are empty."


def targets(state: State) -> dict[int, tuple[float, float, float, float]]:
    """Returns the empty cells."""
    return {
        cell: (LEFT + PITCH * (cell % SIDE) - WIDTH / 2, TOP + PITCH * (cell // SIDE) - WIDTH / 2, WIDTH, WIDTH)
        for cell in range(CELLS)
        if not (state.crosses | state.noughts) >> cell & 1
    }


def draw(state: State, canvas: Canvas) -> None:
    """Draws the cells, crosses and noughts, a mark on three in a row, and the player to move or the result."""
    won = [line for line in ROWS + COLUMNS + DIAGONALS if is_full(state.crosses, line) or is_full(state.noughts, line)]
    middle = [(LEFT + PITCH * (cell % SIDE), TOP + PITCH * (cell // SIDE)) for cell in range(CELLS)]
    for cell, (x, y) in enumerate(middle):
        fill = GLOW if any(cell in line for line in won) else PANEL
        canvas.rectangle(x - WIDTH / 2, y - WIDTH / 2, WIDTH, WIDTH, fill, 3)
        if state.crosses >> cell & 1:
            draw_mark(canvas, CROSS, x, y, 7.5, fill)
        elif state.noughts >> cell & 1:
            draw_mark(canvas, NOUGHT, x, y, 7.5, fill)
        else:
            canvas.text(x, y, str(cell), 4.5, MUTED)
    for line in won:
        (x0, y0), (x1, y1) = middle[line[0]], middle[line[-1]]
        dx, dy = (x1 - x0) / 6, (y1 - y0) / 6
        canvas.stroke([(x0 - dx, y0 - dy), (x1 + dx, y1 + dy)], WEIGHT, INK)
    last = text(state).splitlines()[-1]
    canvas.text(50, 91.5, last, 5)


def is_full(marks: int, line: tuple[int, ...]) -> bool:
    """Returns whether all cells of a line are marked."""
    return all(marks >> cell & 1 for cell in line)


def draw_mark(canvas: Canvas, mark: str, x: float, y: float, size: float, ground: str) -> None:
    """Draws a cross or a nought with a radius of ``size`` units, on a background of this colour."""
    if mark == CROSS:
        arm = size - BOLD / 2
        for slope in (1, -1):
            canvas.stroke([(x - arm, y - slope * arm), (x + arm, y + slope * arm)], BOLD, PLAYER_COLOURS[0])
    else:
        canvas.circle(x, y, size + 0.6, PLAYER_COLOURS[1])  # a round shape looks smaller than it is
        canvas.circle(x, y, size + 0.6 - BOLD, ground)
