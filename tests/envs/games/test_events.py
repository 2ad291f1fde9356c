"""What happened and why, in words: no step of any game is without them, and they name the winner that is paid."""

import itertools
import re
from typing import Any

import numpy as np
import pytest

import nim
from made_games import with_rules
from nashzoo.envs import Game, make_game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.text.steps import Step, described

WON = {
    "footsies_v0": r"player (\d) won the game",
    "roshambo_v0": r"player (\d) won [\d.]+ points?$",
    "bodega_brawl_v0": r"player (\d) won(?: by knockout)?$",
    "tictactoe_v0": r"^(crosses|noughts) marked \d: three in a row$",
    "soccer_v0": r"(red|blue) scored",
}
GAMES = [
    ("footsies_v0", {}),
    ("footsies_v0", {"rounds": 3, "max_turns": 4}),
    ("footsies_v0", {"exhausted_block": "free", "blocks": 0, "attacks_to_win": 1}),
    ("footsies_v0", {"attacks_to_win": 31, "max_turns": 100}),
    ("roshambo_v0", {"rounds": 30}),
    ("roshambo_v0", {"rounds": 30, "payoff": "rpsls", "recall": 2}),
    ("roshambo_v0", {"rounds": 30, "payoff": [[0, 2.5], [-2.5, 0]]}),
    ("roshambo_v0", {"rounds": 30, "payoff": [[float((i > j) - (i < j)) for j in range(32)] for i in range(32)]}),
    ("bodega_brawl_v0", {"preset": "tiny"}),
    ("bodega_brawl_v0", {"preset": "medium", "double_ko": "sudden_death"}),
    ("tictactoe_v0", {}),
    ("soccer_v0", {"width": 11, "height": 5, "goal_height": 3}),
]
STEPS = 1000
LONGEST = 210  # characters, less than three lines of a terminal
INTRODUCTION = 400  # characters, five lines


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_every_step_is_told_and_the_winner_named_is_the_one_who_is_paid(name: str, options: dict[str, Any]) -> None:
    game = make_game(name, **options)
    rng = np.random.default_rng(0)
    code, paid = game.start(rng), set()
    for _ in range(STEPS):
        actions = [int(rng.choice(game.legal_actions(code, player))) for player in range(2)]
        after = game.step(code, *actions)
        told = game.event(code, *actions, after)
        assert told and "\n" not in told and len(told) <= LONGEST
        assert told == game.event(code, *actions)
        points = float(np.sign(game.payoff(after)))
        winners = re.findall(WON[name], told)
        called = [str(player) if "player" in WON[name] else game.view.PLAYERS[player] for player in range(2)]
        assert winners == ([] if points == 0 else [called[int(points < 0)]]), told
        paid.add(points)
        code = game.start(rng) if game.terminal(after) else after
    assert {1.0, -1.0} <= paid


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_whoever_sits_down_is_told_who_they_are(name: str, options: dict[str, Any]) -> None:
    game = make_game(name, **options)
    for player in range(2):
        lines = game.introduction(player).splitlines()
        assert lines[0].startswith("You are ") and game.view.PLAYERS[player] in lines[0]
        assert len("".join(lines)) <= INTRODUCTION
    assert game.introduction(0) != game.introduction(1)


def told_of(game: Game, actions: tuple[str, str], **fields: int | str) -> str:
    return game.event(game.code(**fields), *(game.actions.index(action) for action in actions))


def test_footsies_says_which_move_beat_which() -> None:
    game = make_game("footsies_v0", rounds=3)
    told = told_of(game, ("Dragon Punch", "Grab"), blocks1=1)
    assert told == (
        "Dragon Punch beats Grab: player 1 got knocked down; player 0 won round 1 of 3; "
        "player 0 had 3 and player 1 had 1 blocks left"
    )
    assert told_of(game, ("Attack", "Block")) == "Block stops Attack: player 1 used up a block, 2 left"
    assert told_of(game, ("Block", "Attack"), blocks0=0, hits1=1).startswith(
        "Attack hits Block without a block left: player 0 got hit, 2 of 2 in succession; player 1 won round 1 of 3"
    )
    free = make_game("footsies_v0", exhausted_block="free")
    assert told_of(free, ("Block", "Attack"), blocks0=0) == "Block stops Attack: no block was used up"


def test_bodega_brawl_says_where_strikes_land() -> None:
    game = make_game("bodega_brawl_v0")
    assert told_of(game, ("Head Counter", "Head Attack"), head1=1) == (
        "Head Counter beats Head Attack: player 1 took a strike to the head (2/2, in all 2/5); player 0 won by knockout"
    )
    both = told_of(game, ("Head Attack", "Head Attack"), head0=1, head1=1)
    assert both == "Head Attack and Head Attack stop each other: nobody took a strike"
    out = {"head0": 1, "legs1": 3}
    for double_ko, ending in (("draw", "a draw"), ("sudden_death", "and sudden death began")):
        game = make_game("bodega_brawl_v0", double_ko=double_ko)
        told = told_of(game, ("Legs Attack", "Head Attack"), **out)
        assert "both strike" in told and "both were knocked out" in told and told.endswith(ending)


