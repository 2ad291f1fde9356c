"""Footsies as environments: ``footsies_v0.parallel_env()``; parameters in :func:`nashzoo.envs.footsies.parameters`."""

from nashzoo.envs import footsies
from nashzoo.envs.public import public

game, env, raw_env, parallel_env = public(footsies)
