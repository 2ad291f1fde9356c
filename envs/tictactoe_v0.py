"""Tic-tac-toe as environments: ``tictactoe_v0.env()``, one player after the other."""

from nashzoo.envs import tictactoe
from nashzoo.envs.public import public

game, env, raw_env, parallel_env = public(tictactoe)
