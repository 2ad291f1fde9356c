"""Gymnasium environments with the opponent inside, made by name."""

import importlib.metadata
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as check_env_for_sb3

import nashzoo.envs
from nashzoo import agents
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.agents.gym_factory import gymnasium_env
from nashzoo.envs import footsies_v0
from nashzoo.envs.api.gymnasium_env import GameEnv
from nashzoo.envs.base.errors import UsageError

FOOTSIES = "nashzoo.envs:nashzoo/Footsies-v0"
A, B, G, D = range(4)
SEATS = (0, 1, "random")


def episode(env: gymnasium.Env[Any, Any], seed: int, actions: np.random.Generator) -> list[Any]:
    observation, info = env.reset(seed=seed)
    seen: list[Any] = [observation.tolist(), info["player"], info["action_mask"].tolist()]
    while True:
        action = int(actions.choice(np.flatnonzero(info["action_mask"])))
        observation, reward, terminated, truncated, info = env.step(action)
        seen += [action, observation.tolist(), reward, terminated, truncated]
        if terminated or truncated:
            return seen


@pytest.mark.parametrize("player", SEATS)
@pytest.mark.parametrize("opponent", ["random", "bayesian"])
def test_gymnasium_and_sb3_accept_the_environment(opponent: str, player: int | str) -> None:
    env = gymnasium.make(FOOTSIES, opponent=opponent, player=player)
    check_env(env.unwrapped, skip_render_check=True)
    check_env_for_sb3(env.unwrapped)


@pytest.mark.parametrize("player", SEATS)
@pytest.mark.parametrize("opponent", ["random", "counter", "bayesian", "bluff", "markov", "mcts", "nash"])
def test_one_seed_one_episode(opponent: str, player: int | str) -> None:
    envs = [gymnasium.make(FOOTSIES, opponent=opponent, player=player) for _ in range(2)]
    for seed in range(3):
        first, second = (episode(env, seed, np.random.default_rng(seed)) for env in envs)
        assert first == second


def test_an_opponent_with_a_seed_of_its_own_draws_from_the_environments() -> None:
    game = footsies_v0.game()
    first, second = (gymnasium_env(game, agents.make("random", game, seed=seed)) for seed in (1, 2))
    for seed in range(10):
        assert episode(first, seed, np.random.default_rng(seed)) == episode(second, seed, np.random.default_rng(seed))


def test_the_learner_sits_where_it_was_put() -> None:
    for player in (0, 1):
        env = gymnasium.make(FOOTSIES, opponent="random", player=player)
        assert {env.reset(seed=seed)[1]["player"] for seed in range(20)} == {player}
    env = gymnasium.make(FOOTSIES, opponent="random", player="random")
    assert {env.reset(seed=seed)[1]["player"] for seed in range(20)} == {0, 1}


def test_options_reach_the_opponent_and_the_game() -> None:
    env = gymnasium.make(
        FOOTSIES, opponent="bayesian", opponent_options={"alpha": 2.0}, blocks=5, attacks_to_win=3, max_cycles=7
    )
    assert isinstance(env.unwrapped, GameEnv)
    batch, options = env.unwrapped.batch, env.unwrapped.game.options
    assert (batch.opponent.alpha, batch.max_cycles) == (2.0, 7)  # type: ignore[attr-defined]
    assert (options["blocks"], options["attacks_to_win"]) == (5, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponent": "champion"}, "there is no player 'champion'; the players of footsies_v0 are manual"),
        ({"opponent": "bayesian", "opponent_options": {"beta": 1}}, "bayesian has no option beta; it has alpha, risk"),
        ({"opponent": "countr"}, r"no player 'countr' \(did you mean counter\?\)"),
        ({"opponent": RandomAgent}, r"RandomAgent is a class, RandomAgent\(game\) makes one"),
        ({"walls": 3}, "unexpected keyword argument 'walls': footsies_v0 has no parameter walls"),
        ({"player": 2}, "player must be 0, 1 or 'random', not 2"),
    ],
)
def test_wrong_use_is_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        gymnasium.make(FOOTSIES, **options)


def test_wrong_games_are_told() -> None:
    with pytest.raises(ValueError, match="there is no game 'go'; the games are "):
        gymnasium_env("go")
    with pytest.raises(TypeError, match="has its parameters already; unexpected blocks"):
        gymnasium_env(footsies_v0.game(), blocks=2)


def test_the_version_is_that_of_the_package() -> None:
    assert nashzoo.envs.__version__ == importlib.metadata.version("nashzoo")
