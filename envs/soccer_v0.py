"""Grid soccer as environments: ``soccer_v0.env()``; its parameters: :class:`nashzoo.envs.games.soccer.Params`."""

from nashzoo.envs.api.module import make_module
from nashzoo.envs.games import soccer

game, env, raw_env, parallel_env = make_module(soccer)
