"""Answers in words: each legal action by its name, and a sentence to everybody else."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nashzoo.envs import Game, footsies_v0, make_game, matrix_game
from nashzoo.envs.text.answers import AnswerError, parse_action
from nashzoo.envs.text.wording import disguise
from worded_games import GAMES, choices, game_of

FORMS = (
    "{}",
    "  {}\n",
    "'{}'",
    '"{}".',
    "{}.",
    "**{}**",
    "Action: {}",
    "The other plays card 1, or does nothing.\n\nAction: {}",
    "action :  {} .",
    "**Action:** {}",
    '{{"action": "{}"}}',
    '```json\n{{\n  "reason": "Action: none",\n  "action": "{}"\n}}\n```',
    'It is best.\n{{"action": "{}"}}',
)
MANY = matrix_game([[0.0] * 12] * 12)  # action 0 to action 11


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_every_legal_action_is_named_in_all_forms_and_no_other_is(name: str, options: dict[str, Any]) -> None:
    game = game_of(name, options)
    for number, (code, player) in enumerate(choices(game, 12)):
        legal = game.legal_actions(code, player)
        for action, named in enumerate(game.actions):
            form = FORMS[(number + action) % len(FORMS)]
            for answer in (form.format(named), form.format(named.upper())):
                if action in legal:
                    assert parse_action(game, legal, answer) == action
                else:
                    with pytest.raises(AnswerError, match="is no legal action; legal actions are "):
                        parse_action(game, legal, answer)


@pytest.mark.parametrize("form", FORMS)
def test_a_name_that_another_begins_with_is_its_own(form: str) -> None:
    for longer in (10, 11):
        assert MANY.actions[longer].startswith(MANY.actions[1])
        for action in (1, longer):
            assert parse_action(MANY, (1, longer), form.format(MANY.actions[action])) == action
        with pytest.raises(AnswerError, match="is no legal action"):
            parse_action(MANY, (1,), form.format(MANY.actions[longer]))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "neither the name of an action nor ends with a line Action: NAME"),
        ("Att", "'Att' is no legal action; legal actions are Attack, Block, Grab, Dragon Punch"),
        ("Attack or Block", "'Attack or Block' is no legal action"),
        ("I attack.", "'I attack.' is no legal action"),
        ("Attack\nBlock", "neither the name"),
        ("Action: Attack\nI mean it.", "neither the name"),
        ("Action: Attack\nAction: Block", "several actions, 'Attack' and 'Block'"),
        ('Action: Grab\n{"action": "Block"}', "several actions, 'Grab' and 'Block'"),
        ('{"action": "Attack", "action": "Block"}', "no legal action"),
        ('{"action": ["Attack"]}', "no legal action"),
        ('{"action": null}', "no legal action"),
        ('{"move": "Attack"}', "no legal action"),
        ("Action: ", "'' is no legal action"),
        ("1", "'1' is no legal action"),
        ("x" * 10_000, "no legal action"),
    ],
)
def test_other_answers_are_refused_in_a_sentence(answer: str, message: str) -> None:
    with pytest.raises(AnswerError, match=re.escape(message)) as error:
        parse_action(footsies_v0.game(), (0, 1, 2, 3), answer)
    assert len(str(error.value)) < 300 and "\n" not in str(error.value)


def test_the_same_name_twice_is_one_name() -> None:
    assert parse_action(footsies_v0.game(), (0, 1), "Action: Block\nSo:\nAction: block.") == 1


def test_names_that_differ_in_capitals_alone_must_be_exact() -> None:
    game = matrix_game([[0.0] * 2] * 2, rows=["a", "A"], columns=["a", "A"])
    assert [parse_action(game, (0, 1), name) for name in ("a", "A", "'a'")] == [0, 1, 0]
    odd = matrix_game([[0.0] * 2] * 2, rows=["*", "Stop."], columns=["*", "Stop."])
    assert [parse_action(odd, (0, 1), name) for name in ("*", "stop")] == [0, 1]


def test_a_number_in_json_is_a_name() -> None:
    assert parse_action(make_game("tictactoe_v0"), range(9), json.dumps({"action": 4})) == 4


def test_a_disguise_has_names_of_its_own() -> None:
    game = footsies_v0.game()
    other = disguise(game, 1)
    assert parse_action(other, (0, 1), f"Action: {other.actions[1]}") == 1
    with pytest.raises(AnswerError, match=f"'Block' is no legal action; legal actions are {other.actions[0]}"):
        parse_action(other, (0, 1), "Block")


@pytest.mark.parametrize(
    "answer",
    [
        "- Dragon Punch", "Action: Dragon Punch!", "action: [Dragon-Punch]", "Final answer: **Dragon Punch**.",
        r"So it is $\boxed{\text{Dragon Punch}}$.", r"\boxed{dragon punch}", "<answer>Dragon Punch</answer>",
        "I think.\nAction\uff1a Dragon Punch",
    ],
)  # fmt: skip
def test_answers_as_models_write_them_are_read(answer: str) -> None:
    assert parse_action(footsies_v0.game(), (0, 1, 2, 3), answer) == 3


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("4", "'4' is not legal here"),
        ("12", "'12' is no action of the game; the actions of the game are 0, 1, 2, 3, 4, 5, 6, 7, 8"),
        ("I pass\nnow", "the answer is neither the name of an action nor ends with a line Action: NAME; the actions"),
    ],
)
def test_who_is_not_told_what_is_legal_is_not_told_by_errors(answer: str, message: str) -> None:
    game = make_game("tictactoe_v0")
    assert parse_action(game, (0, 8), "Action: 8", listed=False) == 8
    with pytest.raises(AnswerError, match=message):
        parse_action(game, (0, 8), answer, listed=False)


@settings(deadline=None)
@given(st.text())
def test_any_text_names_an_action_or_is_refused(answer: str) -> None:
    game: Game = MANY
    try:
        action = parse_action(game, (1, 10), answer)
    except AnswerError:
        return
    assert game.actions[action] in answer.casefold()
