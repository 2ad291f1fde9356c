"""What ``nashzoo check`` finds: each kind of mistake, made on purpose in rules that are right."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from command import Command
from made_games import written
from nashzoo.baselines.game_problems import game_problems
from nashzoo.envs import Game, games, make_game
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.jit.lazy import brief

RULES = """from typing import NamedTuple

NAME = "walk_v0"
ACTIONS = ("left", "right")

class State(NamedTuple):
    place: int
    turns: int

def field_maxima():
    return State(4, 7)

def start():
    return State(2, 0)

def legal(state):
    return 0b11

def step(state, action0, action1):
    return State(state.place + action0 - action1, state.turns + 1)

def terminal(state):
    return state.place == 0 or state.place == 4 or state.turns == 7

def payoff(state):
    return 1.0 if state.place == 4 else -1.0 if state.place == 0 else 0.0

def swap_players(state):
    return State(4 - state.place, state.turns)
"""


@pytest.fixture(autouse=True)
def interpreted() -> Iterator[None]:
    """Lets rules run as plain Python, for those that a test writes would be compiled each time."""
    with brief():
        yield


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    return lambda *changes: written(tmp_path, RULES, *changes)


def problems(path: Path) -> str:
    return "\n".join(game_problems(Game(module_at(str(path)))))


def test_nothing_is_wrong_with_rules_that_are_right(write: Callable[..., Path]) -> None:
    assert problems(write()) == ""


@pytest.mark.parametrize("name", [name for name in games() if name not in ("soccer_v0", "bodega_brawl_v0")])
def test_nothing_is_wrong_with_the_games_of_the_package(name: str) -> None:
    assert game_problems(make_game(name), looked_at=300) == []


STEP = "    return State(state.place + action0 - action1, state.turns + 1)"
PAYS = "1.0 if state.place == 4 else -1.0 if state.place == 0 else 0.0"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([("State(4, 7)", "State(4, 6)")], "at place=2,turns=6: step leads, on actions 0 and 0, to a field out of its"),
        ([("State(2, 0)", "State(5, 0)")], "start of walk_v0 has place=5, and field_maxima allows 0 to 4"),
        ([("    return 0b11", "    return 0b01 if state.place == 3 else 0b11")], "the legal actions at place="),
        ([(PAYS, f"float('nan') if state.turns == 3 else {PAYS}")], "pays a reward that is not finite after place="),
        ([(STEP, f"    if state.place == 3:\n        return state\n{STEP}")], "play cannot end from place=3,turns=1"),
        ([(PAYS, PAYS.replace("4", "3").replace("== 0", "== 1")), ("state.turns + 1)", "0)")], "there is no bound"),
    ],
)
def test_each_mistake_is_told(write: Callable[..., Path], changes: list[tuple[str, str]], told: str) -> None:
    try:
        found = problems(write(*changes))
    except ValueError as error:
        found = str(error)
    assert told in found


def test_an_outcome_of_chance_that_its_code_cannot_hold(tmp_path: Path) -> None:
    chance = """BITS = {"place": 3, "turns": 3}

def turn(state):
    return 3 if state.turns == 1 else 2

def chance(state):
    return [(State(state.place + 8, 2), 1.0)]

def legal(state):"""
    found = problems(written(tmp_path, RULES.partition("def swap_players")[0], ("def legal(state):", chance)))
    assert found.startswith("at place=2,turns=1: chance leads to a field out of its range: place of State(place=10,")


def test_an_observation_that_does_not_tell_the_state(tmp_path: Path) -> None:
    nim = Path(__file__).resolve().parents[1] / "support" / "nim.py"
    text = nim.read_text()
    path = tmp_path / "blind.py"
    path.write_text(
        text + '\n\ndef observe(player, out):\n    """Sees the seat alone."""\n    out[0] = player\n'
        "\n\ndef decode_observation(observation):\n    return State(1, 0), int(observation[0])\n"
        "\n\ndef features():\n    return ('seat',)\n"
    )
    assert "an observation does not tell the state, or whose it is: that of player 0 at" in problems(path)


class TestTheCommand:
    def test_it_ends_with_1_where_something_is_wrong(self, nashzoo: Command, write: Callable[..., Path]) -> None:
        code, _, err = nashzoo(f"check {write(('State(4, 7)', 'State(4, 6)'))}")
        assert code == 1 and "nashzoo: at place=2,turns=6: step leads, on actions" in err

    def test_too_many_states(self, nashzoo: Command, write: Callable[..., Path]) -> None:
        code, _, err = nashzoo(f"check {write()} --states 5")
        assert code == 2 and "leads to more than 5 states, too many to list" in err

    def test_an_error_in_the_rules_is_one_line(self, nashzoo: Command, write: Callable[..., Path]) -> None:
        path = write(("state.turns + 1)", "state.turns + 1 if state.turns < 3 else state.trns)"))
        code, _, err = nashzoo(f"check {path}")
        assert code == 1
        assert err.startswith("nashzoo: at place=2,turns=3: AttributeError:") and err.count("\n") == 1
        assert f"({path}, line 20, in step)" in err

    def test_an_error_at_the_start_is_one_line_too(self, nashzoo: Command, write: Callable[..., Path]) -> None:
        path = write(("State(state.place", "State(state.palce"))
        code, _, err = nashzoo(f"solve {path}")
        assert code == 2
        assert err.startswith(f"nashzoo: {path}, line 20, in step: AttributeError:") and err.count("\n") == 1
