"""Grid soccer as environments: ``soccer_v0.env()``; its parameters: :class:`nashzoo.envs.games.soccer.rules.Params`."""

from nashzoo.envs.api.module import make_module
from nashzoo.envs.games.soccer import rules as soccer

game, env, raw_env, parallel_env = make_module(soccer)
