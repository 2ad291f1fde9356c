"""The server behind the pages: games, states, solutions, matches, and who may ask."""

import contextlib
import json
import os
import random
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from command import Command
from made_games import WALK, written
from nashzoo import agents
from nashzoo.agents.hosted.script_process import HostedMatch
from nashzoo.app.web import matches, routes
from nashzoo.app.web.library import Library, NotAllowedError
from nashzoo.app.web.matches import BusyError
from nashzoo.app.web.routes import Application
from nashzoo.app.web.security import OnlyThisSite
from nashzoo.app.web.solver import Solver, SolvingError
from nashzoo.arena import records
from nashzoo.baselines import evaluate, solve
from nashzoo.baselines.stage_game import stage_game
from nashzoo.envs import footsies_v0, games, make_game, roshambo_v0, tictactoe_v0
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.drawing.palette import THEMES
from processes import PATIENCE, wait_until

HOST = "127.0.0.1:8000"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "games"


def served(
    *named_games: str, players: tuple[str, ...] = (), saved: tuple[Path, ...] = ()
) -> tuple[TestClient, Application]:
    application = Application(Library(named_games, players), saved)
    application.measuring.patience = 60.0
    app = OnlyThisSite(Starlette(routes=application.routes()), frozenset({HOST}))
    return TestClient(app, base_url=f"http://{HOST}"), application


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    client, application = served(str(EXAMPLES / "pig.py"), str(EXAMPLES / "blotto.py"))
    yield client
    application.close()


def found(client: TestClient, path: str, **query: Any) -> Any:
    response = client.get(f"/api{path}", params=query)
    assert response.status_code == 200, response.text
    return response.json()


def refused(answer: Any, status: int = 400) -> str:
    """Returns the sentence with which a request is refused."""
    assert answer.status_code == status, answer.text
    return str(answer.json()["error"])


def begun(client: TestClient, game: str, players: list[str], **more: Any) -> Any:
    response = client.post("/api/matches", json={"game": game, "players": players, **more})
    assert response.status_code == 200, response.text
    return response.json()


