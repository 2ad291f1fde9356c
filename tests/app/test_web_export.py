"""Pages without a server: their files hold the server's answers, and only what they can hold."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from command import Command
from nashzoo.app.web import export
from nashzoo.app.web.library import Library
from nashzoo.app.web.matches import steps_json
from nashzoo.app.web.pages import Page
from nashzoo.app.web.routes import Application
from nashzoo.arena.trajectory import Trajectory
from nashzoo.envs.base.errors import UsageError
from processes import PATIENCE

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "games"
PIG = f"{EXAMPLES / 'pig.py'}(target=5)"
GAMES = ("footsies_v0", f"{EXAMPLES / 'connect_four.py'}(width=3,height=3,line=3)", PIG)


HIDDEN = (
    str(EXAMPLES / "kuhn.py"),
    f"{EXAMPLES / 'leduc.py'}(ranks=2)",
    f"{EXAMPLES / 'hidden_goofspiel.py'}(cards=3)",
    f"{EXAMPLES / 'dark_hex.py'}(rows=2,columns=2)",
)


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "hidden"
    export.write(HIDDEN, (), folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "site"
    export.write(GAMES, (), folder)
    return folder


def data(folder: Path, name: str) -> Any:
    packed = re.fullmatch(rf'nashzooData\("{name}", "([\w+/=]+)"\);\n', (folder / "data" / f"{name}.js").read_text())
    assert packed is not None
    return json.loads(gzip.decompress(base64.b64decode(packed[1])))


def entries_of(folder: Path, about: dict[str, Any]) -> dict[str, Any]:
    """Returns all that the files have of a game's states, by their codes."""
    files = [data(folder, f"{about['number']}-{k}") for k in range(len(about["first"]))]
    for file in files:
        for code, board in file["boards"].items():
            file["states"][code]["board"] = "\n".join(file["lines"][line] for line in board)
    return {code: entry for file in files for code, entry in file["states"].items()}


