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

import numpy as np

NAME = "dark_hex_v0"


class Params(NamedTuple):
    rows: int = 2
    columns: int = 3
    abrupt: bool = False


class State(NamedTuple):
    tried0: int  # bit k for cell k, row by row: the cells that player 0 has tried
    order0: int  # in which order, see order_after
    tried1: int
    order1: int
    stones0: int  # player 0's stones; all other cells that player 1 has tried are player 1's
    mover: int


class Tables(NamedTuple):
    connected: np.ndarray  # [2, stones]: 1 if stones connect the sides of a player


BIT_FIELDS = ("tried0", "order0", "tried1", "order1", "stones0")
BITS = {"tried0": 9, "order0": 16, "tried1": 9, "order1": 16, "stones0": 9, "mover": 1}  # of 3 by 3 cells


def check_params(params):
    if min(params.rows, params.columns) < 1 or not 2 <= params.rows * params.columns <= 9:
        raise ValueError(f"a board has 2 to 9 cells, not {params.rows} rows of {params.columns}")


def actions(params):
    """Cells by their names in Hex, a letter for the column and a number for the row."""
    return [f"{'abcdefghi'[column]}{row + 1}" for row in range(params.rows) for column in range(params.columns)]


def field_maxima(params):
    cells, orders = params.rows * params.columns, 1
    for tries in range(2, cells):
        orders *= tries
    return State((1 << cells) - 1, orders - 1, (1 << cells) - 1, orders - 1, (1 << cells) - 1, 1)


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


def tables(params):
    boards = range(1 << params.rows * params.columns)
    return Tables(np.array([[int(connects(params, stones, player)) for stones in boards] for player in range(2)]))


def start():
    return State(0, 0, 0, 0, 0, 0)


def turn(state):
    return state.mover


def count(cells):
    """Returns the number of cells in a set."""
    number = 0
    while cells:
        cells &= cells - 1
        number += 1
    return number


def order_after(params, tried, order, cell):
    """Returns the order of a player's tries after one more.

    The last cell is one of those tried, and how many of them are before it on the board tells which; then the same of
    the last but one, and so on. The very last cell is not written down, as the board is full then.
    """
    tries = count(tried) + 1
    return order * tries + count(tried & cell - 1) if tries < params.rows * params.columns else order


def legal(params, state):
    tried = state.tried0 if state.mover == 0 else state.tried1
    return (1 << params.rows * params.columns) - 1 & ~tried


def step(params, state, action):
    s, cell = state, 1 << action
    bumps = (s.stones0 | (s.tried1 if s.mover == 0 else 0)) & cell != 0
    mover = s.mover if bumps and not params.abrupt else 1 - s.mover
    if s.mover == 0:
        order0 = order_after(params, s.tried0, s.order0, cell)
        stones0 = s.stones0 if bumps else s.stones0 | cell
        return State(s.tried0 | cell, order0, s.tried1, s.order1, stones0, mover)
    return State(s.tried0, s.order0, s.tried1 | cell, order_after(params, s.tried1, s.order1, cell), s.stones0, mover)


def information_state(state, player):
    s = state
    if player == 0:
        return State(s.tried0, s.order0, 0, 0, s.stones0, s.mover)
    return State(0, 0, s.tried1, s.order1, s.stones0 & s.tried1, s.mover)


def strategic_state(state):
    """Forgets the order of tries, which changes nothing but what a player remembers."""
    return State(state.tried0, 0, state.tried1, 0, state.stones0, state.mover)


def payoff(tables, state):
    return tables.connected[0, state.stones0] - tables.connected[1, state.tried1 & ~state.stones0]


def terminal(tables, state):
    return payoff(tables, state) != 0


def rules_text(params):
    bump = "its turn is over" if params.abrupt else "it chooses again"
    return f"""{{Dark}} {{Hex}}, on {params.rows} rows of {params.columns} cells with six neighbours: left and right, \
above and above right, below and below left. A cell is a letter for the column and a number for the row; a1 is at the \
top left. The players choose alternately, player 0 first, any cell that they have not {{tried}}. An empty one gets a \
{{stone}} of the player. One with a {{stone}} of the other is not changed, but the player now sees that {{stone}}, and \
{bump}. Else choices are hidden from the other. Player 0 wins once own {{stone}}s connect the top row with the bottom \
row, player 1 once own ones connect the leftmost column with the rightmost: 1 point. There is no draw. The board has \
the {{stone}}s that you know: x for player 0, o for player 1, a dot elsewhere."""


def text(params, state):
    """The board: x for player 0's stones, o for player 1's; a player's view has the stones that the player knows."""
    x, o = state.stones0, (state.tried0 | state.tried1) & ~state.stones0
    marks = ["x" if x >> k & 1 else "o" if o >> k & 1 else "." for k in range(params.rows * params.columns)]
    rows = [" ".join(marks[row * params.columns : (row + 1) * params.columns]) for row in range(params.rows)]
    return "\n".join(" " * row + cells for row, cells in enumerate(rows))
