"""Phantom tic-tac-toe: a player sees its own marks, and of the other's only those that it has bumped into.

A player who tries a cell of the other learns so, and tries another cell; in the abrupt game the turn is over instead.
Players remember which cells they have tried, and in which order.

Source: OpenSpiel's ``phantom_ttt``, versions ``classical`` and ``abrupt`` with ``obstype=reveal-nothing``.
"""

from typing import NamedTuple

NAME = "phantom_tictactoe_v0"
ACTIONS = tuple(column + row for row in "123" for column in "abc")
CELLS, EVERYTHING = 9, 0b111_111_111
LINES = (0b111, 0b111_000, 0b111_000_000, 0b001_001_001, 0b010_010_010, 0b100_100_100, 0b100_010_001, 0b001_010_100)


class Params(NamedTuple):
    abrupt: bool = False


class State(NamedTuple):
    tries0: int  # the cells that player 0 has tried, in order: see after_try
    tries1: int
    marks0: int  # bit k for cell k, row by row
    marks1: int
    mover: int


FIELDS = {"tries0": "", "tries1": "", "marks0": "", "marks1": ""}  # people see the board
SEEN_BY = {"tries0": (0,), "marks0": (0,), "tries1": (1,), "marks1": (1,)}
BIT_FIELDS = ("tries0", "tries1", "marks0", "marks1")


def field_maxima():
    orders = 10 * 9 * 8 * 7 * 6 * 5 * 4 * 3
    return State(orders - 1, orders - 1, EVERYTHING, EVERYTHING, 1)


def start():
    return State(0, 0, 0, 0, 0)


def turn(state):
    return state.mover


def chosen(free, number):
    """Returns the free cell with this number, from 1 on, as a bit."""
    for _ in range(number - 1):
        free &= free - 1
    return free & -free


def untried(tries):
    """Returns the cells that a player has not tried."""
    free, choices = EVERYTHING, CELLS + 1
    while tries:
        free &= ~chosen(free, tries % choices)
        tries //= choices
        choices -= 1
    return free


def after_try(tries, cell):
    """Returns a player's tries and one more.

    The first is the number of its cell, from 1 to 9; the second, times 10, that among the other cells; the third, times
    90, and so on. The last cell is not written down, as the board is full then.
    """
    free, choices, weight, earlier = EVERYTHING, CELLS + 1, 1, tries
    while earlier:
        free &= ~chosen(free, earlier % choices)
        earlier //= choices
        weight *= choices
        choices -= 1
    number = 1
    while chosen(free, number) != cell:
        number += 1
    return tries + weight * number if choices > 2 else tries


def strategic_state(state):
    """Forgets the order of tries, which changes nothing but what a player remembers."""
    return State(in_order(state.tries0), in_order(state.tries1), state.marks0, state.marks1, state.mover)


def in_order(tries):
    """Returns the same tries in the order of the cells."""
    tried, ordered = EVERYTHING & ~untried(tries), 0
    while tried:
        ordered = after_try(ordered, tried & -tried)
        tried &= tried - 1
    return ordered


def legal(state):
    return untried(state.tries0 if state.mover == 0 else state.tries1)


def step(params, state, action):
    s, cell = state, 1 << action
    bumps = (s.marks0 | s.marks1) & cell != 0
    mover = s.mover if bumps and not params.abrupt else 1 - s.mover
    mark = 0 if bumps else cell
    if s.mover == 0:
        return State(after_try(s.tries0, cell), s.tries1, s.marks0 | mark, s.marks1, mover)
    return State(s.tries0, after_try(s.tries1, cell), s.marks0, s.marks1 | mark, mover)


def has_line(marks):
    won = False
    for line in LINES:
        won |= marks & line == line
    return won


def terminal(state):
    return has_line(state.marks0) or has_line(state.marks1) or state.marks0 | state.marks1 == EVERYTHING


def payoff(state):
    return int(has_line(state.marks0)) - int(has_line(state.marks1))


def rules_text(params):
    bump = "its choice is lost" if params.abrupt else "it chooses again"
    return f"""{{Phantom}} {{tic-tac-toe}}, on 3 rows of 3 cells. a1, b1, c1 are the top row, a3 is at the bottom \
left. The players choose alternately, player 0 first, any cell that they have not chosen before. An empty one gets the \
player's {{mark}}. One with a {{mark}} of the other is not changed, but the player now sees that {{mark}}, and {bump}. \
Else choices are hidden from the other. Three own {{mark}}s in a row, a column or a diagonal win 1 point. If all cells \
have a {{mark}} before, it is a draw, 0. The board has the {{mark}}s that you know: x for player 0, o for player 1, a \
dot elsewhere."""


def text(state):
    """The board; a player's view has the marks that the player knows."""
    known0 = EVERYTHING & ~untried(state.tries0) | state.marks1
    known1 = EVERYTHING & ~untried(state.tries1) | state.marks0
    x, o = known1 & ~state.marks1, known0 & ~state.marks0
    cells = ["x" if x >> k & 1 else "o" if o >> k & 1 else "." for k in range(CELLS)]
    return "\n".join(" ".join(cells[k : k + 3]) for k in (0, 3, 6))
