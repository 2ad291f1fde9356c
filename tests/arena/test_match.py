"""Matches between two players: what they bring, and what they depend on."""

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import nim
import repeated_rps
from nashzoo import agents
from nashzoo.arena.match import MatchResult, play_in_parts, play_match, play_seats, wilson
from nashzoo.baselines import evaluate
from nashzoo.envs import footsies_v0
from nashzoo.envs.core.game import Game
from opponents import Always, Counting, CountingInPlace

FOOTSIES = footsies_v0.game()
NIM = Game(nim, heap=9, first="random")
A, B, G, D = range(4)
ROCK, PAPER, SCISSORS = range(3)


@pytest.mark.parametrize(("successes", "trials"), [(8, 10), (0, 10), (10, 10), (1, 3), (5437, 10_000)])
def test_wilson_is_scipys(successes: int, trials: int) -> None:
    assert wilson(successes, trials) == pytest.approx(binomtest(successes, trials).proportion_ci(method="wilson"))


def test_results_count_wins_draws_and_losses() -> None:
    result = MatchResult(np.array([1.0, 1.0, 0.0, -1.0, 3.0]))
    assert (result.games, result.wins, result.draws, result.losses) == (5, 3, 1, 1)
    assert result.mean == 4 / 5
    assert result.standard_error == pytest.approx(np.sqrt((0.04 + 0.04 + 0.64 + 3.24 + 4.84) / 4 / 5))
    assert result.reversed().points.tolist() == [-1, -1, 0, 1, -3]
    assert (result + result.reversed()).mean == 0
    assert MatchResult(np.ones(1)).standard_error == np.inf


def test_dragon_punch_beats_attack_from_either_seat() -> None:
    assert play_match(FOOTSIES, Always(A), Always(D), 5, seed=0).points.tolist() == [-1] * 5
    assert play_match(FOOTSIES, Always(D), Always(A), 5, seed=0).points.tolist() == [1] * 5


def test_games_without_end_are_cut_off() -> None:
    result = play_match(FOOTSIES, Always(A), Always(A), 7, seed=0, max_cycles=30)
    assert (result.unfinished, result.draws) == (7, 7)


def test_points_on_the_way_add_up() -> None:
    result = play_match(Game(repeated_rps, rounds=5), Always(ROCK), Always(SCISSORS), 3, seed=0)
    assert result.points.tolist() == [5, 5, 5]
    assert result.unfinished == 0
    cut = play_match(Game(repeated_rps, rounds=5), Always(ROCK), Always(SCISSORS), 3, seed=0, max_cycles=2)
    assert (cut.points.tolist(), cut.unfinished) == ([2, 2, 2], 3)


@pytest.mark.parametrize("game", [FOOTSIES, NIM, Game(repeated_rps, rounds=9)], ids=str)
def test_memory_may_be_changed_in_place(game: Game) -> None:
    copied, in_place = (play_match(game, first, Counting(), 9, 3) for first in (Counting(), CountingInPlace()))
    assert copied.points.tolist() == in_place.points.tolist()


def test_players_remember_within_a_game_and_not_beyond() -> None:
    """Counting throws rock, paper, scissors in every game: draws against itself, and 1 - 1 + 0 against rock."""
    game = Game(repeated_rps, rounds=3)
    assert play_match(game, Counting(), Counting(), 4, seed=0).points.tolist() == [0] * 4
    assert play_match(game, Counting(), Always(ROCK), 4, seed=0).points.tolist() == [0] * 4
    assert play_match(Game(repeated_rps, rounds=2), Counting(), Always(ROCK), 4, seed=0).points.tolist() == [1] * 4


def test_an_illegal_action_loses() -> None:
    game = Game(nim, heap=2)
    assert play_match(game, Always(2), Always(0), 3, seed=0).points.tolist() == [-1] * 3
    assert play_match(game, Always(0), Always(1), 3, seed=0).points.tolist() == [1] * 3
    losses = [play_match(game, *players, 3, seed=0) for players in ((Always(2), Always(0)), (Always(0), Always(0)))]
    together = losses[0] + losses[0].reversed() + losses[0] + losses[1]
    assert together.forfeits == MatchResult.unpacked(together.packed()).forfeits == (6, 3)
    assert math.isnan(losses[0].mean_without_forfeits)  # the others: three are lost by the rules
    legal = MatchResult(np.array([0.5, 0.0]))
    for one, mean in ((together + legal, -0.5), (together.reversed() + legal.reversed(), 0.5)):
        assert one.mean_without_forfeits == MatchResult.unpacked(one.packed()).mean_without_forfeits == mean


