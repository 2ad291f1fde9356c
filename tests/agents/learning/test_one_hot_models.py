"""Models that were trained with one-hot observations, as players and as policies."""

from functools import cache
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import QRDQN, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from torch import nn

import nim
import repeated_rps
from nashzoo import agents
from nashzoo.agents.gym_factory import gymnasium_env
from nashzoo.agents.learning import sb3
from nashzoo.agents.learning.callbacks import ExploitabilityCallback
from nashzoo.agents.learning.maskable_dqn import MaskableDQN, MaskableDQNPolicy
from nashzoo.baselines import ListedStates, exploitability
from nashzoo.envs import footsies_v0
from nashzoo.envs.api.sb3_vec_env import GameVecEnv
from nashzoo.envs.core.agent import legal_actions
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.one_hot import one_hot_encoding
from nashzoo.envs.vector.game_batch import GameBatch

NIM = Game(nim, heap=6, first="random")
FOOTSIES = footsies_v0.game()
SMALL = {"seed": 0, "device": "cpu"}
NARROW = {"lstm_hidden_size": 5}
BUFFER = {"buffer_size": 100, **SMALL}
KINDS: dict[str, tuple[type[BaseAlgorithm], Any, dict[str, Any]]] = {
    "ppo": (PPO, "MlpPolicy", {"n_steps": 16, "batch_size": 16, **SMALL}),
    "a2c": (A2C, "MlpPolicy", SMALL),
    "dqn": (DQN, "MlpPolicy", BUFFER),
    "qrdqn": (QRDQN, "MlpPolicy", BUFFER),
    "maskable_ppo": (MaskablePPO, "MlpPolicy", {"n_steps": 16, "batch_size": 16, **SMALL}),
    "maskable_dqn": (MaskableDQN, MaskableDQNPolicy, {"learning_starts": 0, "policy_kwargs": {"game": NIM}, **BUFFER}),
    "recurrent_ppo": (RecurrentPPO, "MlpLstmPolicy", {"n_steps": 16, "policy_kwargs": NARROW, **SMALL}),
}
EXACT = 1e-6  # points per game, of float32 networks
SAME = 1e-6  # probability


@cache
def trained(name: str, game: Game = NIM) -> BaseAlgorithm:
    """Returns a model that has learned a little, so that it is not as it was initialised."""
    kind, policy, options = KINDS[name]
    batch = GameBatch(game, 2, agents.make("random", game), "random", observation="one_hot")
    return kind(policy, GameVecEnv(batch), **options).learn(32)


def views(game: Game, player: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns what a player sees of every state, compact and one-hot."""
    seen = np.stack([game.observe(int(code), player) for code in ListedStates(game).codes])
    return seen, one_hot_encoding(game).encode(seen)


@pytest.mark.parametrize("name", KINDS)
def test_a_model_plays_what_it_plays_in_sb3(name: str) -> None:
    model = trained(name)
    agent = agents.as_agent(model, NIM)
    for player in range(2):
        seen, encoded = views(NIM, player)
        masks = legal_actions(NIM, seen)
        known = {"action_masks": masks} if name == "maskable_ppo" else {}
        expected = model.predict(encoded, deterministic=True, **known)[0]  # type: ignore[call-arg]
        legal = masks[np.arange(len(masks)), expected] == 1
        for given in (seen, encoded):
            found = agent.predict(given, deterministic=True)[0]
            assert (found[legal] == expected[legal]).all() and legal.any()


@pytest.mark.parametrize("name", [name for name in KINDS if name != "recurrent_ppo"])
def test_it_is_measured_in_every_form_it_comes_in(name: str, tmp_path: Path) -> None:
    model = trained(name)
    model.save(tmp_path / "model.zip")
    agent = agents.as_agent(model, NIM)
    measured = exploitability(NIM, agent)  # type: ignore[arg-type]
    assert measured > 0
    for form in (model, model.policy, agents.as_agent(tmp_path / "model.zip", NIM)):
        assert exploitability(NIM, form) == pytest.approx(measured, abs=EXACT)  # type: ignore[arg-type]
    masks = legal_actions(NIM, views(NIM, 0)[0])
    one, other = (agent.action_probabilities(seen, masks) for seen in views(NIM, 0))  # type: ignore[attr-defined]
    assert one == pytest.approx(other, abs=SAME)


@pytest.mark.slow
def test_the_callback_measures_it_while_it_learns() -> None:
    model = PPO("MlpPolicy", gymnasium_env(FOOTSIES, observation="one_hot"), n_steps=64, batch_size=64, **SMALL)
    callback = ExploitabilityCallback(FOOTSIES, eval_freq=64)
    model.learn(128, callback)
    assert [point.timesteps for point in callback.history] == [0, 64, 128]
    assert callback.history[-1].exploitability == exploitability(FOOTSIES, model)


class TestModules:
    """Networks that do not say what they see."""

    def test_one_that_takes_one_hot_observations_gets_them(self) -> None:
        torch.manual_seed(0)
        wide = nn.Linear(one_hot_encoding(FOOTSIES).width, 4)

        class Inside(nn.Module):
            """The same, which encodes what it sees itself, and so takes compact observations."""

            def __init__(self) -> None:
                super().__init__()
                self.wide = wide

            def forward(self, observations: torch.Tensor) -> Any:
                encoded = one_hot_encoding(FOOTSIES).encode(observations.numpy())
                return self.wide(torch.from_numpy(encoded))

        measured = exploitability(FOOTSIES, wide)
        assert measured > 0
        assert measured == pytest.approx(exploitability(FOOTSIES, Inside()), abs=EXACT)

    def test_one_that_takes_neither_is_refused(self) -> None:
        with pytest.raises(ValueError, match="Linear cannot take observations of footsies_v0, a tensor of shape"):
            exploitability(FOOTSIES, nn.Linear(5, 4))


class Unscaled(gymnasium.Env[Any, Any]):
    """An environment whose observations are as many numbers as Nim's one-hot ones, and larger."""

    observation_space = spaces.Box(0.0, 2.0, (9,), np.float32)
    action_space = spaces.Discrete(3)


def test_a_model_of_neither_width_is_refused() -> None:
    model = trained("ppo")
    with pytest.raises(ValueError) as error:
        sb3.wrap(model, FOOTSIES)
    assert str(error.value) == (
        "the model sees Box(0.0, 1.0, (9,), float32); footsies_v0 with its parameters shows "
        "Box(0.0, 1.0, (15,), float32), or Box(0.0, 1.0, (23,), float32) if one-hot"
    )
    rps = Game(repeated_rps)
    with pytest.raises(ValueError, match=r"repeated_rps_v0 .* shows Box\(0.0, 1.0, \(7,\), float32\)$"):
        sb3.wrap(model, rps)
    unscaled = Unscaled()
    with pytest.raises(ValueError, match=r"the model sees Box\(0.0, 2.0, \(9,\), float32\); nim_v0"):
        sb3.wrap(PPO("MlpPolicy", unscaled, n_steps=16, batch_size=16, **SMALL), NIM)
