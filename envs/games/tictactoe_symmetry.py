"""The eight symmetries of the tic-tac-toe board, and states up to them.

A symmetry is the tuple of where each cell goes: a mark on cell ``c`` is on cell ``symmetry[c]`` afterwards. Codes are
those of :mod:`nashzoo.envs.games.tictactoe`; all functions take one or an array of them.
"""

from typing import Any

import numpy as np

from nashzoo.envs.compilation.compiled import Ints
from nashzoo.envs.games.tictactoe import CELLS, SIDE, State, decode, encode

Symmetry = tuple[int, ...]

CELL_NUMBERS = range(CELLS)
IDENTITY: Symmetry = tuple(CELL_NUMBERS)
# The top row becomes the right column; left and right change places.
QUARTER_TURN: Symmetry = tuple(SIDE * (c % SIDE) + SIDE - 1 - c // SIDE for c in CELL_NUMBERS)
VERTICAL_MIRROR: Symmetry = tuple(SIDE * (c // SIDE) + SIDE - 1 - c % SIDE for c in CELL_NUMBERS)


def after(first: Symmetry, second: Symmetry) -> Symmetry:
    """Returns the symmetry that does one, then the other."""
    return tuple(second[first[cell]] for cell in CELL_NUMBERS)


def inverse(symmetry: Symmetry) -> Symmetry:
    """Returns the symmetry that undoes one.

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
    """Returns for each state ``[B]`` the one that stands for it and its mirror images, and how to get there.

    That is the image with the smallest code ``[B]``, and the number of a symmetry that leads to it ``[B]``.
    """
    images = np.stack([moved(codes, symmetry) for symmetry in SYMMETRIES])
    return images.min(axis=0), images.argmin(axis=0)
