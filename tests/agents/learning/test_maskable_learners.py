"""Learners that know which actions are legal."""

from pathlib import Path

import numpy as np
import pytest
import torch

import nim
from nashzoo import agents
from nashzoo.agents.learning.maskable_dqn import ILLEGAL, MaskableDQN, MaskableDQNPolicy
from nashzoo.app.training import sb3_training
from nashzoo.app.training.options import Options
from nashzoo.baselines import ListedStates, exploitability
from nashzoo.envs import footsies_v0, tictactoe_v0
from nashzoo.envs.api.sb3_vec_env import GameVecEnv
from nashzoo.envs.core import kernels
from nashzoo.envs.core.agent import legal_actions
from nashzoo.envs.core.game import Features, Game
from nashzoo.envs.vector.game_batch import GameBatch

NIM = Game(nim, heap=5)
SAME = 1e-5  # of weights, after a few steps in another order of arithmetic
NUM_ENVS = 16


def tables(game: Game, seed: int = 0) -> GameVecEnv:
    made = GameVecEnv(GameBatch(game, NUM_ENVS, agents.make("random", game), "random"))
    made.seed(seed)
    return made


def model(game: Game, algorithm: str, folder: Path) -> sb3_training.BaseAlgorithm:
    torch.set_num_threads(1)
    return sb3_training.new_model(Options(game.name, algorithm=algorithm, num_envs=NUM_ENVS), tables(game), folder)


def seen(game: Game) -> Features:
    """Returns what whoever is to move sees at each state ``[n, features]``."""
    codes = ListedStates(game).codes
    turns, observations = np.empty(len(codes), np.int64), np.empty((len(codes), game.num_features), np.float32)
    kernels.turn_all(game.compiled, codes, turns)
    kernels.observe_all(game.compiled, codes, turns, observations)
    return observations


def test_where_everything_is_legal_it_is_a2c(tmp_path: Path) -> None:
    """Source: Huang et al. (2022), A2C is a special case of PPO."""
    game = footsies_v0.game()
    learned = [model(game, algorithm, tmp_path).learn(1600) for algorithm in ("a2c", "maskable_a2c")]
    one, other = (list(some.policy.parameters()) for some in learned)
    untrained = list(model(game, "a2c", tmp_path).policy.parameters())
    assert len(one) == len(other) > 0
    for a, b in zip(one, other, strict=True):
        assert torch.allclose(a, b, atol=SAME)
    assert not all(torch.allclose(a, b, atol=SAME) for a, b in zip(one, untrained, strict=True))


@pytest.fixture(scope="module")
def dqn(tmp_path_factory: pytest.TempPathFactory) -> MaskableDQN:
    learned = model(NIM, "maskable_dqn", tmp_path_factory.mktemp("dqn")).learn(2_000)
    assert isinstance(learned, MaskableDQN)
    return learned


class TestMaskableDQN:
    @pytest.mark.slow
    def test_illegal_actions_are_worth_nothing_that_counts(self, dqn: MaskableDQN) -> None:
        observations = seen(NIM)
        legal = legal_actions(NIM, observations) == 1
        assert not legal.all()
        with torch.no_grad():
            values = dqn.q_net(torch.as_tensor(observations)).numpy()
        assert (values[~legal] == np.float32(ILLEGAL)).all()
        assert (np.abs(values[legal]) < 2).all()  # a game is worth 1 or -1

    @pytest.mark.parametrize("exploration", [0.0, 0.5, 1.0])
    def test_only_legal_actions_are_tried(self, dqn: MaskableDQN, exploration: float) -> None:
        observations = np.repeat(seen(NIM), 200, axis=0)
        rate, dqn.exploration_rate = dqn.exploration_rate, exploration
        actions, state = dqn.predict(observations)
        dqn.exploration_rate = rate
        assert state is None
        legal = legal_actions(NIM, observations)
        assert legal[np.arange(len(actions)), actions].all()
        best, _ = dqn.predict(observations, deterministic=True)
        free = legal.sum(axis=1) > 1
        share = (actions != best)[free].mean()
        assert share == pytest.approx(exploration * (1 - 1 / legal.sum(axis=1)[free]).mean(), abs=0.1)

    @pytest.mark.slow
    def test_it_learns_perfect_play(self, tmp_path: Path) -> None:
        learned = model(NIM, "maskable_dqn", tmp_path).learn(10_000)
        assert exploitability(NIM, agents.as_agent(learned, NIM)) == 0.0

    def test_a_saved_model_plays_the_same(self, dqn: MaskableDQN, tmp_path: Path) -> None:
        game = tictactoe_v0.game()
        saved = model(game, "maskable_dqn", tmp_path)
        saved.save(tmp_path / "model.zip")
        loaded = agents.as_agent(str(tmp_path / "model.zip"), game)
        observations = seen(game)
        expected, _ = agents.as_agent(saved, game).predict(observations, deterministic=True)
        assert loaded.predict(observations, deterministic=True)[0].tolist() == expected.tolist()

    def test_the_policy_can_be_made_again(self, dqn: MaskableDQN, tmp_path: Path) -> None:
        dqn.policy.save(tmp_path / "policy.pt")
        again = MaskableDQNPolicy.load(tmp_path / "policy.pt")
        expected, _ = dqn.predict(seen(NIM), deterministic=True)
        assert again.predict(seen(NIM), deterministic=True)[0].tolist() == expected.tolist()
