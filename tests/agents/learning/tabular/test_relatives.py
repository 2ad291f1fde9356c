"""Regret matching and WoLF policy hill-climbing: they come near the equilibrium, and go on as if uninterrupted."""

import pytest

import nim
from nashzoo import agents
from nashzoo.agents import registry
from nashzoo.agents.learning.self_play_learner import SelfPlayLearner
from nashzoo.agents.learning.tabular.regret_matching import RegretMatching
from nashzoo.agents.learning.tabular.wolf_phc import WolfPHC
from nashzoo.baselines import exploitability
from nashzoo.envs import bodega_brawl_v0, footsies_v0, tictactoe_v0
from nashzoo.envs.core.game import Game

FOOTSIES = footsies_v0.game()
BODEGA = bodega_brawl_v0.game(preset="small")
LEARNERS = [RegretMatching, WolfPHC]


@pytest.mark.parametrize(
    ("learner", "game", "timesteps", "within"),
    [
        (RegretMatching, Game(nim), 20_000, 0.01),
        (RegretMatching, FOOTSIES, 1_000_000, 0.01),
        (RegretMatching, tictactoe_v0.game(), 2_000_000, 0.02),
        (RegretMatching, BODEGA, 2_000_000, 0.05),
        (WolfPHC, Game(nim), 200_000, 0.2),
        (WolfPHC, FOOTSIES, 3_000_000, 0.2),
        pytest.param(WolfPHC, tictactoe_v0.game(), 8_000_000, 0.3, marks=pytest.mark.slow),
    ],
)
def test_it_comes_near_the_equilibrium(
    learner: type[SelfPlayLearner], game: Game, timesteps: int, within: float
) -> None:
    settings = {"total_timesteps": timesteps} if learner is WolfPHC else {}
    learned = learner(game, seed=0, **settings)
    before = exploitability(game, learned)
    learned.learn(timesteps)
    assert exploitability(game, learned) < within < before


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("game", [FOOTSIES, tictactoe_v0.game()], ids=lambda game: game.name)
def test_before_learning_it_plays_uniformly_at_random(learner: type[SelfPlayLearner], game: Game) -> None:
    uniform = agents.make("random", game)
    assert exploitability(game, learner(game)) == pytest.approx(exploitability(game, uniform), abs=1e-9)


def test_what_learners_use_includes_the_starts_that_they_explore() -> None:
    for name in registry.self_play_learners():
        kind = registry.self_play_learner(name)
        explores = getattr(kind.Settings(), "exploring_starts", 0.0) > 0.0
        assert ("exploring starts" in kind.GIVEN) == explores