def test_a_player_gives_one_action_for_each_game() -> None:
    class TooFew(Always):
        def act(self, observations: Any, memory: Any, masks: Any, uniforms: Any) -> Any:
            actions, memory = super().act(observations, memory, masks, uniforms)
            return actions[1:], memory

    for players in ((TooFew(A), Always(D)), (Always(D), TooFew(A))):
        with pytest.raises(ValueError, match=r"^TooFew gave actions of shape \(4,\), not \(5,\)$"):
            play_match(FOOTSIES, *players, 5, seed=0)


def test_start_states_are_drawn() -> None:
    """With one object, whoever moves first wins."""
    points = play_match(Game(nim, heap=1, first="random"), Always(0), Always(0), 400, seed=0).points
    assert abs(points.mean()) < 4 / np.sqrt(400)  # four standard deviations
    assert set(points) == {-1, 1}


@pytest.mark.parametrize("names", [("random", "bayesian"), ("markov", "bluff"), ("counter", "random")])
def test_a_game_depends_on_its_own_seed_alone(names: tuple[str, str]) -> None:
    first, second = (agents.make(name, FOOTSIES) for name in names)
    points = play_match(FOOTSIES, first, second, 40, seed=5).points
    assert play_match(FOOTSIES, first, second, 15, seed=5).points.tolist() == points[:15].tolist()
    other = play_match(FOOTSIES, first, second, 40, seed=6).points
    assert other.tolist() != points.tolist() and other[:-1].tolist() != points[1:].tolist()


@pytest.mark.parametrize(
    ("game", "names"),
    [
        (FOOTSIES, ("counter", "random")),
        (FOOTSIES, ("random", "counter")),
        (FOOTSIES, ("nash", "counter")),
        (NIM, ("random", "perfect")),
        (NIM, ("perfect", "random")),
        (NIM, ("greedy", "random")),
    ],
)
def test_matches_agree_with_exact_evaluation(game: Game, names: tuple[str, str]) -> None:
    first, second = (agents.make(name, game) for name in names)
    result = play_match(game, first, second, 20_000, seed=1)
    assert abs(result.mean - evaluate(game, first, second)) < 4 * result.standard_error


@pytest.mark.parametrize("seats", [(0,), (1,), (0, 1)])
def test_games_in_parts_are_the_games_of_a_whole_match(seats: tuple[int, ...]) -> None:
    match = FOOTSIES, agents.make("bayesian", FOOTSIES), agents.make("random", FOOTSIES), 100, 3, seats
    parts, whole = list(play_in_parts(*match, math.inf)), play_seats(*match)
    assert parts[-1].points.tolist() == whole.points.tolist() and parts[-1].unfinished == whole.unfinished
    games = [part.games for part in parts]
    assert games == sorted(set(games)) and games[0] == len(seats)
    assert [part.games for part in play_in_parts(*match, 0.0)] == [len(seats)]  # without time for more


def test_results_are_packed_and_unpacked() -> None:
    points = np.array([1.0, -1.0, 0.0, 2.5, -0.1])
    again = MatchResult.unpacked(json.loads(json.dumps(MatchResult(points, 2).packed())))
    assert (again.points.tolist(), again.unfinished) == (points.tolist(), 2)


def test_players_of_a_match_are_what_stands_for_one_and_play_its_game() -> None:
    counter, nash = agents.make("counter", FOOTSIES), agents.make("random", FOOTSIES)
    named, made = (play_match(FOOTSIES, *pair, 20, seed=1) for pair in (("counter", "random"), (counter, nash)))
    assert named.points.tolist() == made.points.tolist()
    other = agents.make("random", footsies_v0.game(rounds=2))
    with pytest.raises(ValueError, match="random plays footsies_v0"):
        play_match(FOOTSIES, counter, other, 20, seed=1)


def test_wrong_numbers_are_told() -> None:
    with pytest.raises(ValueError, match="games must be a whole number of at least 1, not 0"):
        play_match(FOOTSIES, Always(A), Always(A), 0, seed=0)
    with pytest.raises(ValueError, match=r"max_cycles must be a whole number of at least 1, not 1\.5"):
        play_match(FOOTSIES, Always(A), Always(A), 1, seed=0, max_cycles=1.5)  # type: ignore[arg-type]
