"""What a match teaches: the sentence that a person is told, and what the mix of a person costs."""

import numpy as np
import pytest

import tree_game
from nashzoo import agents
from nashzoo.arena.live_match import LiveMatch
from nashzoo.arena.review import FEWEST, chances, headline, lesson, mixtures
from nashzoo.arena.trajectory import Trajectory
from nashzoo.baselines import solve
from nashzoo.baselines.even_solution import evened
from nashzoo.baselines.stage_game import stage_game
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, make_game, matrix_game, roshambo_v0, tictactoe_v0
from tree_game import Node

ROUNDS = 20


def played(game: Game, *moves: tuple[int, int]) -> Trajectory:
    """Returns a match of joint actions from the start."""
    trajectory = Trajectory(game, game.first_decision)
    for pair in moves:
        trajectory.follow(*pair)
    return trajectory


def test_the_worst_move_is_told_with_its_cost_and_what_was_better() -> None:
    game = tictactoe_v0.game()  # x 4, o 1 loses: in reply to the middle only corners draw
    match = played(game, (4, 0), (0, 1), (0, 0), (0, 8), (6, 0), (0, 2), (3, 0))
    told = lesson(match, solve(game), 1.0, 1)
    assert told["worst"] == 2
    assert told["headline"] == "Your worst move: top middle in move 2. Against perfect play it costs 1 point."
    assert told["better"] == "Better: top left, top right, bottom left or bottom right."
    later = lesson(match, solve(game), 1.0, 1, before=4)["headline"]
    assert later == "Your worst move: top middle in move 6. Against perfect play it costs 1 point."
    assert lesson(match, solve(game), 1.0, 0)["headline"] == "No mistake against perfect play, and you won."


@pytest.mark.parametrize(
    ("loss", "told"),
    [
        (0.0123, "Your worst move: Grab in move 1. Against perfect play it costs 0.01 points on average."),
        (0.0012, "No real mistake against perfect play, and you drew."),
        (0.0, "No mistake against perfect play, and you drew."),
    ],
)
def test_a_small_cost_is_no_real_mistake(loss: float, told: str) -> None:
    move = {"step": 1, "player": 0, "action": "Grab", "loss": loss, "better": ["Block"]}
    reviewed = {"moves": [move], "mixtures": [], "chances": None}
    assert headline(footsies_v0.game(), reviewed, 0, 0.0) == told


def test_who_made_no_mistake_is_told_how_often_perfect_play_ends_so() -> None:
    pennies = matrix_game([[1, -1], [-1, 1]])
    players = agents.make("random", pennies), agents.make("random", pennies)
    match = played(pennies, (0, 1))
    told = lesson(match, solve(pennies), -1.0, 0, players)["headline"]
    perfect = (
        "On average perfect play in your seat wins 0 points a game against this opponent; it loses 50 of 100 games."
    )
    assert told == f"No mistake against perfect play, and you lost. {perfect}"
    assert lesson(match, solve(pennies), -1.0, None)["headline"] == "Neither player made a mistake."


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("footsies_v0", "Both choose at once, so right choices can lose."),
        ("examples/games/kuhn.py", "Something is hidden, so right choices can lose."),
        ("examples/games/pig.py", "Chance decides, too, so right choices can lose."),
        ("tictactoe_v0", ""),
    ],
)
def test_who_lost_without_a_mistake_is_told_how_that_can_be(name: str, told: str) -> None:
    game = make_game(name)
    reviewed = {"moves": [], "mixtures": [], "chances": None}
    assert headline(game, reviewed, 0, -1.0) == f"No mistake against perfect play, and you lost. {told}".rstrip()
    assert headline(game, reviewed, 0, 1.0) == "No mistake against perfect play, and you won."


