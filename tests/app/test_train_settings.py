"""PPOConfig of a training run: what holds where options say nothing, and what options say."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stable_baselines3 import PPO

from nashzoo import agents
from nashzoo.agents.registry import scripted
from nashzoo.app.commands import train as command
from nashzoo.app.training import sb3_training
from nashzoo.app.training.options import Options
from nashzoo.app.training.ppo_config import TUNED, PPOConfig
from nashzoo.baselines.states.indexed import numbering
from nashzoo.envs import games, tictactoe_v0
from nashzoo.envs.registry import make_game
from training import report_of, trained

SHORT: dict[str, Any] = {"timesteps": 512, "num_envs": 16, "measure_every": 512, "games": 2}


def run(folder: Path, **options: Any) -> dict[str, Any]:
    return trained(folder, **{"game": "footsies_v0", **SHORT} | options)


def test_who_is_trained_against_where_nobody_is_named() -> None:
    for name in games():
        options = Options(name)
        assert options.opponent_name() == "population"
        met, held_out = options.population(make_game(name))
        assert met and sorted(met + held_out) == sorted(scripted(make_game(name)))


def test_against_one_player_a_run_is_as_it_ever_was() -> None:
    assert Options("footsies_v0", opponent="counter").settings() == PPOConfig(500_000, 64, 1.0)
    assert Options("footsies_v0", algorithm="dqn").settings().gamma == 0.99
    assert Options("footsies_v0", opponent="psro").settings() == PPOConfig(500_000, 64, 1.0)
    assert Options("footsies_v0", algorithm="a2c").settings() == PPOConfig(500_000, 64, 1.0)


def test_what_an_option_says_goes_before_what_is_tuned() -> None:
    default = Options("soccer_v0").settings()
    assert default == TUNED["soccer_v0"]
    said = {"ent_coef": 0.5, "gamma": 0.9, "num_envs": 7, "observation": "compact", "starts": "game"}
    settings = Options("soccer_v0", **said).settings()  # type: ignore[arg-type]
    assert {name: getattr(settings, name) for name in said} == said
    assert settings.learning_rate == default.learning_rate


@pytest.mark.parametrize("game", TUNED)
def test_tuned_settings_can_be(game: str) -> None:
    options = Options(game)
    options.check()
    made, settings = make_game(game), options.settings()
    assert scripted(made)
    assert settings.observation == "compact" or made.levels is not None
    assert settings.starts == "game" or len(numbering(made)) > 0


class TestModels:
    def test_the_discount_reaches_the_model(self, tmp_path: Path) -> None:
        run(tmp_path, opponent="population", held_out=(), gamma=0.9, observation="one_hot")
        model = PPO.load(tmp_path / "model.zip")
        assert model.gamma == 0.9
        assert model.observation_space.shape[0] > make_game("footsies_v0").num_features  # type: ignore[index]

    def test_reachable_starts_teach_what_play_would_not_see(self, tmp_path: Path) -> None:
        game, seen = tictactoe_v0.game(), {}
        for starts in ("game", "reachable"):
            options = Options("tictactoe_v0", starts=starts)
            envs = sb3_training.environments(options, game, agents.make("random", game))
            envs.seed(0)
            envs.reset()
            marks = [bin(state.crosses | state.noughts).count("1") for state in map(game.state, envs.batch.codes)]
            seen[starts] = np.mean(np.array(marks))
        assert seen["game"] < 1 < 4 < seen["reachable"]  # where it is second, the opponent has set one mark


def test_fewer_decisions_than_a_rollout_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = run(tmp_path / "short", opponent="population", timesteps=100)
    out = " ".join(capsys.readouterr().err.split())
    found = re.search(r"the first step of learning needs ([\d,]+) decisions, .* from these, not from 100\b", out)
    assert found is not None
    assert int(found[1].replace(",", "")) == report["timesteps"] > 100
    run(tmp_path / "whole", opponent="counter", timesteps=512)
    assert "first step of learning" not in capsys.readouterr().err


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.told(Options("footsies_v0", opponent="counter", run_dir=tmp_path, **SHORT), as_json=True)
    assert json.loads(capsys.readouterr().out) == report_of(tmp_path)
