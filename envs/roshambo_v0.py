"""Roshambo as environments: ``roshambo_v0.parallel_env()``.

Its parameters are those of :func:`nashzoo.envs.games.roshambo.parameters`.
"""

from nashzoo.envs.api.module import make_module
from nashzoo.envs.games import roshambo

game, env, raw_env, parallel_env = make_module(roshambo)
