"""A MENACE that is trained and played against step by step: its boxes, its games, and its exploitability so far."""

import dataclasses
import threading
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from nashzoo.agents.learning.menace.agent import MenaceAgent
from nashzoo.agents.learning.menace.boxes import NO_BOX, Boxes
from nashzoo.agents.learning.menace.training import CROSSES_LEARN, NOUGHTS_LEARN, Lessons, Training
from nashzoo.app.menace.measures import measure
from nashzoo.app.menace.play import resigns, reward
from nashzoo.arena.live_match import LiveMatch
from nashzoo.arena.records import RESIGNED
from nashzoo.baselines import Solution, solve
from nashzoo.baselines.stage_game import stage_game
from nashzoo.envs import tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_whole
from nashzoo.envs.core.game import Ints
from nashzoo.envs.games.tictactoe.rules import CELLS
from nashzoo.envs.games.tictactoe.symmetry import decode
from nashzoo.envs.games.tictactoe.view import PLAYERS, board_of

MOST_AT_ONCE = 20_000  # games of one request
MOST_MOMENTS = 240  # points of a curve
GAME = tictactoe_v0.game()
RESULTS = {1: "won", 0: "drawn", -1: "lost"}


class Session:
    """A MENACE in training, and the game that a person plays against it.

    Exploitability is computed after every part of the training and every game, for the sides that have learned.

    Args:
        boxes: Its boxes, changed by every game.
        seed: Of everything random.

    Attributes:
        lock: Callers hold it while they change or read the session.
    """

    def __init__(self, boxes: Boxes, seed: int) -> None:
        self.lock = threading.Lock()
        self.seed = seed
        self.agent = MenaceAgent(GAME, seed, boxes=boxes)
        self.training = Training(boxes, Lessons(seed=seed))
        self.trained, self.played = Counter[int](), Counter[int]()  # games by MENACE's points
        self.match: LiveMatch | None = None
        self.seat = 1  # the person's
        self.changes: list[int] = []  # of the beads drawn in the match, once it is over
        self.moments: list[tuple[int, list[float]]] = []  # games, exploitability in both seats
        self._note((0, 1))

    @property
    def boxes(self) -> Boxes:
        """Its boxes."""
        return self.agent.boxes

    @property
    def games(self) -> int:
        """The number of games that it has learned from, in training and against a person."""
        return self.training.games + self.played.total()

    def train(self, games: int, lessons: Lessons) -> None:
        """Plays some more games and learns from them.

        Raises:
            UsageError: ``games`` is below 1 or above :data:`MOST_AT_ONCE`.
        """
        check_whole("games", games, 1, MOST_AT_ONCE)
        if lessons != self.training.lessons:
            before, self.training = self.training, Training(self.boxes, lessons)
            self.training.go_on_from(before.games, before.random_state)
        played = self.training.run(games)
        self.trained.update(played.points.tolist())
        self._note(seat for seat, bit in enumerate((CROSSES_LEARN, NOUGHTS_LEARN)) if (played.learners & bit).any())

    def begin(self, seat: int) -> None:
        """Begins a game against a person in this seat; MENACE learns nothing from a game that is not over.

        Raises:
            UsageError: there is no such seat.
        """
        self.seat = check_whole("seat", seat, 0, 1)
        players = [None, self.agent] if seat == 0 else [self.agent, None]
        self.match, self.changes = LiveMatch(GAME, players, np.random.default_rng(self.seed)), []
        if seat == 1:
            self._draw()

    def mark(self, cell: int) -> None:
        """Marks a cell for the person, and draws MENACE's bead; learns if the game is over.

        Raises:
            UsageError: no game is being played, or the cell is not empty.
        """
        if self.match is None or self.match.ended is not None:
            raise UsageError("no game is being played; begin one")
        check_whole("cell", cell, 0, CELLS - 1)
        empty = GAME.legal_actions(self.match.code, self.seat)
        if cell not in empty:
            raise UsageError(f"cell {cell} is marked already; empty are {', '.join(map(str, empty))}")
        self.match.act(cell, cell)
        self._draw()

    def _draw(self) -> None:
        match, own = self._now(), 1 - self.seat
        if match.ended is None and resigns(self.agent, match, own):
            match.end(RESIGNED, (own,))
        if match.ended is None:
            cell = match.ask(own)
            match.act(cell, cell)
        if match.ended is not None:
            before = self._drawn()
            reward(self.agent, match, own)
            self.changes = [now - then for now, then in zip(self._drawn(), before, strict=True)]
            self.played[self._points()] += 1
            self._note((own,))

    def _now(self) -> LiveMatch:
        if self.match is None:
            raise UsageError("no game is being played; begin one")
        return self.match

    def _points(self) -> int:
        return int(np.sign(self._now().points)) * (1 if self.seat == 1 else -1)

    def _opened(self) -> list[tuple[int, int]]:
        """Returns the states of the match at which MENACE opened a box, and the cells it marked."""
        return [
            (step.before, step.actions[1 - self.seat])
            for step in self._now().trajectory.steps
            if GAME.turn(step.before) != self.seat and self.boxes.find(step.before)[0] != NO_BOX
        ]

    def _drawn(self) -> list[int]:
        """Returns, for each bead drawn in the match, the number of beads of its kind in its box."""
        boxes = [(*self.boxes.find(code), cell) for code, cell in self._opened()]
        return [int(self.boxes.beads[box, kinds[cell]]) for box, kinds, cell in boxes]

    def _note(self, seats: Iterable[int]) -> None:
        """Computes the exploitability in seats that have learned, and adds it to the curve, which is thinned."""
        figures = list(self.moments[-1][1]) if self.moments else [0.0, 0.0]
        for seat in seats:
            figures[seat] = measure(self.boxes, (seat,), {})["exploitability"]
        self.moments.append((self.games, figures))
        if len(self.moments) > MOST_MOMENTS:
            del self.moments[1:-1:2]

    def as_json(self, code: int) -> dict[str, Any]:
        """Returns the progress of the session, and the box at a state."""
        games, figures = zip(*self.moments, strict=True)
        return {
            "seed": self.seed,
            "settings": dataclasses.asdict(self.boxes.settings),
            "games": {"trained": self.training.games, "played": self.played.total()},
            "trained": {name: self.trained[points] for points, name in RESULTS.items()},
            "played": {name: self.played[points] for points, name in RESULTS.items()},
            "curve": {"games": games} | dict(zip(PLAYERS, zip(*figures, strict=True), strict=True)),
            "box": box_json(self.boxes, code),
            "match": None if self.match is None else self._match_json(self.match),
        }

    def _match_json(self, match: LiveMatch) -> dict[str, Any]:
        opened = self._opened()
        return {
            "seat": self.seat,
            "board": board_of(decode(match.code)),
            "ended": match.ended,
            "result": None if match.ended is None else RESULTS[self._points()],
            "opened": [box_json(self.boxes, code) | {"cell": cell} for code, cell in opened],
            "changes": self.changes,
        }