def test_the_page_and_all_it_loads_are_there(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200 and "<title>nashzoo</title>" in page.text
    for name in ("app.js", "api.js", "parts.js", "play.js", "explore.js", "watch.js", "style.css"):
        answer = client.get(f"/{name}")
        assert answer.status_code == 200 and "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "")
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("name", [*games(), str(EXAMPLES / "pig.py"), str(EXAMPLES / "blotto.py")])
def test_every_game_can_be_looked_at_and_played(client: TestClient, name: str) -> None:
    spec = f"{name}(preset=small)" if name == "bodega_brawl_v0" else name
    spec = f"{name}(width=11,height=5,goal_height=3)" if name == "soccer_v0" else spec
    spec = f"{name}(target=10)" if name.endswith("pig.py") else spec
    about = found(client, "/game", game=spec)
    state = found(client, "/state", game=spec, code=about["start"])
    drawing = client.get("/api/board.svg", params={"game": spec, "code": about["start"], "theme": "dark"})
    assert drawing.headers["content-type"] == "image/svg+xml" and drawing.text.startswith("<svg")
    assert state["movers"] and all(about["labels"][one["action"]] == one["name"] for one in state["legal"][0])
    match = begun(client, spec, ["human player", "random"], seed=1)
    identity, rng, steps = match["id"], random.Random(0), 0
    while match["ended"] is None and steps < 40:
        chosen = {
            str(player): rng.choice(match["state"]["legal"][player])["action"]
            for player in match["state"]["movers"]
            if match["players"][player] == "human player"
        }
        answer = client.post(f"/api/matches/{identity}/step", json={"actions": chosen})
        match, steps = answer.json(), steps + 1
        assert answer.status_code == 200 and len(match["steps"]) == steps and match["steps"][-1]["told"]
    line = client.get(f"/api/matches/{identity}/record").text
    assert len(records.parsed(line, make_game).trajectory.steps) == steps
    replayed = client.post("/api/replay", json={"record": line}).json()
    assert [step["told"] for step in replayed["steps"]] == [step["told"] for step in match["steps"]]


def test_the_certificate_to_try_adds_no_game(client: TestClient) -> None:
    before = games()
    assert client.get("/api/certificate").json()["title"] == "Kuhn poker"
    assert games() == before


def test_short_games_and_pictures_of_actions_are_told(client: TestClient) -> None:
    briefs = {one["name"]: one["brief"] for one in found(client, "")["games"]}
    assert briefs["tictactoe_v0"] and briefs["footsies_v0"]
    assert not briefs["soccer_v0"] and not briefs["roshambo_v0"]
    assert not found(client, "/game", game="roshambo_v0(rounds=1)")["graded"]
    for name in ("footsies_v0", "bodega_brawl_v0", "roshambo_v0(payoff=rpsls)"):
        about = found(client, "/game", game=name)
        for player, icons in enumerate(about["icons"]):
            assert len(icons) == len(set(icons)) == len(about["actions"])
            assert all(f'"player-{player}"' in icon and f'"player-{1 - player}"' not in icon for icon in icons)
    assert found(client, "/game", game="tictactoe_v0")["icons"] == []
    assert found(client, "")["themes"] == THEMES


def test_a_game_says_how_a_person_plays_it_and_what_a_person_can_choose(client: TestClient, tmp_path: Path) -> None:
    for game, short in (
        ("roshambo_v0", "roshambo_v0(rounds=20)"),
        ("roshambo_v0(payoff=rpsls)", "roshambo_v0(payoff=rpsls,rounds=20)"),
        ("roshambo_v0(rounds=1000)", "roshambo_v0(rounds=1000)"),
        ("footsies_v0", "footsies_v0"),
    ):
        about = found(client, "/game", game=game)
        assert about["short"] == short
        assert [one["name"] for one in about["settings"] if one["short"]] == ["rounds"] * game.startswith("roshambo")
    for name in games():
        about = found(client, "/game", game=name)
        assert all(value not in (None, "") for one in about["agents"] for value in one["options"].values())
        assert all(one["default"] is not None for one in about["settings"])
    own = tmp_path / "my_pig.py"
    own.write_text((EXAMPLES / "pig.py").read_text() + '\nSHORT = {"target": 10}\n')
    assert Library([str(own)]).about(str(own))["short"] == f"{own}(target=10)"


def test_a_game_whose_rules_fail_late_is_among_the_others(tmp_path: Path) -> None:
    own = str(written(tmp_path, WALK, ("    return State(state.place +", "    return 1 // 0 or State(state.place +")))
    assert own in [game["game"] for game in Library([own]).games()]


def test_examples_come_last_unless_a_game_of_their_name_was_named() -> None:
    kuhn = "nashzoo.examples.kuhn"
    games_shown = Library(examples=[kuhn]).games()
    assert games_shown[-1]["graded"] and not games_shown[0]["graded"]  # for points
    shown = [game["game"] for game in games_shown]
    assert shown[0] == "footsies_v0"
    assert "kuhn_v0" not in shown
    assert shown[-1] == kuhn
    named = str(EXAMPLES / "kuhn.py")
    shown = [game["game"] for game in Library([named], examples=[kuhn]).games()]
    assert shown[0] == named
    assert kuhn not in shown


def test_parameters_of_openspiel_belong_to_the_name() -> None:
    pytest.importorskip("pyspiel")
    name = "openspiel:nim(pile_sizes=1;2)"
    assert Library([name]).about(name)["name"] == name


def test_a_player_with_options_is_played_as_it_was_named() -> None:
    kuhn, named = str(EXAMPLES / "kuhn.py"), "resolving(policy=random,histories=10)"
    library = Library([kuhn], [named])
    game = library.game(kuhn)
    assert library.agent(named, game, 0).name == "resolving"
    assert library.agents(game)[-1]["title"] == named
    for other in ("resolving", "resolving(policy=/etc/passwd)"):
        with pytest.raises(NotAllowedError, match="there is no player 'resolving' here"):
            library.agent(other, game, 0)


def test_a_player_in_a_file_is_named_by_the_end_of_its_path(tmp_path: Path) -> None:
    path = tmp_path / "first" / "bots.py"
    path.parent.mkdir()
    path.write_text("def play(observation): return 0\n")
    library = Library((), (f"{path}:play",))
    game = library.game("footsies_v0")
    assert library.agents(game)[-1]["title"] == "first/bots.py:play"
    assert library.opponents(game, [f"{path}:play"])[-1]["players"][0]["title"] == "first/bots.py:play"


def test_a_learner_of_a_game_is_among_its_opponents(client: TestClient) -> None:
    groups = {one["group"]: one["players"] for one in found(client, "/game", game="tictactoe_v0")["opponents"]}
    assert [one["name"] for one in groups["Learners"]] == ["menace"]
    assert "menace" not in [one["name"] for one in groups["Characters"]]


def test_solutions_are_those_of_the_library(client: TestClient) -> None:
    game = footsies_v0.game()
    code = int(game.start_codes[0])
    told, stage = found(client, "/solution", game="footsies_v0", code=code), stage_game(solve(game), code)
    assert told["value"] == pytest.approx(stage.value, abs=1e-12) and np.allclose(
        told["payoffs"], stage.payoffs, atol=1e-9
    )
    assert [one["probability"] for one in told["players"][0]] == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])
    assert [one["loss"] for one in told["players"][1]] == pytest.approx([1 / 3, 0, 0, 0], abs=1e-12)


