"""Random trees with hidden information beside the matrix game of all pure strategies; and seats that never choose."""

from typing import Any

import numpy as np
import pytest

import tree_game
from brute_force import matrix_value
from nashzoo import agents
from nashzoo.baselines import best_response, double_oracle, evaluate, exploitability, fictitious_play, outcomes, solve
from nashzoo.baselines.information.measures import value, weights_of
from nashzoo.baselines.information.traversal import traversed_form
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import BOTH, CHANCE
from tree_game import Node, pure_strategies, random_tree

EXACT = 1e-9
SEATS = pytest.mark.parametrize("seat", [0, 1])


def guess(seat: int, sides: int = 2) -> Game:
    """Returns a game in which ``seat`` guesses a coin that nobody sees, or can only say heads; the other looks on."""
    size = (sides, 1) if seat == 0 else (1, sides)
    coins = [Node(seat, after=(3, 4)[:sides], sizes=size), Node(seat, after=(4, 3)[:sides], sizes=size)]
    said = ((1, 0), (0, 1))[seat]
    ends = [Node(0, said, pay=1.0), Node(0, said)]
    return Game(tree_game, nodes=[Node(CHANCE, after=(1, 2), likely=(0.75, 0.25)), *coins, *ends])


@pytest.mark.parametrize("movers", [(0, 1, BOTH, CHANCE), (0, CHANCE), (1, CHANCE), (0,), (BOTH,)], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_the_value_is_that_of_the_matrix_of_pure_strategies(movers: tuple[int, ...], seed: int) -> None:
    nodes = random_tree(np.random.default_rng(seed), movers, depth=3)
    solution = solve(Game(tree_game, nodes=nodes))
    assert solution.start_value == pytest.approx(matrix_value(pure_strategies(nodes)), abs=EXACT)
    assert solution.certificate < EXACT


@pytest.mark.parametrize("scale", [1e-9, 3e-5, 1e4, 1e12])
@pytest.mark.parametrize("seed", range(3))
def test_the_scale_does_not_matter(scale: float, seed: int) -> None:
    nodes = random_tree(np.random.default_rng(seed), depth=3)
    solution = solve(Game(tree_game, nodes=[node._replace(pay=scale * node.pay) for node in nodes]))
    assert solution.start_value / scale == pytest.approx(matrix_value(pure_strategies(nodes)), abs=EXACT)
    assert solution.certificate < EXACT * scale
    assert solution.optimal


@SEATS
@pytest.mark.parametrize("sides", [1, 2])
class TestIdleSeat:
    def test_the_guess_is_worth_the_likelier_side(self, seat: int, sides: int) -> None:
        # Who is paid guesses heads, the likelier side; who pays guesses tails if it can.
        expected = 0.25 if seat == 1 and sides == 2 else 0.75
        solution = solve(guess(seat, sides))
        assert solution.start_value == pytest.approx(expected, abs=EXACT)
        assert solution.verify() < EXACT

    def test_a_policy_of_the_idle_seat_is_not_asked(self, seat: int, sides: int) -> None:
        class Asked:
            def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
                assert len(observations) > 0
                return action_masks / action_masks.sum(axis=1, keepdims=True)

        game, uniform = guess(seat, sides), Asked()
        mean = 0.75 if sides == 1 else 0.5
        assert evaluate(game, uniform, uniform) == pytest.approx(mean)
        assert outcomes(game, uniform, uniform).win == pytest.approx(mean)
        best = 0.75 if sides == 1 or seat == 0 else -0.25
        sign = 1 if seat == 0 else -1
        assert best_response(game, uniform, seat).value == pytest.approx(best if sides == 2 else sign * 0.75)
        assert best_response(game, uniform, 1 - seat).value == pytest.approx(-sign * mean)
        assert exploitability(game, uniform) == pytest.approx(0.125 * (sides == 2))
        form = traversed_form(game)
        assert value(form, weights_of(form, uniform, 0), weights_of(form, uniform, 1)).value == pytest.approx(mean)

    @pytest.mark.parametrize("name", ["cfr", "pcfr_plus", "mccfr"])
    def test_learners_come_near(self, seat: int, sides: int, name: str) -> None:
        game = guess(seat, sides)
        learner = agents.make(name, game)
        learner.learn(2_000)
        assert exploitability(game, learner) < 0.01

    def test_mixtures_of_best_responses_come_near(self, seat: int, sides: int) -> None:
        game = guess(seat, sides)
        for policy, _ in (fictitious_play(game, 100), double_oracle(game, 5)):
            assert exploitability(game, policy) < 0.01


def test_a_game_in_which_nobody_chooses_is_refused() -> None:
    nodes = [Node(CHANCE, after=(1, 2), likely=(0.5, 0.5)), Node(0, pay=1.0), Node(0)]
    with pytest.raises(UsageError, match="before anybody chooses"):
        Game(tree_game, nodes=nodes)
