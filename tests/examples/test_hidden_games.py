"""The rules files with hidden information in ``examples/games``, held against OpenSpiel.

What OpenSpiel's own linear program finds is written down, as it needs a library more: its ``sequence_form_lp`` with
HiGHS, and its ``exploitability`` of uniform play, version 2.0.2.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chance_contract import ChanceContract
from contract import EnvironmentContract
from nashzoo import agents
from nashzoo.baselines import exploitability, solve
from nashzoo.baselines.game_problems import game_problems
from nashzoo.envs import Game, make_game
from nashzoo.envs.api.module import make_module
from nashzoo.envs.base.modules import module_at

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "games"
EXACT = 1e-9
PLAYS = 200


def named(name: str, **params: Any) -> Game:
    return make_game(str(FOLDER / f"{name}.py"), **params)


class TestDarkHex(EnvironmentContract):
    public = make_module(module_at(str(FOLDER / "dark_hex.py")))

    @pytest.fixture
    def options(self) -> dict[str, Any]:
        return {"rows": 2, "columns": 2}


class TestHiddenGoofspiel(EnvironmentContract):
    public = make_module(module_at(str(FOLDER / "hidden_goofspiel.py")))

    @pytest.fixture
    def options(self) -> dict[str, Any]:
        return {"cards": 3}


@pytest.mark.slow
class TestHiddenGoofspielInRandomOrder(ChanceContract):
    public = make_module(module_at(str(FOLDER / "hidden_goofspiel.py")))

    @pytest.fixture
    def options(self) -> dict[str, Any]:
        return {"cards": 3, "random": True}


@pytest.mark.parametrize(
    ("name", "params", "value", "of_uniform_play"),
    [
        ("hidden_goofspiel", {"cards": 3, "random": True}, 0.0, 2 / 3),
        ("hidden_goofspiel", {"cards": 4}, 0.0, 17 / 24),
        ("hidden_goofspiel", {"cards": 4, "ascending": False}, 0.0, 17 / 24),
        pytest.param("hidden_goofspiel", {"cards": 5}, 0.0, 0.775, marks=pytest.mark.slow),
        ("dark_hex", {"rows": 2, "columns": 2}, 1.0, 0.625),
        ("dark_hex", {"rows": 2, "columns": 2, "abrupt": True}, 0.5, 5 / 12),
        pytest.param(
            "dark_hex", {"rows": 2, "columns": 3, "abrupt": True}, 9 / 11, 0.39027777777777777, marks=pytest.mark.slow
        ),
    ],
)
def test_values_are_those_of_openspiel(name: str, params: dict[str, Any], value: float, of_uniform_play: float) -> None:
    game = named(name, **params)
    solution = solve(game)
    assert solution.start_value == pytest.approx(value, abs=EXACT) and solution.certificate < EXACT
    assert exploitability(game, agents.make("random", game)) == pytest.approx(of_uniform_play, abs=EXACT)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("hidden_goofspiel", {"cards": 4}),
        ("hidden_goofspiel", {"cards": 3, "random": True}),
        ("dark_hex", {"rows": 2, "columns": 2}),
        ("dark_hex", {"rows": 2, "columns": 2, "abrupt": True}),
    ],
)
def test_nothing_is_wrong_with_them(name: str, params: dict[str, Any]) -> None:
    assert game_problems(named(name, **params)) == []


def without_count(view: str) -> str:
    """Leaves out the number of all tries, which OpenSpiel's players of regular dark hex see."""
    board, _, tries = view.rsplit("\n", 2)
    return f"{board}\n{tries}"


@pytest.mark.parametrize(
    ("name", "params", "openspiel"),
    [
        ("dark_hex", {"rows": 3}, "dark_hex"),
        ("dark_hex", {"rows": 2, "columns": 3}, "dark_hex(num_rows=2,num_cols=3)"),
        ("dark_hex", {"rows": 3, "columns": 2, "abrupt": True}, "dark_hex(num_rows=3,num_cols=2,gameversion=adh)"),
        ("phantom_tictactoe", {}, "phantom_ttt"),
        ("phantom_tictactoe", {"abrupt": True}, "phantom_ttt(gameversion=abrupt)"),
    ],
)
def test_players_do_and_see_what_they_do_in_openspiel(name: str, params: dict[str, Any], openspiel: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    rng, game, other = np.random.default_rng(0), named(name, **params), pyspiel.load_game(openspiel)
    ours: list[dict[str, int]] = [{}, {}]
    theirs: list[dict[int, str]] = [{}, {}]
    for _ in range(PLAYS):
        code, state = int(game.start_codes[0]), other.new_initial_state()
        while not state.is_terminal():
            player, legal = state.current_player(), state.legal_actions()
            assert not game.terminal(code) and game.payoff(code) == 0.0 and game.turn(code) == player
            assert list(game.legal_actions(code, player)) == legal
            view, view_there = game.information_state(code, player), state.information_state_string(player)
            if name == "dark_hex" and not params.get("abrupt"):
                view_there = without_count(view_there)
            assert ours[player].setdefault(view_there, view) == view
            assert theirs[player].setdefault(view, view_there) == view_there
            action = int(rng.choice(legal))
            state.apply_action(action)
            code = game.step(code, *((action, 0) if player == 0 else (0, action)))
        assert game.terminal(code) and game.payoff(code) == state.returns()[0]


def test_a_player_of_dark_hex_sees_the_stones_that_it_knows() -> None:
    game = named("dark_hex", rows=2, columns=2)
    code = int(game.start_codes[0])
    for player, cell in ((0, 0), (1, 0), (1, 3)):  # player 1 bumps into a1, then takes b2
        code = game.step(code, *((cell, 0) if player == 0 else (0, cell)))
    assert game.turn(code) == 0
    texts = [game.text(game.information_state(code, player)) for player in (0, 1)]
    assert [game.text(code), *texts] == ["x .\n . o", "x .\n . .", "x .\n . o"]


def test_a_player_of_goofspiel_sees_its_own_bids() -> None:
    game = named("hidden_goofspiel", cards=3)
    code = game.step(game.step(int(game.start_codes[0]), 0, 2), 1, 1)
    text = "prize 3\nplayer 0: bids {}, prizes none\nplayer 1: bids {}, prizes 1"
    assert game.text(code) == text.format("1 2", "3 2")
    assert game.text(game.information_state(code, 0)) == text.format("1 2", "? ?")
    assert game.text(game.information_state(code, 1)) == text.format("? ?", "3 2")


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("dark_hex", {"rows": 4}, "2 to 9 cells, not 4 rows of 3"),
        ("dark_hex", {"rows": 1, "columns": 1}, "2 to 9 cells"),
        ("hidden_goofspiel", {"cards": 7}, "cards must be from 1 to 6, not 7"),
        ("hidden_goofspiel", {"cards": 6, "random": True}, "cards must be from 1 to 5, not 6"),
    ],
)
def test_parameters_that_do_not_fit(name: str, params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        named(name, **params)
