"""Examples of learners learn what is learned quickly, and in pieces as at once."""

from typing import Any

import kuhn
import pytest

pytest.importorskip("sb3_contrib")

from examples.ppo_self_play import PPO
from examples.r_nad import RNaD
from examples.sb3_self_play import SB3PPO
from nashzoo.baselines import exploitability
from nashzoo.envs import Game, footsies_v0

ENOUGH = {PPO: 16_000, SB3PPO: 16_000, RNaD: 200_000}  # decisions, to be better
KUHN, FOOTSIES = Game(kuhn), footsies_v0.game()
ITERATION = 2_048  # decisions; all learners have whole ones
LEARNERS = pytest.mark.parametrize("kind", [PPO, SB3PPO, RNaD])


def after(learner: Any, *pieces: int) -> float:
    """Returns the exploitability in Kuhn poker, after learning in pieces."""
    for piece in pieces:
        before = learner.num_timesteps
        learner.learn(piece)
        assert piece <= learner.num_timesteps - before < piece + ITERATION
    return exploitability(KUHN, learner.policy)


@pytest.mark.slow
@LEARNERS
def test_learning_in_pieces_is_learning_at_once(kind: Any) -> None:
    at_once = after(kind(KUHN, seed=0), 2 * ITERATION)
    assert at_once == after(kind(KUHN, seed=0), ITERATION, ITERATION - 1)
    assert at_once != after(kind(KUHN, seed=1), 2 * ITERATION)


def test_the_learning_rate_of_ppo_falls_to_0() -> None:
    learner = PPO(KUHN, seed=0, total_timesteps=ITERATION)
    untrained = after(learner)
    learned = after(learner, ITERATION)
    assert untrained != learned == after(learner, ITERATION)


@pytest.mark.slow
@LEARNERS
def test_play_of_kuhn_poker_becomes_less_exploitable(kind: Any) -> None:
    learner = kind(KUHN, seed=0)
    assert after(learner) > 2 * after(learner, ENOUGH[kind])


@pytest.mark.slow
@LEARNERS
def test_play_of_footsies_becomes_less_exploitable(kind: Any) -> None:
    learner = kind(FOOTSIES, seed=0)
    before = exploitability(FOOTSIES, learner.policy)
    learner.learn(ENOUGH[kind])
    assert exploitability(FOOTSIES, learner.policy) < 0.8 * before
