"""Bodega Brawl as environments: ``bodega_brawl_v0.parallel_env()``.

Its parameters: :class:`nashzoo.envs.games.bodega_brawl.rules.Params`.
"""

from nashzoo.envs.api.module import make_module
from nashzoo.envs.games.bodega_brawl import rules as bodega_brawl

game, env, raw_env, parallel_env = make_module(bodega_brawl)
