"""The pool of states and the games from which deep learners draw."""

import numpy as np

from nashzoo.agents.learning.deep.states import RunningGames, StatePool
from nashzoo.envs import footsies_v0, tictactoe_v0


def test_a_pool_holds_states_once_and_no_more_than_it_may() -> None:
    pool = StatePool(3)
    pool.add(np.array([7, 7, 5]))
    pool.add(np.array([5, 9]))
    pool.add(np.array([11]))
    assert pool.codes.tolist() == [7, 5, 9]


def test_a_small_pool_is_drawn_evenly() -> None:
    pool = StatePool(10)
    pool.add(np.arange(5))
    counts = np.bincount(pool.draw(12, np.random.default_rng(0)), minlength=5)
    assert sorted(counts.tolist()) == [2, 2, 2, 3, 3]


def test_a_large_pool_is_drawn_uniformly() -> None:
    pool = StatePool(1000)
    pool.add(np.arange(1000))
    rng = np.random.default_rng(0)
    mean = np.mean([pool.draw(100, rng).mean() for _ in range(100)])
    assert abs(mean - 499.5) < 5 * 289 / 100  # five standard errors


def test_games_follow_the_strategies_and_begin_again() -> None:
    game = tictactoe_v0.game()
    rng = np.random.default_rng(0)
    games = RunningGames(game)
    games.extend(300, rng)
    assert set(games.codes.tolist()) == set(game.start_codes.tolist())
    first = np.zeros((300, 9))
    first[:, 4] = 1.0
    waits = np.zeros((300, 9))
    waits[:, 0] = 1.0
    games.play((first, waits), 0.0, rng)
    middle = game.step(int(game.start_codes[0]), 4, 0)
    begun = games.codes == game.start_codes[0]
    followed = games.codes[2::3] == middle  # neither player explores there, but for what begins again
    assert followed.mean() > 0.95 and begun.mean() < 0.05
    assert len(set(games.codes[0::3].tolist())) > 5  # crosses explore, from never to always
    for _ in range(12):
        legal = np.array([[1.0 / 9.0] * 9] * 300)
        games.play((legal, legal), 1.0, rng)
        assert not any(game.terminal(int(code)) for code in games.codes)


def test_the_first_games_alone_may_go_on() -> None:
    game = footsies_v0.game()
    rng = np.random.default_rng(0)
    games = RunningGames(game)
    games.extend(10, rng)
    even = np.full((4, game.num_actions), 1.0 / game.num_actions)
    games.play((even, even), 1.0, rng)
    assert (games.codes[4:] == game.start_codes[0]).all()
    games.extend(3, rng)
    assert len(games.codes) == 10
