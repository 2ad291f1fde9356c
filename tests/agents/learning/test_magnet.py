"""Policies with a magnet: what is learned from, when the magnet moves, and that they save, load and are measured."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.base_class import BaseAlgorithm

from nashzoo import agents
from nashzoo.agents.learning.magnet import MagnetPolicy
from nashzoo.agents.learning.maskable_magnet import MaskableMagnetPolicy
from nashzoo.baselines import exploitability
from nashzoo.envs import footsies_v0, tictactoe_v0
from nashzoo.envs.api.sb3_vec_env import GameVecEnv
from nashzoo.envs.core.game import Game
from nashzoo.envs.vector.game_batch import GameBatch

CLOSE = 1e-5  # of single precision
FOOTSIES, TICTACTOE = footsies_v0.game(), tictactoe_v0.game()
NUM_ENVS, STEPS = 8, 16


def model(kind: str = "copy", every: int = 10**9, algorithm: Any = PPO, game: Game = FOOTSIES) -> Any:
    torch.set_num_threads(1)
    envs = GameVecEnv(GameBatch(game, NUM_ENVS, agents.make("random", game), "random"))
    envs.seed(0)
    policy = MaskableMagnetPolicy if algorithm is MaskablePPO else MagnetPolicy
    return algorithm(
        policy, envs, n_steps=STEPS, seed=0, device="cpu", policy_kwargs={"magnet": kind, "magnet_every": every}
    )


def move(policy: Any) -> Any:
    """Changes what a policy plays, not its magnet."""
    with torch.no_grad():
        for number, part in enumerate(policy.action_net.parameters()):
            part += torch.linspace(-1, 1 + number, part.numel()).reshape(part.shape)
    return policy


def logits(parts: Any, seen: torch.Tensor) -> Any:
    with torch.no_grad():
        for part in parts:
            seen = part(seen)
    return seen.numpy().astype(np.float64)


def actor(policy: Any) -> list[Any]:
    return [policy.features_extractor, policy.mlp_extractor.policy_net, policy.action_net]


def probabilities(numbers: Any, masks: Any) -> Any:
    weights = np.exp(numbers) * masks
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "game"), [(PPO, FOOTSIES), (A2C, FOOTSIES), (MaskablePPO, TICTACTOE)])
def test_in_the_place_of_the_entropy_is_the_divergence(algorithm: Any, game: Game) -> None:
    policy = move(model(algorithm=algorithm, game=game).policy)
    rng = np.random.default_rng(0)
    seen = torch.tensor(rng.integers(0, 2, (20, game.num_features)), dtype=torch.float32)
    masks = np.ones((20, game.num_actions))
    known: tuple[Any, ...] = ()
    if game.masked:
        masks[:, 1:] = rng.integers(0, 2, (20, game.num_actions - 1))
        known = (torch.tensor(masks),)
    values, chances, found = policy.evaluate_actions(seen, torch.zeros(20), *known)
    now, before = (probabilities(logits(parts, seen), masks) for parts in (actor(policy), policy.magnet))
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = -np.nansum(np.where(masks > 0, now * np.log(now / before), 0.0), axis=1)
    assert found.detach().numpy() == pytest.approx(expected, abs=CLOSE)
    assert expected.min() < -0.1
    assert chances.detach().numpy() == pytest.approx(np.log(now[:, 0]), abs=CLOSE)
    assert values.shape == (20, 1)
    found.sum().backward()
    assert all(part.grad is None for part in policy.magnet.parameters())
    assert all(part.grad is not None and torch.isfinite(part.grad).all() for part in policy.action_net.parameters())


def test_a_uniform_magnet_gives_the_entropy() -> None:
    policy = move(model().policy)
    for part in policy.magnet[2].parameters():
        part.zero_()
    seen = torch.rand(20, FOOTSIES.num_features)
    _, _, found = policy.evaluate_actions(seen, torch.zeros(20))
    entropy = policy.get_distribution(seen).entropy()
    assert torch.allclose(found, entropy - np.log(FOOTSIES.num_actions), atol=CLOSE)


def same(policy: Any, weight: float = 1.0) -> bool:
    pairs = zip(policy.magnet.parameters(), (p for part in actor(policy) for p in part.parameters()), strict=True)
    return all(torch.allclose(old, new * weight, atol=CLOSE) for old, new in pairs)


def test_a_copy_is_renewed_after_so_many_decisions() -> None:
    policy = move(model("copy", every=20).policy)
    seen = torch.rand(8, FOOTSIES.num_features)
    renewed = []
    for _ in range(6):
        policy(seen)
        renewed.append(same(policy))
        move(policy)
    assert renewed == [False, False, True, False, False, True]


def test_an_average_moves_with_every_decision() -> None:
    policy = model("average", every=32).policy
    for part in policy.magnet.parameters():
        part.zero_()
    seen = torch.rand(8, FOOTSIES.num_features)
    for decisions in (1, 2, 3):
        policy(seen)
        assert same(policy, 1 - (1 - 8 / 32) ** decisions)


def test_to_play_does_not_move_the_magnet() -> None:
    made = model("average", every=1)
    move(made.policy)
    seen = np.zeros((3, FOOTSIES.num_features), np.float32)
    agents.as_agent(made, FOOTSIES).action_probabilities(seen, np.ones((3, 4), np.int8))  # type: ignore[attr-defined]
    made.predict(seen)
    assert not same(made.policy)


@pytest.mark.parametrize(("algorithm", "game"), [(PPO, FOOTSIES), (MaskablePPO, TICTACTOE)])
def test_it_is_saved_loaded_measured_and_learns_on(algorithm: Any, game: Game, tmp_path: Path) -> None:
    made: BaseAlgorithm = model("copy", 100, algorithm, game).learn(NUM_ENVS * STEPS)
    made.save(tmp_path / "model.zip")
    loaded = algorithm.load(tmp_path / "model.zip", env=made.get_env(), device="cpu")
    assert loaded.policy.state_dict().keys() == made.policy.state_dict().keys()
    for name, part in made.policy.state_dict().items():
        assert torch.equal(part, loaded.policy.state_dict()[name])
    assert loaded.policy.decided == NUM_ENVS * STEPS - 104  # the first 104 decisions renewed it
    by_path = agents.as_agent(str(tmp_path / "model.zip"), game)
    assert exploitability(game, by_path) == exploitability(game, made)  # type: ignore[arg-type]
    before = [part.clone() for part in loaded.policy.parameters()]
    loaded.learn(NUM_ENVS * STEPS)
    assert not all(torch.equal(old, new) for old, new in zip(before, loaded.policy.parameters(), strict=True))


@pytest.mark.parametrize(
    ("kind", "every", "message"),
    [
        ("moving", 1, "magnet must be one of copy, average, not 'moving'"),
        ("copy", 0, "magnet_every must be a whole number of at least 1, not 0"),
    ],
)
def test_wrong_use_is_told(kind: str, every: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model(kind, every)
