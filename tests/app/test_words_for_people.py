"""What people read: cards as cards, fields by names, rules as short pictures, and the keys of both places to play."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from nashzoo.agents.basic.keyboard import KeyboardAgent
from nashzoo.app.web.library import introduced
from nashzoo.arena.trajectory import Trajectory
from nashzoo.envs import Game, make_game
from nashzoo.envs.base import words
from nashzoo.envs.text.steps import step_lines
from nashzoo.envs.text.wording import Wording

GAMES = Path(__file__).resolve().parents[2] / "examples" / "games"
LEDUC, KUHN = str(GAMES / "leduc.py"), str(GAMES / "kuhn.py")
FIVE = ("footsies_v0", "roshambo_v0", "bodega_brawl_v0(preset=small)", "tictactoe_v0", "soccer_v0")


def test_a_card_is_a_card_for_people_and_a_field_for_programs() -> None:
    game = make_game(LEDUC)
    played = Trajectory(game, game.code(card0=1, card1=3, dealing=0))
    played.follow(1, 0)
    step = played.follow(0, 1, game.code(card0=1, card1=3, public=5, history=10, dealing=0))
    assert step_lines(game, step) == ["player 1 checked; by chance the public card is K♥"]
    assert Wording(game).step(step, 0) == ["player 1 checked; then by chance public=Kh"]


@pytest.mark.parametrize(("name", "bets", "folds"), [(KUHN, 1, 0), (LEDUC, 2, 0)])
def test_who_folds_is_told_what_it_costs(name: str, bets: int, folds: int) -> None:
    game = make_game(name)
    deal = game.code(card0=1, card1=3, **({"dealt": 1} if name == KUHN else {"dealing": 0}))
    bet = game.step(deal, bets, 0)
    told = game.view.event(game.params, bet, 0, folds, game.step(bet, 0, folds))
    assert told == "player 1 folded; player 0 took what player 1 paid"


def test_a_fold_before_a_bet_has_a_reason_why_it_is_forbidden() -> None:
    game = make_game(LEDUC)
    assert (
        game.view.why_not(game.params, game.code(card0=1, card1=3, dealing=0), 0)
        == "Nobody has bet: fold is for answers."
    )


def test_an_action_of_leduc_poker_names_its_price() -> None:
    """By the limits of Southey et al. (2005): 2 points in the first round, 4 in the second."""
    game = make_game(LEDUC)
    code, told = game.code(card0=1, card1=3, dealing=0), list[list[str]]()
    for action in (2, 2, 1, 2, 2):  # bet, raise, call; bet, raise
        (mover,) = game.movers(code)
        told.append([game.action_label(code, one) for one in game.legal_actions(code, mover)])
        code = game.step(code, *((0, action) if mover else (action, 0)))
        if not game.movers(code):
            code = int(game.outcomes(code)[0][0])
    assert told == [
        ["Check", "Bet 2"], ["Fold", "Call 2", "Raise to 5"], ["Fold", "Call 2"],
        ["Check", "Bet 4"], ["Fold", "Call 4", "Raise to 13"],
    ]  # fmt: skip
    first, second = game.text(code).splitlines()[-2:]
    assert first == "round 1: player 0 bet, player 1 raised, player 0 called"
    assert second == "round 2: player 0 bet, player 1 raised"


def test_players_are_told_of_their_own_cards_alone() -> None:
    game = make_game(KUHN)
    start, deal = int(game.start_codes[0]), game.code(dealt=1, card0=2, card1=3)
    assert game.view.told(game.params, start, deal, ()) == "player 0's card is 2, player 1's card is 3"
    seen = [game.information_state(code, 1) for code in (start, deal)]
    assert game.view.told(game.params, *seen, [1]) == "player 1's card is 3"


@pytest.mark.parametrize(
    ("game", "field", "name"),
    [
        ("footsies_v0", "blocks0", "player 0's blocks"),
        ("soccer_v0", "red_x", "red's column"),
        (LEDUC, "public", "the public card"),
        (KUHN, "dealt", ""),
    ],
)
def test_fields_have_names_in_words(game: str, field: str, name: str) -> None:
    assert make_game(game).view.field_name(field) == name


@pytest.mark.parametrize("name", FIVE)
def test_the_five_games_have_short_rules_whose_brackets_are_actions(name: str) -> None:
    game = make_game(name) if "(" not in name else make_game("bodega_brawl_v0", preset="small")
    lines = game.view.in_short(game.params)
    assert 3 <= len(lines) <= 8
    assert {word for line in lines for word in re.findall(r"\[(\w[\w ]*)\]", line)} <= {*game.actions}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"preset": "tiny"},
        {"head_dual": 0},
        {"head_dual": 0, "body_dual": 0, "legs_dual": 0},
        {"preset": "tiny", "legs_attack": 1},
        {"preset": "small", "head_dual": 0, "body_dual": 0},
    ],
    ids=str,
)
def test_short_rules_of_bodega_brawl_have_only_cards_of_the_game(options: dict[str, Any]) -> None:
    game = make_game("bodega_brawl_v0", **options)
    cards = {game.actions[action] for action in game.legal_actions(int(game.start_codes[0]), 0)}
    named = re.findall(r"\[(.*?)\]", " ".join(game.view.in_short(game.params)))
    assert named and set(named) <= cards


def test_what_beats_what_in_footsies_is_what_the_rules_pay() -> None:
    game = make_game("footsies_v0", attacks_to_win=1)
    start, names = int(game.start_codes[0]), game.actions
    for one, name in enumerate(names):
        beaten = [f"[{names[other]}]" for other in range(len(names)) if game.payoff(game.step(start, one, other)) > 0]
        assert f"[{name}] beats {' and '.join(beaten)}" in game.view.in_short(game.params)


def test_an_attack_that_wins_nothing_yet_hits_and_does_not_beat() -> None:
    game = make_game("footsies_v0")
    lines, start = game.view.in_short(game.params), int(game.start_codes[0])
    assert "[Attack] hits [Grab]; 2 hits in succession win" in lines
    assert not any("[Attack] beats" in line for line in lines)
    assert "Whoever beats the other wins: 1 point." in lines and game.payoff(game.step(start, 1, 3)) == 1
    told = game.view.event(game.params, start, 0, 2, game.step(start, 0, 2))
    assert told == "Attack hits Grab: player 0 got hit, 1 of 2 in succession".replace("player 0", "player 1")


def test_short_rules_of_footsies_say_what_follows_the_last_block() -> None:
    limited = "3 times a round; then [Attack] hits [Block]"
    for options, often in (({}, limited), ({"exhausted_block": "free"}, "always")):
        game = make_game("footsies_v0", **options)
        assert f"[Block] stops [Attack], {often}" in game.view.in_short(game.params)
        told = game.event(game.code(blocks0=0), *map(game.actions.index, ("Block", "Attack")))
        assert told.startswith("Block stops Attack" if options else "Attack hits Block")


def test_short_rules_of_soccer_say_who_scores_where() -> None:
    game = make_game("soccer_v0")
    right = game.code(red_x=19, red_y=7, blue_x=1, ball="red", turn="red")
    assert game.payoff(game.step(right, game.actions.index("Right"), 0)) == 1  # player 0 is red
    assert "Red scores on the right, blue on the left. The first goal wins." in game.view.in_short(game.params)


@pytest.mark.parametrize(("typed", "chosen"), [("1", 0), ("4", 3), ("a", 0), ("dp", 3), ("d", 3)])
def test_a_number_chooses_in_the_terminal_as_in_the_browser(typed: str, chosen: int) -> None:
    agent = KeyboardAgent(make_game("footsies_v0"), source=StringIO(f"{typed}\n"), target=StringIO())
    assert agent.ask([0, 1, 2, 3]) == chosen


def test_numbers_that_are_names_stay_names() -> None:
    agent = KeyboardAgent(make_game("tictactoe_v0"), source=StringIO("4\n"), target=StringIO())
    assert agent.ask([3, 4, 5]) == 4


def test_a_command_is_entered_by_its_beginning() -> None:
    agent = KeyboardAgent(make_game("footsies_v0"), source=StringIO("u\n2\n"), target=(out := StringIO()))
    assert agent.ask([0, 1, 2, 3], commands={"undo": ("take back", lambda: "Taken back.")}) == 1
    assert "Taken back." in out.getvalue()


def test_rows_and_columns_of_the_pitch_have_their_numbers() -> None:
    game: Game = make_game("soccer_v0", width=11, height=5, goal_height=3)
    written = re.findall(r">(\d+)</text>", game.svg(int(game.start_codes[0])))
    assert sorted(map(int, written)) == sorted([*range(1, 12), *range(1, 6)])


def test_a_tree_has_the_name_of_its_file_and_its_chance_is_told_by_the_texts_of_states(tmp_path: Path) -> None:
    text = 'EFG 2 R "" {"Ann" "Bob"}\nc "" 1 "" {"head" 1/2 "tail" 1/2} 0\n'
    for k in (1, 2):
        text += f'p "side {k}" 1 {k} "" {{"in" "out"}} 0\nt "" {k} "" {{1 -1}}\nt "" 3 "" {{0 0}}\n'
    (tmp_path / "two_sides.efg").write_text(text)
    game = make_game(str(tmp_path / "two_sides.efg"))
    assert introduced(game) == ("Two sides", "")
    start = int(game.start_codes[0])
    told = [game.view.told(game.params, start, int(code), ()) for code in game.outcomes(start)[0]]
    assert told == ["side 1 / head", "side 2 / tail"]


@pytest.mark.parametrize("thousandths", [*range(1, 120), *range(880, 1000)])
def test_how_often_a_thing_happens_is_near_what_is_true_of_rare_ones_too(thousandths: int) -> None:
    share = thousandths / 1000
    times, of = (int(one) for one in re.findall(r"\d+", words.often(share).replace(",", "")))
    assert abs(times / of - share) <= 0.06 * min(share, 1 - share)
