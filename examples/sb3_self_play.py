"""Self-play with MaskablePPO of sb3-contrib: the model plays against itself, and learns from one seat of each game.

nashzoo bench examples/sb3_self_play.py:SB3PPO           # how well it learns, in all games of a benchmark
nashzoo check-trainer examples/sb3_self_play.py:train    # whether it has mistakes
"""

import torch
from sb3_contrib import MaskablePPO

from nashzoo import agents
from nashzoo.envs import Game
from nashzoo.envs.api.sb3_vec_env import GameVecEnv
from nashzoo.envs.vector.game_batch import GameBatch


class SB3PPO:
    """A model that learns from games against itself, in a seat that is drawn for every game.

    Attributes:
        policy: The model.
        num_timesteps: The decisions of both players; it has learned from its own, half of them.
    """

    GIVEN = "transitions"

    def __init__(self, game: Game, seed: int) -> None:
        torch.set_num_threads(1)  # for networks this small more are slower
        envs = GameVecEnv(GameBatch(game, 64, agents.make("random", game), player="random"))
        self.policy = MaskablePPO(
            "MlpPolicy",
            envs,
            learning_rate=5e-3,
            n_steps=16,
            batch_size=512,
            n_epochs=4,
            ent_coef=0.2,
            seed=seed,
            device="cpu",
        )
        envs.set_attr("opponent", agents.as_agent(self.policy, game))  # not a copy: it learns, too

    @property
    def num_timesteps(self) -> int:
        """The decisions of both players."""
        return 2 * self.policy.num_timesteps

    def learn(self, num_timesteps: int) -> None:
        """Learns from at least so many more decisions; the opponent makes half of them."""
        self.policy.learn((num_timesteps + 1) // 2, reset_num_timesteps=False)


def train(game: Game, decisions: int, seed: int) -> MaskablePPO:
    """Returns a model after so many decisions, of both players together."""
    learner = SB3PPO(game, seed)
    learner.learn(decisions)
    return learner.policy
