"""Roshambo as environments: ``roshambo_v0.parallel_env()``.

Its parameters: :class:`nashzoo.envs.games.roshambo.Params`.
"""

from nashzoo.envs.api.module import make_module
from nashzoo.envs.games import roshambo

game, env, raw_env, parallel_env = make_module(roshambo)
