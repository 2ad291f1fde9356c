"""MENACE's page of nashzoo web: its files, and what it knows of states and boxes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from nashzoo.agents.learning.menace.boxes import PRESETS, Boxes, Settings
from nashzoo.app.menace.web import menace_page
from nashzoo.app.web.library import Library
from nashzoo.app.web.routes import Application
from nashzoo.envs import tictactoe_v0


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    application = Application(Library(), pages=[menace_page()])
    yield TestClient(Starlette(routes=application.routes()))
    application.close()


def test_the_page_is_offered_and_served(client: TestClient) -> None:
    assert client.get("/api").json()["pages"] == [{"name": "menace", "title": "MENACE"}]
    for name in ("menace.js", "menace.css"):
        answer = client.get(f"/pages/menace/{name}")
        assert answer.status_code == 200 and "http" not in answer.text
    assert client.get("/api/menace").json()["choices"]["presets"]["michie"]["alpha"] == [4, 3, 2, 1]
    assert client.get("/").status_code == 200


def test_without_further_pages_none_is_offered() -> None:
    application = Application(Library())
    assert TestClient(Starlette(routes=application.routes())).get("/api").json()["pages"] == []
    application.close()


def after(known: dict[str, Any], state: int) -> dict[str, list[int]]:
    """Returns the kind of each move at a state and how perfect play ends after it, by its name."""
    legal = [cell for cell, kind in enumerate(known["kinds"][state]) if kind >= 0]
    return {name: [known[name][state][cell] for cell in legal] for name in ("kinds", "worth")}


def test_moves_say_how_perfect_play_ends_after_them() -> None:
    known = menace_page().data()
    empty, corner, forced = (known["boards"].index(board) for board in (".........", "x........", "xoxxoo.xo"))
    assert after(known, empty) == {"kinds": [0, 1, 0, 1, 4, 1, 0, 1, 0], "worth": [0] * 9}  # corner, edge, middle
    assert known["worth"][corner] == [0, -1, -1, -1, 0, -1, -1, -1, -1]  # noughts must answer a corner with the middle
    assert (known["boxes"][forced], after(known, forced)["worth"]) == (-1, [1])


@pytest.mark.slow
def test_the_data_are_those_of_game_and_boxes() -> None:
    known, game = menace_page().data(), tictactoe_v0.game()
    assert len(known["boards"]) == 4520 and known["boards"][known["start"]] == "........."
    for number, board in list(enumerate(known["boards"]))[::7]:
        code = game.code(board=board)
        player = known["movers"][number]
        assert player == game.turn(code)
        for cell, following in enumerate(known["following"][number]):
            if board[cell] != ".":
                assert following < 0 and known["kinds"][number][cell] < 0
                continue
            after = game.step(code, *((cell, 0) if player == 0 else (0, cell)))
            if game.terminal(after):
                assert following < 0 and known["ends"][number][cell] == game.payoff(after)
            else:
                assert known["boards"][following] == game.spell(after).removeprefix("board=")
    for settings in (*PRESETS.values(), Settings((7, 5, 3, 2), per="cell")):
        alpha = np.array(settings.alpha)[known["turns"]]
        boxes = alpha[:, None] * np.array(known["once"][settings.per])
        assert dict(zip(known["shelf"], boxes.tolist(), strict=True)) == Boxes(settings).as_json()["boxes"]
