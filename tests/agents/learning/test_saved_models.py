"""Models that were saved by earlier versions load, and play as they did."""

from pathlib import Path

import pytest

from nashzoo import agents
from nashzoo.baselines import evaluate
from nashzoo.envs import tictactoe_v0

DATA = Path(__file__).resolve().parents[2] / "data"


def test_a_model_that_names_modules_where_they_were() -> None:
    game = tictactoe_v0.game()
    model = agents.as_agent(DATA / "maskable_dqn_0.1.zip", game)
    value = evaluate(game, model, agents.make("random", game))
    assert value == pytest.approx(0.6588541666666669, abs=1e-9)  # printed by the version that saved it
