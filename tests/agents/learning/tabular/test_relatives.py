"""Regret matching and WoLF policy hill-climbing, and what tabular learners say of themselves."""

import pytest

from nashzoo import agents
from nashzoo.agents import registry
from nashzoo.agents.learning.self_play_learner import SelfPlayLearner
from nashzoo.agents.learning.tabular.regret_matching import RegretMatching
from nashzoo.agents.learning.tabular.wolf_phc import WolfPHC
from nashzoo.baselines import exploitability
from nashzoo.envs import footsies_v0, tictactoe_v0
from nashzoo.envs.core.game import Game


@pytest.mark.parametrize("learner", [RegretMatching, WolfPHC])
@pytest.mark.parametrize("game", [footsies_v0.game(), tictactoe_v0.game()], ids=lambda game: game.name)
def test_before_learning_it_plays_uniformly_at_random(learner: type[SelfPlayLearner], game: Game) -> None:
    uniform = agents.make("random", game)
    assert exploitability(game, learner(game)) == pytest.approx(exploitability(game, uniform), abs=1e-9)


def test_what_learners_use_includes_the_starts_that_they_explore() -> None:
    for name in registry.self_play_learners():
        kind = registry.self_play_learner(name)
        explores = getattr(kind.Settings(), "exploring_starts", 0.0) > 0.0
        assert ("exploring starts" in kind.GIVEN) == explores
