"""Tic-tac-toe for people: boards as text and as drawings."""

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.canvas import Canvas
from nashzoo.envs.core.rules import Ints
from nashzoo.envs.games.tictactoe import CELLS, COLUMNS, DIAGONALS, ROWS, SIDE, State, decode, has_line, terminal, turn

EMPTY_CELL, CROSS, NOUGHT = MARKS = ".xo"


def spelled(params: Ints, field: str, text: str) -> dict[str, int]:
    """Reads ``board``, nine characters of ``.``, ``x`` and ``o``, row by row.

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
    """Returns a position in one line, as people write it."""
    return f"board={board_of(state)}"


def text(params: Ints, code: int) -> str:
    """Returns the board, beside it the numbers of the empty cells, and who is to move or how it ended."""
    s = decode(code)
    board = board_of(s)
    lines = []
    for row in ROWS:
        marks = " | ".join(board[cell].replace(EMPTY_CELL, " ") for cell in row)
        numbers = " | ".join(str(cell) if board[cell] == EMPTY_CELL else " " for cell in row)
        lines.append(f" {marks}       {numbers}".rstrip())
    lines = ["\n---|---|---     ---|---|---\n".join(lines)]
    if not terminal(params, code):
        mover = turn(params, code)
        lines.append(f"player {mover} ({MARKS[1 + mover]}) to move")
    elif has_line(s.crosses) or has_line(s.noughts):
        winner = int(has_line(s.noughts))
        lines.append(f"player {winner} ({MARKS[1 + winner]}) has three in a row")
    else:
        lines.append("a draw")
    return "\n".join(lines)


def draw(params: Ints, code: int, canvas: Canvas) -> None:
    """Draws the grid, crosses and noughts, and a stroke through three in a row."""
    s = decode(code)
    first, width = 11, 26  # of the cells, in units
    for k in (1, 2):
        canvas.line(first + k * width, first, first + k * width, first + SIDE * width, 1, "gray")
        canvas.line(first, first + k * width, first + SIDE * width, first + k * width, 1, "gray")
    middle = [(first + width * (cell % SIDE + 0.5), first + width * (cell // SIDE + 0.5)) for cell in range(CELLS)]
    for cell, (x, y) in enumerate(middle):
        if s.crosses >> cell & 1:
            canvas.line(x - 7, y - 7, x + 7, y + 7, 2, "steelblue")
            canvas.line(x - 7, y + 7, x + 7, y - 7, 2, "steelblue")
        elif s.noughts >> cell & 1:
            canvas.circle(x, y, 9, "indianred")
            canvas.circle(x, y, 7, "white")
    for cells in ROWS + COLUMNS + DIAGONALS:
        line = sum(1 << cell for cell in cells)
        if line in (s.crosses & line, s.noughts & line):
            (x0, y0), (x1, y1) = middle[cells[0]], middle[cells[-1]]
            canvas.line(x0, y0, x1, y1, 1, "black")
