"""Training and the table of results in Roshambo."""

import dataclasses

from nashzoo.app.games.ppo_settings import AGAINST_MANY, POPULATION
from nashzoo.app.games.table_setting import Setting

GAME = "roshambo_v0"
PPO = {POPULATION: dataclasses.replace(AGAINST_MANY, gamma=0.9)}  # there is a reward at every throw
TABLE = (Setting("Roshambo", GAME, ("rounds=100",), {"gamma": 0.9}, (100, 1_000), stake=100.0),)
