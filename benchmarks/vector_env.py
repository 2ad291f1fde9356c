"""Thousands of games of Footsies against ``bayesian``, random actions given: as a Gymnasium and as an SB3 vector.

A step is one learner's action answered by the opponent, with observation, legal actions, and a new game where one is
over. Pgx's tic-tac-toe beside it is one move, drawn at random on its side, with the mover's view.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks import pgx_tic_tac_toe
from benchmarks.report import Row
from benchmarks.timing import Work, compare, rates
from nashzoo import agents
from nashzoo.envs import footsies_v0
from nashzoo.envs.api.gymnasium_vector_env import GameVectorEnv
from nashzoo.envs.api.sb3_vec_env import GameVecEnv
from nashzoo.envs.core.game import Game
from nashzoo.envs.vector.game_batch import GameBatch

NUM_ENVS = 4096
STEPS = 50
LEAST = 10e6  # steps a second
PEER = "Pgx tic-tac-toe, a jitted call per step"


def stepping(game: Game, env: Any) -> Work:
    """Returns a work that steps a vector environment with actions drawn beforehand."""
    env.reset()
    actions = np.random.default_rng(0).integers(game.num_actions, size=(STEPS, NUM_ENVS))

    def work() -> int:
        for joint in actions:
            env.step(joint)
        return int(actions.size)

    return work


def run(repetitions: int) -> Iterator[Row]:
    """Measures the learner's steps per second."""
    game = footsies_v0.game()
    opponent = agents.make("bayesian", game)
    gymnasium_env = GameVectorEnv(game, NUM_ENVS, opponent)
    works = [
        stepping(game, gymnasium_env),
        stepping(game, GameVecEnv(GameBatch(game, NUM_ENVS, opponent))),
        pgx_tic_tac_toe.step_by_step(STEPS),
    ]
    as_gymnasium, as_sb3, peer = rates(works, repetitions)
    for name, ours, least in (("Gymnasium VectorEnv", as_gymnasium, LEAST), ("SB3 VecEnv", as_sb3, None)):
        both = compare(ours, peer)
        measure = f"{name}, {NUM_ENVS} games against bayesian"
        yield Row(measure, both.ours, "steps/s", PEER, both.peer, both.ratio, least=least)
