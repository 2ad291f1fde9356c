"""What a learner meets, with a trivial opponent inside: a ``GameEnv``, a ``GameBatch``, a ``VectorEnv``."""

import numpy as np

from benchmarks.report import Row
from benchmarks.timing import Work, median_rate
from nashzoo.envs import footsies_v0
from nashzoo.envs.api.gymnasium_env import GameEnv
from nashzoo.envs.api.gymnasium_vector_env import GameVectorEnv
from nashzoo.envs.core.agent import Opponent
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.vector.game_batch import GameBatch

STEPS = 500


class Uniform(Opponent):
    """Plays every action alike; costs next to nothing."""

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Chooses by the first of the random numbers."""
        return (uniforms[:, 0] * masks.shape[1]).astype(np.int64), memory


def one_table(game: Game) -> Work:
    """Returns a work that steps one Gymnasium environment, resets included."""
    env = GameEnv(game, Uniform())
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(game.num_actions, size=STEPS).tolist()

    def work() -> int:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return STEPS

    return work


def many_games(game: Game, num_games: int) -> Work:
    """Returns a work that steps many games at once, restarts and observations included."""
    batch = GameBatch(game, num_games, Uniform())
    batch.seed(0)
    batch.restart(np.arange(num_games))
    actions = np.random.default_rng(0).integers(game.num_actions, size=(STEPS // 20, num_games))

    def work() -> int:
        for joint in actions:
            outcome = batch.step(joint)
            batch.restart(np.flatnonzero(outcome.terminated | outcome.truncated))
            batch.observations()
        return int(actions.size)

    return work


def vector_env(game: Game, num_envs: int) -> Work:
    """Returns a work that steps a Gymnasium vector environment."""
    env = GameVectorEnv(game, num_envs, Uniform())
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(game.num_actions, size=(STEPS // 20, num_envs))

    def work() -> int:
        for joint in actions:
            env.step(joint)
        return int(actions.size)

    return work


def run(repetitions: int) -> list[Row]:
    """Measures the learner's steps per second."""
    game = footsies_v0.game()
    return [
        Row("one Gymnasium GameEnv, opponent inside", median_rate(one_table(game), repetitions), "steps/s"),
        *(
            Row(f"GameBatch, {num_games} at once", median_rate(many_games(game, num_games), repetitions), "steps/s")
            for num_games in (2048, 4096)
        ),
        Row("Gymnasium VectorEnv, 1024 at once", median_rate(vector_env(game, 1024), repetitions), "steps/s"),
    ]
