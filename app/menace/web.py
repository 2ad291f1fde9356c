"""The page of ``nashzoo web`` about MENACE: what it knows of boxes and states, by which it draws and changes beads."""

import dataclasses
from functools import cache
from pathlib import Path
from typing import Any, get_args

import numpy as np

from nashzoo.agents.learning.menace.boxes import FORMAT, MOST, MOST_HELD, PRESETS, Per, Settings, first_beads, shelf
from nashzoo.agents.learning.menace.training import SELF, Lessons, Side, numbered_board, trainer_table
from nashzoo.app.web.pages import Page
from nashzoo.baselines import solve
from nashzoo.envs.games.tictactoe.rules import NAME
from nashzoo.envs.games.tictactoe.symmetry import decode
from nashzoo.envs.games.tictactoe.view import LABELS, board_of

MOST_AT_ONCE = 20_000  # games of training between two pictures
OPPONENTS = {
    "human": "a person who makes mistakes",
    SELF: "itself, on the other side",
    "random": "random, any empty cell",
    "perfect": "perfect play",
}


def menace_page() -> Page:
    """Returns the page."""
    return Page("menace", "MENACE", Path(__file__).parent / "static", data, NAME)


@cache
def data() -> dict[str, Any]:
    """Returns the choices of a person, the ``n`` states in which play goes on, and the boxes.

    Of each state its board, its box, what follows each move, how perfect play ends then (``worth``, 1, 0 or -1, to the
    player to move), and what each opponent plays; of each box its board, its beads if ``alpha`` were 1, and which move
    of its side it is for; of each opponent how often it errs, as a share of the chance that a person does; and the
    sides that MENACE plays in games with even and with odd numbers.
    """
    known, board, two = shelf(), numbered_board(), np.arange(2)
    solution = solve(known.states.game)
    values = np.round(solution.values[solution.states.ids(known.states.codes)]).astype(int)
    worth = np.where(board.following >= 0, values[board.following], board.ends) * (1 - 2 * board.movers)[:, None]
    once = {per: first_beads(Settings(alpha=1, per=per)) for per in get_args(Per)}
    sides = {side: Lessons(side=side) for side in get_args(Side)} | {SELF: Lessons(SELF)}
    return {
        "choices": {
            "cells": LABELS,
            "presets": {name: dataclasses.asdict(settings) for name, settings in PRESETS.items()},
            "per": get_args(Per),
            "opponents": OPPONENTS,
            "sides": get_args(Side),
            "most_games": MOST_AT_ONCE,
            "most_beads": MOST,
        },
        "boards": [board_of(decode(int(code))) for code in known.states.codes],
        "worth": worth.tolist(),
        **{name: np.asarray(values).tolist() for name, values in board._asdict().items()},
        "trainers": {name: trainer_table(Lessons(name).trainer()).tolist() for name in OPPONENTS},
        "errs": {name: float(Lessons(name, probability=0.0).mistakes(two)[0]) for name in OPPONENTS},
        "learners": {name: lessons.learners(two).tolist() for name, lessons in sides.items()},
        "shelf": [board_of(decode(int(code))) for code in known.codes],
        "once": {per: beads.tolist() for per, beads in once.items()},
        "turns": (first_beads(Settings(alpha=(1, 2, 3, 4), per="kind")).max(axis=1) - 1).tolist(),
        "most_held": MOST_HELD,
        "format": FORMAT,
    }
