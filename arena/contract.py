"""Tests of a game, and of a learner, for their authors: pytest classes to inherit from.

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
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test

from nashzoo import agents
from nashzoo.agents.gym_factory import gymnasium_env
from nashzoo.agents.learning.self_play_learner import SelfPlayLearner
from nashzoo.arena.match import play_match
from nashzoo.baselines import exploitability, solve
from nashzoo.baselines.game_problems import game_problems
from nashzoo.baselines.measures import tabulated
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs.api.aec import GameAECEnv, wrapped
from nashzoo.envs.api.parallel_env import GameParallelEnv
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import legal_actions
from nashzoo.envs.core.game import BOTH, Features, Floats, Game, Mask

CYCLES = 200  # joint actions for the tests of other libraries
GAMES = 50
TOLERANCE = 1e-6  # of the solution, in points; of the sum of probabilities
STATES = 1_000  # at most, of which a policy is compared


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


class LearnerContract:
    """Tests that every learner must pass; a subclass defines the fixtures ``learner``, a class, and ``game``.

    Attributes:
        TIMESTEPS: What a test learns from.
        SETTINGS: Settings to learn with.
        REFUSED: Settings of which each is out of its range.
    """

    TIMESTEPS: ClassVar[int] = 4_000
    SETTINGS: ClassVar[Mapping[str, Any]] = {}
    REFUSED: ClassVar[Mapping[str, Any]] = {}

    @pytest.fixture
    def settings(self) -> Mapping[str, Any]:
        """Settings to learn with."""
        return self.SETTINGS

    @pytest.fixture
    def untrained(
        self, learner: type[SelfPlayLearner], game: Game, settings: Mapping[str, Any]
    ) -> Callable[[], SelfPlayLearner]:
        """Makes learners that are equal."""
        return partial(learner, game, 3, **settings)

    @pytest.fixture
    def learned(self, untrained: Callable[[], SelfPlayLearner]) -> SelfPlayLearner:
        """A learner that has learned from ``TIMESTEPS``."""
        made = untrained()
        made.learn(self.TIMESTEPS)
        return made

    def test_a_policy_is_a_distribution_over_legal_actions(
        self, learned: SelfPlayLearner, untrained: Callable[[], SelfPlayLearner]
    ) -> None:
        _, masks = _decisions(learned.game)
        for policy in map(_policy, (untrained(), learned)):
            assert (policy >= 0.0).all() and (policy[masks == 0] == 0.0).all()
            assert np.abs(policy.sum(axis=1) - 1.0).max() <= TOLERANCE

    def test_the_same_seed_learns_the_same(
        self, learned: SelfPlayLearner, untrained: Callable[[], SelfPlayLearner]
    ) -> None:
        again = untrained()
        assert again.num_timesteps == again.num_games == 0
        again.learn(self.TIMESTEPS)
        assert again.num_timesteps >= self.TIMESTEPS
        _check_same(again, learned)

    def test_calls_and_a_file_change_nothing(
        self, learned: SelfPlayLearner, untrained: Callable[[], SelfPlayLearner], tmp_path: Path
    ) -> None:
        parts = untrained()
        while parts.num_timesteps < self.TIMESTEPS // 2:
            parts.learn(self.TIMESTEPS // 6)
        parts.save(tmp_path / "half.safetensors")
        loaded = parts.load(tmp_path / "half.safetensors", parts.game)
        assert loaded.settings == parts.settings
        _check_same(loaded, parts)
        if loaded.num_timesteps < self.TIMESTEPS:
            loaded.learn(self.TIMESTEPS - loaded.num_timesteps)
        _check_same(loaded, learned)

    def test_a_damaged_file_is_refused(self, learned: SelfPlayLearner, tmp_path: Path) -> None:
        path = tmp_path / "damaged.safetensors"
        learned.save(path)
        whole = path.read_bytes()
        for damaged in (whole[:-9], whole[:-5] + bytes([whole[-5] ^ 1]) + whole[-4:], b""):
            path.write_bytes(damaged)
            with pytest.raises(UsageError):
                learned.load(path, learned.game)

    def test_settings_that_are_no_numbers_or_out_of_range_are_refused(
        self, learner: type[SelfPlayLearner], game: Game
    ) -> None:
        defaults = learner.Settings()
        numbers = [name for name in learner.setting_names() if isinstance(getattr(defaults, name), float | int | None)]
        for name, value in [*((name, "no number") for name in numbers), *self.REFUSED.items()]:
            with pytest.raises(UsageError, match=name):
                learner(game, **{name: value})


def _decisions(game: Game) -> tuple[Features, Mask]:
    """Returns what players observe where they choose ``[B, features]``, and the legal actions ``[B, actions]``."""
    codes = ListedStates(game).codes[:STATES].tolist()
    seats = [(code, player) for code in codes for player in (0, 1) if game.turn(code) in (player, BOTH)]
    observations = np.stack([game.observe(code, player) for code, player in seats])
    return observations, legal_actions(game, observations)


def _policy(learner: SelfPlayLearner) -> Floats:
    """Returns the policy where players choose ``[B, actions]``."""
    return learner.action_probabilities(*_decisions(learner.game))


def _check_same(first: SelfPlayLearner, second: SelfPlayLearner) -> None:
    assert (first.num_timesteps, first.num_games) == (second.num_timesteps, second.num_games)
    np.testing.assert_array_equal(_policy(first), _policy(second))
    arrays = second.arrays()
    assert first.arrays().keys() == arrays.keys()
    for name, array in first.arrays().items():
        np.testing.assert_array_equal(array, arrays[name], err_msg=name)
