"""Training and the table of results in Footsies."""

import dataclasses

from nashzoo.agents.learning.past_policies import SELF
from nashzoo.app.games.ppo_settings import AGAINST_MANY, BOTH_SEATS, POPULATION
from nashzoo.app.games.table_setting import Setting

GAME = "footsies_v0"
PPO = {
    SELF: dataclasses.replace(BOTH_SEATS, num_envs=512, batch_size=4096, learning_rate=5e-4, timesteps=5_000_000),
    POPULATION: AGAINST_MANY,
}
TABLE = (Setting("Footsies", GAME),)