def test_ranges_over_all_equilibria_are_those_of_a_state(client: TestClient) -> None:
    (side,) = found(client, "/ranges", game="tictactoe_v0", code=int(tictactoe_v0.game().start_codes[0]))["sides"]
    assert [(one["lower"], one["upper"], one["text"]) for one in side["actions"]] == [(0, 1, "0 to 1")] * 9
    told = [found(client, "/ranges", game="footsies_v0", hits0=1, last0=last, last1=3)["sides"] for last in (1, 0)]
    assert [[side["player"] for side in sides] for sides in told] == [[0, 1]] * 2  # also where play does not lead
    assert (
        found(client, "/ranges", game="tictactoe_v0", code=tictactoe_v0.game().code(board="xxxoo...."))["sides"] == []
    )


def test_what_two_policies_win_in_many_games_is_exact(client: TestClient) -> None:
    asked = {"game": "footsies_v0", "p0": "random", "p1": "nash"}
    found = client.get("/api/chances", params=asked).json()
    game = footsies_v0.game()
    assert found["points"] == pytest.approx(evaluate(game, agents.make("random", game), agents.make("nash", game)))
    assert found["win"] - found["loss"] == pytest.approx(found["points"])  # a game is a point
    assert found["win"] + found["draw"] + found["loss"] == pytest.approx(1.0)
    assert client.get("/api/chances", params=asked | {"p1": "bayesian"}).json() is None  # it has no policy


def test_the_rest_is_solved_with_decisions_locked(client: TestClient) -> None:
    """Whoever always plays Rock loses a point; against a half of it and a half of Paper, Paper wins half a point."""
    game, code = "roshambo_v0(rounds=1)", int(roshambo_v0.game(rounds=1).start_codes[0])
    for player, won in ((1, 1.0), (0, -1.0)):
        told = found(client, "/locked", game=game, code=code, locks=f"{player},{code},7,0,0")
        assert told["locked"]["value"] == told["value"] == pytest.approx(won, abs=1e-9)
        assert told["locked"]["free"] == pytest.approx(0.0, abs=1e-9) and told["certificate"] <= 1e-9
        shares = [[one["probability"] for one in side] for side in told["players"]]
        assert shares[player] == [1, 0, 0] and shares[1 - player] == pytest.approx([0, 1, 0])
        assert [one["loss"] for one in told["players"][player]] == [None] * 3
        assert told["locked"]["locks"] == [{"code": str(code), "text": f"player {player}: Rock 100 %"}]
        assert told["locked"]["here"] == player
    told = found(client, "/locked", game=game, code=code, locks=f"1,{code},50,50,0")
    assert told["value"] == pytest.approx(0.5, abs=1e-9)
    wrong = {
        f"1,{code},50,50": "a share for each of its legal actions",
        f"1,{code},0,0,0": "a share for each of its legal actions",
        "1,nothing": "is not the code of a state",
        f"2,{code},1,0,0": "player 2 does not choose at",
        f"1,{code},1,0,0;0,{code},1,0,0": "release those of the other",
    }
    for locks, why in wrong.items():
        assert why in refused(client.get("/api/locked", params={"game": game, "code": code, "locks": locks}))