def test_who_loses_often_and_little_wins_more_at_a_time() -> None:
    kuhn = make_game("examples/games/kuhn.py")
    found = {"win": 0.45, "draw": 0.0, "loss": 0.55, "points": 0.0, "best": None}
    told = headline(kuhn, {"moves": [], "mixtures": [], "chances": found}, 0, -1.0)
    assert told.endswith(
        "wins 0 points a game against this opponent; it loses 55 of 100 games, but wins more when it wins."
    )


def test_a_bluff_that_a_player_without_folds_calls_is_right_only_against_perfect_play() -> None:
    kuhn = make_game("examples/games/kuhn.py")
    solution, never_folds = solve(kuhn), agents.make("prefers", kuhn, actions="check; call")
    start = next(code for code in kuhn.outcomes(int(kuhn.start_codes[0]))[0].tolist() if kuhn.state(code).card0 == 1)
    match = Trajectory(kuhn, start)
    match.follow(1, 0)
    match.follow(0, 1)
    told = lesson(match, solution, -2.0, 0, (None, never_folds))["headline"]
    assert told.startswith("No mistake against perfect play, and you lost. On average perfect play going first wins ")
    # Who knows it wins 2 points with the 3, loses the ante with the 1, and with the 2 wins as often as it loses.
    assert told.endswith(" A player who knows this opponent can win 0.33 points.")


def test_rounding_is_no_figure() -> None:
    game = bodega_brawl_v0.game(preset="tiny")
    solution = evened(solve(game))
    first, other = (actions[0] for actions in stage_game(solution, game.first_decision).actions)
    players = 2 * [agents.make("nash", game, solution=solution)]
    told = lesson(played(game, (first, other)), solution, 0.0, 0, players)
    assert told["chances"]["points"] == 0.0
    assert chances(game, players, 0, solution) == told["chances"]


def test_who_begins_is_known_from_the_rules() -> None:
    after = Node(1, after=(1, 2), sizes=(1, 2)), *2 * [Node(0, after=(3, 4), sizes=(2, 1))], Node(0, pay=1), Node(0)
    game = Game(tree_game, nodes=after)
    told = [
        lesson(played(game, (0, 0), (0, 0)), solve(game), 1.0, you, 2 * [agents.make("random", game)])["headline"]
        for you in (0, 1)
    ]
    assert ["going second" in one for one in told] == [True, False]
    assert ["going first" in one for one in told] == [False, True]


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("seed", range(5))
def test_the_price_of_a_mix_is_what_the_best_answer_to_it_wins(player: int, seed: int) -> None:
    game = roshambo_v0.game(rounds=ROUNDS)
    choices = np.random.default_rng(seed).choice(3, ROUNDS, p=[0.6, 0.3, 0.1])
    match = played(game, *((one, 0) if player == 0 else (0, one) for one in choices.tolist()))
    (mix,) = mixtures([match], solve(game), player)
    assert mix["everywhere"]
    rock, paper, scissors = np.bincount(choices, minlength=3) / ROUNDS
    assert mix["price"] == pytest.approx(max(rock - scissors, paper - rock, scissors - paper), abs=1e-9)
    assert [one["times"] for one in mix["actions"]] == np.bincount(choices, minlength=3).tolist()


