"""The tools of ``nashzoo mcp``, called by the client of the protocol's own package."""

import inspect
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, TextContent

from command import Command
from nashzoo import agents
from nashzoo.app.mcp.server import SentenceServer
from nashzoo.app.mcp.tools import Tools
from nashzoo.app.shared.errors import CUT_OFF
from nashzoo.app.web.library import Library
from nashzoo.baselines import best_response, exploitability, solve
from nashzoo.envs import Game, footsies_v0, games
from nashzoo.envs.text.wording import Wording, disguise
from nashzoo.examples import kuhn
from processes import PATIENCE, said

KUHN = str(Path(str(kuhn.__file__)))
FOOTSIES = footsies_v0.game()
EXACT = 1e-8  # points: figures are rounded to nine digits
ORACLE = {"value", "equilibrium", "best_response", "exploitability"}
PLAYING = {"games", "rules", "new_match", "play", "look"}

SCRIPT = "output = 'R'\n"
CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
HELLO = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": CLIENT}) + "\n"


class Caller:
    """Calls tools, as a program with a language model does."""

    def __init__(self, client: Client, call: Callable[..., Any]) -> None:
        self._client, self._call = client, call

    def tools(self) -> set[str]:
        return {tool.name for tool in self._call(self._client.list_tools).tools}

    def result(self, tool: str, **arguments: Any) -> CallToolResult:
        result = self._call(self._client.call_tool, tool, arguments)
        assert isinstance(result, CallToolResult)
        return result

    def __call__(self, tool: str, **arguments: Any) -> Any:
        """Returns what a tool returns."""
        result = self.result(tool, **arguments)
        assert not result.is_error and result.structured_content is not None, result.content
        return result.structured_content

    def refused(self, tool: str, **arguments: Any) -> str:
        """Returns the sentence with which a tool refuses to work."""
        result = self.result(tool, **arguments)
        (content,) = result.content
        assert result.is_error and isinstance(content, TextContent) and "\n" not in content.text
        return content.text


@contextmanager
def calling(server: Any) -> Iterator[Caller]:
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:
        yield Caller(client, portal.call)


def started(*words: str) -> StdioServerParameters:
    """Returns the server as a process of its own."""
    return StdioServerParameters(command=sys.executable, args=["-m", "nashzoo.app", "mcp", *words])


def played(call: Caller, match: Any) -> Any:
    """Plays a match to its end by the likeliest actions of the equilibrium."""
    while match["result"] is None:
        (mixture,) = call("equilibrium", of=match["match"])["equilibrium"].values()
        match |= call("play", match=match["match"], action=max(mixture, key=mixture.__getitem__))
    return match


@pytest.fixture(scope="module")
def call() -> Iterator[Caller]:
    tools = Tools(Library([KUHN]))
    with calling(SentenceServer([*tools.playing(), *tools.oracle()])) as caller:
        yield caller


