"""A person at the keyboard."""

import io

import numpy as np
import pytest

import nim
from nashzoo import agents
from nashzoo.agents.basic.keyboard import InputEnded, KeyboardAgent, action_keys, initials
from nashzoo.envs import footsies_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.core.game import Game

FOOTSIES = footsies_v0.game(max_turns=10)
START = FOOTSIES.observe(int(FOOTSIES.start_codes[0]), 0)


def person(game: Game, *answers: str) -> tuple[KeyboardAgent, io.StringIO]:
    """A person who gives these answers, and what they are shown."""
    shown = io.StringIO()
    source = io.StringIO("".join(f"{answer}\n" for answer in answers))
    return KeyboardAgent(game, source=source, target=shown), shown


def test_an_action_is_chosen_by_key_name_or_beginning() -> None:
    answers = {"a": 0, "b": 1, "g": 2, "dp": 3, "DP": 3, " a ": 0, "Dragon Punch": 3, "d": 3, "gra": 2}
    agent, _ = person(FOOTSIES, *answers)
    assert [agent.predict(START)[0] for _ in answers] == [*answers.values()]


@pytest.mark.parametrize(
    ("seat", "fields"),
    [
        (0, {"blocks0": 2, "blocks1": 1, "hits1": 1, "last0": 3, "last1": 1, "turn": 4}),
        (1, {"blocks1": 2, "blocks0": 1, "hits0": 1, "last1": 3, "last0": 1, "turn": 4}),
    ],
)
def test_the_person_sees_both_players_and_the_choices_alike_in_either_seat(seat: int, fields: dict[str, int]) -> None:
    agent, shown = person(FOOTSIES, "b")
    code = FOOTSIES.code(**fields)
    agent.predict(FOOTSIES.observe(code, seat))
    assert shown.getvalue() == (
        "\nturn 5 of 10\n"
        "you: blocks 2, last move Grab\n"
        "other: blocks 1, hits landed in succession 1, last move Attack\n"
        "[1] Attack   [2] Block   [3] Grab   [4] Dragon Punch\n"
        "Your move: "
    )


def test_a_wrong_answer_is_told_and_asked_again() -> None:
    agent, shown = person(FOOTSIES, "x", "", "g")
    assert agent.predict(START)[0] == 2
    assert shown.getvalue().count("Your move: ") == 3
    assert "'x' is none of 1 (Attack), 2 (Block), 3 (Grab), 4 (Dragon Punch)" in shown.getvalue()
    assert "'' is none of 1 (Attack)" in shown.getvalue()


def test_what_is_its_own_key_is_named_once() -> None:
    game = tictactoe_v0.game()
    agent, shown = person(game, "4", "5")
    assert agent.predict(game.observe(game.code(board="xoxxo.o.."), 0))[0] == 5
    assert "\n5   7   8\nYour move: '4' is none of 5, 7, 8\n" in shown.getvalue()


def test_only_legal_actions_are_offered_and_taken() -> None:
    game = Game(nim, heap=2)
    agent, shown = person(game, "t3", "take", "t2")
    assert agent.predict(game.observe(int(game.start_codes[0]), 0))[0] == 1
    assert "[1] take 1   [2] take 2\n" in shown.getvalue()
    assert "'t3' is none of 1 (take 1), 2 (take 2)" in shown.getvalue()
    assert "'take' could be any of 1 (take 1), 2 (take 2)" in shown.getvalue()


def test_several_tables_are_asked_one_after_the_other_and_the_end_of_input_is_an_error() -> None:
    agent, _ = person(FOOTSIES, "a", "b", "g", "x")
    assert agent.predict(np.tile(START, (3, 1)))[0].tolist() == [0, 1, 2]
    with pytest.raises(InputEnded, match="the input ended before an action was chosen"):
        agent.predict(START)


def test_by_default_standard_input_and_output_are_used(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("g\n"))
    assert agents.make("manual", FOOTSIES).predict(START)[0] == 2
    assert "Your move: " in capsys.readouterr().out


def test_keys_are_numbers_that_stay_the_same_unless_there_are_many() -> None:
    assert action_keys(FOOTSIES.actions, [1, 3]) == {1: "2", 3: "4"}
    assert action_keys(tictactoe_v0.game().actions, [0, 8]) == {0: "0", 8: "8"}  # names that are numbers
    soccer = soccer_v0.game().actions  # Kick in the middle of the directions, as on a number pad
    assert action_keys(soccer, range(9)) == dict(zip((8, 4, 6, 2, 0, 1, 7, 3, 5), "123456789", strict=True))
    assert action_keys(tuple("abcdefghij"), [2, 9]) == {2: "1", 9: "2"}


def test_initials_are_short_and_distinct() -> None:
    assert initials(FOOTSIES.actions) == ("a", "b", "g", "dp")
    assert initials(("Rock", "Paper", "Scissors")) == ("r", "p", "s")
    assert initials(("Move the first runner", "Move the second runner")) == ("", "")  # they would be long
    assert initials(("north", "east", "south", "west", "stay")) == ("",) * 5
