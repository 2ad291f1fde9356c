"""Tic-tac-toe: noughts and crosses in turn on nine cells, three in a row win. See ``docs/tictactoe.md``.

Cells are numbered row by row, 0 to 8. A set of cells is a mask of nine bits, bit ``c`` for cell ``c``.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.envs.canvas import Canvas
from nashzoo.envs.compiled import (
    LEGAL,
    OBSERVE,
    PAYOFF,
    READ,
    STEP,
    TERMINAL,
    TURN,
    Features,
    Floats,
    Ints,
    compiled,
)
from nashzoo.envs.errors import UsageError

NAME = "tictactoe_v0"
SIDE = 3
CELLS = SIDE * SIDE
ACTIONS = tuple(map(str, range(CELLS)))
MASKED = True

FULL = (1 << CELLS) - 1
EMPTY_CELL, CROSS, NOUGHT = MARKS = ".xo"
MARK_NAMES = ("crosses", "noughts")  # of player 0 and of player 1

ROWS = tuple(tuple(range(SIDE * row, SIDE * row + SIDE)) for row in range(SIDE))
COLUMNS = tuple(zip(*ROWS, strict=True))
DIAGONALS = (tuple(row[i] for i, row in enumerate(ROWS)), tuple(row[-1 - i] for i, row in enumerate(ROWS)))
LINES = tuple(sum(1 << cell for cell in line) for line in ROWS + COLUMNS + DIAGONALS)


class State(NamedTuple):
    """A position between two moves."""

    crosses: int  # 0..511, the cells of player 0, who moves first
    noughts: int  # 0..511, the cells of player 1

    def __str__(self) -> str:
        return f"board={board_of(self)}"


def parameters() -> Ints:
    """The game has no parameters."""
    return np.empty(0, np.int64)


@compiled()
def encode(state: State) -> int:
    """Packs a position: nine bits for each player's cells."""
    return state.noughts << CELLS | state.crosses


@compiled()
def decode(code: int) -> State:
    """Unpacks a position."""
    return State(code & FULL, code >> CELLS)


def largest(params: Ints) -> State:
    """Returns the largest value of each field."""
    return State(FULL, FULL)


def check(params: Ints, state: State) -> None:
    """Raises a ValueError for a position that play cannot lead to from any start of a game."""
    if state.crosses & state.noughts:
        raise UsageError("a cell holds a cross or a nought, not both")
    board = board_of(state)
    crosses, noughts = board.count(CROSS), board.count(NOUGHT)
    if crosses - noughts not in (0, 1):
        raise UsageError(f"there are as many crosses as noughts, or one more; {board} has {crosses} and {noughts}")
    if (has_line(state.crosses) and crosses == noughts) or (has_line(state.noughts) and crosses > noughts):
        raise UsageError(f"play ends with three in a row; on {board} it went on")


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
        for name, mark in zip(MARK_NAMES, (CROSS, NOUGHT), strict=True)
    }


def board_of(state: State) -> str:
    """Returns the nine characters of a position, as :func:`spelled` reads them.

    >>> board_of(State(crosses=0b000_010_001, noughts=0b000_000_100))
    'x.o.x....'
    """
    return "".join(MARKS[(state.crosses >> cell & 1) + 2 * (state.noughts >> cell & 1)] for cell in range(CELLS))


def start(params: Ints) -> tuple[Ints, Floats]:
    """The board is empty."""
    return np.array([encode(State(0, 0))]), np.ones(1)


@compiled()
def count(cells: int) -> int:
    """Returns how many cells a mask holds."""
    number = 0
    while cells:
        cells &= cells - 1
        number += 1
    return number


@compiled()
def has_line(cells: int) -> bool:
    """Returns whether a player with these cells has three in a row."""
    for line in LINES:  # noqa: SIM110  # numba knows no any()
        if cells & line == line:
            return True
    return False


@compiled(TURN)
def turn(params: Ints, code: int) -> int:
    """Crosses begin."""
    s = decode(code)
    return count(s.crosses) - count(s.noughts)


@compiled(STEP)
def step(params: Ints, code: int, action0: int, action1: int) -> int:
    """Marks a cell for the player to move."""
    s = decode(code)
    if turn(params, code) == 0:
        return encode(State(s.crosses | 1 << action0, s.noughts))
    return encode(State(s.crosses, s.noughts | 1 << action1))


@compiled(LEGAL)
def legal(params: Ints, code: int, player: int) -> int:
    """The mover marks any empty cell; the other player waits."""
    s = decode(code)
    if player != turn(params, code):
        return 1
    return FULL & ~(s.crosses | s.noughts)


@compiled(TERMINAL)
def terminal(params: Ints, code: int) -> bool:
    """The game ends with three in a row, or a full board."""
    s = decode(code)
    return has_line(s.crosses) or has_line(s.noughts) or s.crosses | s.noughts == FULL


@compiled(PAYOFF)
def payoff(params: Ints, code: int) -> float:
    """A point to the player with three in a row."""
    s = decode(code)
    return float(int(has_line(s.crosses)) - int(has_line(s.noughts)))


@compiled(OBSERVE)
def observe(params: Ints, code: int, player: int, out: Features) -> None:
    """Own cells, the other's cells, and who looks, since the players do not exchange their roles."""
    s = decode(code)
    own, other = (s.crosses, s.noughts) if player == 0 else (s.noughts, s.crosses)
    for cell in range(CELLS):
        out[cell] = own >> cell & 1
        out[CELLS + cell] = other >> cell & 1
    out[2 * CELLS] = player


@compiled(READ)
def read(params: Ints, observation: Features) -> tuple[int, int]:
    """Returns code and player."""
    own, other = 0, 0
    for cell in range(CELLS):
        own |= int(observation[cell] > 0.5) << cell
        other |= int(observation[CELLS + cell] > 0.5) << cell
    player = int(observation[2 * CELLS] > 0.5)
    return encode(State(own, other) if player == 0 else State(other, own)), player


def features(params: Ints) -> tuple[str, ...]:
    """Returns what each number of an observation means."""
    cells = tuple(f"{whose} mark on cell {cell}" for whose in ("own", "other's") for cell in range(CELLS))
    return (*cells, "plays noughts")


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
