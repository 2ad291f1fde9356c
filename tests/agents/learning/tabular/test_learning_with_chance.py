"""Tabular learners in games with chance: they come near the exact solution, and go on as if uninterrupted."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chance_game
from nashzoo import agents
from nashzoo.agents.learning.tabular.minimax_q import MinimaxQ
from nashzoo.agents.learning.tabular.regret_matching import RegretMatching
from nashzoo.baselines import exploitability
from nashzoo.envs import make_game
from nashzoo.envs.core.game import Game

GAMES = Path(__file__).resolve().parents[4] / "examples" / "games"
FIVE_SIGMA = 5 * 0.5 / 100  # of a share of 10,000 outcomes that are as likely as not

# A choice without alternative, then a coin, then another such choice, which pays 1 or nothing.
COIN = Game(chance_game, nodes=(((1,),), {2: 0.5, 3: 0.5}, ((4,),), ((5,),), None, None), pays=(0, 0, 0, 0, 1, 0))


@pytest.mark.parametrize("learner", [MinimaxQ, RegretMatching])
def test_the_value_at_chance_is_the_mean_over_its_outcomes_and_chance_takes_no_time(learner: Any) -> None:
    taught = learner(COIN, seed=0, gamma=0.5, exploring_starts=0.0)
    taught.learn(20_000)
    learned = taught._table.values
    assert taught.num_games == 10_000
    np.testing.assert_allclose(learned[[2, 3]], [1.0, 0.0])
    assert abs(learned[1] - 0.5) < FIVE_SIGMA
    assert learned[0] == 0.5 * learned[1]


@pytest.mark.slow
def test_minimax_q_comes_near_the_equilibrium_of_a_pursuit_on_slippery_ground() -> None:
    game = make_game(str(GAMES / "pursuit.py"))
    learner = MinimaxQ(game, seed=0)
    before = exploitability(game, learner)
    learner.learn(200_000)
    assert exploitability(game, learner) < 0.2 < before


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), [("regret_matching", 0.1), ("wolf_phc", 0.4)])
def test_they_learn_littmans_soccer(name: str, most: float) -> None:
    game = make_game(str(GAMES / "littman_soccer.py"))
    learner: Any = agents.make(name, game, seed=0)
    before = exploitability(game, learner)
    learner.learn(1_000_000)
    assert exploitability(game, learner) < most < before
