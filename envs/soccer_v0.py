"""Grid soccer as environments: ``soccer_v0.env()``; parameters in :func:`nashzoo.envs.soccer.parameters`."""

from nashzoo.envs import soccer
from nashzoo.envs.public import public

game, env, raw_env, parallel_env = public(soccer)
