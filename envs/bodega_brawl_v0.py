"""Bodega Brawl as environments: ``bodega_brawl_v0.parallel_env()``.

Its parameters: :class:`nashzoo.envs.games.bodega_brawl.Params`.
"""

from nashzoo.envs.api.module import make_module
from nashzoo.envs.games import bodega_brawl

game, env, raw_env, parallel_env = make_module(bodega_brawl)
