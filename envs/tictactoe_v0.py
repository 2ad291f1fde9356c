"""Tic-tac-toe as environments: ``tictactoe_v0.env()``, one player after the other."""

from nashzoo.envs.api.module import make_module
from nashzoo.envs.games.tictactoe import rules as tictactoe

game, env, raw_env, parallel_env = make_module(tictactoe)
