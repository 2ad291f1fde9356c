"""Games whose payoffs add up to 1 or 2; who gets more than half has won, and figures are those of the file."""

import json
from pathlib import Path

import numpy as np
import pytest

from command import Command
from nashzoo import agents
from nashzoo.app.mcp.tools import Tools
from nashzoo.app.web.ladder import ladder
from nashzoo.app.web.library import Library
from nashzoo.app.web.matches import steps_json
from nashzoo.app.web.states import solution_json
from nashzoo.arena.live_match import LiveMatch
from nashzoo.arena.match import play_match
from nashzoo.baselines import outcomes, solve
from nashzoo.envs import make_game, matrix_game

# Bob chooses last. Whatever Ann does, he wins by "down"; after "left" and "up" Ann wins.
LAST_WORD = """EFG 2 R "" { "Ann" "Bob" } p "" 1 1 "" { "left" "right" } 0
p "" 2 1 "" { "up" "down" } 0 t "" 1 "" { 1 0 } t "" 2 "" { 0 1 }
p "" 2 2 "" { "up" "down" } 0 t "" 3 "" { 0 1 } t "" 4 "" { 0 1 }
"""
SCISSORS = 'NFG 1 R "a win is 2, a draw 1" { "Ann" "Bob" } { { "r" "p" "s" } { "r" "p" "s" } }\n'
SCISSORS += "1 1  2 0  0 2  0 2  1 1  2 0  2 0  0 2  1 1\n"
COIN = '''"""Who guesses the coin, which falls heads three times in four, gets a point, else the other one."""
from typing import NamedTuple
NAME, ACTIONS, SEEN_BY = "coin_v0", ("heads", "tails"), {"coin": ()}
class State(NamedTuple):
    coin: int
    over: int
    right: int
def field_maxima(): return State(2, 1, 1)
def start(): return [(State(1, 0, 0), 0.75), (State(2, 0, 0), 0.25)]
def turn(): return 0
def step(state, action): return State(state.coin, 1, 1 if action + 1 == state.coin else 0)
def terminal(state): return state.over == 1
def payoff(state): return state.right
def constant_sum(): return 1
'''
# Both pay an ante of 1 and Ann a fee of 1 more, and who folds leaves what is there to the other one.
ANTES = """EFG 2 R "" { "Ann" "Bob" } p "" 1 1 "" { "bet" "fold" } 1 "antes" { -2 -1 }
p "" 2 1 "" { "call" "fold" } 0 t "" 2 "" { 0 2 } t "" 3 "" { 2 0 } t "" 4 "" { 0 2 }
"""
EXACT = 1e-9


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"last.efg": LAST_WORD, "scissors.nfg": SCISSORS, "coin.py": COIN, "antes.efg": ANTES}.items():
        Path(name).write_text(text)


def test_solutions_have_the_payoffs_of_the_file_and_say_who_wins(nashzoo: Command) -> None:
    told = nashzoo.json("solve last.efg")
    assert (told["value"], told["value1"], told["distance"]) == (0.0, 1.0, 2)
    assert told["states"] == [{"player_0_wins": 0, "draws": 0, "player_1_wins": 3}]
    assert "moves to the end: 2 best moves" in nashzoo.prints("solve last.efg")
    two = "solve scissors.nfg --param rounds=2"
    assert [nashzoo.json(f"{two}{at}")["value"] for at in ("", " --at number=1")] == pytest.approx(
        [2.0, 1.0], abs=EXACT
    )
    told = nashzoo.json("solve coin.py")
    assert (told["value"], told["value1"], told["optimal"]) == (pytest.approx(0.75), pytest.approx(0.25), True)
    assert "exactly: 3/4" in nashzoo.prints("solve coin.py")


@pytest.mark.parametrize(
    ("file", "expected"),
    [("last.efg", (0.25, 0.0, 0.75)), ("scissors.nfg", (1 / 3, 1 / 3, 1 / 3)), ("coin.py", (0.5, 0.0, 0.5))],
)
def test_a_win_of_player_1_is_no_draw(file: str, expected: tuple[float, float, float]) -> None:
    game = make_game(file)
    random = agents.make("random", game)
    assert outcomes(game, random, random) == pytest.approx(expected, abs=EXACT)
    result = play_match(game, "random", "random", 400, 0)
    shares = np.array([result.wins, result.draws, result.losses]) / 400
    assert shares == pytest.approx(np.array(expected), abs=0.1)  # four standard errors
    assert (result.draws == 0) == (expected[1] == 0.0)


def test_who_gives_up_gets_what_a_loser_gets() -> None:
    for file, won in (("last.efg", 1.0), ("scissors.nfg", 2.0), ("coin.py", 1.0)):
        game = make_game(file)
        start = game.first_decision
        assert [game.points(game.forfeited(start, 0.0, [player])) for player in (0, 1)] == [0.0, won]


def test_matches_are_told_in_the_points_of_the_file(nashzoo: Command) -> None:
    told = nashzoo.prints("watch last.efg random perfect --games 3 --seed 0 --delay 0")
    assert told.count("blue won, 1 point.") == 3 and "a draw" not in told
    assert "random: won 0, drawn 0, lost 3; 0 points perfect: won 3, drawn 0, lost 0; +3 points" in told
    assert "You lose. (0)" in nashzoo.prints("play last.efg --against perfect", "left\n")
    assert "You win. (+1)" in nashzoo.prints("play last.efg --against random --seat 1", "down\n")


