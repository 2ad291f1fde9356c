"""MENACE's page of nashzoo web, as programs ask it: boxes, training, games against it, and the file of boxes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from nashzoo.agents.learning.menace.agent import MenaceAgent
from nashzoo.agents.learning.menace.boxes import PRESETS, Boxes, Settings, load
from nashzoo.agents.learning.menace.training import Lessons, Training
from nashzoo.app.menace import session as sessions
from nashzoo.app.menace.web import menace_page
from nashzoo.app.web.library import Library
from nashzoo.app.web.routes import Application, page_routes
from nashzoo.baselines import exploitability
from nashzoo.envs import tictactoe_v0

EXACT = 1e-12


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    application = Application(Library())
    yield TestClient(Starlette(routes=[*page_routes([menace_page()]), *application.routes()]))
    application.close()


def posted(client: TestClient, path: str, **body: Any) -> Any:
    response = client.post(f"/api/menace{path}", json=body)
    assert response.status_code == 200, response.text
    return response.json()


def refused(client: TestClient, path: str, **body: Any) -> str:
    response = client.post(f"/api/menace{path}", json=body)
    assert response.status_code == 400, response.text
    return str(response.json()["error"])


def beads(box: Any) -> dict[tuple[int, ...], int]:
    return {tuple(move["cells"]): move["beads"] for move in box["moves"]}


def test_the_page_is_offered_and_served(client: TestClient) -> None:
    assert client.get("/api/pages").json() == [{"name": "menace", "title": "MENACE"}]
    for name in ("menace.js", "menace.css"):
        answer = client.get(f"/pages/menace/{name}")
        assert answer.status_code == 200 and "http" not in answer.text
    assert client.get("/api/menace").json()["presets"]["michie"]["alpha"] == [4, 3, 2, 1]
    assert client.get("/").status_code == 200


def test_without_further_pages_none_is_offered() -> None:
    application = Application(Library())
    assert TestClient(Starlette(routes=[*page_routes([]), *application.routes()])).get("/api/pages").json() == []
    application.close()


def test_the_first_box_knows_corner_edge_and_middle(client: TestClient) -> None:
    michie = posted(client, "", preset="michie")["box"]
    assert beads(michie) == {(0, 2, 6, 8): 4, (1, 3, 5, 7): 4, (4,): 4} and michie["beads"] == 12
    classroom = posted(client, "")["box"]
    assert beads(classroom) == {(0, 2, 6, 8): 16, (1, 3, 5, 7): 16, (4,): 4}
    assert [move["chance"] for move in classroom["moves"]] == pytest.approx([16 / 36, 16 / 36, 4 / 36])


def test_moves_say_how_perfect_play_ends_after_them(client: TestClient) -> None:
    made = posted(client, "", preset="michie")
    assert all(move["worth"] == 0 and move["best"] for move in made["box"]["moves"])
    corner = client.get(f"/api/menace/{made['id']}", params={"board": "x........"}).json()["box"]
    assert corner["player"] == 1  # noughts must answer a corner with the middle
    assert [(move["cells"], move["worth"]) for move in corner["moves"] if move["best"]] == [([4], 0)]
    assert {move["worth"] for move in corner["moves"] if not move["best"]} == {-1}
    forced = client.get(f"/api/menace/{made['id']}", params={"board": "xoxxoo.xo"}).json()["box"]
    assert forced["moves"] == [{"cells": [6], "beads": None, "chance": 1.0, "worth": 1, "best": True}]


def test_training_is_that_of_the_command_and_its_exploitability_is_exact(client: TestClient) -> None:
    made = posted(client, "", preset="michie", seed=3)
    for games in (1, 99, 400):
        found = posted(client, f"/{made['id']}/train", games=games, opponent="random", side="both")
    training = Training(Boxes(PRESETS["michie"]), Lessons("random", side="both", seed=3))
    points = training.run(500).points
    assert found["trained"] == {"won": (points == 1).sum(), "drawn": (points == 0).sum(), "lost": (points < 0).sum()}
    assert found["curve"]["games"] == [0, 1, 100, 500] and found["games"] == {"trained": 500, "played": 0}
    agent = MenaceAgent(tictactoe_v0.game(), boxes=training.boxes)
    for seat, side in enumerate(("crosses", "noughts")):
        expected = exploitability(agent.game, agent, player=seat)
        assert found["curve"][side][-1] == pytest.approx(expected, abs=EXACT) and found["curve"][side][0] != expected
    assert json.loads(client.get(f"/api/menace/{made['id']}/boxes").text)["boxes"] == training.boxes.as_json()["boxes"]


def test_the_opponent_can_change_while_it_trains(client: TestClient) -> None:
    made = posted(client, "", seed=1)
    for opponent in ("perfect", "self", "human"):
        found = posted(client, f"/{made['id']}/train", games=10, opponent=opponent)
    assert found["games"]["trained"] == 30 and sum(found["trained"].values()) == 30
    boxes = Boxes()
    state = Training(boxes, Lessons("perfect", seed=1))
    state.run(10)
    for opponent in ("self", "human"):
        following = Training(boxes, Lessons(opponent, seed=1))
        following.go_on_from(state.games, state.random_state)
        following.run(10)
        state = following
    assert client.get(f"/api/menace/{made['id']}/boxes").json()["boxes"] == boxes.as_json()["boxes"]


def played_out(client: TestClient, name: str, seat: int) -> tuple[Any, list[Any]]:
    """Plays the first empty cell until the game is over; returns it and what was answered on the way."""
    answers = [posted(client, f"/{name}/play", seat=seat)]
    while answers[-1]["match"]["ended"] is None:
        board = answers[-1]["match"]["board"]
        answers.append(posted(client, f"/{name}/mark", cell=board.index(".")))
    return answers[-1], answers


@pytest.mark.parametrize("seat", [0, 1])
def test_beads_change_by_michies_rules(client: TestClient, seat: int) -> None:
    made = posted(client, "", preset="michie", seed=0)
    seen: set[str] = set()
    for games in range(1, 31):
        if {"won", "lost"} <= seen:
            break
        found, answers = played_out(client, made["id"], seat)
        match, before = found["match"], answers[-2]["match"]["opened"]
        assert sum(found["played"].values()) == found["games"]["played"] == games
        added = {"won": 3, "drawn": 1, "lost": -1}[match["result"]]
        assert match["changes"] == [added] * len(match["opened"])  # nothing is taken from an empty compartment
        for box, old, change in zip(match["opened"], before, match["changes"], strict=False):
            kind = next(tuple(move["cells"]) for move in box["moves"] if box["cell"] in move["cells"])
            assert beads(box) == beads(old) | {kind: beads(old)[kind] + change}
        seen.add(match["result"])
    assert {"won", "lost"} <= seen
    side = ("crosses", "noughts")[1 - seat]
    assert len(set(found["curve"][side])) > 1 and len(set(found["curve"][("crosses", "noughts")[seat]])) == 1


def test_an_empty_box_resigns(client: TestClient) -> None:
    made = posted(client, "", preset="michie", alpha=1, gamma=1, seed=0)
    posted(client, f"/{made['id']}/train", games=500, opponent="perfect")
    assert client.get(f"/api/menace/{made['id']}").json()["box"]["beads"] == 0
    match = posted(client, f"/{made['id']}/play", seat=1)["match"]
    assert (match["ended"], match["result"], match["opened"], match["changes"]) == ("resigned", "lost", [], [])
    assert refused(client, f"/{made['id']}/mark", cell=0) == "no game is being played; begin one"


def test_the_file_is_that_of_the_command_both_ways(client: TestClient, tmp_path: Path) -> None:
    made = posted(client, "", preset="michie", seed=5)
    posted(client, f"/{made['id']}/train", games=200)
    text = client.get(f"/api/menace/{made['id']}/boxes").text
    path = tmp_path / "boxes.json"
    path.write_text(text)
    assert load(path).settings == PRESETS["michie"]
    again = posted(client, "", file=text)
    assert again["settings"] == made["settings"] and again["id"] != made["id"]
    assert client.get(f"/api/menace/{again['id']}/boxes").text == text
    assert "the file is damaged" in refused(client, "", file=text.replace('"beta":3', '"beta":2'))
    assert "the file holds no boxes of MENACE: it is not JSON" in refused(client, "", file="beads")
    assert "the file holds no boxes of MENACE: it is not JSON" in refused(client, "", file="[" * 100_000)


@pytest.mark.slow
def test_the_curve_has_a_bounded_number_of_points(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MOST_MOMENTS", 8)
    made = posted(client, "")
    for _ in range(30):
        found = posted(client, f"/{made['id']}/train", games=2)
    games = found["curve"]["games"]
    assert len(games) <= 8 and (games[0], games[-1]) == (0, 60) and games == sorted(games)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"preset": "school"}, "there is no preset 'school' of MENACE; there are classroom, michie"),
        ({"alpha": "x"}, "alpha must be a whole number, or a list of four, not 'x'"),
        ({"alpha": ["4", 3, 2, 1]}, "alpha must be a whole number of beads from 1 to 1000000, not '4'"),
        ({"gamma": None}, "gamma must be a whole number of beads from 0 to 1000000, not None"),
        ({"floor": 9}, "floor must be at most alpha, 4 beads"),
        ({"seed": -1}, "seed must be a whole number from 0 to 9007199254740991, not -1"),
        ({"file": 3}, "file is missing, or is no text"),
        ({"board": 3}, "board must be a text of 9 characters, not 3"),
    ],
)
def test_boxes_that_cannot_be(client: TestClient, body: dict[str, Any], message: str) -> None:
    assert message in refused(client, "", **body)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "games must be a whole number from 1 to 20000, not 0"),
        ({"games": "1"}, "games must be a whole number from 1 to 20000, not '1'"),
        ({"games": 20_001}, "games must be a whole number from 1 to 20000, not 20001"),
        ({"games": 1, "opponent": "menace(file=/etc/passwd)"}, "opponent must be 'human' or 'self' or 'random' or"),
        ({"games": 1, "probability": 2}, "probability must be a number from 0 to 1, not 2"),
        ({"games": 1, "side": "x"}, "side must be one of crosses, noughts, both, not 'x'"),
        ({"games": 1, "board": "x"}, "board must be 9 characters"),
        ({"games": 1, "board": "xxxoo...."}, "the game is over at xxxoo....; there is no box for it"),
        ({"games": 1, "board": "xxx......"}, "there are as many crosses as noughts, or one more"),
    ],
)
def test_training_that_cannot_be(client: TestClient, body: dict[str, Any], message: str) -> None:
    made = posted(client, "", seed=0)
    assert message in refused(client, f"/{made['id']}/train", **body)
    assert client.get(f"/api/menace/{made['id']}").json()["games"]["trained"] == 0


def test_moves_that_cannot_be_made(client: TestClient) -> None:
    made = posted(client, "", seed=0)
    assert refused(client, f"/{made['id']}/mark", cell=0) == "no game is being played; begin one"
    assert refused(client, f"/{made['id']}/play", seat=2) == "seat must be a whole number from 0 to 1, not 2"
    posted(client, f"/{made['id']}/play", seat=0)
    assert refused(client, f"/{made['id']}/mark", cell=9) == "cell must be a whole number from 0 to 8, not 9"
    posted(client, f"/{made['id']}/mark", cell=4)
    assert "cell 4 is marked already; empty are " in refused(client, f"/{made['id']}/mark", cell=4)


@pytest.mark.slow
def test_data_for_pages_without_a_server_are_those_of_game_and_boxes() -> None:
    known, game = menace_page().exported(), tictactoe_v0.game()
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


def test_only_the_latest_are_kept(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nashzoo.app.menace.web.MOST", 2)
    few = TestClient(Starlette(routes=page_routes([menace_page()])))  # type: ignore[arg-type]
    names = [posted(few, "")["id"] for _ in range(3)]
    assert [few.get(f"/api/menace/{name}").status_code for name in names] == [404, 200, 200]
    told = few.get(f"/api/menace/{names[0]}").json()["error"]
    assert told == "there is no such MENACE, or it was not looked at for long; begin another"