@pytest.mark.parametrize(
    ("options", "strikes", "ending"),
    [
        ({}, 0, "no cards were left: a draw"),
        ({}, 1, "both were knocked out: a draw"),
        ({"total_limit": 1}, 0, "both were knocked out: a draw"),
        ({"double_ko": "sudden_death"}, 1, "both were knocked out, and no cards were left: a draw"),
    ],
)
def test_bodega_brawl_says_why_a_game_is_drawn_with_the_last_cards(
    options: dict[str, Any], strikes: int, ending: str
) -> None:
    game = make_game("bodega_brawl_v0", preset="small", **options)
    last = {f"{region}_dual{player}": 0 for region in ("head", "body", "legs") for player in (0, 1)}
    held = last | {"head_dual0": 1, "legs_dual1": 1, "head1": strikes, "legs0": strikes}
    told = told_of(game, ("Head Dual Attack", "Legs Dual Attack"), **held)
    assert told.endswith(f"; {ending}")


def test_counts_are_for_programs_since_people_see_them_on_the_board() -> None:
    game = make_game("bodega_brawl_v0")
    code = game.code(head1=1)
    actions = game.actions.index("Head Counter"), game.actions.index("Head Attack")
    after = game.step(code, *actions)
    step = Step(code, actions, after, after, 1.0)
    told = "Head Counter beats Head Attack: player 1 took a strike to the head"
    assert described(game, step) == f"{told}; player 0 won by knockout"
    assert described(game, step, fields=True) == f"{told} (2/2, in all 2/5); player 0 won by knockout"


def test_bodega_brawl_says_of_every_pair_what_the_rules_do() -> None:
    # By the rules two attacks on one region stop each other, and a counter does nothing but turn an attack on its own.
    game = make_game("bodega_brawl_v0")
    start = int(game.start_codes[0])
    for pair in itertools.product(range(game.num_actions), repeat=2):
        names = [game.actions[action] for action in pair]
        after, counters = game.state(game.step(start, *pair)), [name.endswith("Counter") for name in names]
        struck = [sum(after[:3]) > 0, sum(after[3:6]) > 0]
        told = game.event(start, *pair, game.step(start, *pair)).split(":")[0]
        together = f"{names[0]} and {names[1]}"
        if struck[0] != struck[1]:
            loser = struck.index(True)
            assert told == f"{names[1 - loser]} beats {names[loser]}"
        elif all(struck):
            assert told == f"{together} both strike" and not any(counters)
        elif all(counters):
            assert told == f"{together} do nothing"
        else:
            assert told == f"{together} stop each other" and not any(counters) and names[0][:4] == names[1][:4]


def test_soccer_says_from_where_a_goal_was_scored() -> None:
    game = make_game("soccer_v0")
    at = {"red_x": 19, "red_y": 7, "blue_x": 3, "blue_y": 3, "ball": 1}
    assert told_of(game, ("Kick", "Kick"), **at) == "red kicked from (19, 7), blue on (3, 3): red scored"
    assert told_of(game, ("Right", "Kick"), **at).startswith("red carried the ball into the goal from (19, 7)")
    at |= {"red_x": 1}
    assert told_of(game, ("Left", "Kick"), **at).endswith("blue scored (an own goal)")
    assert told_of(game, ("Left", "Kick"), **at | {"red_y": 1}).endswith("a corner for blue")
    at |= {"blue_x": 2, "blue_y": 7}
    assert told_of(game, ("Right", "Kick"), **at) == "red went right into blue: red lost the ball"


@pytest.mark.parametrize(("size", "homes"), [({}, "(5, 7) and (15, 7)"), ({"width": 11}, "(1, 7) and (11, 7)")])
def test_soccer_says_where_both_go_after_a_kick_that_missed(size: dict[str, int], homes: str) -> None:
    game = make_game("soccer_v0", **size)
    at = {"red_x": 2, "red_y": 1, "blue_x": 1, "blue_y": 3, "ball": 1}
    told = f"red kicked from (2, 1) and missed: both went home, to {homes}, and blue got the ball"
    assert told_of(game, ("Kick", "Kick"), **at) == told
    assert homes in game.view.rules_text(game.params)


def test_a_game_without_words_of_its_own_tells_what_was_played() -> None:
    game = Game(nim, heap=4)
    start = int(game.start_codes[0])
    assert game.event(start, 1, 0) == "player 0 played take 2"
    assert game.introduction(1) == "You are player 1."
    at_once = make_game("footsies_v0")
    assert type(at_once.view).event(at_once.view, at_once.params, int(at_once.start_codes[0]), 0, 2, 0) == (
        "player 0 played Attack, player 1 played Grab"
    )


def test_a_game_of_ones_own_tells_what_happened() -> None:
    def event(state: nim.State, action: int, after: nim.State) -> str:
        return f"player {state.mover} took {1 + action}, which leaves {after.heap}"

    def shown(state: nim.State, after: nim.State) -> nim.State:
        return state if after.heap == 0 else after

    def introduction(player: int) -> str:
        return f"You are the {('first', 'second')[player]}."

    game = Game(with_rules(nim, event=event, shown=shown, introduction=introduction), heap=4)
    start = int(game.start_codes[0])
    then = game.step(start, 2, 0)
    assert game.event(start, 2, 0) == "player 0 took 3, which leaves 1"
    assert game.event(then, 0, 0) == "player 1 took 1, which leaves 0"
    assert game.introduction(1) == "You are the second."
    assert game.view.shown(game.params, start, then) == then
    assert game.view.shown(game.params, then, game.step(then, 0, 0)) == then
    with pytest.raises(UsageError, match="shown takes before; it can take params, tables, state, code, after"):
        Game(with_rules(nim, shown=lambda state, before: before))
