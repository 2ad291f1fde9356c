"""The examples learn what there is to be learned."""

import pytest

from examples import two_agents
from nashzoo import agents
from nashzoo.baselines import best_response, evaluate
from nashzoo.envs import tictactoe_v0


def test_two_agents_learn_to_mix() -> None:
    assert two_agents.parallel_loop() < 0.05  # the throws they begin with could be exploited for twenty times as much


@pytest.mark.slow
def test_two_agents_learn_in_turns() -> None:
    game = tictactoe_v0.game()
    random = agents.make("random", game)
    most = best_response(game, random, 0).value
    assert evaluate(game, random, random) < 0.3 < 0.85 < two_agents.aec_loop() <= most < 0.995


@pytest.mark.slow
def test_ppo_in_a_single_file_finds_the_best_response() -> None:
    ppo = pytest.importorskip("examples.ppo_single_file")
    won, most = ppo.main(ppo.Options())
    assert most == 0.5  # whoever reads counter wins three games of four
    assert 0.45 < won <= most + 1e-9
