"""One PettingZoo ``parallel_env`` with random actions, resets included, beside PettingZoo's own rock-paper-scissors."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.report import Row, row_of_rates
from benchmarks.timing import Work, compare, rates
from nashzoo.envs import footsies_v0

STEPS, PEER_STEPS = 4_000, 400  # about 20 ms each


def stepping(env: Any, actions: int, steps: int) -> Work:
    """Returns a work that steps ``env`` with random actions drawn beforehand."""
    drawn = np.random.default_rng(0).integers(actions, size=(steps, 2)).tolist()
    joint_actions = [{"player_0": first, "player_1": second} for first, second in drawn]
    env.reset(seed=0)

    def work() -> int:
        for joint_action in joint_actions:
            env.step(joint_action)
            if not env.agents:
                env.reset()
        return steps

    return work


def rock_paper_scissors() -> Callable[[], Any]:
    """Returns PettingZoo's ``rps_v2.parallel_env``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import rps_v2

    parallel_env: Callable[[], Any] = rps_v2.parallel_env
    return parallel_env


def run(repetitions: int) -> list[Row]:
    """Measures joint steps per second."""
    ours, peer = rates(
        [stepping(footsies_v0.parallel_env(), 4, STEPS), stepping(rock_paper_scissors()(), 3, PEER_STEPS)],
        5 * repetitions,
    )
    return [
        row_of_rates(
            "one parallel_env, joint steps", compare(ours, peer), "steps/s", "PettingZoo rps_v2", least_ratio=15
        )
    ]