def test_locks_tell_which_other_choices_have_to_change(client: TestClient) -> None:
    """Kuhn (1950): with card 2 red calls with 1/3 to 2/3, blue bluffs with 1/3; against no bluff red never calls."""
    name, game = "kuhn_v0", make_game(EXAMPLES / "kuhn.py")

    def place(player: int, card: int, history: int, moves: int) -> int:
        hand = {f"card{player}": card}
        return game.information_state(game.code(dealt=1, **hand, history=history, moves=moves), player)

    never, bluffs = (f"1,{place(1, 1, 0, 1)},{mix}" for mix in ("1,0", "2,1"))
    told = found(client, "/changes", game=name, locks=never)
    (fold,) = [one for one in told if one["name"] == "Fold"]
    assert (fold["player"], fold["probability"]) == (0, pytest.approx(1)) and 1 / 3 - 1e-6 < fold[
        "before"
    ] < 2 / 3 + 1e-6
    assert fold["seen"] == str(place(0, 2, 2, 2))
    assert found(client, "/state", game=name, code=fold["code"])["movers"] == [0]
    assert found(client, "/changes", game=name, locks=bluffs) == []  # as it does without
    lock = found(client, "/locked", game=name, code=place(1, 1, 0, 1), locks=never)["locked"]["locks"][0]
    assert lock["text"] == "player 1: Check 100 %, only if player 1's card is 1"


def test_states_that_play_does_not_reach_are_told(client: TestClient) -> None:
    told = [found(client, "/solution", game="footsies_v0", hits0=hits, last0=1, last1=3)["reached"] for hits in (1, 0)]
    assert told == [True, False]  # an Attack hits a Grab


def test_illegal_actions_and_unknown_addresses_are_refused(client: TestClient) -> None:
    code = str(footsies_v0.game().first_decision)
    for actions, action in (({"action0": 9, "action1": 0}, "action0=9"), ({"action1": 4}, "action1=4")):
        asked = {"game": "footsies_v0", "code": code, **actions}
        legal = "legal are 0 (Attack), 1 (Block), 2 (Grab), 3 (Dragon Punch)"
        assert refused(client.get("/api/next", params=asked)) == f"{action} is not legal there; {legal}"
    over = {"game": "tictactoe_v0", "code": tictactoe_v0.game().code(board="xxxoo....")}
    message = "nobody chooses there: the game is over, or chance decides"
    assert refused(client.get("/api/next", params=over)) == message
    for answer in (client.get("/api/nowhere"), client.post("/api/game", json={}), client.put("/api/matches")):
        assert refused(answer, 404).startswith("no such address, or it is")


def test_no_match_begins_where_chance_decides(client: TestClient) -> None:
    game = make_game(EXAMPLES / "pig.py")
    codes = (game.step(game.first_decision, action, 0) for action in range(game.num_actions))
    roll = next(code for code in codes if not game.movers(code))
    wanted = {"game": str(EXAMPLES / "pig.py"), "players": ["human player", "random"], "start": str(roll)}
    assert refused(client.post("/api/matches", json=wanted)).startswith("chance decides at ")


def test_moves_of_turn_based_games_have_distances(client: TestClient) -> None:
    code = tictactoe_v0.game().code(board="xx.oo....")
    told = found(client, "/solution", game="tictactoe_v0", code=code)
    best = next(one for one in told["players"][0] if one["name"] == "top right")
    assert (told["value"], told["distance"], best["optimal"], best["distance"], best["loss"]) == (1, 1, True, 0, 0)
    other = next(one for one in told["players"][0] if one["name"] == "bottom right")
    assert not other["optimal"] and other["loss"] == 2


def test_the_end_of_a_match_is_shown_as_it_was_before_the_reset(client: TestClient) -> None:
    address = f"/api/matches/{begun(client, 'footsies_v0', ['human player', 'human player'], seed=0)['id']}"
    for actions in ({"0": 0, "1": 1}, {"0": 2, "1": 1}):  # a Block is used up, then Grab beats Block
        match = client.post(f"{address}/step", json={"actions": actions}).json()
    asked = {"game": "footsies_v0", "code": match["steps"][-1]["shown"]}
    for text in (match["state"]["text"], client.get("/api/state", params=asked).json()["text"]):
        assert "player 1: blocks 2, " in text
    assert "blocks 2" in client.get("/api/board.svg", params=asked).text
    assert client.get("/api/state", params=asked | {"code": "0>x"}).status_code == 400


