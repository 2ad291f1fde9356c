"""PettingZoo ``AECEnv``s with random legal play, resets included, beside PettingZoo's own tic-tac-toe.

All are played by the same loop. A step is what an agent does when asked: ``last()``, a random choice among the
actions that the mask allows, and ``step(action)``; at the end of a game, ``step(None)``.
"""

import random
import warnings
from functools import cache
from typing import Any

import numpy as np

from benchmarks.report import Row, row_of_rates
from benchmarks.timing import Work, compare, rates
from nashzoo.envs import soccer_v0, tictactoe_v0

STEPS, PEER_STEPS = 4_000, 400  # about 20 ms each


@cache
def actions_of(mask: bytes) -> list[int]:
    """Returns the actions that a mask allows."""
    actions: list[int] = np.flatnonzero(np.frombuffer(mask, np.int8)).tolist()
    return actions


def stepping(env: Any, steps: int) -> Work:
    """Returns a work that plays whole games of random legal moves, ``steps`` and what the last game needs."""
    uniform = random.Random(0).random

    def work() -> int:
        done = 0
        while done < steps:
            env.reset()
            for _ in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    action = None
                else:
                    legal = actions_of(observation["action_mask"].tobytes())
                    action = legal[int(uniform() * len(legal))]
                env.step(action)
                done += 1
        return done

    return work


def tic_tac_toe() -> Any:
    """Returns PettingZoo's ``tictactoe_v3.env()``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import tictactoe_v3

    return tictactoe_v3.env()


def run(repetitions: int) -> list[Row]:
    """Measures steps per second."""
    measures = (
        ("AEC tictactoe_v0.env()", tictactoe_v0.env(), 4),
        ("AEC tictactoe_v0.raw_env()", tictactoe_v0.raw_env(), 10),
        ("AEC soccer_v0.env()", soccer_v0.env(), 3),
        ("AEC soccer_v0.raw_env()", soccer_v0.raw_env(), 8),
    )
    *ours, peer = rates(
        [*(stepping(env, STEPS) for _, env, _ in measures), stepping(tic_tac_toe(), PEER_STEPS)], 5 * repetitions
    )
    return [
        row_of_rates(name, compare(our, peer), "steps/s", "PettingZoo tictactoe_v3.env()", least_ratio=least)
        for our, (name, _, least) in zip(ours, measures, strict=True)
    ]
