"""Roshambo as environments: ``roshambo_v0.parallel_env()``.

Its parameters: :class:`nashzoo.envs.games.roshambo.rules.Params`.
"""

from nashzoo.envs.api.module import make_module
from nashzoo.envs.games.roshambo import rules as roshambo

game, env, raw_env, parallel_env = make_module(roshambo)
