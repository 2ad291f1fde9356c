"""Dark hex: Hex in which a player sees its own stones, and of the other's only those that it has bumped into.

Player 0 connects the top with the bottom, player 1 the left with the right. A player who tries a cell of the other
learns so, and tries another cell; in the abrupt game the turn is over instead. Players remember which cells they have
tried, and in which order: without the order, they would not know what they did before. Player 0 wins the regular game
of 2 by 2, and three of four abrupt ones.

Sources: OpenSpiel's ``dark_hex``, versions ``cdh`` and ``adh`` with ``obstype=reveal-nothing``; there, players of the
regular game also see the number of all tries so far, and forget it. Rudolph et al. (2025), "Reevaluating Policy
Gradient Methods for Imperfect-Information Games".
"""

from typing import NamedTuple

NAME = "dark_hex_v0"


class Params(NamedTuple):
    rows: int = 2
    columns: int = 3
    abrupt: bool = False


class State(NamedTuple):
    tries0: int  # the cells that player 0 has tried, in order: see after_try
    tries1: int
    stones0: int  # bit k for cell k, row by row
    stones1: int
    mover: int


SEEN_BY = {"tries0": (0,), "stones0": (0,), "tries1": (1,), "stones1": (1,)}
BIT_FIELDS = ("tries0", "tries1", "stones0", "stones1")
BITS = {"tries0": 21, "tries1": 21, "stones0": 9, "stones1": 9, "mover": 1}  # of 3 by 3 cells


def check_params(params):
    if min(params.rows, params.columns) < 1 or not 2 <= params.rows * params.columns <= 9:
        raise ValueError(f"a board has 2 to 9 cells, not {params.rows} rows of {params.columns}")


def actions(params):
    """Cells by their names in Hex, a letter for the column and a number for the row."""
    return [f"{'abcdefghi'[column]}{row + 1}" for row in range(params.rows) for column in range(params.columns)]


def field_maxima(params):
    cells, orders = params.rows * params.columns, 1
    for choices in range(3, cells + 2):
        orders *= choices
    return State(orders - 1, orders - 1, (1 << cells) - 1, (1 << cells) - 1, 1)


def start():
    return State(0, 0, 0, 0, 0)


def turn(state):
    return state.mover


def chosen(free, number):
    """Returns the free cell with this number, from 1 on, as a bit."""
    for _ in range(number - 1):
        free &= free - 1
    return free & -free


def untried(params, tries):
    """Returns the cells that a player has not tried."""
    choices = params.rows * params.columns + 1
    free = (1 << choices - 1) - 1
    while tries:
        free &= ~chosen(free, tries % choices)
        tries //= choices
        choices -= 1
    return free


def after_try(params, tries, cell):
    """Returns a player's tries and one more.

    The first is the number of its cell, from 1 on, the second, times the number of cells plus 1, that among the other
    cells, and so on. The last cell is not written down, as the board is full then.
    """
    choices = params.rows * params.columns + 1
    free, weight, earlier = (1 << choices - 1) - 1, 1, tries
    while earlier:
        free &= ~chosen(free, earlier % choices)
        earlier //= choices
        weight *= choices
        choices -= 1
    number = 1
    while chosen(free, number) != cell:
        number += 1
    return tries + weight * number if choices > 2 else tries


def legal(params, state):
    return untried(params, state.tries0 if state.mover == 0 else state.tries1)


def step(params, state, action):
    s, cell = state, 1 << action
    bumps = (s.stones0 | s.stones1) & cell != 0
    mover = s.mover if bumps and not params.abrupt else 1 - s.mover
    stone = 0 if bumps else cell
    if s.mover == 0:
        return State(after_try(params, s.tries0, cell), s.tries1, s.stones0 | stone, s.stones1, mover)
    return State(s.tries0, after_try(params, s.tries1, cell), s.stones0, s.stones1 | stone, mover)


def connects(params, stones, player):
    """Returns whether stones connect a player's sides; neighbours of a cell are also those up right and down left."""
    columns = params.columns
    top, left = (1 << columns) - 1, 0
    for row in range(params.rows):
        left |= 1 << row * columns
    right, bottom = left << columns - 1, top << (params.rows - 1) * columns
    reached, before = stones & (top if player == 0 else left), 0
    while reached != before:
        before = reached
        east, west = reached & ~right, reached & ~left
        reached |= east << 1 | west >> 1 | reached << columns | reached >> columns
        reached = (reached | west << columns - 1 | east >> columns - 1) & stones
    return reached & (bottom if player == 0 else right) != 0


def terminal(params, state):
    return connects(params, state.stones0, 0) or connects(params, state.stones1, 1)


def payoff(params, state):
    return int(connects(params, state.stones0, 0)) - int(connects(params, state.stones1, 1))


def text(params, state):
    """The board: x for player 0's stones, o for player 1's; a player's view has the stones that the player knows."""
    everything = (1 << params.rows * params.columns) - 1
    known0 = everything & ~untried(params, state.tries0) | state.stones1
    known1 = everything & ~untried(params, state.tries1) | state.stones0
    x, o = known1 & ~state.stones1, known0 & ~state.stones0
    marks = ["x" if x >> k & 1 else "o" if o >> k & 1 else "." for k in range(params.rows * params.columns)]
    rows = [" ".join(marks[row * params.columns : (row + 1) * params.columns]) for row in range(params.rows)]
    return "\n".join(" " * row + cells for row, cells in enumerate(rows))