@pytest.mark.slow
def test_every_state_has_the_servers_answers(folder: Path) -> None:
    application = Application(Library(GAMES[1:]))
    client = TestClient(Starlette(routes=application.routes()))
    for about in data(folder, "home")["games"]:
        states = entries_of(folder, about)
        assert about["start"] in states and sum(one["probability"] for one in about["starts"]) == pytest.approx(1)
        steps = [step for one in states.values() for step in one["next"].values()]
        ends = {shown for _, _, shown in steps} - {after for after, _, _ in steps}
        for code, entry in [one for one in states.items() if one[0] not in ends][:: max(1, len(states) // 5)]:
            asked = {"game": about["game"], "code": code}
            assert entry["state"] | {"history": code} == client.get("/api/state", params=asked).json()
            if entry["state"]["over"]:
                continue
            solution = client.get("/api/solution", params=asked).json()
            assert entry["solution"]["value"] == pytest.approx(solution["value"], abs=1e-9)
            assert np.allclose(entry["solution"].get("payoffs", 0), solution.get("payoffs", 0), atol=1e-9)
            for actions, (after, told, _) in entry["next"].items():
                action0, action1 = actions.split(",")
                found = client.get("/api/next", params={**asked, "action0": action0, "action1": action1}).json()
                assert (after, told) == (found["state"]["code"], found["told"])
                assert states[after]["payoff"] == found["reward"] and states[after]["state"] == found["state"]
            for agent, shares in entry.get("policies", {}).items():
                for player, found in shares.items():
                    policy = client.get("/api/policy", params={**asked, "agent": agent, "player": player}).json()
                    assert policy["sampled"] == 0 and [one for one in found if one] == pytest.approx(
                        [one for one in policy["probabilities"].values() if one], abs=1e-9
                    )
    application.close()


@pytest.mark.slow
def test_what_players_see_is_what_the_server_tells_them(hidden: Path) -> None:
    application = Application(Library(HIDDEN))
    application.solver.patience = PATIENCE
    client = TestClient(Starlette(routes=application.routes()))
    for about in data(hidden, "home")["games"]:
        entries = entries_of(hidden, about)
        game = application.library.game(about["game"])
        solution = application.solver.solution(game)
        assert about["solution"]["start_value"] == solution.start_value
        levels = [one["title"] for one in about["opponents"][0]["players"]]
        assert levels == ["Beginner", "Casual", "Strong", "Perfect"]
        histories = [one for one in entries.items() if "seen" in one[1]]
        for code, entry in histories[:: max(1, len(histories) // 10)]:
            for player in ("0", "1"):
                asked = {"game": about["game"], "code": code, "player": player}
                seen = entries[entry["seen"][int(player)]]
                now = {name: entry["state"][name] for name in ("turn", "movers", "over")}
                assert seen["views"][player] | now | {"history": code} == client.get("/api/state", params=asked).json()
                assert seen["board"] == export._board(game, int(entry["seen"][int(player)]))
                if int(player) not in entry["state"]["movers"]:
                    continue
                (side,) = client.get("/api/solution", params=asked).json()["sides"]
                for name in ("histories", "actions"):
                    chances = [one["probability"] for one in side[name]]
                    assert [one["probability"] for one in seen["sides"][player][name]] == pytest.approx(chances)
                for agent, shares in seen["policies"].items():
                    policy = client.get("/api/policy", params={**asked, "agent": agent}).json()
                    legal = [one["action"] for one in seen["views"][player]["legal"][int(player)]]
                    assert [shares[player][action] for action in legal] == pytest.approx(
                        list(policy["probabilities"].values())
                    )
            for actions, (after, told, _, *views) in entry["next"].items():
                outcomes = entries[after].get("solution", {}).get("outcomes", [None])
                for outcome in outcomes:
                    played = Trajectory(game, int(code))
                    step = played.follow(*map(int, actions.split(",")), outcome and int(outcome["code"]))
                    assert played.event(step) == told + (f"; by chance {outcome['text']}" if outcome else "")
                    for player, (moved, visible, shown) in enumerate(views):
                        change = outcome["seen"][player] if outcome else ""
                        assert shown in entries
                        for made in steps_json(played, [player]):
                            assert made["told"] == moved + (f"; by chance {change}" if change else "")
                            assert made["actions"] == visible
    application.close()


def test_the_states_that_show_the_ends_of_matches_are_there(folder: Path) -> None:
    for about in data(folder, "home")["games"]:
        states = entries_of(folder, about)
        assert {shown for entry in states.values() for _, _, shown in entry["next"].values()} <= states.keys()


def test_players_who_remember_are_left_out(folder: Path) -> None:
    footsies = data(folder, "home")["games"][0]
    assert {one["name"] for one in footsies["agents"]} == {"random", "counter", "nash"}


def test_the_script_is_one_and_loads_nothing(folder: Path) -> None:
    script, page = (folder / "nashzoo.js").read_text(), (folder / "index.html").read_text()
    assert not re.search(r"^(import|export) ", script, flags=re.MULTILINE) and "module" not in page
    assert re.findall(r'(?:src|href)="([^"#]+)"', page) == ["data:,", "style.css", "nashzoo.js"]


@pytest.mark.slow
def test_a_further_page_is_where_its_game_is(tmp_path: Path) -> None:
    static = tmp_path / "static"
    static.mkdir()
    (static / "rope.js").write_text('import { knot } from "./knots.js";\nexport async function show(main) {}\n')
    (static / "knots.js").write_text('import { ask } from "../../api.js";\nexport const knot = () => ask("/rope");\n')
    (static / "rope.css").write_text("p { color: red; }\n")
    pages = [Page("rope", "A rope", static, lambda: {"length": 7}, game) for game in ("footsies_v0", "", "pig")]
    export.write(("footsies_v0",), (), tmp_path / "site", pages)
    assert data(tmp_path / "site", "home")["pages"] == [{"name": "rope", "title": "A rope"}]
    assert data(tmp_path / "site", "rope") == {"length": 7}
    assert [path.name for path in (tmp_path / "site" / "pages" / "rope").iterdir()] == ["rope.css"]
    script = (tmp_path / "site" / "nashzoo.js").read_text()
    assert not re.search(r"^(import|export) ", script, flags=re.MULTILINE) and script.index(
        "const knot"
    ) < script.index("show(main)")


@pytest.mark.slow
def test_the_command_writes_it_once_more_but_over_nothing_else(nashzoo: Command, tmp_path: Path) -> None:
    out = nashzoo.prints("web --export pages footsies_v0(blocks=1)")
    assert out.startswith("Open pages/index.html in a browser; 4 entries, ")
    (tmp_path / "pages" / "data" / "old.js").touch()
    assert nashzoo("web --export pages footsies_v0(blocks=1)")[0] == 0
    assert not (tmp_path / "pages" / "data" / "old.js").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    code, _, err = nashzoo("web --export mine footsies_v0")
    assert code == 2 and "mine holds something else; choose an empty or new folder for the pages" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "pages"]


def test_a_game_is_exported_as_a_person_plays_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "_write_game", lambda library, text, *_: text)
    export.write(["roshambo_v0"], (), tmp_path / "site")
    assert data(tmp_path / "site", "home")["games"] == ["roshambo_v0(rounds=20)"]


BOT = """
from nashzoo.agents import PolicyAgent
from nashzoo.agents.bots.footsies import BayesianAgent

class Bot(BayesianAgent):
    pass

class Halves(PolicyAgent):
    def action_probabilities(self, observations, action_masks):
        return 0.5 * action_masks
"""


def test_an_agent_whose_probabilities_are_no_distribution_is_refused_on_the_server_too(tmp_path: Path) -> None:
    (tmp_path / "bots.py").write_text(BOT)
    wrong = f"{tmp_path / 'bots.py'}:Halves"
    application = Application(Library((), (wrong,)))
    query = {"game": "footsies_v0", "blocks0": 1, "agent": wrong, "player": 0}
    answer = TestClient(Starlette(routes=application.routes())).get("/api/policy", params=query)
    assert answer.status_code == 400 and "they must be a distribution over the legal actions" in answer.json()["error"]
    application.close()


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    (tmp_path / "bots.py").write_text(BOT)
    for games, named, message in (
        ((), (), "name the games to export, as in nashzoo web --export site/ tictactoe_v0"),
        (("soccer_v0",), (), "has more than 20,000 states, too many for pages without a server; choose smaller"),
        (("chess",), (), "there is no game 'chess'; the games are"),
        (("footsies_v0",), (f"{tmp_path / 'bots.py'}:Bot",), "cannot be exported: it is no policy of the state alone"),
        (("footsies_v0",), (f"{tmp_path / 'bots.py'}:Halves",), "they must be a distribution over the legal actions"),
    ):
        with pytest.raises(UsageError, match=re.escape(message)):
            export.write(games, named, tmp_path / "site")
        assert not (tmp_path / "site").exists()
