"""What commands do with games in which chance decides."""

from pathlib import Path
from typing import Any

import littman_soccer
import numpy as np
import pig
import pytest

from command import Command
from nashzoo import agents
from nashzoo.app.matches import picture
from nashzoo.app.matches.play import Sides, play
from nashzoo.app.web.library import Library
from nashzoo.arena.live_match import LiveMatch
from nashzoo.baselines import solve as solved
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError


@pytest.fixture
def game() -> Game:
    return Game(pig, target=8)


def test_a_state_is_described(nashzoo: Command) -> None:
    line = f"solve {pig.__file__} --param target=8"
    first = nashzoo.json(line)
    assert first["strategy0"] == {"roll": 1.0, "hold": 0.0} and first["strategy1"] == {"roll": 1.0}
    assert "distance" not in first and "best_moves" not in first
    assert nashzoo.json(f"{line} --at total=5")["strategy0"].keys() == {"roll", "hold"}
    out = nashzoo.prints(line)
    assert "value to red: 0.476082" in out
    assert "red, to move" in out and "blue" not in out  # only who is to move


def test_a_chance_state_has_no_strategies(nashzoo: Command) -> None:
    line = f"solve {pig.__file__} --param target=8"
    rolls = nashzoo.json(f"{line} --at rolls=1")
    assert "strategy0" not in rolls and "strategy1" not in rolls
    assert rolls["value"] == pytest.approx(nashzoo.json(line)["value"], abs=1e-12)
    out = nashzoo.prints(f"{line} --at rolls=1")
    assert "Chance decides here. With --at, name a state at which a player chooses." in out


CHANCE_FIRST = """
from typing import NamedTuple
NAME, ACTIONS = "first_v0", ("left", "right")
class State(NamedTuple):
    place: int
def field_maxima(params):
    return State(2)
def start(params):
    return State(0)
def turn(state):
    return 0 if state.place else 3
def step(state, action):
    return State(2)
def chance(state):
    return OUTCOMES
def terminal(state):
    return state.place == 2
def payoff(state):
    return 0
"""


@pytest.mark.parametrize("outcomes", ["[]", "None", "[State(1), State(1)]", "[(State(1), 'half')]", "[(1, 1.0)]"])
def test_what_chance_returns_at_the_start(nashzoo: Command, tmp_path: Path, outcomes: str) -> None:
    (tmp_path / "first.py").write_text(CHANCE_FIRST.replace("OUTCOMES", outcomes))
    code, _, err = nashzoo(f"check {tmp_path / 'first.py'}")
    told = "chance of first_v0 must return a list of pairs of a State"
    assert code == 2
    assert told in err and ", at State(place=0) (" in err


def faulty_later() -> str:
    """Returns rules whose chance is wrong after the first step."""
    rules = CHANCE_FIRST.replace("OUTCOMES", "[(State(1), 1.0 if state.place == 0 else 0.5)]")
    rules = rules.replace("return 0 if state.place else 3", "return 0 if state.place == 1 else 3")
    for before in ("maxima(params):\n    return State", "step(state, action):\n    return State"):
        rules = rules.replace(f"{before}(2)", f"{before}(3)")
    return rules


def test_a_faulty_game_is_listed_with_the_others(tmp_path: Path) -> None:
    (tmp_path / "later.py").write_text(faulty_later())
    listed = Library([str(tmp_path / "later.py")]).games()
    assert listed[0]["name"] == "first_v0" and len(listed) > 5


def test_an_error_names_its_state_once(nashzoo: Command, tmp_path: Path) -> None:
    (tmp_path / "later.py").write_text(faulty_later())
    code, out, err = nashzoo(f"check {tmp_path / 'later.py'}")
    assert code != 0
    assert (out + err).count("place=3") == 1


def test_a_map_and_no_line(game: Game) -> None:
    found = picture.value_map(game, "", "score0,score1")
    assert found.distances is None and found.values.shape == (8, 8) and (np.diff(found.values, axis=1) >= 0).all()
    with pytest.raises(UsageError, match="chance decides in pig_v0; a line needs a game without chance"):
        picture.perfect_line(solved(game), int(game.start_codes[0]))


@pytest.mark.parametrize("rules, options", [(pig, {"target": 8}), (littman_soccer, {})])
def test_a_game_is_played(rules: Any, options: dict[str, Any]) -> None:
    game = Game(rules, **options)
    players = [agents.make("random", game, seed=seed) for seed in (1, 2)]
    matches = [LiveMatch(game, players, np.random.default_rng(seed)) for seed in range(30)]
    for match in matches:
        play(match, Sides(0))
    assert all(game.terminal(match.code) for match in matches)
    assert all(match.points == game.payoff(match.code) for match in matches)
    assert len({match.code for match in matches}) > 1


def test_rules_files_are_verified(nashzoo: Command) -> None:
    assert "the solution holds" in nashzoo.prints(f"verify {pig.__file__} --param target=5 --quiet")
