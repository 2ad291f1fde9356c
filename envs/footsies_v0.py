"""Footsies as environments: ``footsies_v0.parallel_env()``.

Its parameters: :class:`nashzoo.envs.games.footsies.rules.Params`.
"""

from nashzoo.envs.api.module import make_module
from nashzoo.envs.games.footsies import rules as footsies

game, env, raw_env, parallel_env = make_module(footsies)
