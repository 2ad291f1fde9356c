"""Training and the table of results in grid soccer."""

import dataclasses

from nashzoo.app.games.ppo_settings import AGAINST_MANY, POPULATION
from nashzoo.app.games.table_setting import Setting

GAME = "soccer_v0"
PPO = {
    POPULATION: dataclasses.replace(
        AGAINST_MANY,
        timesteps=8_000_000,
        num_envs=1024,
        gamma=0.97,
        learning_rate=2e-3,
        batch_size=8192,
        n_epochs=2,
        width=128,
        starts="reachable",
    ),
}
TABLE = (
    Setting(
        "soccer, 11 x 5",
        GAME,
        ("width=11", "height=5", "goal_height=3"),
        simulations=(10, 100),
        depths=(2, 4, 8),
    ),
    Setting("soccer", GAME, simulations=(10, 100), depths=(2, 4, 8), longer=("deep_minimax", "distilled")),
)
