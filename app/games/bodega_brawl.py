"""Training and the table of results in Bodega Brawl."""

import dataclasses

from nashzoo.agents.learning.past_policies import SELF
from nashzoo.app.games.ppo_settings import AGAINST_MANY, BOTH_SEATS, POPULATION
from nashzoo.app.games.table_setting import Setting

GAME = "bodega_brawl_v0"
PPO = {
    SELF: dataclasses.replace(BOTH_SEATS, num_envs=1024, learning_rate=5e-4, observation="one_hot", starts="reachable"),
    POPULATION: AGAINST_MANY,
}
TABLE = (
    Setting("Bodega Brawl, small", GAME, ("preset=small",)),
    Setting(
        "Bodega Brawl, large",
        GAME,
        ("preset=large",),
        simulations=(),
        learners=("deep_minimax", "distilled"),
        longer=("deep_minimax", "distilled"),
    ),
)
