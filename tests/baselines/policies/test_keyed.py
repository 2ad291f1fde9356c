"""Tables by somebody's own keys: found out, or refused with what is wrong with them."""

import pickle
from pathlib import Path
from types import ModuleType
from typing import Any

import hidden_goofspiel
import kuhn
import leduc
import numpy as np
import pytest

import kuhn_by_hand as by_hand
import repeated_rps
from nashzoo import agents
from nashzoo.baselines import exploitability, nash_conv
from nashzoo.baselines.policies.keyed import KeyedPolicy, decisions
from nashzoo.envs import Game, make_game, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported.matrix import matrix_game

KUHN = Game(kuhn)
LEDUC = Game(leduc, suits=False)
EXACT = 1e-9
# Printed under "Deep CFR - NashConv: 0.8289245590747639" in issue 1287 of OpenSpiel, the probabilities of a bet.
DEEP_CFR = {
    "0": 0.517, "0pb": 0.521, "1": 0.530, "1pb": 0.537, "2": 0.522, "2pb": 0.561,
    "1p": 0.512, "1b": 0.520, "2p": 0.537, "2b": 0.556, "0p": 0.526, "0b": 0.532,
}  # fmt: skip

CARD = """EFG 2 R "One card" { "Alice" "Bob" }
c "" 1 "" { "ace" 1/2 "king" 1/2 } 0
p "" 1 1 "ace" { "bet" "fold" } 0
p "" 2 1 "a bet" { "call" "fold" } 0
t "" 1 "" { 2 -2 }
t "" 2 "" { 1 -1 }
t "" 3 "" { -1 1 }
p "" 1 2 "king" { "bet" "fold" } 0
p "" 2 1 0
t "" 4 "" { -2 2 }
t "" 2
t "" 3
"""


def renamed(cards: str, mark: str = "") -> dict[str, list[float]]:
    return {f"{cards[int(key[0])]}{mark}{key[1:]}": row for key, row in by_hand.rows(DEEP_CFR).items()}


def test_a_published_table() -> None:
    """What is printed has three decimals, which leave room for what was said above it."""
    won = sum(by_hand.best_responses(DEEP_CFR))
    assert won == pytest.approx(0.828593, abs=1e-12)
    assert nash_conv(KUHN, by_hand.rows(DEEP_CFR)) == pytest.approx(won, abs=EXACT)
    assert abs(won - 0.8289245590747639) < sum(abs(nash_conv(KUHN, by_hand.rows(DEEP_CFR | {key: bet + 0.0005})) - won)
                                               for key, bet in DEEP_CFR.items())  # fmt: skip


@pytest.mark.parametrize(
    ("cards", "mark", "naming"),
    [("012", "", "{card:012}{history}"), ("123", "", "{card}{history}"), ("JQK", "|", "{card:JQK}|{history}")],
)
def test_keys_are_found_out(cards: str, mark: str, naming: str) -> None:
    policy = KeyedPolicy(renamed(cards, mark), KUHN)
    assert policy.findings == (naming, 12, 12, [], [], [], [])
    assert nash_conv(KUHN, policy) == pytest.approx(0.828593, abs=EXACT)


def test_keys_that_mean_two_things_are_refused() -> None:
    table = {key: row for key, row in renamed("012").items() if key[0] in "12"}
    with pytest.raises(
        UsageError, match=r"the key '1' is player 0 at .*card0=1.* and player 0 at .*card0=2.*: say which"
    ):
        KeyedPolicy(table, KUHN)
    policy = KeyedPolicy(table, KUHN, key="{card:012}{history:pb}")
    assert sorted(policy.findings.missing) == ["0", "0b", "0p", "0pb"] and policy.complete == (False, False)
    with pytest.raises(UsageError, match=r"no row for 4 information sets of 12 .*missing=uniform"):
        exploitability(KUHN, policy)
    filled = DEEP_CFR | dict.fromkeys(("0", "0b", "0p", "0pb"), 0.5)
    uniform = KeyedPolicy(table, KUHN, key="{card:012}{history:pb}", missing="uniform")
    assert exploitability(KUHN, uniform) == pytest.approx(sum(by_hand.best_responses(filled)) / 2, abs=EXACT)


def test_a_key_without_the_card_forgets_it() -> None:
    policy = KeyedPolicy({"": [0.5, 0.5], "pb": [1, 0], "p": [0.25, 0.75], "b": [0, 1]}, KUHN, key="{history:pb}")
    assert len(policy.findings.forgets) == 4
    assert policy.findings.forgets[0].startswith("'' is player 0 at dealt=1,card0=1,card1=?")
    forgetful = {f"{card}{past}": bet for card in "012" for past, bet in (("", 0.5), ("pb", 0), ("p", 0.75), ("b", 1))}
    assert nash_conv(KUHN, policy) == pytest.approx(sum(by_hand.best_responses(forgetful)), abs=EXACT)