@pytest.mark.slow
class TestProcess:
    def test_a_match_of_tic_tac_toe_by_the_equilibrium_is_a_draw(self) -> None:
        with calling(started()) as call:
            assert call.tools() == PLAYING | ORACLE
            for seat in (0, 1):
                match = played(call, call("new_match", game="tictactoe_v0", opponent="nash", seat=seat, seed=seat))
                assert (match["points"], match["legal_actions"]) == (0, [])
                assert match["result"] == "The game is over; it is a draw."
            assert call("value", of="footsies_v0") == {"value": 0}

    def test_without_the_oracle_nobody_tells_the_solution(self) -> None:
        with calling(started("--no-oracle")) as call:
            assert call.tools() == PLAYING
            assert call.refused("value", of="footsies_v0") == "Unknown tool: value"

    def test_what_a_rules_file_prints_is_no_part_of_the_protocol(self, tmp_path: Path) -> None:
        file = tmp_path / "loud.py"
        file.write_text(f"{Path(KUHN).read_text()}\nprint('I am loaded')\n")
        ended = subprocess.run(
            [sys.executable, *started(str(file)).args], input=HELLO,
            capture_output=True, text=True, timeout=PATIENCE, check=True,
        )  # fmt: skip
        assert [json.loads(line)["id"] for line in ended.stdout.splitlines()] == [1]
        assert "I am loaded" in ended.stderr

    def test_half_a_character_is_answered(self) -> None:
        half = r'"params": {"name": "new_match", "arguments": {"game": "\ud800"}}'
        lines = HELLO + f'{{"jsonrpc": "2.0", "id": 2, "method": "tools/call", {half}}}\n'
        with subprocess.Popen(
            [sys.executable, *started().args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdin is not None and server.stdout is not None
            server.stdin.write(lines)
            server.stdin.flush()
            answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        assert answers[1]["id"] == 2 and answers[1]["result"]["content"][0]["text"].startswith("there is no game '?'")

    def test_a_client_that_goes_away_is_no_error_of_the_server(self) -> None:
        words = [sys.executable, *started().args]
        pipe = subprocess.PIPE
        with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as server:
            assert server.stdin is not None and server.stdout is not None and server.stderr is not None
            server.stdout.close()
            server.stdin.write(HELLO)
            server.stdin.close()
            assert said(server.stderr.read()) == []
            assert server.wait(PATIENCE) == CUT_OFF


def test_games_and_players_that_can_be_named_are_listed(call: Caller) -> None:
    listed = {one["game"]: one for one in call("games")["games"]}
    assert next(iter(listed)) == KUHN and set(listed) == {KUHN, *games()} - {Game(kuhn).name}
    assert listed["footsies_v0"]["players"]["mcts"]["simulations"] == agents.options("mcts")["simulations"]
    assert listed["footsies_v0"]["parameters"]["rounds"] == 1


def test_a_match_is_told_in_the_words_of_the_game(call: Caller) -> None:
    match = call("new_match", game="footsies_v0", opponent="counter", seat=1, seed=3)
    assert match["rules"] == Wording(FOOTSIES).rules == call("rules", game="footsies_v0")["result"]
    assert match["seat"] == "You are player 1." and match["happened"] == []
    assert match["legal_actions"] == ["Attack", "Block", "Grab", "Dragon Punch"]
    after = call("play", match=match["match"], action="Action: grab")
    assert "player 1 played Grab" in after["happened"][0] or after["result"] is not None
    assert call("look", match=match["match"]) == after


def test_a_match_in_disguise_has_invented_words_everywhere(call: Caller) -> None:
    words = disguise(FOOTSIES, 5)
    match = call("new_match", game="footsies_v0", opponent="counter", disguise=5, seed=1)
    assert match["legal_actions"] == list(words.actions) and match["rules"] == words.rules
    assert call("rules", game="footsies_v0", disguise=5)["result"] == words.rules
    mixture = call("equilibrium", of=match["match"])["equilibrium"]["player 0"]
    assert [*mixture] == list(words.actions) and sum(mixture.values()) == pytest.approx(1, abs=EXACT)
    assert [*call("best_response", of=match["match"])["actions"]] == list(words.actions)
    assert "Attack" in call.refused("play", match=match["match"], action="Attack")
    told = str(call("play", match=match["match"], action=words.actions[0]))
    assert not any(name in told for name in FOOTSIES.actions)


def test_an_action_that_is_none_is_told_with_the_legal_ones(call: Caller) -> None:
    match = call("new_match", game="footsies_v0", seed=1)
    assert call.refused("play", match=match["match"], action="Kick") == (
        "'Kick' is no legal action; legal actions are Attack, Block, Grab, Dragon Punch"
    )
    assert call("look", match=match["match"])["legal_actions"] == match["legal_actions"]


def test_points_are_those_of_the_client(call: Caller) -> None:
    for seat in (0, 1):
        match = call("new_match", game="footsies_v0", opponent="counter", seat=seat, seed=seat)
        while match["result"] is None:
            best = call("best_response", of=match["match"])["actions"]
            match |= call("play", match=match["match"], action=max(best, key=best.__getitem__))
        won = {1: "you won 1 point", -1: "you lost 1 point", 0: "it is a draw"}[match["points"]]
        assert match["result"] == f"The game is over; {won}."
        assert call.refused("play", match=match["match"], action="Block") == "the match is over; begin another"
        assert "is over" in call.refused("value", of=match["match"])


def test_figures_are_those_of_the_exact_measures(call: Caller) -> None:
    counter = agents.make("counter", FOOTSIES)
    measured = call("exploitability", game="footsies_v0", agent="counter")["exploitability"]
    assert measured == pytest.approx(exploitability(FOOTSIES, counter), abs=EXACT) == 0.5
    response = call("best_response", of="footsies_v0", agent="counter", seat=1)
    assert response["value"] == pytest.approx(best_response(FOOTSIES, counter, 1).value, abs=EXACT)
    assert sorted(response["actions"].values()) == [0, 0, 0, 1]
    known = solve(FOOTSIES)
    mixtures = call("equilibrium", of="footsies_v0")["equilibrium"]
    first, second = known.strategies(FOOTSIES.start_codes)
    assert [*mixtures["player 0"].values()] == pytest.approx(first[0], abs=EXACT)
    assert [*mixtures["player 1"].values()] == pytest.approx(second[0], abs=EXACT)


def test_the_value_of_a_match_is_that_of_its_state_to_the_client(call: Caller) -> None:
    solution, worths = solve(FOOTSIES), []
    for seat in (0, 1):
        match = call("new_match", game="footsies_v0", opponent="counter", seat=seat, seed=7)
        assert call("value", of=match["match"]) == {"value": 0}
        call("play", match=match["match"], action="Attack")  # counter answers an unknown player with Attack or Grab
        worths.append(call("value", of=match["match"])["value"])
    values = set(solution.values.round(9))
    assert {worths[0], -worths[1]} <= values


def test_hidden_information_stays_hidden(call: Caller) -> None:
    match = call("new_match", game=KUHN, opponent="nash", seat=1, seed=2)
    assert [*call("equilibrium", of=match["match"])["equilibrium"]] == [Game(kuhn).view.PLAYERS[1]]
    assert "has no value of its own" in call.refused("value", of=match["match"])
    assert played(call, match)["points"] in (-2, -1, 1, 2)


def test_a_game_that_begins_by_chance_has_a_value_but_no_first_choice(call: Caller) -> None:
    assert call("value", of=KUHN)["value"] == pytest.approx(-1 / 18, abs=EXACT)  # Kuhn (1950)
    assert "chance decides at the start" in call.refused("equilibrium", of=KUHN)
    assert "chance decides at the start" in call.refused("best_response", of=KUHN, agent="random")


def test_what_the_command_line_did_not_name_is_not_loaded(
    call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    script, rules = tmp_path / "rock.py", tmp_path / "not_named.py"
    script.write_text("import pathlib\npathlib.Path('ran').touch()\n")
    rules.write_text(script.read_text())
    for text in (str(script), f"{script}:Player", "os:system", str(tmp_path / "model.zip"), "openspiel:greenberg"):
        assert "there is no player" in call.refused("new_match", game="roshambo_v0", opponent=text)
        assert "there is no player" in call.refused("exploitability", game="roshambo_v0", agent=text)
    for player in ("llm(model=any,url=http://127.0.0.1:1)", "manual", "human player"):
        assert call.refused("new_match", game="roshambo_v0", opponent=player)
    assert "command line alone" in call.refused("new_match", game="tictactoe_v0", opponent="menace(file=boxes.json)")
    for text in (str(rules), "not_named"):
        assert "there is no game" in call.refused("rules", game=text)
        assert "there is no game" in call.refused("value", of=text)
    assert not (tmp_path / "ran").exists() and not Path("ran").exists()


def test_a_script_of_the_command_line_plays(tmp_path: Path) -> None:
    script = tmp_path / "rock.py"
    script.write_text(SCRIPT)
    tools = Tools(Library([], [str(script)]))
    with calling(SentenceServer(tools.playing())) as call:
        match = call("new_match", game="roshambo_v0(rounds=1)", opponent=str(script))
        assert call("play", match=match["match"], action="Paper")["points"] == 1
    tools.close()


def test_a_player_that_fails_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "tired.py"
    file.write_text(
        "from nashzoo.envs.core.agent import PolicyAgent\n\n\nclass Tired(PolicyAgent):\n"
        "    def action_probabilities(self, observations, action_masks):\n        raise OverflowError('no more')\n"
    )
    with calling(SentenceServer(Tools(Library([], [f"{file}:Tired"])).playing())) as call:
        match = call("new_match", game="roshambo_v0", opponent=f"{file}:Tired")
        said = call.refused("play", match=match["match"], action="Rock")
        assert said == f"{file}, line 6, in action_probabilities: no more"


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("value", {"of": "chess"}, "there is no game 'chess' here; the games are "),
        ("new_match", {"game": "footsies_v0", "oponent": "nash"}, "new_match has no argument oponent; it has game, "),
        ("new_match", {"game": "footsies_v0", "seat": 2}, "seat: Input should be 0 or 1"),
        ("new_match", {"game": "footsies_v0", "seed": -1}, "seed must be "),
        ("new_match", {}, "game: Field required"),
        ("new_match", {"game": "footsies_v0(rounds=0)"}, "rounds must be "),
        ("new_match", {"game": "footsies_v0", "opponent": "mcts(simulations=1000000)"}, "simulations is at most "),
        ("play", {"match": "abc", "action": "Block"}, "there is no such match"),
        ("best_response", {"of": "footsies_v0"}, "name the player to respond to"),
        ("best_response", {"of": "match of seat 0", "seat": 1}, "your seat in the match is 0; leave seat out, or name"),
        ("exploitability", {"game": "footsies_v0", "agent": "bayesian"}, "bayesian chooses by more than the state"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(call: Caller, tool: str, arguments: dict[str, Any], sentence: str) -> None:
    if arguments.get("of") == "match of seat 0":
        arguments["of"] = call("new_match", game="footsies_v0", opponent="random", seat=0)["match"]
    assert call.refused(tool, **arguments).startswith(sentence)


def test_long_work_goes_on_while_the_client_is_told_so() -> None:
    tools = Tools(Library(), patience=0.0)
    with calling(SentenceServer(tools.oracle())) as call:
        assert call.refused("value", of="footsies_v0(rounds=3)").endswith("; the work goes on, ask again")
        tools.solver.patience = PATIENCE
        assert call("value", of="footsies_v0(rounds=3)") == {"value": 0}


def test_a_tool_that_works_long_keeps_no_other_waiting() -> None:
    done = threading.Event()

    def work() -> str:
        return "done" if done.wait(PATIENCE) else "never"

    with calling(SentenceServer([work, Tools(Library()).rules])) as call, ThreadPoolExecutor(1) as other:
        working = other.submit(call, "work")
        assert "Attack" in call("rules", game="footsies_v0")["result"] and not working.done()
        done.set()
        assert working.result(PATIENCE) == {"result": "done"}


def test_old_matches_are_dropped() -> None:
    tools = Tools(Library())
    tools.matches.most = 2
    with calling(SentenceServer(tools.playing())) as call:
        first, *others = [call("new_match", game="footsies_v0", opponent="random")["match"] for _ in range(3)]
        assert "there is no such match" in call.refused("look", match=first)
        assert all(call("look", match=match)["result"] is None for match in others)


def test_the_page_lists_all_tools_and_their_arguments() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "mcp.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", page, re.MULTILINE)
    tools = Tools(Library())
    assert {name: re.findall(r"`(\w+)`", arguments) for name, arguments in rows} == {
        tool.__name__: [*inspect.signature(tool).parameters] for tool in (*tools.playing(), *tools.oracle())
    }
    (settings,) = re.findall(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert json.loads(settings)["mcpServers"]["nashzoo"]["args"] == ["mcp"]


def test_a_missing_package_is_named(nashzoo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert nashzoo.refused("mcp") == "nashzoo mcp needs the package mcp: pip install '.[mcp]' in nashzoo's folder"


def test_an_unknown_game_of_the_command_line_is_refused(nashzoo: Command) -> None:
    assert "nowhere" in nashzoo.refused("mcp ./nowhere.py")
