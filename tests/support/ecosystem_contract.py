"""What PettingZoo, Gymnasium and Stable-Baselines3 check; a part of :class:`contract.EnvironmentContract`."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pettingzoo.test
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check_env
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from pettingzoo.test.seed_test import seed_test
from pettingzoo.utils.conversions import aec_to_parallel
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from nashzoo.envs.api.gymnasium_env import GameEnv
from nashzoo.envs.api.gymnasium_vector_env import GameVectorEnv
from nashzoo.envs.api.pettingzoo_base import AGENTS, MASKS
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game
from nashzoo.envs.vector.game_batch import GameBatch
from opponents import Uniform

# Remarks of PettingZoo's checks that do not apply here, each with the reason.
TOLERATED = (
    "Observation is not a NumPy array",  # a dictionary with the mask, as in PettingZoo's own board games
    "Observation space for each agent probably should be",  # the same
    "Action mask numpy array is all zeros",  # nobody is asked once the game is over
    "Observation numpy array is all zeros",  # nothing has happened yet
    "State numpy array is all zeros",  # the same
)


@contextmanager
def tolerant() -> Iterator[None]:
    """Lets the remarks in ``TOLERATED`` pass; other warnings stay errors."""
    with warnings.catch_warnings():
        for message in TOLERATED:
            warnings.filterwarnings("ignore", message=message)
        yield


class EcosystemContract:
    """The checks of others; a subclass sets ``public`` and gives the fixtures ``game`` and ``options``."""

    public: Any

    def test_pettingzoo_api(self, options: dict[str, Any]) -> None:
        with tolerant():
            for masks in MASKS:
                for make in (self.public.env, self.public.raw_env):
                    pettingzoo.test.api_test(make(**options, masks=masks), num_cycles=100)
                pettingzoo.test.parallel_api_test(self.public.parallel_env(**options, masks=masks), num_cycles=100)

    def test_pettingzoo_seed(self, options: dict[str, Any]) -> None:
        for make in (self.public.env, self.public.raw_env):
            seed_test(lambda make=make: make(**options), num_cycles=50)
        pettingzoo.test.parallel_seed_test(lambda: self.public.parallel_env(**options), num_cycles=50)

    def test_pettingzoo_state(self, options: dict[str, Any]) -> None:
        with tolerant():
            pettingzoo.test.state_test(self.public.env(**options), self.public.parallel_env(**options))

    def test_pettingzoo_conversion(self, game: Game, options: dict[str, Any]) -> None:
        """Where both always have all actions, PettingZoo makes the parallel environment of the other one."""
        env = self.public.env(**options)
        assert env.metadata["is_parallelizable"] == (not game.turn_based and not game.masked)
        if game.turn_based or game.masked:
            with pytest.raises(AssertionError, match="is_parallelizable"):
                aec_to_parallel(env)
            return
        converted, ours = aec_to_parallel(env), self.public.parallel_env(**options)
        rng = np.random.default_rng(0)
        for seed in range(3):
            observations, _ = converted.reset(seed=seed)
            assert data_equivalence(observations, ours.reset(seed=seed)[0], exact=True)
            for _ in range(30):
                if not ours.agents:
                    break
                actions = {agent: int(rng.integers(game.num_actions)) for agent in AGENTS}
                played = converted.step(actions)
                assert played[1:4] == ours.step(actions)[1:4], (
                    f"{actions} gave other rewards or another end when converted."
                )

    def test_pettingzoo_guards(self, game: Game, options: dict[str, Any]) -> None:
        env = self.public.env(**options, render_mode="ansi")
        assert str(env) == game.name
        for wrapper in (OrderEnforcingWrapper, AssertOutOfBoundsWrapper):
            assert isinstance(env, wrapper), f"env() is no {wrapper.__name__}."
        for name in ("agents", "agent_selection", "num_agents", "rewards", "terminations", "truncations", "infos"):
            with pytest.raises(AttributeError, match=f"{name} cannot be accessed before reset"):
                getattr(env, name)
        with pytest.raises(AttributeError, match="agent_selection cannot be accessed before reset"):
            env.last()
        for call in (env.agent_iter, env.render, env.state, lambda: env.step(0), lambda: env.observe(AGENTS[0])):
            with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before"):
                call()
        env.reset(seed=0)
        for action in (-1, game.num_actions):
            for error in (UsageError, AssertionError):
                with pytest.raises(error, match=rf"player \d played {action}; legal actions are \d"):
                    env.step(action)
        for action in (0.5, None):
            with pytest.raises(UsageError, match=f"an action is a whole number, not {action}"):
                env.step(action)
        agents = iter(env.agent_iter())
        assert next(agents) == env.agent_selection == env.unwrapped.agent_selection
        with pytest.raises(AssertionError, match=r"need to call step\(\) or reset\(\) in a loop over `agent_iter`"):
            next(agents)
        assert env.last(observe=False)[0] is None

    @pytest.mark.parametrize("player", [0, 1, "random"])
    def test_gymnasium(self, game: Game, player: int | str) -> None:
        with warnings.catch_warnings():
            # The other render modes are tried by making the environment again by name; this one has none.
            warnings.filterwarnings("ignore", message=".*Not able to test alternative render modes")
            gymnasium_check_env(GameEnv(game, Uniform(), player=player), skip_render_check=True)

    @pytest.mark.parametrize("player", [0, 1, "random"])
    def test_gymnasium_vector(self, game: Game, player: int | str) -> None:
        """GameBatch together are what the single environments are one by one, by Gymnasium's own reckoning."""
        tables, options = 5, {"player": player, "max_cycles": 12}
        ours = GameVectorEnv(game, tables, Uniform(), **options)
        theirs = SyncVectorEnv(
            [lambda: GameEnv(game, Uniform(), **options)] * tables, autoreset_mode=AutoresetMode.SAME_STEP
        )
        for name in ("single_observation_space", "single_action_space", "observation_space", "action_space"):
            assert getattr(ours, name) == getattr(theirs, name), f"The {name} differs."
        assert ours.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
        rng = np.random.default_rng(0)
        for seed in (3, None, [8, None, 1, 0, 8]):
            observations, infos = ours.reset(seed=seed)
            assert data_equivalence((observations, infos), theirs.reset(seed=seed), exact=True), (
                f"reset(seed={seed}) starts other games than the single environments."
            )
            for _ in range(30):
                assert ours.observation_space.contains(observations), "Observations are outside of their space."
                assert (ours.action_masks() == infos["action_mask"]).all(), "There are two masks."
                legal = [rng.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]]
                actions = np.where(rng.random(tables) < 0.9, legal, rng.integers(game.num_actions, size=tables))
                played = ours.step(actions)
                observations, *_, infos = played
                assert data_equivalence(played, theirs.step(actions), exact=True), (
                    f"After {actions} the tables are not what the single environments are."
                )

    def test_sb3(self, game: Game) -> None:
        env_checker = pytest.importorskip("stable_baselines3.common.env_checker")
        env_checker.check_env(GameEnv(game, Uniform()), skip_render_check=True)

    @pytest.mark.parametrize("player", [0, 1, "random"])
    def test_sb3_vectorised(self, game: Game, player: int | str) -> None:
        """GameBatch together are what Stable-Baselines3 makes of the single environments."""
        vec_env = pytest.importorskip("stable_baselines3.common.vec_env")
        from nashzoo.envs.api.sb3_vec_env import GameVecEnv

        tables, options = 5, {"player": player, "max_cycles": 12}
        ours = GameVecEnv(GameBatch(game, tables, Uniform(), **options))
        theirs = vec_env.DummyVecEnv([lambda: GameEnv(game, Uniform(), **options)] * tables)
        assert (ours.observation_space, ours.action_space) == (theirs.observation_space, theirs.action_space)
        rng = np.random.default_rng(0)
        for seed in (3, 8):
            for env in (ours, theirs):
                env.seed(seed)
            assert (ours.reset() == theirs.reset()).all(), "The first observations differ."
            for _ in range(30):
                masks = np.stack(ours.env_method("action_masks"))
                assert (masks == np.stack(theirs.env_method("action_masks"))).all(), "The masks differ."
                legal = [rng.choice(np.flatnonzero(mask)) for mask in masks]
                actions = np.where(rng.random(tables) < 0.9, legal, rng.integers(game.num_actions, size=tables))
                (*played, infos), (*expected, their_infos) = ours.step(actions), theirs.step(actions)
                assert data_equivalence(played, expected, exact=True), "Observations, rewards or dones differ."
                for info, their_info, done in zip(infos, their_infos, played[2], strict=True):
                    known = ("terminal_observation", "TimeLimit.truncated") if done else ()
                    assert data_equivalence(info, {key: their_info[key] for key in known}, exact=True), (
                        f"The info of a table is {info}, of the single environment {their_info}."
                    )
