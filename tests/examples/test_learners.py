"""Examples of learners learn what is learned quickly, and in pieces as at once."""

from typing import Any

import kuhn
import pytest

pytest.importorskip("torch")

import torch

from examples.ppo_self_play import PPO, Options
from nashzoo.baselines import exploitability
from nashzoo.envs import Game, footsies_v0

KUHN = Game(kuhn)
ITERATION = 1_024  # decisions in games with moves in turn


def learned(*pieces: int) -> Any:
    learner = PPO(KUHN, seed=0, total_timesteps=4 * ITERATION)
    for piece in pieces:
        learner.learn(piece)
    return learner.num_timesteps, learner.policy.state_dict()


def test_ppo_learns_in_pieces_as_at_once() -> None:
    decisions, weights = learned(3 * ITERATION - 1)
    assert decisions == 3 * ITERATION
    in_pieces, others = learned(ITERATION, 1, ITERATION)
    assert in_pieces == decisions
    assert weights.keys() == others.keys() and all(torch.equal(weights[name], others[name]) for name in weights)


def test_ppo_stops_learning_after_all_its_decisions() -> None:
    end, further = (learned(decisions)[1] for decisions in (4 * ITERATION, 6 * ITERATION))
    assert all(torch.equal(end[name], further[name]) for name in end)


def test_ppo_in_kuhn_poker_becomes_less_exploitable() -> None:
    learner = PPO(KUHN, seed=0)
    before = exploitability(KUHN, learner.policy)
    learner.learn(10_000)
    assert learner.num_timesteps >= 10_000
    assert exploitability(KUHN, learner.policy) < before / 2


@pytest.mark.slow
def test_ppo_in_footsies_becomes_less_exploitable() -> None:
    game = footsies_v0.game()
    learner = PPO(game, seed=0, options=Options(entropy=0.2))  # with less, play goes in circles
    before = exploitability(game, learner.policy)
    learner.learn(8_000)
    assert exploitability(game, learner.policy) < 0.8 * before
