"""MENACE's page of ``nashzoo web``, to inspect boxes, train them and play against them. See ``docs/web.md``."""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

from nashzoo.agents.learning.menace.boxes import MOST as MOST_BEADS
from nashzoo.agents.learning.menace.boxes import PRESETS, Boxes, Per, Settings, parsed, settings_of, signed
from nashzoo.agents.learning.menace.training import SELF, Lessons, Side
from nashzoo.app.menace.offline import exported
from nashzoo.app.menace.session import GAME, MOST_AT_ONCE, Session
from nashzoo.app.web.kept import Kept
from nashzoo.app.web.pages import Page
from nashzoo.app.web.requests import ApiRequest
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_one_of
from nashzoo.envs.games.tictactoe.rules import CELLS, NAME
from nashzoo.envs.games.tictactoe.view import EMPTY_CELL

MOST = 50  # sessions kept; the least recently used one is dropped first
OPPONENTS = {
    "human": "a human, who errs",
    SELF: "itself, on the other side",
    "random": "random, any empty cell",
    "perfect": "perfect play",
}


def menace_page() -> Page:
    """Returns the page, without sessions."""
    sessions = Sessions()
    return Page(
        "menace",
        "MENACE",
        Path(__file__).parent / "static",
        get={"": sessions.choices, "/{id}": sessions.progress, "/{id}/boxes": sessions.boxes},
        post={
            "": sessions.begin,
            "/{id}/train": sessions.train,
            "/{id}/play": sessions.play,
            "/{id}/mark": sessions.mark,
        },
        game=NAME,
        exported=lambda: exported(choices()),
    )


def choices() -> dict[str, Any]:
    """Returns the available presets, opponents and sides."""
    return {
        "presets": {name: dataclasses.asdict(settings) for name, settings in PRESETS.items()},
        "per": get_args(Per),
        "opponents": OPPONENTS,
        "sides": get_args(Side),
        "most_games": MOST_AT_ONCE,
        "most_beads": MOST_BEADS,
    }


class Sessions:
    """The request handlers of the page."""

    def __init__(self) -> None:
        self.kept = Kept[Session]("MENACE", MOST)

    def choices(self, asked: ApiRequest) -> Any:
        """Returns the available presets, opponents and sides."""
        return choices()

    def begin(self, asked: ApiRequest) -> Any:
        """Begins a session with new boxes, or with those of a file."""
        boxes = Boxes(settings_in(asked.body))
        if "file" in asked.body:
            boxes = Boxes.from_json(parsed(asked.text("file"), "the file"), "the file")
        session = Session(boxes, asked.seed())
        code = _code(asked)
        return {"id": self.kept.add(session)} | session.as_json(code)

    def progress(self, asked: ApiRequest) -> Any:
        """Returns the progress of a session, and the box at a state."""
        return self._changed(asked, lambda session: None)

    def train(self, asked: ApiRequest) -> Any:
        """Trains the boxes of a session."""

        def change(session: Session) -> None:
            session.train(asked.body.get("games", 0), lessons_in(asked.body, session.seed))

        return self._changed(asked, change)

    def play(self, asked: ApiRequest) -> Any:
        """Begins a game against a person."""
        return self._changed(asked, lambda session: session.begin(asked.body.get("seat", -1)))

    def mark(self, asked: ApiRequest) -> Any:
        """Marks a cell for the person."""
        return self._changed(asked, lambda session: session.mark(asked.body.get("cell", -1)))

    def boxes(self, asked: ApiRequest) -> Any:
        """Returns the file of boxes that ``nashzoo menace play --boxes`` reads."""
        session = self.kept[asked.id]
        with session.lock:
            return signed(session.boxes.as_json())

    def _changed(self, asked: ApiRequest, change: Callable[[Session], None]) -> Any:
        session = self.kept[asked.id]
        with session.lock:
            code = _code(asked)
            change(session)
            return session.as_json(code)


def _code(asked: ApiRequest) -> int:
    """Returns the state whose box is requested; the empty board if the request has none.

    Raises:
        UsageError: there is no such state, or it is terminal.
    """
    board = asked.body.get("board", asked.query.get("board", EMPTY_CELL * CELLS))
    if not isinstance(board, str):
        raise UsageError(f"board must be a text of {CELLS} characters, not {board!r}")
    code = GAME.code(board=board)
    if GAME.terminal(code):
        raise UsageError(f"the game is over at {board}; there is no box for it")
    return code


def settings_in(body: Mapping[str, Any]) -> Settings:
    """Returns the settings of a request; those left out have the values of its preset.

    Raises:
        UsageError: there is no such preset, or a number is out of its range.
    """
    chosen = {field.name: body[field.name] for field in dataclasses.fields(Settings) if field.name in body}
    alpha = chosen.get("alpha", 1)
    if isinstance(alpha, list):
        chosen["alpha"] = tuple(alpha)
    elif not isinstance(alpha, int):
        raise UsageError(f"alpha must be a whole number, or a list of four, not {alpha!r}")
    return dataclasses.replace(settings_of(body.get("preset", "classroom")), **chosen)


def lessons_in(body: Mapping[str, Any], seed: int) -> Lessons:
    """Returns the lessons of a request.

    Raises:
        UsageError: there is no such opponent or side, or the probability is not from 0 to 1.
    """
    said = {name: body[name] for name in ("opponent", "probability", "side") if name in body}
    check_one_of("opponent", said.get("opponent", "human"), tuple(OPPONENTS))
    return Lessons(**said, seed=seed)