@cache
def solution() -> Solution:
    """Returns the exact solution of the game."""
    return solve(GAME)


def box_json(boxes: Boxes, code: int) -> dict[str, Any]:
    """Returns the box of a state: for each kind of move its cells, beads, chance, and worth with perfect play.

    Beads are None where one cell is empty: a forced move has no box. Worth is 1, 0 or -1, to the player to move.

    Raises:
        UsageError: the state is unreachable or terminal.
    """
    number, kinds = boxes.find(code)
    beads = None if number == NO_BOX else boxes.beads[number]
    total = 0 if beads is None else int(beads.sum())
    moves = []
    for move in kinds_of_moves(code, kinds):
        held = None if beads is None else int(beads[kinds[move["cells"][0]]])
        moves.append(move | {"beads": held, "chance": 1.0 if held is None else held / total if total else 0.0})
    return {"board": board_of(decode(code)), "player": GAME.turn(code), "beads": total, "moves": moves}


def kinds_of_moves(code: int, kinds: Ints) -> list[dict[str, Any]]:
    """Returns for each kind of move at a state its cells, its worth, and whether it keeps the value.

    Args:
        code: The state.
        kinds: The kind of every move ``[9]``, negative where illegal.
    """
    player, stage = GAME.turn(code), stage_game(solution(), code)
    value = stage.value if player == 0 else -stage.value
    losses = dict(zip(stage.actions[player], stage.losses(player), strict=True))
    alike = [np.flatnonzero(kinds == kind).tolist() for kind in dict.fromkeys(kinds[kinds >= 0].tolist())]
    return [
        {"cells": cells, "worth": round(value - losses[cells[0]]), "best": round(losses[cells[0]]) == 0}
        for cells in alike
    ]
