"""Nash value iteration: its bounds hold the truth at every moment, and close on it."""

import numpy as np
import pytest

from nashzoo.agents.learning.tabular.nash_vi import NashVI
from nashzoo.baselines import exploitability, solve
from nashzoo.envs import bodega_brawl_v0, footsies_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.core.game import Floats, Game

EXACT = 1e-9
FOOTSIES = footsies_v0.game()
SOCCER = soccer_v0.game(width=11, height=5)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "game", [FOOTSIES, tictactoe_v0.game(), bodega_brawl_v0.game(preset="small")], ids=lambda game: game.name
)
def test_its_bounds_hold_the_value_and_the_exploitability_at_every_moment(game: Game, seed: int) -> None:
    value = solve(game).start_value
    learner = NashVI(game, seed=seed)
    width = np.inf
    for _ in range(6):
        lower, upper = learner.value_bounds
        assert lower - EXACT <= value <= upper + EXACT
        assert exploitability(game, learner) <= learner.exploitability_bound + EXACT
        assert upper - lower <= width
        width = upper - lower
        learner.learn(20_000)
    assert width < 1.0


def discounted_values(learner: NashVI) -> Floats:
    """Returns the values of the discounted game, by value iteration, where players move in turn."""
    simulator, gamma = learner.learned.simulator, learner.gamma
    assert ((simulator.rows == 1) | (simulator.columns == 1)).all()
    used = np.arange(simulator.following.shape[1]) < (simulator.rows * simulator.columns)[:, None]
    values = np.zeros(len(simulator.following))
    for _ in range(300):
        after = np.where(simulator.following >= 0, values[simulator.following], 0.0)
        worth = simulator.rewards + gamma * after
        best = np.where(used, worth, -np.inf).max(axis=1)
        values = np.where(simulator.columns == 1, best, np.where(used, worth, np.inf).min(axis=1))
    return values


@pytest.mark.slow
def test_in_a_recurrent_game_they_are_bounds_of_the_discounted_one() -> None:
    learner = NashVI(SOCCER, seed=0, gamma=0.9)
    truth = discounted_values(learner)
    for _ in range(10):
        assert (learner._bounds.lower_values <= truth + EXACT).all()
        assert (learner._bounds.upper_values >= truth - EXACT).all()
        learner.learn(100_000)
    start = learner.learned.states.ids(SOCCER.start_codes)
    lower, upper = learner.value_bounds
    assert lower - EXACT <= SOCCER.start_probabilities @ truth[start] <= upper + EXACT
    assert upper - lower < 0.1
