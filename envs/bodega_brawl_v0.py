"""Bodega Brawl as environments: ``bodega_brawl_v0.parallel_env()``.

Parameters in :func:`nashzoo.envs.bodega_brawl.parameters`.
"""

from nashzoo.envs import bodega_brawl
from nashzoo.envs.public import public

game, env, raw_env, parallel_env = public(bodega_brawl)