def test_labels_of_a_file() -> None:
    """Rules that are made of somebody's file have its names of information sets."""
    rules = ModuleType("labelled")
    vars(rules).update({name: value for name, value in vars(KUHN.rules.written).items() if not name.startswith("__")})
    labelled = Game(rules)
    names = {at: f"{'JQK'[number % 3]} of {at.player}, {number}" for number, at in enumerate(decisions(labelled))}
    rules.label = lambda code, player: names[player, code]  # type: ignore[attr-defined]
    policy = KeyedPolicy(dict.fromkeys(names.values(), (0.5, 0.5)), labelled)
    assert policy.findings.naming == "label" and policy.complete == (True, True)
    assert nash_conv(labelled, policy) == pytest.approx(11 / 12, abs=EXACT)


def test_labels_of_gambit(tmp_path: Path) -> None:
    """A card is an ace or a king; one who bets wins 1 if the other folds, and else 2 with an ace, and loses 2."""
    (tmp_path / "card.efg").write_text(CARD)
    game = make_game(tmp_path / "card.efg")
    third = {"bet": 1 / 3, "fold": 2 / 3}
    policy = KeyedPolicy({"ace": {"bet": 1}, "king": third, "a bet": {"call": 2 / 3, "fold": 1 / 3}}, game)
    assert policy.findings == ("label", 3, 3, [], [], [], [])
    assert nash_conv(game, policy) == pytest.approx(0.0, abs=EXACT)
    policy = KeyedPolicy({"ace": [1, 0], "king": [1, 0]}, pickle.loads(pickle.dumps(game)), key="label")
    assert policy.findings.missing == ["a bet"] and policy.complete == (True, False)
    with pytest.raises(UsageError, match="kuhn_v0 has no labels"):
        KeyedPolicy({"ace": [1, 0]}, KUHN, key="label")


def test_in_a_symmetric_game_both_seats_have_one_table() -> None:
    game = Game(repeated_rps, rounds=2)
    first, *others = decisions(game)
    table = {code: [1 / 3] * 3 for _, code in others}
    assert KeyedPolicy(table, game).complete == (False, False)
    assert exploitability(game, table | {first.code: [1, 0, 0]}) == pytest.approx(1.0, abs=EXACT)


def test_one_seat() -> None:
    table = {key: row for key, row in by_hand.rows(by_hand.family(0.2)).items() if key in by_hand.OWN[0]}
    policy = KeyedPolicy({"player_0": table}, KUHN, key="{card:012}{history:pb}")
    assert policy.complete == (True, False)
    assert exploitability(KUHN, policy, player=0) == pytest.approx(0.0, abs=EXACT)
    assert exploitability(KUHN, (table, by_hand.rows(by_hand.family(0.0)))) == pytest.approx(0.0, abs=EXACT)


@pytest.mark.parametrize(
    "row",
    [
        {"pass": 0.25, "bet": 0.75},
        {"p": 0.25, "B": 0.75},
        {0: 0.25, 1: 0.75},
        {"bet": 0.75, "0": 0.25},
        (0.25, 0.75),
        np.array([0.25, 0.75]),
    ],
)
def test_rows_of_all_kinds(row: Any) -> None:
    policy = KeyedPolicy(by_hand.rows(DEEP_CFR) | {"1b": row}, KUHN)
    assert nash_conv(KUHN, policy) == pytest.approx(sum(by_hand.best_responses(DEEP_CFR | {"1b": 0.75})), abs=EXACT)


@pytest.mark.parametrize(
    ("names", "row"),
    [
        ("aA", {"a": 0.75, "A": 0.25}),
        ("aA", {0: 0.75, 1: 0.25}),
        ("12", {"1": 0.75, "2": 0.25}),
        ("12", {0: 0.75, 1: 0.25}),
    ],
)
def test_names_of_actions_that_look_like_others_or_like_numbers(names: str, row: Any) -> None:
    game = matrix_game([[1.0, -1.0], [-1.0, 1.0]], rows=[*names], columns=[*names])
    table = KeyedPolicy({at.code: row for at in decisions(game)}, game, key="code")
    assert exploitability(game, table, player=0) == pytest.approx(0.5, abs=EXACT)
    with pytest.raises(UsageError, match="has the action"):
        KeyedPolicy({at.code: {"x": 1.0} for at in decisions(game)}, game, key="code")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([0.5, 0.4], "'1b' has probabilities that add up to 0.9, not 1"),
        ([1.5, -0.5], "which are not all numbers of at least 0"),
        ([0.5, 0.25, 0.25], "a probability for each of pass, bet"),
        ({"pass": 0.5, "raise": 0.5}, "'1b' has the action 'raise'; legal are pass, bet"),
        ({"pass": "half"}, "which are no numbers"),
        (0.5, "a probability for each of pass, bet"),
    ],
)
def test_rows_that_are_no_distribution(row: Any, message: str) -> None:
    with pytest.raises(UsageError, match=f"the table is no policy of kuhn_v0: .*{message}"):
        KeyedPolicy(by_hand.rows(DEEP_CFR) | {"1b": row}, KUHN)


