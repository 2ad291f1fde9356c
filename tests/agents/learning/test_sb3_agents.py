"""Models of Stable-Baselines3 and sb3-contrib as players."""

import io
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import ARS, QRDQN, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO, SAC
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.evaluation import evaluate_policy

import nim
from nashzoo import agents
from nashzoo.agents.gym_factory import gymnasium_env
from nashzoo.agents.learning import sb3
from nashzoo.baselines import ListedStates, TabularPolicy, best_response, exploitability
from nashzoo.baselines.policies import networks
from nashzoo.envs import footsies_v0
from nashzoo.envs.api.pettingzoo_base import observation_box
from nashzoo.envs.api.sb3_vec_env import GameVecEnv
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Game
from nashzoo.envs.games.footsies import rules as footsies
from nashzoo.envs.vector.game_batch import GameBatch

FOOTSIES = footsies_v0.game()
NIM = Game(nim, heap=2)  # of two objects one can take one or two, not three
SMALL = {"policy_kwargs": {"net_arch": [8]}, "seed": 0}
ALGORITHMS: dict[str, tuple[type[BaseAlgorithm], str, dict[str, Any]]] = {
    "ppo": (PPO, "MlpPolicy", {"n_steps": 64, **SMALL}),
    "a2c": (A2C, "MlpPolicy", SMALL),
    "dqn": (DQN, "MlpPolicy", {"buffer_size": 100, **SMALL}),
    "qrdqn": (QRDQN, "MlpPolicy", {"buffer_size": 100, **SMALL}),
    "maskable_ppo": (MaskablePPO, "MlpPolicy", {"n_steps": 64, **SMALL}),
    "recurrent_ppo": (
        RecurrentPPO,
        "MlpLstmPolicy",
        {"n_steps": 64, "seed": 0, "policy_kwargs": {"net_arch": [8], "lstm_hidden_size": 5, "n_lstm_layers": 2}},
    ),
}
WITH_PROBABILITIES = tuple(name for name in ALGORITHMS if name != "recurrent_ppo")


def untrained(name: str, game: Game) -> BaseAlgorithm:
    algorithm, policy, options = ALGORITHMS[name]
    return algorithm(policy, gymnasium_env(game), device="cpu", **options)


def everywhere(game: Game) -> np.ndarray:
    """What player 0 sees of every state."""
    return np.stack([game.observe(int(code), 0) for code in ListedStates(game).codes])


