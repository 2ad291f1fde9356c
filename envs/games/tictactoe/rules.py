"""Tic-tac-toe: noughts and crosses in turn on nine cells, three in a row win. See ``docs/tictactoe.md``.

Cells are numbered row by row, 0 to 8. A set of cells is a mask of nine bits, bit ``c`` for cell ``c``.
"""

from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.rules.observation import bits, seat

NAME = "tictactoe_v0"
SIDE = 3
CELLS = SIDE * SIDE
ACTIONS = tuple(map(str, range(CELLS)))

FULL = (1 << CELLS) - 1
ROWS = tuple(tuple(range(SIDE * row, SIDE * row + SIDE)) for row in range(SIDE))
COLUMNS = tuple(zip(*ROWS, strict=True))
DIAGONALS = (tuple(row[i] for i, row in enumerate(ROWS)), tuple(row[-1 - i] for i, row in enumerate(ROWS)))
LINES = tuple(sum(1 << cell for cell in line) for line in ROWS + COLUMNS + DIAGONALS)
# The new cell of each cell on the board as it is, turned, and mirrored.
SYMMETRIES = tuple(
    tuple(np.rot90(np.array(board), turns).ravel().tolist()) for board in (ROWS, COLUMNS) for turns in range(4)
)


def count(cells: int) -> int:
    """Returns the number of cells of a mask."""
    number = 0
    while cells:
        cells &= cells - 1
        number += 1
    return number


def has_line(cells: int) -> bool:
    """Returns whether a player with these cells has three in a row."""
    for line in LINES:  # noqa: SIM110  # numba has no any()
        if cells & line == line:
            return True
    return False


class State(NamedTuple):
    """A state between two moves."""

    crosses: int  # 0..511, the cells of player 0, who moves first
    noughts: int  # 0..511, the cells of player 1


BITS = {"crosses": CELLS, "noughts": CELLS}


def field_maxima() -> State:
    """Returns the largest value of each field."""
    return State(FULL, FULL)


def check(state: State) -> None:
    """Raises a ValueError for a state that is not reachable."""
    if state.crosses & state.noughts:
        raise ValueError("a cell holds a cross or a nought, not both")
    crosses, noughts = count(state.crosses), count(state.noughts)
    if crosses - noughts not in (0, 1):
        raise ValueError(f"there are as many crosses as noughts, or one more, not {crosses} and {noughts}")
    if (has_line(state.crosses) and crosses == noughts) or (has_line(state.noughts) and crosses > noughts):
        raise ValueError("play ends with three in a row; here it went on")


def start() -> State:
    """The board is empty."""
    return State(0, 0)


def turn(state: State) -> int:
    """Crosses begin."""
    return count(state.crosses) - count(state.noughts)


def legal(state: State) -> int:
    """The player to move marks any empty cell."""
    return FULL & ~(state.crosses | state.noughts)


def step(state: State, action: int) -> State:
    """Marks a cell for the player to move."""
    if turn(state) == 0:
        return State(state.crosses | 1 << action, state.noughts)
    return State(state.crosses, state.noughts | 1 << action)


def terminal(state: State) -> bool:
    """The game ends with three in a row, or a full board."""
    return has_line(state.crosses) or has_line(state.noughts) or state.crosses | state.noughts == FULL


def payoff(state: State) -> int:
    """A point to the player with three in a row."""
    return int(has_line(state.crosses)) - int(has_line(state.noughts))


def moved(cells: Any, symmetry: tuple[int, ...]) -> Any:
    """Returns a mask of cells after a symmetry, or an array of masks."""
    return sum((cells >> cell & 1) << symmetry[cell] for cell in range(CELLS))


def symmetries(state: State) -> list[tuple[State, tuple[int, ...]]]:
    """A board can be turned and mirrored."""
    return [(State(moved(state.crosses, new), moved(state.noughts, new)), new) for new in SYMMETRIES]


def exchange_sides(state: State) -> State:
    """Noughts observe a board with crosses and noughts exchanged."""
    return State(state.noughts, state.crosses)


OBSERVATION = (
    bits("own mark on cell {}", "crosses"),
    bits("other's mark on cell {}", "noughts"),
    seat("plays noughts"),
)
