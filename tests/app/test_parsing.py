"""What people type: parameters and states."""

import pytest

import nim
from nashzoo.app.shared.parsing import code_of, game_of
from nashzoo.envs import Game, footsies_v0
from nashzoo.envs.base.assignments import assignments


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], {}),
        (["blocks=2"], {"blocks": 2}),
        (["bluff=0.5", "risk=1e-3"], {"bluff": 0.5, "risk": 0.001}),
        (["open=True", "shut=False"], {"open": True, "shut": False}),
        (["exhausted_block=free", "empty=", "text=a=b"], {"exhausted_block": "free", "empty": "", "text": "a=b"}),
        (["blocks=-2"], {"blocks": -2}),
        (["payoff=[[0,1.5],[-1.5,0]]"], {"payoff": [[0, 1.5], [-1.5, 0]]}),
    ],
)
def test_values_are_read_as_what_they_look_like(words: list[str], said: dict[str, object]) -> None:
    assert assignments(words) == said
    assert [type(value) for value in assignments(words).values()] == [type(value) for value in said.values()]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rounds"], "'rounds' should have the form name=value"),
        (["=3"], "'=3' should have the form name=value"),
        (["rounds=1", "rounds=2"], "rounds is given twice"),
        (["payoff=[[0,1"], r"\[\[0,1 begins with a bracket, but is no list such as \[\[0,1\],\[-1,0\]\]"),
    ],
)
def test_words_of_another_form_are_refused(words: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        assignments(words)


def test_a_game_has_the_parameters_asked_for() -> None:
    assert game_of("footsies_v0", ["rounds=3", "exhausted_block=free"]) == footsies_v0.game(
        rounds=3, exhausted_block="free"
    )


def test_fields_of_a_state_that_are_left_out_are_as_at_the_start() -> None:
    game = footsies_v0.game()
    state = game.state(code_of(game, "blocks1=0,hits0=1"))
    assert (state.blocks0, state.blocks1, state.hits0, state.hits1) == (3, 0, 1, 0)
    assert code_of(game, "") == game.start_codes[0]


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("lives=1", "has no field lives; it has blocks0, blocks1, hits0, hits1"),
        ("blocks0=4", "blocks0 must be from 0 to 3, not 4"),
        ("blocks0=-1", "blocks0 must be from 0 to 3, not -1"),
        ("blocks0=many", "blocks0 must be a whole number, not 'many'"),
        ("blocks0=1.5", "blocks0 must be a whole number, not 1.5"),
        ("blocks0=True", "blocks0 must be a whole number, not True"),
        ("blocks0", "'blocks0' should have the form name=value"),
        ("round=1", "the game is over at"),
    ],
)
def test_states_that_there_are_not_are_refused(state: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        code_of(footsies_v0.game(), state)


def test_states_of_another_game() -> None:
    game = Game(nim, heap=9)
    assert game.state(code_of(game, "heap=4,mover=1")) == nim.State(4, 1)
