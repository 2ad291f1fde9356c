"""What MENACE's page knows without a server, as data; ``static/menace_offline.js`` draws and changes beads by it."""

from typing import Any, get_args

import numpy as np

from nashzoo.agents.learning.menace.boxes import (
    FORMAT,
    MOST,
    MOST_HELD,
    Per,
    Settings,
    first_beads,
    shelf,
)
from nashzoo.agents.learning.menace.training import SELF, Lessons, Side, numbered_board, trainer_table
from nashzoo.app.menace.session import MOST_MOMENTS, RESULTS, kinds_of_moves
from nashzoo.arena.records import RESIGNED, TERMINATED
from nashzoo.envs.games.tictactoe.symmetry import decode
from nashzoo.envs.games.tictactoe.view import board_of


def exported(choices: dict[str, Any]) -> dict[str, Any]:
    """Returns the data: the choices of a person, the ``n`` states in which play goes on, and the boxes.

    Of each state its board, its box, its moves, what follows, and what each opponent plays; of each box its board, its
    beads if ``alpha`` were 1, and which move of its side it is for; of each opponent how often it errs, as a share of
    the chance that a person does; and the sides that MENACE plays in games with even and with odd numbers.
    """
    known, board, two = shelf(), numbered_board(), np.arange(2)
    once = {per: first_beads(Settings(alpha=1, per=per)) for per in get_args(Per)}
    sides = {side: Lessons(side=side) for side in get_args(Side)} | {SELF: Lessons(SELF)}
    return {
        "choices": choices,
        "boards": [board_of(decode(int(code))) for code in known.states.codes],
        "moves": [
            kinds_of_moves(code, kinds) for code, kinds in zip(known.states.codes.tolist(), known.kinds, strict=True)
        ],
        **{name: np.asarray(values).tolist() for name, values in board._asdict().items()},
        "trainers": {name: trainer_table(Lessons(name).trainer()).tolist() for name in choices["opponents"]},
        "errs": {name: float(Lessons(name, probability=0.0).mistakes(two)[0]) for name in choices["opponents"]},
        "learners": {name: lessons.learners(two).tolist() for name, lessons in sides.items()},
        "shelf": [board_of(decode(int(code))) for code in known.codes],
        "once": {per: beads.tolist() for per, beads in once.items()},
        "turns": (first_beads(Settings(alpha=(1, 2, 3, 4), per="kind")).max(axis=1) - 1).tolist(),
        "results": RESULTS,
        "ended": {"resigned": RESIGNED, "over": TERMINATED},
        "most": {"beads": MOST, "held": MOST_HELD, "moments": MOST_MOMENTS},
        "formats": [FORMAT],
    }
