"""Tic-tac-toe: noughts and crosses in turn on nine cells, three in a row win. See ``docs/tictactoe.md``.

Cells are numbered row by row, 0 to 8. A set of cells is a mask of nine bits, bit ``c`` for cell ``c``.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.rules import Floats, Ints, bits, compiled, observing, packing, rule, seat

NAME = "tictactoe_v0"
SIDE = 3
CELLS = SIDE * SIDE
ACTIONS = tuple(map(str, range(CELLS)))
MASKED = True

FULL = (1 << CELLS) - 1
ROWS = tuple(tuple(range(SIDE * row, SIDE * row + SIDE)) for row in range(SIDE))
COLUMNS = tuple(zip(*ROWS, strict=True))
DIAGONALS = (tuple(row[i] for i, row in enumerate(ROWS)), tuple(row[-1 - i] for i, row in enumerate(ROWS)))
LINES = tuple(sum(1 << cell for cell in line) for line in ROWS + COLUMNS + DIAGONALS)


class State(NamedTuple):
    """A state between two moves."""

    crosses: int  # 0..511, the cells of player 0, who moves first
    noughts: int  # 0..511, the cells of player 1


encode, decode = packing(State, crosses=CELLS, noughts=CELLS)


def parameters() -> Ints:
    """The game has no parameters."""
    return np.empty(0, np.int64)


def field_maxima(params: Ints) -> State:
    """Returns the largest value of each field."""
    return State(FULL, FULL)


def check(params: Ints, state: State) -> None:
    """Raises a UsageError for a state that is not reachable."""
    if state.crosses & state.noughts:
        raise UsageError("a cell holds a cross or a nought, not both")
    crosses, noughts = count(state.crosses), count(state.noughts)
    if crosses - noughts not in (0, 1):
        raise UsageError(f"there are as many crosses as noughts, or one more, not {crosses} and {noughts}")
    if (has_line(state.crosses) and crosses == noughts) or (has_line(state.noughts) and crosses > noughts):
        raise UsageError("play ends with three in a row; here it went on")


def start(params: Ints) -> tuple[Ints, Floats]:
    """The board is empty."""
    return np.array([encode(State(0, 0))]), np.ones(1)


@compiled()
def count(cells: int) -> int:
    """Returns the number of cells of a mask."""
    number = 0
    while cells:
        cells &= cells - 1
        number += 1
    return number


@compiled()
def has_line(cells: int) -> bool:
    """Returns whether a player with these cells has three in a row."""
    for line in LINES:  # noqa: SIM110  # numba has no any()
        if cells & line == line:
            return True
    return False


@rule
def turn(params: Ints, code: int) -> int:
    """Crosses begin."""
    s = decode(code)
    return count(s.crosses) - count(s.noughts)


@rule
def step(params: Ints, code: int, action0: int, action1: int) -> int:
    """Marks a cell for the player to move."""
    s = decode(code)
    if turn(params, code) == 0:
        return encode(State(s.crosses | 1 << action0, s.noughts))
    return encode(State(s.crosses, s.noughts | 1 << action1))


@rule
def legal(params: Ints, code: int, player: int) -> int:
    """The mover marks any empty cell; the other player waits."""
    s = decode(code)
    if player != turn(params, code):
        return 1
    return FULL & ~(s.crosses | s.noughts)


@rule
def terminal(params: Ints, code: int) -> bool:
    """The game ends with three in a row, or a full board."""
    s = decode(code)
    return has_line(s.crosses) or has_line(s.noughts) or s.crosses | s.noughts == FULL


@rule
def payoff(params: Ints, code: int) -> float:
    """A point to the player with three in a row."""
    s = decode(code)
    return float(int(has_line(s.crosses)) - int(has_line(s.noughts)))


@compiled()
def exchanged(params: Ints, code: int) -> int:
    """Returns the code of a board with crosses and noughts exchanged, for noughts' observation."""
    s = decode(code)
    return encode(State(s.noughts, s.crosses))


OBSERVATION = (
    bits("own mark on cell {}", "crosses", CELLS),
    bits("other's mark on cell {}", "noughts", CELLS),
    seat("plays noughts"),
)
observe, decode_observation, features = observing(OBSERVATION, State, encode, decode, exchanged)