@pytest.mark.parametrize("seat", [0, 1])
def test_a_review_counts_how_often_perfect_play_loses(client: TestClient, seat: int) -> None:
    for game, agent, even in (("tictactoe_v0", "random", False), ("footsies_v0", "nash", True)):
        match = begun(client, game, ["human player", agent][:: 1 - 2 * seat], seed=1)
        chances = client.get(f"/api/matches/{match['id']}/review").json()["chances"]
        points = chances.pop("points")
        assert chances.pop("best") >= points - 1e-9
        assert points == pytest.approx(chances["win"] - chances["loss"], abs=1e-9)
        assert sum(chances.values()) == pytest.approx(1)
        # Perfect play of tic-tac-toe never loses; two equilibria of a symmetric game win alike.
        assert chances["loss"] == pytest.approx(chances["win"] if even else 0, abs=1e-9)
        assert chances["win"] > 0.3
    match = begun(client, "footsies_v0", ["human player", "human player"], seed=1)
    assert client.get(f"/api/matches/{match['id']}/review").json()["chances"] is None


def test_a_match_is_taken_back_and_reviewed(client: TestClient) -> None:
    match = begun(client, "footsies_v0", ["human player", "human player"], seed=0)
    address = f"/api/matches/{match['id']}"
    assert client.post(f"{address}/undo", json={}).json()["error"] == "there is no move to take back"
    for actions in ({"0": 0, "1": 1}, {"0": 0, "1": 3}):  # Attack is never played in equilibrium
        match = client.post(f"{address}/step", json={"actions": actions}).json()
    reviewed = client.get(f"{address}/review").json()
    losses = [move["loss"] for move in reviewed["moves"] if move["player"] == 0]
    assert losses[0] == pytest.approx(1 / 3) and reviewed["totals"][0] == pytest.approx(sum(losses))
    assert all(move["mixes"] for move in reviewed["moves"])
    assert reviewed["moves"][0]["probability"] == pytest.approx(0, abs=1e-9)
    assert reviewed["expected"][-1] == pytest.approx(match["points"]) == -1
    linked = {"game": "footsies_v0", "players": match["players"], "start": match["steps"][0]["before"]}
    told = client.post("/api/replay", json=linked | {"moves": "0.1-0.3", "review": True}).json()
    assert told["headline"] == reviewed["headline"] and told["totals"] == reviewed["totals"]
    assert client.post(f"{address}/step", json={"actions": {"0": 0, "1": 0}}).status_code == 400
    taken = client.post(f"{address}/undo", json={}).json()
    assert taken["ended"] is None and len(taken["steps"]) == 1


def test_advice_is_exact_for_policies_and_says_when_it_is_sampled(client: TestClient) -> None:
    match = begun(client, "footsies_v0", ["human player", "nash"], seed=5)
    asked = f"/matches/{match['id']}/advice"
    random_ = found(client, asked, agent="random", player=0)
    assert random_["sampled"] == 0 and list(random_["probabilities"].values()) == [0.25] * 4
    bayesian = found(client, asked, agent="bayesian", player=0)
    assert bayesian["sampled"] > 0 and sum(bayesian["probabilities"].values()) == pytest.approx(1)
    searched = found(client, asked, agent="mcts(simulations=20)", player=0)
    assert searched["sampled"] == 100 and sum(searched["probabilities"].values()) == pytest.approx(1)
    told = found(client, "/policy", game="footsies_v0", code=match["state"]["code"], agent="nash", player=1)
    assert told["probabilities"]["Block"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("game", "values"),
    [
        (
            "footsies_v0",
            {"blocks0": ["0", "1", "2", "3"], "hits0": ["0", "1"]},
        ),  # and no turn, round, lead or last move
        ("examples/games/goofspiel.py(cards=2)", {"hand0": ["none", "1", "2", "1, 2"]}),
        ("tictactoe_v0", {}),  # its fields are codes
        ("examples/games/kuhn.py", {}),
    ],
)
def test_fields_that_matter_have_values_in_words(game: str, values: dict[str, list[str]]) -> None:
    fields = {one["name"]: one["values"] for one in Library([game], []).about(game)["fields"]}
    other = {name.replace("0", "1"): words for name, words in values.items()}
    assert fields == values | other


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("/game?game=nowhere", 403, "there is no game 'nowhere' here; the games are "),
        ("/game?game=./other.py", 403, "there is no game './other.py' here"),
        ("/game?game=footsies_v0(rounds=0)", 400, "rounds"),
        ("/game", 400, "game is missing, or is no text"),
        ("/state?game=footsies_v0&code=x", 400, "'x' is not the code of a state of footsies_v0"),
        ("/state?game=footsies_v0&code=99999999999999999999", 400, "is not the code of a state of footsies_v0"),
        (f"/state?game=footsies_v0&blocks0={'9' * 5000}", 400, "blocks0 must be"),
        ("/state?game=footsies_v0&blocks0=9", 400, "blocks0 must be from 0 to 3"),
        ("/policy?game=footsies_v0&agent=roll&player=0", 400, "roll does not play footsies_v0; its players are"),
        ("/policy?game=footsies_v0&agent=model.zip&player=0", 403, "there is no player 'model.zip' here"),
        ("/policy?game=footsies_v0&agent=llm&player=0", 403, "there is no player 'llm' here"),
        ("/policy?game=footsies_v0&agent=nash&player=2", 400, "player must be 0 or 1, not 2"),
        ("/policy?game=footsies_v0&agent=mcts(simulations=1000000)", 400, "simulations is at most 20,000 here"),
        ("/policy?game=tictactoe_v0&agent=menace(file=/etc/passwd)", 403, "file of menace can be chosen"),
        ("/matches/nobody", 404, "there is no such match, or it was not looked at for long"),
        ("/saved?file=/etc/passwd", 403, "only files that were named on the command line can be looked at"),
    ],
)
def test_what_cannot_be_had(client: TestClient, path: str, status: int, message: str) -> None:
    assert message in refused(client.get(f"/api{path}"), status)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "players must be a list of two names"),
        ({"players": ["nash"]}, "players must be a list of two names"),
        ({"players": ["nash", "nash"], "seed": -1}, "seed must be a whole number from 0 to"),
        ({"players": ["nash", "manual"]}, "manual does not play footsies_v0"),
    ],
)
def test_matches_that_cannot_begin(client: TestClient, body: dict[str, Any], message: str) -> None:
    assert message in refused(client.post("/api/matches", json={"game": "footsies_v0", **body}))


