"""Networks are measured as they are, without a wrapper: Stable-Baselines3's models, their policies, torch's modules."""

import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.logger import KVWriter, Logger
from torch import nn
from torch.distributions import Categorical

import nim
import repeated_rps
from nashzoo import agents
from nashzoo.agents.gym_factory import gymnasium_env
from nashzoo.agents.learning.callbacks import ExploitabilityCallback
from nashzoo.baselines import ListedStates, best_response, evaluate, exploitability, nash_conv
from nashzoo.baselines.policies import networks
from nashzoo.baselines.policies.networks import NetworkPolicy
from nashzoo.baselines.policies.tabular import observed
from nashzoo.envs import footsies_v0
from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.game import Game
from processes import PATIENCE

EXACT = 1e-9
FLOAT32 = 1e-6  # of networks
RPS = Game(repeated_rps, rounds=1)
NIM = Game(nim, heap=6)
FOOTSIES = footsies_v0.game()
SMALL: dict[str, Any] = {"policy_kwargs": {"net_arch": [8]}, "seed": 0, "device": "cpu"}


class Constant(nn.Module):
    """Returns the same logits whatever it sees."""

    def __init__(self, *probabilities: float) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.log(torch.tensor(probabilities)))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.logits.expand(len(observations), -1)


def model(algorithm: type[BaseAlgorithm], game: Game) -> BaseAlgorithm:
    memory: dict[str, Any] = {"buffer_size": 100} if algorithm is DQN else {"n_steps": 64}
    return algorithm("MlpPolicy", gymnasium_env(game), **SMALL, **memory)


