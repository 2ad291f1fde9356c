"""Self-play with MaskablePPO of sb3-contrib, as a training function for ``nashzoo check-trainer``.

nashzoo check-trainer examples/sb3_self_play.py:train
"""

import torch
from sb3_contrib import MaskablePPO

from nashzoo import agents
from nashzoo.envs import Game
from nashzoo.envs.api.sb3_vec_env import GameVecEnv
from nashzoo.envs.vector.game_batch import GameBatch


def train(game: Game, decisions: int, seed: int) -> MaskablePPO:
    """Returns a model that has played against itself, and learned from its seat, which is drawn for every game."""
    torch.set_num_threads(1)  # for networks this small more are slower
    envs = GameVecEnv(GameBatch(game, 64, agents.make("random", game), player="random"))
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        learning_rate=lambda left: 5e-3 * left,
        n_steps=16,
        batch_size=512,
        n_epochs=4,
        ent_coef=0.1,
        seed=seed,
        device="cpu",
    )
    envs.set_attr("opponent", agents.as_agent(model, game))  # not a copy: what the model learns, its opponent knows
    return model.learn(decisions // 2)  # the opponent makes the others
