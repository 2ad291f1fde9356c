"""Roshambo as environments: ``roshambo_v0.parallel_env()``; parameters in :func:`nashzoo.envs.roshambo.parameters`."""

from nashzoo.envs import roshambo
from nashzoo.envs.public import public

game, env, raw_env, parallel_env = public(roshambo)