def test_rounded_rows_are_told() -> None:
    policy = KeyedPolicy(by_hand.rows(DEEP_CFR) | {"1b": [0.333, 0.666]}, KUHN)
    assert policy.findings.rounded == ["1b"]
    assert nash_conv(KUHN, policy) == pytest.approx(sum(by_hand.best_responses(DEEP_CFR | {"1b": 2 / 3})), abs=EXACT)


def test_keys_of_seats() -> None:
    rows = by_hand.rows(DEEP_CFR) | {"1b": [0.333, 0.666]}
    policy = KeyedPolicy([*rows.items(), ((1, "1b"), [0.333, 0.666])], KUHN)
    assert policy.findings.keys == 13 and policy.complete == (True, True)
    with pytest.raises(UsageError, match="'1b' is another key of an information set that has a row already"):
        KeyedPolicy([*rows.items(), ((1, "1b"), [0.5, 0.5])], KUHN)
    seats: dict[str, dict[Any, Any]] = {"player_0": {}, "player_1": {}}
    for player, code in decisions(KUHN):
        seats[f"player_{player}"][tuple(KUHN.observe(code, player))] = [0.5, 0.5]
    assert nash_conv(KUHN, seats) == pytest.approx(11 / 12, abs=EXACT)


def test_keys_that_are_none() -> None:
    policy = KeyedPolicy(by_hand.rows(DEEP_CFR) | {"3p": [1, 0]}, KUHN)
    assert policy.findings.unknown == ["3p"]
    for table, key, message in (
        ({"Jack": [1, 0]}, None, "no key, such as 'Jack', names what a player of kuhn_v0 sees, such as"),
        ({"J": [1, 0]}, "{card:XYZ}{history}", "no key, such as 'J', names what a player of kuhn_v0 sees, such as 'X'"),
        ({"J": [1, 0]}, "{card:JQ}", "{card:JQ} needs 3 letters for 1 to 3, or one more with that of 0"),
        ({"J": [1, 0]}, "{suit}", "kuhn_v0 has no field suit; it has history, player, dealt, card0"),
        ({"J": [1, 0]}, "{history:p}", "needs a letter for each of pass, bet"),
        ({"J": [1, 0]}, "{card", "is no template such as"),
        ({"J": [1, 0]}, "cards", "key must be a template such as"),
        ({3.5: [1, 0]}, None, "a key is a text, a number, an observation as a tuple, or its bytes, not 3.5"),
        ({}, None, "the table is empty"),
    ):
        with pytest.raises(UsageError, match=message.replace("{", r"\{").replace("}", r"\}")):
            KeyedPolicy(table, KUHN, key=key)
    with pytest.raises(UsageError, match="the key '1b' stands there twice, with"):
        KeyedPolicy([*by_hand.rows(DEEP_CFR).items(), ("1b", [0.5, 0.5])], KUHN)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tuple", "float32", "float64", "int8", "text", "fields", "code"])
def test_what_a_player_observes_as_key(kind: str) -> None:
    game = tictactoe_v0.game()
    random = agents.make("random", game)
    keys = {
        "tuple": lambda code, player: tuple(game.observe(code, player)),
        "text": lambda code, player: game.text(code, [player]),
        "fields": lambda code, player: game.spell(code, [player]),
        "code": lambda code, player: code,
    }
    key = keys.get(kind, lambda code, player: game.observe(code, player).astype(kind).tobytes())
    table = {}
    for player, code in decisions(game):
        legal = game.legal_actions(code, player)
        table[key(code, player)] = [1 / len(legal)] * len(legal)
    assert exploitability(game, table) == pytest.approx(exploitability(game, random), abs=EXACT)


@pytest.mark.slow
def test_two_rounds_of_betting() -> None:
    """A letter more than there are actions stands where chance was between."""
    key = "{card:JQK}{public:-JQK}{history:fcr/}"
    named = {KeyedPolicy({"J-": [0.5, 0.5]}, LEDUC, key=key).key_of(*at) for at in decisions(LEDUC)}
    assert {"J-", "Q-r", "KJrc/", "JQcrrc/rr"} <= named and len(named) == len(decisions(LEDUC)) == 288
    table = {name: [1 / 3] * 3 for name in sorted(named)}
    with pytest.raises(UsageError, match=r"has the illegal action (fold; legal are call|raise; legal are fold)"):
        KeyedPolicy(table, LEDUC, key=key)


@pytest.mark.slow
def test_what_a_player_does_not_see_is_no_name() -> None:
    game = Game(hidden_goofspiel)
    with pytest.raises(UsageError, match=r"player 0 does not see all actions at "):
        KeyedPolicy({"0": [1.0]}, game, key=f"{{history:{'abcdefghi'[: game.num_actions]}}}")
