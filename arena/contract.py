"""Tests of a game, for authors of games: a pytest class to inherit from.

Example::

    import pytest
    from nashzoo.arena.contract import GameContract
    from nashzoo.envs import make_game


    class TestGoofspiel(GameContract):
        @pytest.fixture
        def game(self):
            return make_game("./goofspiel.py", cards=3)
"""

import pickle

from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test

from nashzoo import agents
from nashzoo.agents.gym_factory import gymnasium_env
from nashzoo.arena.match import play_match
from nashzoo.baselines import exploitability, solve
from nashzoo.baselines.game_problems import game_problems
from nashzoo.baselines.measures import tabulated
from nashzoo.envs.api.aec import GameAECEnv, wrapped
from nashzoo.envs.api.parallel_env import GameParallelEnv
from nashzoo.envs.core.game import Game

CYCLES = 200  # joint actions for the tests of other libraries
GAMES = 50
TOLERANCE = 1e-6  # of the solution, in points


class GameContract:
    """Tests that every game must pass; a subclass defines the fixture ``game``, which may have parameters."""

    def test_nothing_is_wrong_with_its_rules(self, game: Game) -> None:
        assert game_problems(game) == []

    def test_a_pickled_game_is_the_same(self, game: Game) -> None:
        assert pickle.loads(pickle.dumps(game)) == game

    def test_every_start_can_be_shown(self, game: Game) -> None:
        for code in game.start_codes[:10].tolist():
            assert game.spell(code) and game.text(code)

    def test_it_is_an_environment_of_pettingzoo(self, game: Game) -> None:
        parallel_api_test(GameParallelEnv(game), num_cycles=CYCLES)
        api_test(wrapped(GameAECEnv(game)), num_cycles=CYCLES)

    def test_it_is_an_environment_of_gymnasium(self, game: Game) -> None:
        check_env(gymnasium_env(game, "random"), skip_render_check=True)

    def test_the_same_seed_makes_the_same_games(self, game: Game) -> None:
        first, second = (
            play_match(game, agents.make("random", game, 1), agents.make("random", game, 2), GAMES, seed=3)
            for _ in range(2)
        )
        assert first.points.tolist() == second.points.tolist()

    def test_its_solution_is_proven(self, game: Game) -> None:
        solution = solve(game)
        assert solution.certificate <= TOLERANCE
        nash, uniform = (tabulated(game, agents.make(name, game)) for name in ("nash", "random"))
        assert exploitability(game, nash) <= TOLERANCE
        assert exploitability(game, uniform) >= -TOLERANCE
