"""Training and the table of results in tic-tac-toe."""

import dataclasses

from nashzoo.agents.learning.past_policies import SELF
from nashzoo.app.games.ppo_settings import AGAINST_MANY, BOTH_SEATS, POPULATION
from nashzoo.app.games.table_setting import Setting

GAME = "tictactoe_v0"
PPO = {
    SELF: dataclasses.replace(
        BOTH_SEATS,
        timesteps=1_200_000,
        num_envs=128,
        batch_size=512,
        n_epochs=4,
        ent_coef=0.1,
        learning_rate=1e-3,
        starts="reachable",
    ),
    POPULATION: AGAINST_MANY,
}
TABLE = (Setting("tic-tac-toe", GAME, depths=(2, 4, 6)),)