def test_steps_that_cannot_be_made(client: TestClient) -> None:
    match = begun(client, "footsies_v0", ["human player", "nash"])
    no_actions: list[Any] = [[], {"0": "Attack"}, {"x": 1}, {"2": 1}, {"0": True}]
    for actions, message in (
        ({}, "player 0 has not chosen"),
        ({"0": 7}, "action 7 is not legal for player 0; legal are Attack"),
        *((actions, 'actions must be as in {"0": 3}') for actions in no_actions),
    ):
        assert message in refused(client.post(f"/api/matches/{match['id']}/step", json={"actions": actions}))


def test_records_that_break_the_rules_are_refused(client: TestClient) -> None:
    match = begun(client, "footsies_v0", ["human player", "nash"], seed=2)
    client.post(f"/api/matches/{match['id']}/step", json={"actions": {"0": 1}})
    line = json.loads(client.get(f"/api/matches/{match['id']}/record").text)

    def replayed(**changes: Any) -> Any:
        return client.post("/api/replay", json={"record": json.dumps(line | changes)})

    assert "the record is refused" in refused(replayed(points=10**400))  # no float holds it
    assert "the record is refused, move 1: player 0 played Fly" in refused(
        replayed(steps=[["Fly", line["steps"][0][1]]])
    )
    refused(replayed(game="/tmp/evil.py"), 403)
    for deep in ("[" * 200_000, '{"format": ' * 100_000, '{"game": "footsies_v0", "format": ' + "[" * 100_000):
        message = refused(client.post("/api/replay", json={"record": deep}))
        assert message == "the record is refused: this is no record of a match"