def test_one_action_always_is_told_and_an_even_mix_is_not_blamed() -> None:
    game = roshambo_v0.game(rounds=ROUNDS)
    won, more = "An opponent who knew your mix would play Scissors and win ", " more per choice than from perfect play."
    always = lesson(played(game, *[(1, 0)] * ROUNDS), solve(game), float(ROUNDS), 0)["headline"]
    assert always == f"20 of 20 choices were Paper: easy to read. {won}1 point{more}"
    shuffled = np.random.default_rng(0).permutation
    even = lesson(played(game, *[(k % 3, 0) for k in shuffled(ROUNDS).tolist()]), solve(game), 0.0, 0)["headline"]
    assert even == "You drew. Your mix is as close to perfect as 20 choices can be."  # 7, 7 and 6
    uneven = lesson(played(game, *[(k // 9, 0) for k in shuffled(ROUNDS).tolist()]), solve(game), 0.0, 0)["headline"]
    chance = "A perfect player is this uneven in 10 of 100 cases: no habit seen."  # 9, 9, 2: 0.1021 of all 231
    assert uneven == f"You drew. Your mix is a little uneven. {chance}"
    assert mixtures([played(game, *[(1, 0)] * (FEWEST - 1))], solve(game), 0) == []


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("player", [0, 1])
def test_what_follows_an_action_is_told_where_the_mix_is_even(player: int, own: bool) -> None:
    game = roshambo_v0.game(rounds=ROUNDS)
    other = np.random.default_rng(3).permutation(ROUNDS) % 3
    choices = np.arange(ROUNDS) % 3 if own else np.roll(other, 1)  # one after the other, or the other's last
    pairs = np.stack((choices, other) if player == 0 else (other, choices), axis=1).tolist()
    told = lesson(played(game, *pairs), solve(game), 0.0, player)
    (mix,) = told["mixtures"]
    assert (mix["uneven"], mix["order"]["own"]) == (False, own)
    assert [one["choices"] for one in mix["order"]["after"]] == [
        max(row["times"] for row in one["actions"]) for one in mix["order"]["after"]
    ]
    assert all(one["price"] == pytest.approx(1.0) for one in mix["order"]["after"])
    habit = "your own Rock you played Paper" if own else "the opponent's Rock you played Rock"
    loses = "Scissors" if own else "Paper"
    won = f"An opponent who knew it would play {loses} and win 1 point more each time than from perfect play."
    assert told["headline"] == f"After {habit} 7 of 7 times: easy to read. {won}"


def test_an_order_is_seldom_told_of_perfect_play() -> None:
    game, rng = roshambo_v0.game(rounds=ROUNDS), np.random.default_rng(0)
    matches = [played(game, *rng.integers(3, size=(ROUNDS, 2)).tolist()) for _ in range(100)]
    mixes = [mix for match in matches for mix in mixtures([match], solve(game), 0)]
    assert sum(mix["order"] is not None for mix in mixes) <= 5


def test_a_long_match_counts_alone_and_short_ones_say_of_how_many_games_they_are() -> None:
    game = roshambo_v0.game(rounds=ROUNDS)
    abandoned, match = played(game, *[(1, 0)] * 9), played(game, *[(0, 0)] * ROUNDS)
    told = lesson(match, solve(game), 0.0, 0, (), [abandoned])["headline"]
    assert told.startswith("20 of 20 choices were Rock: easy to read. ")
    few = lesson(played(game, *[(0, 0)] * 8), solve(game), 0.0, 0, (), [abandoned])["headline"]
    assert few.startswith("9 of 17 choices in 2 games were Paper: easy to read. ")
    (mix,) = mixtures([abandoned, match], solve(game), 0)
    assert (mix["choices"], mix["games"]) == (20, 1)


def test_states_in_which_one_player_moves_and_sees_all_are_no_mixture() -> None:
    assert mixtures([played(tictactoe_v0.game(), (4, 0))] * 6, solve(tictactoe_v0.game()), 0) == []


def test_with_hidden_information_the_price_is_of_a_whole_game() -> None:
    kuhn = make_game("examples/games/kuhn.py")
    solution, matches = solve(kuhn), []
    rng = np.random.default_rng(0)
    for seed in range(60):
        match = LiveMatch(
            kuhn, (agents.make("random", kuhn, seed=seed), agents.make("random", kuhn, seed=seed + 60)), rng
        )
        while match.ended is None:
            match.act(*(match.ask(seat) if seat in match.movers else 0 for seat in (0, 1)))
        matches.append(match.trajectory)
    known = mixtures(matches, solution, 1)
    assert known and not any(mix["everywhere"] for mix in known)
    assert all(mix["unit"] == "game" and 0.0 <= mix["price"] < 1.0 for mix in known)