class TestModules:
    def test_a_mixed_strategy_is_measured_as_mixed(self) -> None:
        # Paper wins from rock with 0.34 and loses to scissors with 0.33; its likeliest action would lose 1.
        assert exploitability(RPS, Constant(0.34, 0.33, 0.33)) == pytest.approx(0.01, abs=FLOAT32)
        assert exploitability(RPS, Constant(0.5, 0.5, 0.0)) == pytest.approx(0.5, abs=FLOAT32)

    def test_all_measures_take_them(self) -> None:
        rock, paper = Constant(1, 0, 0), Constant(0, 1, 0)
        assert evaluate(RPS, rock, paper) == -1
        assert best_response(RPS, paper, 0).value == 1
        assert nash_conv(RPS, rock, paper) == 2

    def test_illegal_actions_are_left_out(self) -> None:
        constant = Constant(0.2, 0.3, 0.5)
        seen = np.zeros((2, 3), np.float32)
        masks = np.array([[1, 1, 1], [1, 1, 0]], np.int8)
        probabilities = NetworkPolicy(constant, NIM).action_probabilities(seen, masks)
        assert probabilities == pytest.approx(np.array([[0.2, 0.3, 0.5], [0.4, 0.6, 0.0]]), abs=FLOAT32)
        unlikely = Constant(1, 1, 1)
        with torch.no_grad():
            unlikely.logits.copy_(torch.tensor([-1000.0, -1001.0, 1000.0]))
        among_legal = NetworkPolicy(unlikely, NIM).action_probabilities(seen, masks)[1]
        assert among_legal == pytest.approx([np.e / (1 + np.e), 1 / (1 + np.e), 0], abs=FLOAT32)
        nothing_legal = NetworkPolicy(Constant(0, 0, 1), NIM).action_probabilities(seen, masks)
        assert nothing_legal.tolist() == [[0, 0, 1], [0.5, 0.5, 0]]

    def test_a_network_in_training_is_measured_as_it_plays_and_left_as_it_was(self) -> None:
        network = nn.Sequential(nn.Linear(RPS.num_features, 3), nn.Dropout(0.5))
        network[0].requires_grad_(False)
        network[0].eval()
        first = exploitability(RPS, network)
        assert exploitability(RPS, network) == first
        assert [part.training for part in network.modules()] == [True, False, True]

    def test_double_precision(self) -> None:
        assert exploitability(RPS, Constant(0.34, 0.33, 0.33).double()) == pytest.approx(0.01, abs=FLOAT32)

    @pytest.mark.parametrize(
        ("network", "message"),
        [
            (
                nn.Linear(99, 3),
                r"Linear cannot take observations of repeated_rps_v0, a tensor of shape \(\d+, \d+\): mat1",
            ),
            (
                nn.Linear(RPS.num_features, 4),
                r"Linear must return logits or probabilities of shape \(2, 3\), not \(2, 4\)",
            ),
            (nn.MultiheadAttention(RPS.num_features, 1), "MultiheadAttention cannot take observations"),
            (Constant(0.5, -1, 0.5), "Constant returned logits that are no numbers, or infinite"),
            (Constant(0, 0, 0), "Constant returned logits that are all minus infinity"),
        ],
    )
    def test_what_is_wrong_with_a_network_is_told(self, network: nn.Module, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            exploitability(RPS, network)

    def test_several_outputs(self) -> None:
        class ActorAndCritic(nn.Module):
            def forward(self, observations: torch.Tensor) -> Any:
                return observations, observations

        with pytest.raises(
            ValueError, match=r"ActorAndCritic must return logits or .* \(2, 3\), not \(2, 7\) and \(2, 7\)"
        ):
            exploitability(RPS, ActorAndCritic())

    @pytest.mark.parametrize("cell", [nn.LSTM, nn.GRU, nn.RNN, nn.LSTMCell, nn.GRUCell])
    def test_one_that_remembers_is_refused(self, cell: Any) -> None:
        network = nn.Sequential(nn.Linear(RPS.num_features, 4), cell(4, 3))
        with pytest.raises(
            NoPolicyError, match="Sequential has no action probabilities by state: it remembers more than"
        ):
            exploitability(RPS, network)


class TestModels:
    @pytest.mark.parametrize("algorithm", [PPO, A2C, DQN, MaskablePPO])
    def test_a_model_and_its_policy_are_what_the_player_is(self, algorithm: type[BaseAlgorithm]) -> None:
        untrained = model(algorithm, NIM)
        measured = exploitability(NIM, agents.as_agent(untrained, NIM))  # type: ignore[arg-type]
        assert measured > 0
        assert exploitability(NIM, untrained) == pytest.approx(measured, abs=EXACT)
        assert exploitability(NIM, untrained.policy) == pytest.approx(measured, abs=EXACT)

    @pytest.mark.parametrize("chunk", [1, 2])  # chunks of observations, and a single one
    @pytest.mark.parametrize("algorithm", [PPO, MaskablePPO])
    def test_likely_illegal_actions_are_left_out(
        self, algorithm: type[BaseAlgorithm], chunk: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(networks, "CHUNK", chunk)
        untrained = model(algorithm, NIM)
        last: Any = untrained.policy.action_net
        with torch.no_grad():
            last.weight.zero_()
            last.bias.copy_(torch.tensor([0.0, 1.0, 1000.0]))
        seen = np.zeros((2, NIM.num_features), np.float32)
        policy = NetworkPolicy(untrained, NIM)
        among_legal = policy.action_probabilities(seen, np.array([[1, 1, 1], [1, 1, 0]], np.int8))
        expected = np.array([[0.0, 0.0, 1.0], [1 / (1 + np.e), np.e / (1 + np.e), 0.0]])
        # Normalised logits are about -1000, which single precision rounds.
        assert among_legal == pytest.approx(expected, abs=1000 * FLOAT32)
        with torch.no_grad():
            last.bias.fill_(np.nan)
        with pytest.raises(ValueError, match="logits"):
            policy.action_probabilities(seen, np.ones((2, 3), np.int8))

    def test_a_policy_may_return_probabilities(self, monkeypatch: pytest.MonkeyPatch) -> None:
        policy = model(PPO, NIM).policy
        probabilities = torch.tensor([0.25, 0.75, 0.0])

        def fixed(seen: torch.Tensor) -> Any:
            return SimpleNamespace(distribution=Categorical(probs=probabilities.expand(len(seen), -1)))

        monkeypatch.setattr(policy, "get_distribution", fixed, raising=False)
        seen, masks = np.zeros((1, NIM.num_features), np.float32), np.ones((1, 3), np.int8)
        found = NetworkPolicy(policy, NIM).action_probabilities(seen, masks)
        assert found == pytest.approx(np.array([[0.25, 0.75, 0.0]]), abs=EXACT)
        assert found[0, 2] == 0.0

    def test_one_that_remembers_is_refused(self) -> None:
        recurrent = RecurrentPPO("MlpLstmPolicy", gymnasium_env(FOOTSIES), n_steps=8, device="cpu")
        for network in (recurrent, recurrent.policy):
            with pytest.raises(NoPolicyError, match="has no action probabilities by state: it remembers more than"):
                exploitability(FOOTSIES, network)

    def test_one_for_another_game_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"the model sees Box\(.*; footsies_v0 with its parameters shows Box"):
            exploitability(FOOTSIES, model(PPO, NIM))

    @pytest.mark.slow
    def test_what_is_no_policy_is_still_refused_without_torch(self) -> None:
        program = (
            "import sys\nfrom nashzoo.baselines import exploitability\nfrom nashzoo.envs import footsies_v0\n"
            "try:\n    exploitability(footsies_v0.game(), object())\n"
            "except TypeError as error:\n    print(error, 'torch' in sys.modules)"
        )
        out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        assert out.startswith("object has no action_probabilities(observations, action_masks)")
        assert out.rstrip().endswith("False")


def in_double_precision(policy: Any, seen: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Returns the probabilities of a network of Stable-Baselines3 with tanh layers, by NumPy alone."""
    values = seen.astype(np.float64)
    for layer in [*policy.mlp_extractor.policy_net, policy.action_net]:
        if isinstance(layer, nn.Tanh):
            values = np.tanh(values)
        else:
            values = values @ layer.weight.detach().numpy().astype(np.float64).T + layer.bias.detach().numpy()
    chances = np.exp(np.where(masks, values, -np.inf))
    return chances / chances.sum(axis=1, keepdims=True)


class NoCopy(Constant):
    """A network that cannot be copied."""

    def __deepcopy__(self, memo: Any) -> "NoCopy":
        raise TypeError


class Remembering(nn.Module):
    """A network that remembers what it sees until it answers, and answers two batches at once."""

    meeting = threading.Barrier(2)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        self.seen = observations
        if len(observations) > 1:
            self.meeting.wait(timeout=PATIENCE)
        return self.seen[:, :4]


class TestThreads:
    def test_what_a_network_remembers_is_its_own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(networks, "CHUNK", 5)
        monkeypatch.setattr(networks, "processors", lambda: 2)
        seen = np.random.default_rng(0).random((10, FOOTSIES.num_features), np.float32)
        found = NetworkPolicy(Remembering(), FOOTSIES, outputs="logits").action_probabilities(
            seen, np.ones((10, 4), np.int8)
        )
        chances = np.exp(seen[:, :4])
        assert found == pytest.approx(chances / chances.sum(axis=1, keepdims=True), abs=FLOAT32)

    @pytest.mark.parametrize("chunk", [7, 10**6])  # many chunks, and a single one
    @pytest.mark.parametrize("algorithm", [PPO, MaskablePPO])
    def test_probabilities_are_right_up_to_single_precision(
        self, algorithm: type[BaseAlgorithm], chunk: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(networks, "CHUNK", chunk)
        network = model(algorithm, FOOTSIES)
        with torch.no_grad():
            for weights in network.policy.parameters():
                weights.mul_(3.0)
            network.policy.action_net.weight.mul_(100.0)  # type: ignore[operator, union-attr]
        at = observed(FOOTSIES, ListedStates(FOOTSIES).codes, 0)
        expected = in_double_precision(network.policy, at.observations, at.masks)
        assert expected.max(axis=1).mean() > 0.4  # far from uniform
        found = NetworkPolicy(network, FOOTSIES).action_probabilities(at.observations, at.masks)
        assert found == pytest.approx(expected, abs=FLOAT32)

    @pytest.mark.parametrize("algorithm", [PPO, DQN, MaskablePPO])
    def test_one_observation_and_many_have_the_same_bits(
        self, algorithm: type[BaseAlgorithm], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(networks, "CHUNK", 64)
        memory: dict[str, Any] = {"buffer_size": 100} if algorithm is DQN else {"n_steps": 64}
        policy = NetworkPolicy(
            algorithm("MlpPolicy", gymnasium_env(FOOTSIES), device="cpu", seed=0, **memory), FOOTSIES
        )
        at = observed(FOOTSIES, ListedStates(FOOTSIES).codes, 0)
        whole = policy.action_probabilities(at.observations, at.masks)
        for size in (1, 2, 3, 5, 16, 23, 64):
            part = policy.action_probabilities(at.observations[:size], at.masks[:size])
            np.testing.assert_array_equal(part, whole[:size])

    def test_every_observation_has_its_own_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        trained = model(PPO, FOOTSIES)
        trained.learn(64)  # whose last distribution cannot be copied
        masked = model(MaskablePPO, FOOTSIES)
        codes = ListedStates(FOOTSIES).codes
        at = observed(FOOTSIES, codes, 0)
        threads = torch.get_num_threads()
        for network in (trained, masked, Constant(0.1, 0.2, 0.3, 0.4), NoCopy(0.1, 0.2, 0.3, 0.4)):
            policy = NetworkPolicy(network, FOOTSIES)
            monkeypatch.setattr(networks, "CHUNK", len(codes))
            expected = policy.action_probabilities(at.observations, at.masks)
            monkeypatch.setattr(networks, "CHUNK", 7)
            monkeypatch.setattr(networks, "processors", lambda: 3)
            for _ in range(5):
                found = policy.action_probabilities(at.observations, at.masks)
                assert found == pytest.approx(expected, abs=FLOAT32)
        assert torch.get_num_threads() == threads

    def test_no_observations(self) -> None:
        nothing = np.empty((0, FOOTSIES.num_features), np.float32), np.empty((0, 4), np.int8)
        assert NetworkPolicy(model(PPO, FOOTSIES), FOOTSIES).action_probabilities(*nothing).shape == (0, 4)


class TestCallback:
    def test_it_measures_before_during_and_after_training(self, capsys: pytest.CaptureFixture[str]) -> None:
        written: list[dict[str, Any]] = []

        class RecordWriter(KVWriter):
            def write(self, key_values: dict[str, Any], key_excluded: Any, step: int = 0) -> None:
                written.append(key_values | {"step": step})

            def close(self) -> None: ...

        callback = ExploitabilityCallback(FOOTSIES, eval_freq=75, player=1, verbose=1)
        learner = PPO("MlpPolicy", gymnasium_env(FOOTSIES, "counter"), n_steps=50, batch_size=50, **SMALL)
        learner.set_logger(Logger(None, [RecordWriter()]))
        first = exploitability(FOOTSIES, learner, player=1)
        learner.learn(200, callback)
        assert [point.timesteps for point in callback.history] == [0, 75, 150, 200]
        assert callback.history[0].exploitability == first
        last = callback.history[-1].exploitability
        assert last == exploitability(FOOTSIES, learner, player=1)
        assert (written[-1]["step"], written[-1]["nashzoo/exploitability"]) == (200, last)
        assert f"200 decisions: exploitability {last:.6f} points per game" in capsys.readouterr().out
        learner.learn(50, callback, reset_num_timesteps=False)
        assert [point.timesteps for point in callback.history] == [0, 75, 150, 200, 250]
        assert callback.history[-1].exploitability == exploitability(FOOTSIES, learner, player=1)

    def test_wrong_use_is_told(self) -> None:
        with pytest.raises(ValueError, match="eval_freq must be a whole number of at least 1, not 0"):
            ExploitabilityCallback(FOOTSIES, eval_freq=0)
        recurrent = RecurrentPPO("MlpLstmPolicy", gymnasium_env(FOOTSIES), n_steps=8, device="cpu")
        with pytest.raises(NoPolicyError, match="it remembers more than the state"):
            recurrent.learn(8, ExploitabilityCallback(FOOTSIES))
