"""Footsies as environments: ``footsies_v0.parallel_env()``.

Its parameters are those of :func:`nashzoo.envs.games.footsies.parameters`.
"""

from nashzoo.envs.api.module import make_module
from nashzoo.envs.games import footsies

game, env, raw_env, parallel_env = make_module(footsies)
