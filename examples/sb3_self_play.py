"""Self-play with MaskablePPO of sb3-contrib, as a training function for ``nashzoo check-trainer``.

nashzoo check-trainer examples/sb3_self_play.py:train
"""

import torch
from sb3_contrib import MaskablePPO

from nashzoo.agents.learning.both_seats_buffer import MaskableBothSeatsRolloutBuffer
from nashzoo.envs import Game
from nashzoo.envs.api.both_seats_vec_env import BothSeatsVecEnv
from nashzoo.envs.vector.both_seats import BothSeatsBatch


def train(game: Game, decisions: int, seed: int) -> MaskablePPO:
    """Returns a model that has played both seats for so many decisions, and learned from both."""
    torch.set_num_threads(1)  # for networks this small more are slower
    envs = BothSeatsVecEnv(BothSeatsBatch(game, 64))
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        learning_rate=lambda left: 5e-3 * left,
        n_steps=16,
        batch_size=512,
        n_epochs=4,
        ent_coef=0.1,
        rollout_buffer_class=MaskableBothSeatsRolloutBuffer,
        seed=seed,
        device="cpu",
    )
    model.rollout_buffer.follow(envs)
    return model.learn(decisions)