def test_saved_matches_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    client, application = served(saved=(path,))
    match = begun(client, "tictactoe_v0", ["human player", "random"], seed=2)
    client.post(f"/api/matches/{match['id']}/step", json={"actions": {"0": 4}})
    path.write_text(client.get(f"/api/matches/{match['id']}/record").text)
    shown = found(client, "/saved", file=str(path))
    assert shown["players"] == ["manual", "random"] and len(shown["steps"]) == 1
    rules = tmp_path / "evil.py"
    rules.write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    path.write_text(path.read_text().replace('"tictactoe_v0"', json.dumps(str(rules))))
    message = refused(client.get("/api/saved", params={"file": str(path)}))
    assert f"line 1: there is no game {str(rules)!r} here" in message
    assert not (tmp_path / "ran").exists()
    application.close()


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({"Host": "evil.example"}, "this server is not 'evil.example'"),
        ({"Origin": "http://evil.example"}, "pages of 'http://evil.example' may not ask this server"),
        ({"Origin": "null"}, "pages of 'null' may not ask this server"),
    ],
)
def test_other_sites_are_refused(client: TestClient, headers: dict[str, str], message: str) -> None:
    assert refused(client.get("/api", headers=headers), 403) == message


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"game": ' + b"[" * 500 + b"]" * 500 + b"}", "application/json", 400),
        (rb'{"game": "footsies_v0", "players": ["nash", "nash"], "seed": "\ud800"}', "application/json", 400),
        (b'{"game": "footsies_v0(rounds=' + b"[" * 5000 + b')"}', "application/json", 400),
        (b'{"game": "footsies_v0", "seed": NaN}', "application/json", 400),
        (b"[]", "application/json", 400),
        (b"{}", "text/plain", 415),
        (b" " * 3_000_000, "application/json", 413),
    ],
)
def test_bodies_that_are_refused(client: TestClient, content: bytes, kind: str, status: int) -> None:
    assert refused(client.post("/api/matches", content=content, headers={"Content-Type": kind}), status)


ODD: list[Any] = [
    "", "x", "0", "\ud800", "footsies_v0(rounds=[)", "mcts(simulations=x)", 0, -1, 1.5, 10**30, 10**400, True, None, [],
    {}, [[]], ["nash", "nash"], {"0": 1}, {"x": 1}, {"0": True}, {"0": None}, {"-1": 1}, float("nan"), float("inf"),
]  # fmt: skip


def changed(value: Any, rng: random.Random) -> Any:
    """Returns a JSON value with one of its parts exchanged for an odd one."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        name = rng.choice(list(value))
        return {**value, name: changed(value[name], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        place = rng.randrange(len(value))
        return [*value[:place], changed(value[place], rng), *value[place + 1 :]]
    return rng.choice(ODD)


@pytest.mark.slow
def test_bodies_with_odd_parts_are_refused_in_a_sentence(client: TestClient) -> None:
    match = begun(client, "tictactoe_v0", ["human player", "random"], seed=0)
    address = f"/api/matches/{match['id']}"
    client.post(f"{address}/step", json={"actions": {"0": 4}})
    record = json.loads(client.get(f"{address}/record").text)
    bodies: dict[str, Any] = {
        "/api/matches": {"game": "footsies_v0", "players": ["human player", "nash"], "seed": 0, "start": None},
        f"{address}/step": {"actions": {"0": 1}},
        f"{address}/undo": {},
        "/api/replay": record,
    }
    rng = random.Random(0)
    for _ in range(300):
        path = rng.choice(list(bodies))
        body = changed(bodies[path], rng)
        body = {"record": json.dumps(body)} if path == "/api/replay" else body
        answer = client.post(path, content=json.dumps(body), headers={"Content-Type": "application/json"})
        assert answer.status_code in (200, 400, 403), (path, body, answer.text)


def test_only_the_latest_matches_are_kept(client: TestClient) -> None:
    application = Application(Library())
    application.matches.most = 3
    other = TestClient(Starlette(routes=application.routes()))
    names = [begun(other, "footsies_v0", ["nash", "nash"])["id"] for _ in range(4)]
    assert [other.get(f"/api/matches/{name}").status_code for name in names] == [404, 200, 200, 200]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--port 70000", "a port is from 0, for a free one, to 65535, not 70000"),
        ("--matches nowhere.jsonl", "there is no file nowhere.jsonl"),
        ("nowhere.py", "there is no file"),
        ("--agents nope.zip", "there is no file nope.zip"),
        ("--agents nowhere.bots:Bot", "there is no module nowhere.bots"),
        ("--agents nashh", "there is no player 'nashh' (did you mean nash?)"),
        ("--host 203.0.113.1", "cannot listen at 203.0.113.1, port 0"),
    ],
)
def test_what_the_command_refuses(nashzoo: Command, words: str, message: str) -> None:
    assert message in nashzoo.refused(f"web --no-browser {words}")


WAITING = """        while not os.path.exists("awake"):
            time.sleep(0.01)
"""
SLEEPER = f"""
import os, time
from nashzoo.agents.basic.random_agent import RandomAgent

