"""The eight symmetries of the tic-tac-toe board, and states up to them.

A symmetry is a permutation of the cells: it moves a mark on cell ``c`` to cell ``symmetry[c]``. Codes are
those of :mod:`nashzoo.envs.games.tictactoe.rules`; all functions take one or an array of them.
"""

from typing import Any

import numpy as np

from nashzoo.envs.games.tictactoe import rules as tictactoe
from nashzoo.envs.games.tictactoe.rules import CELLS, SIDE, State
from nashzoo.envs.jit.compiled import Ints
from nashzoo.envs.rules.build import build

encode, decode = build(tictactoe).encode, build(tictactoe).decode

Symmetry = tuple[int, ...]

CELL_NUMBERS = range(CELLS)
IDENTITY: Symmetry = tuple(CELL_NUMBERS)
# The top row becomes the right column; left and right are exchanged.
QUARTER_TURN: Symmetry = tuple(SIDE * (c % SIDE) + SIDE - 1 - c // SIDE for c in CELL_NUMBERS)
VERTICAL_MIRROR: Symmetry = tuple(SIDE * (c // SIDE) + SIDE - 1 - c % SIDE for c in CELL_NUMBERS)


def after(first: Symmetry, second: Symmetry) -> Symmetry:
    """Returns the composition: the first symmetry, then the second."""
    return tuple(second[first[cell]] for cell in CELL_NUMBERS)


def inverse(symmetry: Symmetry) -> Symmetry:
    """Returns the inverse of a symmetry.

    >>> after(QUARTER_TURN, inverse(QUARTER_TURN)) == IDENTITY
    True
    """
    return tuple(symmetry.index(cell) for cell in CELL_NUMBERS)


def _all() -> tuple[Symmetry, ...]:
    turns = [IDENTITY]
    for _ in range(3):
        turns.append(after(turns[-1], QUARTER_TURN))
    return (*turns, *(after(VERTICAL_MIRROR, turn) for turn in turns))


SYMMETRIES = _all()


def moved(codes: Any, symmetry: Symmetry) -> Any:
    """Returns the codes of states after a symmetry."""
    marks = decode(codes)
    return encode(State(*(sum((cells >> c & 1) << symmetry[c] for c in CELL_NUMBERS) for cells in marks)))


def canonical(codes: Ints) -> tuple[Ints, Ints]:
    """Returns the canonical image of each state ``[B]``, and a symmetry that leads to it.

    The canonical image is that with the smallest code ``[B]``; the symmetry is given by its number ``[B]``.
    """
    images = np.stack([moved(codes, symmetry) for symmetry in SYMMETRIES])
    return images.min(axis=0), images.argmin(axis=0)