def test_tournaments_count_them(nashzoo: Command) -> None:
    table = nashzoo.json("tournament coin.py --agents nash random --games 200 --out t")
    said = nashzoo.prints("tournament last.efg --agents perfect random --games 20 --out u")
    assert "A draw is 0: half of the 1 that both get is taken off." in said
    (first, second) = table["pairs"]
    assert first["draws"] == second["draws"] == 0 and first["wins"] == second["losses"] > 0


def test_tools_tell_a_model_its_points() -> None:
    tools = Tools(Library(["last.efg"]))
    match = tools.new_match("last.efg", "random", seat=1, seed=0)["match"]
    assert tools.value("last.efg") == {"value": 0.0} and tools.value(match) == {"value": 1.0}
    assert tools.best_response("last.efg", "random", seat=0)["value"] == 0.5
    ended = tools.play(match, "down")
    assert ended["points"] == 1.0 and ended["result"] == "The game is over; you won with 1 point."
    tools.close()


def test_weaknesses_and_pages_have_the_points_of_the_file(nashzoo: Command) -> None:
    # At random Ann gets 1/4 and Bob 3/4; against that Ann gets 1/2 by "left", and Bob 1 by "down".
    told = nashzoo.json("weaknesses last.efg random --against random")
    assert (told["wins"], told["best_response"]) == (pytest.approx(0.5), pytest.approx(0.75))
    game = make_game("last.efg")
    solution = solution_json(solve(game), game.first_decision)
    rungs = ladder(Library(["last.efg"]), game, solve(game), ["nash", "random"])
    assert {one["name"]: one["wins"] for one in rungs}["random"] == 0.75
    assert rungs[-1]["wins"] == 0.5  # perfect play is the strongest opponent
    assert solution["value"] + solution["half"] == 0.0 and Library(["last.efg"]).about("last.efg")["half"] == 0.5
    zero = matrix_game([[1, -1], [-1, 1]])
    assert "half" not in solution_json(solve(zero), zero.first_decision) and zero.constant_sum == 0.0


def test_a_file_has_its_own_name_and_no_other_sentence(nashzoo: Command) -> None:
    assert nashzoo.prints("list last.efg").startswith("last Players, with their options: ")
    assert Library(["last.efg"]).about("last.efg")["title"] == "Last"


def test_a_game_is_written_with_its_payoffs(nashzoo: Command) -> None:
    for name, pair in (("last.efg", "{ 1 0 }"), ("scissors.nfg", "1 1 2 0 0 2")):
        format = name.partition(".")[2]
        nashzoo.prints(f"export {name} --format {format} --out again.{format}")
        assert pair in " ".join(Path(f"again.{format}").read_text().split())


def test_payments_on_the_way_that_both_make_are_of_no_player_alone(nashzoo: Command) -> None:
    ends = {"fold": (-2, 1), "bet, call": (-2, 1), "bet, fold": (0, -1)}
    game = make_game("antes.efg")
    assert game.constant_sum == -1.0 and nashzoo.json("solve antes.efg")["value"] == -2.0
    for moves, (ann, bob) in ends.items():
        code, won = game.first_decision, 0.0
        for move in ["go on", *moves.split(", ")]:  # a step for it, as play pays before a choice
            action = game.actions.index(move)
            code = game.step(code, *((action, 0) if game.turn(code) == 0 else (0, action)))
            won += game.payoff(code)
            assert game.terminal(code) or (won == 0.0 and game.points(0.0, code) == -0.5)
        assert (game.points(won), game.points(-won)) == (ann, bob)
    said = nashzoo.prints("play antes.efg --against random --seat 1 --seed 3", "call\n")
    assert "You win. (+1)" in said and "You have" not in said


def test_points_so_far_are_those_of_the_file() -> None:
    game = make_game("scissors.nfg", rounds=2)
    live = LiveMatch(game, [None, None], np.random.default_rng(0))
    live.act(0, 2)  # rock beats scissors: 2 points, and none for the other one
    (first,) = steps_json(live.trajectory)
    assert (first["half"] + first["reward"], first["half"] - first["reward"]) == (2.0, 0.0)
    live.act(0, 0)
    assert sum(step["half"] for step in steps_json(live.trajectory)) == game.points(0.0) == 2.0
    tree = make_game("last.efg")
    live = LiveMatch(tree, [None, None], np.random.default_rng(0))
    live.act(tree.actions.index("left"), 0)
    live.act(0, tree.actions.index("up"))
    assert [(step["reward"], step["half"]) for step in steps_json(live.trajectory)] == [(0.0, 0.0), (0.5, 0.5)]


def test_data_sets_of_choices_have_the_points_of_the_file(nashzoo: Command) -> None:
    values = {}
    for name, options in (("scissors.nfg", " --param rounds=2"), ("coin.py", ""), ("last.efg", "")):
        nashzoo.prints(f"text dataset {name}{options} --states 30 --out {name}.jsonl")
        lines = list(map(json.loads, Path(f"{name}.jsonl").read_text().splitlines()))
        values[name] = {(line["state"], line["player"]): line["value"] for line in lines}
        assert all("in all." in line["prompt"][0]["content"] for line in lines)
        assert not any("the other loses" in line["prompt"][0]["content"] for line in lines)
    assert sorted(values["scissors.nfg"].values()) == pytest.approx([1.0] * 18 + [2.0] * 2, abs=EXACT)
    assert list(values["coin.py"].values()) == pytest.approx([0.75], abs=EXACT)
    assert set(values["last.efg"].values()) == {0.0, 1.0}
