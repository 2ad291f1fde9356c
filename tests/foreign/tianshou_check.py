"""The example with Tianshou learns; ``make ecosystem`` runs this where Tianshou is installed."""

import gymnasium as gym
import numpy as np

from examples import tianshou_dqn
from nashzoo.baselines import exploitability
from nashzoo.envs import tictactoe_v0

ROUNDING = 1e-9
MARKS = slice(0, 18)  # in an observation


def test_observations_show_how_games_end_and_how_the_next_begin() -> None:
    games = tianshou_dqn.Games(gym.make_vec("nashzoo.envs:nashzoo/TicTacToe-v0", num_envs=16))
    seen, _ = games.reset(seed=0)
    assert (seen.obs[:, MARKS] == 0).all()
    assert [space.n for space in games.action_space] == [9] * 16
    over = 0
    while over < 100:
        before = seen
        seen, rewards, terminated, truncated, _ = games.step(before.mask.argmax(axis=1), np.arange(16))
        assert not truncated.any()
        (ended,) = np.nonzero(terminated)
        marks = seen.obs[:, MARKS].sum(axis=1)
        crosses_had_the_last_word = marks % 2 == 1
        assert (marks - before.obs[:, MARKS].sum(axis=1) == np.where(crosses_had_the_last_word, 1, 2)).all()
        assert (crosses_had_the_last_word == (terminated & (rewards >= 0))).all()
        assert (marks[rewards != 0] >= 5).all() and (marks[terminated & (rewards == 0)] == 9).all()
        assert (seen.mask.sum(axis=1) == np.where(terminated, 0, 9 - marks)).all()
        over += len(ended)
        if len(ended):
            begun, infos = games.reset(ended)
            assert len(begun.obs) == len(infos) == len(ended) and (begun.obs[:, MARKS] == 0).all()
            seen.obs[ended], seen.mask[ended] = begun.obs, begun.mask


def test_nobody_wins_from_the_network() -> None:
    network = tianshou_dqn.learn()
    assert exploitability(tictactoe_v0.game(), network) == 0
    *won, most_crosses, most_noughts = tianshou_dqn.won(network)
    for points, most in zip(won, (most_crosses, most_noughts), strict=True):
        assert 0.75 * most < points <= most + ROUNDING
