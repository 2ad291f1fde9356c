"""A choice by the exact solution: its regrets are those of the environments, and of textbooks."""

import numpy as np
import pytest

import staked_rps
from nashzoo.agents.basic.regret_env import Regret
from nashzoo.baselines import solve
from nashzoo.baselines.choices import choice_at
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs import Game, footsies_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.examples import kuhn

EXACT = 1e-9


@pytest.mark.parametrize("game", [footsies_v0.game(blocks=1), Game(staked_rps)], ids=["footsies", "chance"])
def test_regrets_are_those_of_the_environments(game: Game) -> None:
    solution = solve(game)
    regret, seen = Regret(game, solution), 0
    for code in ListedStates(game).codes.tolist():
        for player in game.movers(code):
            choice = choice_at(solution, code, player)
            assert choice.actions == game.legal_actions(code, player)
            assert choice.value == pytest.approx((1 - 2 * player) * solution.value(code), abs=EXACT)
            for action, loss in zip(choice.actions, choice.regrets, strict=True):
                (other,) = regret(np.array([code]), np.array([player]), np.array([action]))
                assert loss == choice.regret(action) == pytest.approx(other, abs=EXACT)
            assert choice.probabilities @ choice.regrets == pytest.approx(0, abs=EXACT)
            seen += 1
    assert seen >= 4


def test_what_a_mistake_in_tic_tac_toe_costs() -> None:
    game = tictactoe_v0.game()
    choice = choice_at(solve(game), game.code(board="x........"), 1)
    lost = {game.actions[action]: round(choice.regret(action)) for action in choice.actions}
    assert lost == {"4": 0} | dict.fromkeys("1235678", 1)  # only the centre draws against a corner


def test_kuhn_poker_has_the_values_of_kuhn() -> None:
    # Kuhn (1950): with 2 player 0 never bets first, which would lose 1/6 more; the game is worth -1/18.
    game = Game(kuhn)
    solution = solve(game)
    choices = [choice_at(solution, game.code(dealt=1, card0=card), 0) for card in (1, 2, 3)]
    assert np.mean([choice.value for choice in choices]) == pytest.approx(-1 / 18, abs=EXACT)
    assert choices[1].regrets == pytest.approx([0, 1 / 6], abs=EXACT)
    assert choices[1].probabilities == pytest.approx([1, 0], abs=EXACT)


def test_a_player_who_does_not_choose_has_none() -> None:
    game = tictactoe_v0.game()
    with pytest.raises(UsageError, match="player 1 does not choose at board"):
        choice_at(solve(game), game.first_decision, 1)
