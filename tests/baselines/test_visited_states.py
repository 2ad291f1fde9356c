"""The regret at states that the equilibrium visits: by hand, and by enumeration of all games of the equilibrium."""

import math
from typing import Any

import goofspiel
import kuhn
import numpy as np
import pytest

import chance_game
import nim
import repeated_rps
import staked_rps
from made_games import graph
from nashzoo import agents
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.baselines import Solution, solve
from nashzoo.baselines.visited_states import sampled_regret
from nashzoo.envs import footsies_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import NoPolicyError, PolicyAgent
from nashzoo.envs.core.game import CHANCE, Features, Floats, Game, Mask

EXACT = 1e-12
Z = 1.96  # of a 95 % interval
RARE = 4.5  # standard errors

GAMES = {
    "at once, of several lengths": footsies_v0.game(max_turns=3),
    "in turn": Game(nim, heap=7, first="random"),
    "with a forced end": Game(goofspiel, cards=3),
    # Chance leads to a guess, or to a choice that can lead to a second guess.
    "with chance": Game(
        chance_game,
        nodes=({1: 0.25, 2: 0.75}, ((3, 4), (4, 3)), ((5, 4), (3, 5)), None, None, ((3, 4), (4, 4))),
        pays=(0.0, 0.0, 0.0, 1.0, 0.0, 0.0),
    ),
}


class Leaning(PolicyAgent):
    """Plays the first legal action more often than all others."""

    def action_probabilities(self, observations: Features, masks: Mask) -> Floats:
        weights = masks * np.linspace(3.0, 1.0, masks.shape[1])
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def probabilities(game: Game, policy: Any, code: int, seat: int) -> Floats:
    mask = np.zeros((1, game.num_actions), np.int8)
    mask[0, list(game.legal_actions(code, seat))] = 1
    row: Floats = policy.action_probabilities(game.observe(code, seat)[None], mask)[0]
    return row


def worth(solution: Solution, code: int) -> float:
    game = solution.game
    return game.payoff(code) + (0.0 if game.terminal(code) else solution.value(code))


def regret_by_the_rules(solution: Solution, policy: Any, code: int, seat: int) -> float:
    """Returns what the best action of the other player wins at a state, if play is perfect from then on."""
    game, sign = solution.game, 1 - 2 * seat
    own = probabilities(game, policy, code, seat)
    replies = []
    for other in game.legal_actions(code, 1 - seat):
        pairs = [(action, other) if seat == 0 else (other, action) for action in game.legal_actions(code, seat)]
        replies.append(sum(own[pair[seat]] * sign * worth(solution, game.step(code, *pair)) for pair in pairs))
    return sign * solution.value(code) - min(replies)