class Sleeper(RandomAgent):
    def act(self, observations, memory, masks, uniforms):
{WAITING}        return super().act(observations, memory, masks, uniforms)
"""


def test_agents_that_take_too_long_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots.py").write_text(SLEEPER)
    name = f"{tmp_path / 'bots.py'}:Sleeper"
    application = Application(Library((), (name,)))
    monkeypatch.setattr(matches, "PATIENCE", 0.01)
    with TestClient(Starlette(routes=application.routes())) as client:
        match, other = (begun(client, "footsies_v0", ["human player", name]) for _ in range(2))
        address, chosen = f"/api/matches/{match['id']}/step", {"actions": {"0": 0}}
        with monkeypatch.context() as limited:
            limited.setattr(routes, "LONGEST_ANSWER", 0.2)
            late = client.post(address, json=chosen)
            limited.setattr(routes, "compiling", lambda: True)
            why = refused(client.post(f"/api/matches/{other['id']}/step", json=chosen), 504)
        assert "this takes longer than 0.2 s; the player" in refused(late, 504)
        assert why.startswith("this takes longer than 0.2 s; the first use is slow: nashzoo compiles itself once")
        assert "the move before is still being chosen" in refused(client.post(address, json=chosen), 503)
        found(client, "/state", game="footsies_v0", code=match["state"]["code"])
        (tmp_path / "awake").touch()
        wait_until(lambda: len(found(client, f"/matches/{match['id']}")["steps"]) == 1)
    application.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="scripts need processes as Linux and macOS have them")
def test_a_script_that_gives_advice_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rock.py").write_text("output = 'R'\n")
    script, asked, load = str(tmp_path / "rock.py"), list[Agent](), Library.agent
    monkeypatch.setattr(Library, "agent", lambda *given: (asked.append(load(*given)), asked[-1])[1])
    client, application = served(players=(script,))
    before = HostedMatch.side_by_side
    match = begun(client, "roshambo_v0(rounds=2)", ["human player", "random"])
    code, id_ = match["state"]["code"], match["id"]
    for path in ("/policy", f"/matches/{id_}/advice"):
        told = found(client, path, game="roshambo_v0(rounds=2)", code=code, agent=script, player=0)
        assert told["probabilities"] == {"Rock": 1, "Paper": 0, "Scissors": 0}
        assert HostedMatch.side_by_side == before
    application.close()


def test_agents_that_fail_are_told_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "bots.py").write_text(SLEEPER.replace(WAITING, "        raise ValueError('no idea')\n"))
    name = f"{tmp_path / 'bots.py'}:Sleeper"
    client, application = served(players=(name,))
    match = begun(client, "footsies_v0", ["human player", name])
    failed = client.post(f"/api/matches/{match['id']}/step", json={"actions": {"0": 0}})
    assert re.fullmatch(r".*bots.py, line 7, in act: no idea", refused(failed, 500))
    assert found(client, f"/matches/{match['id']}")["steps"] == []
    application.close()


def test_few_agents_are_asked_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "PATIENCE", 0.01)
    application = Application(Library())
    with contextlib.ExitStack() as asking:
        for _ in range(routes.MOST_ASKING):
            asking.enter_context(application.agents_at_work())
        with pytest.raises(BusyError, match="too many agents are choosing at the moment"), application.agents_at_work():
            pass
    with application.agents_at_work():
        pass
    application.close()


def test_a_short_computation_does_not_wait_for_a_long_one_and_one_in_a_queue_says_so() -> None:
    solver, ends = Solver(0.3), threading.Event()

    def long(show: Any) -> bool:
        return ends.wait(PATIENCE)

    with pytest.raises(SolvingError, match=r"^computing$"):
        solver.result("long", long)
    assert solver.result("short", lambda show: 2) == 2
    with pytest.raises(SolvingError, match=r"^computing$"):
        solver.result("another", long)
    with pytest.raises(SolvingError, match=r"^other pages are computing$"):
        solver.result("third", lambda show: 3)
    ends.set()
    solver.patience = PATIENCE
    assert solver.result("third", lambda show: 3) == 3


def test_work_that_nobody_asks_for_any_more_makes_room() -> None:
    solver, ends = Solver(0.1, forgotten=0.2), threading.Event()

    def endless(show: Any) -> None:
        while not ends.wait(0.01):
            check_time()

    for name in ("one", "two"):
        with pytest.raises(SolvingError, match=r"^computing$"):
            solver.result(name, endless)
    solver.patience = PATIENCE
    assert solver.result("third", lambda show: 3) == 3
    ends.set()
