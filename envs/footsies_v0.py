"""Footsies as environments: ``footsies_v0.parallel_env()``.

Its parameters: :class:`nashzoo.envs.games.footsies.Params`.
"""

from nashzoo.envs.api.module import make_module
from nashzoo.envs.games import footsies

game, env, raw_env, parallel_env = make_module(footsies)