def by_enumeration(solution: Solution, policy: Any) -> float:
    """Returns the mean over all games of the equilibrium of the mean regret of the choices in a game."""
    game = solution.game

    def mean_of(code: int, regrets: tuple[float, ...]) -> float:
        if game.terminal(code):
            return math.fsum(regrets) / len(regrets)
        if game.turn(code) == CHANCE:
            return sum(p * mean_of(int(after), regrets) for after, p in zip(*game.outcomes(code), strict=True))
        choosers = [seat for seat in game.movers(code) if len(game.legal_actions(code, seat)) > 1]
        regrets += tuple(regret_by_the_rules(solution, policy, code, seat) for seat in choosers)
        first, second = (rows[0] for rows in solution.strategies(np.array([code])))
        if solution.distances is not None:  # all optimal moves are as likely
            best = solution.optimal_actions(np.array([code]))[0]
            first, second = (best / best.sum() if game.turn(code) == seat else np.eye(len(best))[0] for seat in (0, 1))
        return sum(
            first[i] * second[j] * mean_of(game.step(code, i, j), regrets)
            for i in game.legal_actions(code, 0)
            for j in game.legal_actions(code, 1)
            if first[i] * second[j] > 0
        )

    return sum(p * mean_of(int(code), ()) for code, p in zip(game.start_codes, game.start_probabilities, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_the_mean_is_that_of_all_games_of_the_equilibrium(name: str) -> None:
    game = GAMES[name]
    policy, solution = Leaning(game), solve(game)
    expected = by_enumeration(solution, policy)
    found = sampled_regret(game, policy, 3_000, np.random.default_rng(1), solution)
    assert expected > 0.01
    assert found.decisions == 3_000
    assert abs(found.mean - expected) < RARE * found.standard_error + EXACT


@pytest.mark.slow
def test_the_interval_has_the_mean_as_often_as_it_says() -> None:
    game = GAMES["in turn"]
    policy, solution = Leaning(game), solve(game)
    expected = by_enumeration(solution, policy)
    held = 0
    for seed in range(200):
        found = sampled_regret(game, policy, 60, np.random.default_rng(seed), solution)
        held += abs(found.mean - expected) <= Z * found.standard_error
    assert 180 <= held <= 199  # 190 are expected, with a standard deviation of 3


def test_rock_paper_scissors() -> None:
    # Half of the throws are Rock: Paper wins 1/2 and loses 1/4, at every state.
    game = Game(repeated_rps, rounds=2)

    class HalfRock(PolicyAgent):
        def action_probabilities(self, observations: Features, masks: Mask) -> Floats:
            return np.tile([0.5, 0.25, 0.25], (len(observations), 1))

    found = sampled_regret(game, HalfRock(game), 40, np.random.default_rng(0))
    assert (found.mean, found.standard_error) == pytest.approx((0.25, 0.0), abs=EXACT)
    assert sum(each.share for each in found.weaknesses) == pytest.approx(found.mean, abs=EXACT)
    assert sum(each.reach for each in found.weaknesses) == pytest.approx(1.0, abs=EXACT)
    assert [each.share for each in found.weaknesses] == sorted((each.share for each in found.weaknesses), reverse=True)
    thirds = pytest.approx(dict.fromkeys(game.actions, 1 / 3))
    for each in found.weaknesses:
        assert (each.seat, each.punished_by, each.best) == (0, "Paper", thirds)
        assert each.plays == {"Rock": 0.5, "Paper": 0.25, "Scissors": 0.25}
        assert each.situation == game.spell(each.code)


def test_a_single_decision_has_no_standard_error() -> None:
    game = Game(staked_rps)
    found = sampled_regret(game, RandomAgent(game), 1, np.random.default_rng(0))
    assert (found.decisions, found.mean) == (1, 0.0) and math.isnan(found.standard_error)


@pytest.mark.parametrize("game", [footsies_v0.game(), tictactoe_v0.game()], ids=str)
def test_an_equilibrium_has_no_regret(game: Game) -> None:
    found = sampled_regret(game, agents.make("nash", game), 40, np.random.default_rng(0))  # type: ignore[arg-type]
    assert (found.mean, found.standard_error, found.weaknesses) == (0.0, 0.0, [])


def test_each_state_is_asked_and_once_again_and_no_state_without_a_choice() -> None:
    game = tictactoe_v0.game()
    asked: list[tuple[int, int]] = []

    class Asked(RandomAgent):
        def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
            asked.extend(zip(*(each.tolist() for each in self.states_of(observations)), strict=True))
            return super().action_probabilities(observations, action_masks)

    found = sampled_regret(game, Asked(game), 200, np.random.default_rng(0))
    assert found.decisions == 200 and len(found.weaknesses) < len(set(asked)) < 200
    assert {asked.count(one) for one in asked} == {2}
    assert all(len(game.legal_actions(code, seat)) > 1 for code, seat in asked)
    # Both seats, and more than one line of perfect play: an equilibrium that always opens alike would visit nine.
    assert {seat for _, seat in asked} == {0, 1} and len(asked) > 50


class TestRefused:
    def test_hidden_information(self) -> None:
        game = Game(kuhn)
        with pytest.raises(UsageError, match="no state has a loss of its own: the players of kuhn_v0 see a part"):
            sampled_regret(game, RandomAgent(game), 10, np.random.default_rng(0))

    def test_players_that_remember(self) -> None:
        game = footsies_v0.game()
        with pytest.raises(NoPolicyError, match="bayesian chooses by more than the state"):
            sampled_regret(game, agents.make("bayesian", game), 10, np.random.default_rng(0))  # type: ignore[arg-type]

    def test_a_game_without_a_choice(self) -> None:
        game = graph([[[1]], None], {1: 1.0})
        with pytest.raises(UsageError, match="nobody had a choice in 10 games of"):
            sampled_regret(game, RandomAgent(game), 10, np.random.default_rng(0))
