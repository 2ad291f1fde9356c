"""States of tic-tac-toe up to the symmetries of the board, many at once. Codes are those of the rules."""

import numpy as np

from nashzoo.envs.games.tictactoe import rules as tictactoe
from nashzoo.envs.jit.compiled import Ints
from nashzoo.envs.rules.build import build

encode, decode = build(tictactoe).encode, build(tictactoe).decode


def canonical(codes: Ints) -> tuple[Ints, Ints]:
    """Returns the image with the smallest code of each state ``[B]``, and the number of a symmetry that leads to it."""
    images = np.stack([encode(image) for image, _ in tictactoe.symmetries(decode(codes))])
    return images.min(axis=0), images.argmin(axis=0)
