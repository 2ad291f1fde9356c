"""Plays turn-based games from given states, for the tests of players."""

import numpy as np

from nashzoo.envs.core import kernels
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.core.game import Floats, Game, Ints


def play_from(game: Game, codes: Ints, agent0: Agent, agent1: Agent, most: int) -> tuple[Floats, Ints]:
    """Returns what play from each state brings player 0 ``[B]``, and in how many moves it ends ``[B]``.

    Whatever is still going on after ``most`` moves is given up, and counts one move more.
    """
    codes = np.array(codes, np.int64)
    points, length = np.zeros(len(codes)), np.full(len(codes), most + 1)
    running = np.arange(len(codes))
    for move in range(1, most + 1):
        turns = np.empty(len(running), np.int64)
        kernels.turn_all(game.compiled, codes[running], turns)
        actions = np.zeros((2, len(running)), np.int64)
        for player, agent in enumerate((agent0, agent1)):
            rows = np.flatnonzero(turns == player)
            seen = np.empty((len(rows), game.num_features), np.float32)
            kernels.observe_all(game.compiled, codes[running[rows]], np.full(len(rows), player), seen)
            if len(rows):
                actions[player, rows] = agent.predict(seen)[0]
        over, illegal, rewards = np.empty(len(running), np.bool_), np.empty(len(running), np.int64), points[running]
        after = codes[running]
        kernels.play_all(game.compiled, after, actions[0], actions[1], kernels.LOSE, rewards, over, illegal)
        assert not illegal.any()
        codes[running] = after
        points[running] += rewards
        length[running[over]] = move
        running = running[~over]
    return points, length
