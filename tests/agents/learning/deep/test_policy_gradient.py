"""Policy gradient: its returns and advantages by another route, how well it plays, and what it learns from."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from nashzoo.agents.learning.deep import networks
from nashzoo.agents.learning.deep.networks import log_softmax
from nashzoo.agents.learning.deep.policy_gradient import PolicyGradient, Rollout, advantages_of, gradients_of
from nashzoo.agents.learning.generalized_advantages import Decisions, advantages, advantages_apart
from nashzoo.baselines import exploitability
from nashzoo.baselines.policies.outputs import softmax
from nashzoo.envs import bodega_brawl_v0, footsies_v0, tictactoe_v0
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.core.game import Features, Game

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "games"
STEPS, ROWS, ACTIONS = 12, 40, 3
Estimate = Callable[[Decisions, float, float], Features]


def rollout(seed: int, turns: bool) -> Rollout:
    """Returns random decisions; with ``turns`` the player changes at random."""
    rng = np.random.default_rng(seed)
    shape = STEPS, ROWS
    policies = rng.dirichlet(np.ones(ACTIONS), shape).astype(np.float32)
    action_values = rng.normal(size=(*shape, ACTIONS)).astype(np.float32)
    signs = np.where(turns & (rng.random(shape) < 0.7), -1, 1).astype(np.float32)
    rewards = rng.normal(size=shape).astype(np.float32)
    ends = rng.random(shape) < 0.2
    actions = rng.integers(0, ACTIONS, shape)
    masks = np.ones((*shape, ACTIONS), np.int8)
    return Rollout(np.zeros((*shape, 1), np.float32), masks, actions, policies, action_values, rewards, signs, ends)


def returns(
    played: Rollout, last: Features, gamma: float, gae_lambda: float, estimate: Estimate = advantages
) -> Features:
    """Returns the returns ``[T, B]``: the advantages plus the values."""
    ends = played.ends.astype(np.float32)
    decisions = Decisions(played.rewards, played.values, played.signs, ends, last)
    total: Features = estimate(decisions, gamma, gae_lambda) + played.values
    return total


@pytest.mark.parametrize("turns", [False, True])
def test_the_longest_returns_are_what_is_paid_until_the_end(turns: bool) -> None:
    played, last = rollout(0, turns), np.random.default_rng(1).normal(size=ROWS).astype(np.float32)
    wanted = np.empty((STEPS, ROWS))
    for first in range(STEPS):
        for row in range(ROWS):
            total, sign, over = 0.0, 1.0, False
            for step in range(first, STEPS):
                total += sign * played.rewards[step, row]
                sign *= played.signs[step, row]
                if over := played.ends[step, row]:
                    break
            wanted[first, row] = total if over else total + sign * last[row]
    np.testing.assert_allclose(returns(played, last, 1.0, 1.0), wanted, atol=1e-5)
    np.testing.assert_allclose(returns(played, last, 1.0, 1.0, advantages_apart), wanted, atol=1e-5)


def test_the_shortest_returns_look_at_the_next_decision() -> None:
    played, last = rollout(2, turns=True), np.zeros(ROWS, np.float32)
    following = np.concatenate([played.values[1:], last[None]])
    wanted = played.rewards + 0.9 * np.where(played.ends, 0.0, played.signs * following)
    np.testing.assert_allclose(returns(played, last, 0.9, 0.0), wanted, atol=1e-5)


def test_with_hidden_information_returns_go_to_the_next_decision_of_the_same_player() -> None:
    played = rollout(3, turns=True)
    found = returns(played, np.zeros(ROWS, np.float32), 1.0, 0.0, advantages_apart)
    for row in range(ROWS):
        for first in range(STEPS):
            total, sign = 0.0, 1.0
            for step in range(first, STEPS):
                total += sign * played.rewards[step, row]
                sign *= played.signs[step, row]
                if played.ends[step, row]:
                    break
                if sign > 0 and step + 1 < STEPS:
                    total += played.values[step + 1, row]
                    break
            assert found[first, row] == pytest.approx(total, abs=1e-5)


def test_advantages_are_those_of_the_returns_on_average_whatever_the_critic_says() -> None:
    rng = np.random.default_rng(4)
    returned = rng.normal(size=ACTIONS)  # of each action
    policy = np.array([0.5, 0.3, 0.2])
    for critic in rng.normal(size=(5, ACTIONS)):
        taken = np.arange(ACTIONS)
        one = Rollout(
            np.zeros((ACTIONS, 1)), np.ones((ACTIONS, ACTIONS), np.int8), taken, np.tile(policy, (ACTIONS, 1)),
            np.tile(critic, (ACTIONS, 1)), *np.zeros((2, ACTIONS)), np.zeros(ACTIONS, np.bool_),
        )  # fmt: skip
        mean = policy @ advantages_of(one, np.full(ACTIONS, policy @ critic), returned)
        np.testing.assert_allclose(mean, returned - policy @ critic)


def test_probabilities_are_those_of_the_logits() -> None:
    logits = np.array([[1e4, 0.0, -3.0], [0.1, 0.2, 0.3]], np.float32)
    masks = np.array([[0, 1, 1], [1, 1, 1]], np.int8)
    policy = softmax(logits.astype(np.float64), masks)
    assert policy[0, 0] == 0.0 and policy.sum(axis=1) == pytest.approx(1.0)
    assert policy[0, 1] / policy[0, 2] == pytest.approx(np.exp(3.0))
    logarithms = log_softmax(torch.from_numpy(logits), torch.from_numpy(masks != 0))
    np.testing.assert_allclose(logarithms.exp().numpy(), policy, atol=1e-7)


def test_gradients_are_those_that_pytorch_finds() -> None:
    rng, size, weight = np.random.default_rng(5), 50, 0.3
    outputs = (3.0 * rng.normal(size=(size, 2 * ACTIONS))).astype(np.float32)
    objective, returned = rng.normal(size=(size, ACTIONS)), rng.normal(size=size)
    masks, actions = (rng.random((size, ACTIONS)) < 0.7).astype(np.int8), rng.integers(0, ACTIONS, size)
    masks[np.arange(size), actions] = 1
    arguments = masks, objective.astype(np.float32), weight, actions, returned.astype(np.float32)

    variables = torch.from_numpy(outputs).double().requires_grad_()
    logarithms, legal = log_softmax(variables[:, :ACTIONS], torch.from_numpy(masks != 0)), torch.from_numpy(masks != 0)
    gains = torch.from_numpy(objective) - weight * logarithms
    critic = variables[np.arange(size), ACTIONS + actions] - torch.from_numpy(returned)
    (critic.square().sum() - torch.where(legal, logarithms.exp() * gains, 0.0).sum()).backward()
    rows = rng.permutation(size)[:20]
    assert variables.grad is not None
    np.testing.assert_allclose(gradients_of(outputs[rows], rows, *arguments), variables.grad[rows], atol=1e-5)


def test_what_it_learns_does_not_depend_on_the_number_of_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    learned = set()
    for number in (1, 2, 5):
        monkeypatch.setattr(networks, "processors", lambda number=number: number)
        learner = PolicyGradient(footsies_v0.game(), 0, num_envs=32, n_steps=4, batch_size=37, hidden=16)
        before = learner.arrays()["network_0"].copy()
        learner.learn(500)
        assert (learner.arrays()["network_0"] != before).any()
        learned.add(tuple(array.tobytes() for array in learner.arrays().values()))
    assert len(learned) == 1


def test_it_learns_kuhn_poker() -> None:
    game = Game(module_at(str(EXAMPLES / "kuhn.py")))
    learner = PolicyGradient(game, 0, total_timesteps=400_000, num_envs=256, hidden=32, batch_size=512)
    before = exploitability(game, learner)
    learner.learn(400_000)
    assert exploitability(game, learner) < 0.08 < 0.4 < before


# Small networks and many updates: several hundred thousand decisions suffice.
BRIEF: dict[str, Any] = {"num_envs": 256, "batch_size": 512}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "timesteps", "settings", "enough"),
    [
        (footsies_v0.game(), 400_000, {"hidden": 64}, 0.15),
        (tictactoe_v0.game(), 1_000_000, {"learning_rate": 0.006}, 0.02),
        (bodega_brawl_v0.game(preset="small"), 400_000, {"learning_rate": 0.006}, 0.4),
    ],
    ids=lambda given: getattr(given, "name", None),
)
def test_it_comes_near_the_equilibrium(game: Game, timesteps: int, settings: dict[str, Any], enough: float) -> None:
    learner = PolicyGradient(game, 1, total_timesteps=timesteps, **BRIEF, **settings)
    learner.learn(timesteps)
    assert exploitability(game, learner) < enough