@pytest.fixture(scope="module", params=ALGORITHMS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ppo", "a2c", "maskable_ppo"])
def test_actions_are_drawn_by_sb3_with_the_probabilities_given(name: str) -> None:
    model = untrained(name, FOOTSIES)
    agent = agents.as_agent(model, FOOTSIES)
    assert isinstance(agent, PolicyAgent)
    observation = FOOTSIES.observe(int(FOOTSIES.start_codes[0]), 0)
    probabilities = agent.action_probabilities(observation[None], np.ones((1, 4), np.int8))[0]
    torch.manual_seed(0)
    counts = np.bincount(model.predict(np.tile(observation, (20_000, 1)))[0], minlength=4)
    assert abs(counts / 20_000 - probabilities).max() < 4 * np.sqrt(0.25 / 20_000)  # four standard deviations


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_likeliest_action_is_sb3s(name: str) -> None:
    model = untrained(name, FOOTSIES)
    agent = agents.as_agent(model, FOOTSIES)
    observations = everywhere(FOOTSIES)
    expected = model.predict(observations, deterministic=True)[0]
    explores = name not in ("dqn", "qrdqn")
    assert agent.predict(observations, deterministic=explores)[0].tolist() == expected.tolist()


@pytest.mark.parametrize("name", WITH_PROBABILITIES)
def test_illegal_actions_have_no_probability(name: str) -> None:
    agent = agents.as_agent(untrained(name, NIM), NIM)
    assert isinstance(agent, PolicyAgent)
    observations = np.tile(NIM.observe(int(NIM.start_codes[0]), 0), (2, 1))
    masks = np.array([[1, 1, 0], [0, 1, 0]], np.int8)
    probabilities = agent.action_probabilities(observations, masks)
    assert (probabilities[masks == 0] == 0).all()
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert agent.legal(observations).tolist() == [[1, 1, 0]] * 2


def test_who_is_sure_of_an_illegal_action_plays_any_legal_one() -> None:
    model = untrained("ppo", NIM)
    with torch.no_grad():
        model.policy.action_net.weight.zero_()  # type: ignore[union-attr,operator]
        model.policy.action_net.bias.copy_(torch.tensor([0.0, 0.0, 1000.0]))  # type: ignore[union-attr,operator]
    agent = agents.as_agent(model, NIM)
    assert isinstance(agent, PolicyAgent)
    observation = NIM.observe(int(NIM.start_codes[0]), 0)
    assert agent.action_probabilities(observation[None], np.array([[1, 1, 0]], np.int8)).tolist() == [[0.5, 0.5, 0]]


@pytest.mark.parametrize("name", ["ppo", "recurrent_ppo"])
def test_who_is_almost_sure_of_an_illegal_action_prefers_among_legal_ones_as_otherwise(name: str) -> None:
    """Of all actions, the legal ones have the probability 0 in single precision."""
    model = untrained(name, NIM)
    with torch.no_grad():
        model.policy.action_net.weight.zero_()  # type: ignore[union-attr,operator]
        model.policy.action_net.bias.copy_(torch.tensor([0.0, 10.0, 1000.0]))  # type: ignore[union-attr,operator]
    agent = agents.as_agent(model, NIM)
    observation, mask = NIM.observe(int(NIM.start_codes[0]), 0)[None], np.array([[1, 1, 0]], np.int8)
    memory = np.zeros((1, agent.memory_size))
    actions, _ = agent.likeliest(observation, memory, mask)
    assert actions.tolist() == [1]
    draws, _ = agent.act(observation, memory, mask, np.array([[0.01, 0.5]]))
    assert draws.tolist() == [1]  # the other is drawn with the probability 1 / (1 + exp(10)) < 0.01


def test_batches_go_through_the_network_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = agents.as_agent(untrained("ppo", FOOTSIES), FOOTSIES)
    assert isinstance(agent, PolicyAgent)
    observations = everywhere(FOOTSIES)
    masks = np.ones((len(observations), 4), np.int8)
    whole = agent.action_probabilities(observations, masks)
    monkeypatch.setattr(networks, "CHUNK", 7)
    threads = torch.get_num_threads()
    assert np.allclose(whole, agent.action_probabilities(observations, masks))
    assert torch.get_num_threads() == threads


def test_a_recurrent_model_plays_but_has_no_probabilities() -> None:
    model = untrained("recurrent_ppo", FOOTSIES)
    agent = agents.as_agent(model, FOOTSIES)
    assert agent.memory_size == 2 * 2 * 5  # two states of two layers of width 5
    with pytest.raises(TypeError, match="RecurrentModelAgent has no action_probabilities"):
        exploitability(FOOTSIES, agent)
    with pytest.raises(TypeError, match="the RecurrentPPO model has no action probabilities by state: it remembers"):
        sb3.ModelAgent(model, FOOTSIES)


def test_a_recurrent_model_remembers_as_it_does_in_sb3() -> None:
    model = untrained("recurrent_ppo", FOOTSIES)
    agent = agents.as_agent(model, FOOTSIES)
    observations = everywhere(FOOTSIES)[:30].reshape(3, 10, -1)
    state = theirs = None
    for step, seen in enumerate(observations):
        starts = np.arange(10) % 3 == step
        actions, state = agent.predict(seen, state, episode_start=starts, deterministic=True)
        expected, theirs = model.predict(seen, theirs, episode_start=starts, deterministic=True)
        assert actions.tolist() == expected.tolist()
        assert theirs is not None
        both = np.stack([np.asarray(part) for part in theirs])  # [2, layers, tables, width]
        assert np.allclose(state.reshape(10, 2, 2, 5), both.transpose(2, 0, 1, 3), atol=1e-6)


def test_the_player_follows_the_model_as_it_learns() -> None:
    env = gymnasium_env(FOOTSIES, "counter")
    model = PPO("MlpPolicy", env, n_steps=64, device="cpu", **SMALL)
    agent = agents.as_agent(model, FOOTSIES)
    assert isinstance(agent, PolicyAgent)
    observations = everywhere(FOOTSIES)
    masks = np.ones((len(observations), 4), np.int8)
    before = agent.action_probabilities(observations, masks)
    model.learn(64)
    assert not np.allclose(before, agent.action_probabilities(observations, masks))


def test_sb3_evaluates_our_players() -> None:
    """The best response to counter wins, in SB3's hands, what the exact computation says."""
    counter = agents.make("counter", FOOTSIES)
    response = best_response(FOOTSIES, counter, 0)
    assert isinstance(response.policy, TabularPolicy)
    env = gymnasium_env(FOOTSIES, counter)
    env.reset(seed=0)
    mean, deviation = evaluate_policy(response.policy, env, n_eval_episodes=600, deterministic=False, warn=False)  # type: ignore[arg-type]
    assert abs(float(mean) - response.value) < 4 * max(float(deviation), 0.05) / np.sqrt(600)


def test_players_with_models_can_be_pickled(name: str) -> None:
    agent = agents.as_agent(untrained(name, FOOTSIES), FOOTSIES, seed=3)
    copy = pickle.loads(pickle.dumps(agent))
    observations = everywhere(FOOTSIES)
    assert copy.predict(observations)[0].tolist() == agent.predict(observations)[0].tolist()


def test_models_come_back_from_their_files(name: str, tmp_path: Path) -> None:
    model = untrained(name, FOOTSIES)
    path = tmp_path / "model.zip"
    model.save(path)
    assert sb3.algorithm_of(path) == name
    observations = everywhere(FOOTSIES)
    expected = agents.as_agent(model, FOOTSIES).predict(observations, deterministic=True)[0].tolist()
    for loaded in (agents.as_agent(str(path), FOOTSIES), agents.as_agent(path, FOOTSIES), sb3.load(path, FOOTSIES)):
        assert loaded.predict(observations, deterministic=True)[0].tolist() == expected


def test_a_model_can_play_against_itself_as_it_is_now() -> None:
    envs = GameVecEnv(GameBatch(FOOTSIES, 50, agents.make("random", FOOTSIES), player=1))
    model = PPO("MlpPolicy", envs, n_steps=64, device="cpu", **SMALL)
    envs.set_attr("opponent", agents.as_agent(model, FOOTSIES))
    for action in (footsies.ATTACK, footsies.BLOCK):
        with torch.no_grad():
            model.policy.action_net.bias[:] = 50.0 * torch.eye(FOOTSIES.num_actions)[action]
        envs.seed(0)
        envs.reset()
        envs.step(np.full(50, footsies.BLOCK))
        assert {FOOTSIES.state(code).last0 for code in envs.batch.codes} == {action + 1}


class OwnPolicy(PPO.policy_aliases["MlpPolicy"]):  # type: ignore[misc,name-defined]
    """A policy class that is not SB3's own."""


def test_a_model_with_a_policy_of_its_own_needs_its_algorithm_named(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    PPO(OwnPolicy, gymnasium_env(FOOTSIES), n_steps=64, device="cpu", **SMALL).save(path)
    with pytest.raises(ValueError, match="has a policy of its own from test_sb3_agents; say which algorithm: ppo, a2c"):
        sb3.load(path, FOOTSIES)
    assert isinstance(sb3.load(path, FOOTSIES, algorithm="ppo"), sb3.ModelAgent)
    with pytest.raises(ValueError, match="there is no algorithm 'trpo'; the algorithms are ppo, a2c, dqn"):
        sb3.load(path, FOOTSIES, algorithm="trpo")


def test_models_with_the_removed_magnet_are_refused_in_a_sentence(tmp_path: Path) -> None:
    PPO(OwnPolicy, gymnasium_env(FOOTSIES), n_steps=64, device="cpu", **SMALL).save(tmp_path / "own.zip")
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(tmp_path / "own.zip") as own, zipfile.ZipFile(path, "w") as archive:
        for part in own.namelist():
            archive.writestr(part, own.read(part).replace(b"test_sb3_agents", b"nashzoo.agents.learning.magnet"))
    with pytest.raises(ValueError, match="was trained with --magnet, by an earlier version of nashzoo, and no longer"):
        agents.as_agent(str(path), FOOTSIES)


def test_files_that_are_no_models_are_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no file"):
        sb3.load(tmp_path / "model.zip", FOOTSIES)
    (tmp_path / "text.zip").write_text("PK?")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("data", "{}")
    for name in ("text.zip", "other.zip"):
        with pytest.raises(ValueError, match=f"{name} is not a model that Stable-Baselines3 saved"):
            sb3.load(tmp_path / name, FOOTSIES)


def written(content: object) -> bytes:
    file = io.BytesIO()
    torch.save(content, file)
    return file.getvalue()


def test_models_with_parts_of_others_are_told(tmp_path: Path) -> None:
    untrained("ppo", FOOTSIES).save(tmp_path / "model.zip")
    with zipfile.ZipFile(tmp_path / "model.zip") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    data = json.loads(parts["data"])
    data["lr_schedule"][":serialized:"] = "AAAA"
    for name, content in (
        ("policy.pth", b""),
        ("policy.pth", b"hello"),
        ("policy.pth", written([1, 2])),
        ("policy.pth", written({"weight": torch.zeros(2)})),
        ("policy.pth", written(Path("foreign"))),
        ("policy.optimizer.pth", written({"weight": 1})),
        ("other.pth", written({})),
        ("data", json.dumps({name: entry for name, entry in data.items() if name != "action_space"}).encode()),
        ("data", json.dumps(data).encode()),
    ):
        with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
            for part, whole in (parts | {name: content}).items():
                archive.writestr(part, whole)
        with pytest.raises(UsageError, match=r"other\.zip is not a model .*, or is damaged: "):
            agents.as_agent(str(tmp_path / "other.zip"), FOOTSIES)


def test_a_model_of_another_game_is_refused(tmp_path: Path) -> None:
    model = untrained("ppo", NIM)
    model.save(tmp_path / "model.zip")
    with pytest.raises(ValueError, match=r"the model sees Box\(.*\(3,\).*; footsies_v0 with its parameters shows Box"):
        agents.as_agent(model, FOOTSIES)
    with pytest.raises(ValueError, match="the model sees"):
        sb3.load(tmp_path / "model.zip", FOOTSIES)


class Other(gymnasium.Env[Any, Any]):
    """An environment that looks like Footsies and has other actions."""

    def __init__(self, actions: spaces.Space[Any]) -> None:
        self.observation_space = observation_box(FOOTSIES)
        self.action_space = actions


def test_a_model_with_other_actions_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the model's actions are Discrete\(5\); footsies_v0 has 4"):
        agents.as_agent(PPO("MlpPolicy", Other(spaces.Discrete(5)), n_steps=64, **SMALL), FOOTSIES)
    with pytest.raises(ValueError, match=r"the model's actions are Box.*; footsies_v0 has 4"):
        agents.as_agent(SAC("MlpPolicy", Other(spaces.Box(-1, 1, (2,))), buffer_size=10), FOOTSIES)


def test_a_model_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="the ARS model has no action probabilities by state: its policy"):
        agents.as_agent(ARS("MlpPolicy", gymnasium_env(FOOTSIES)), FOOTSIES)
