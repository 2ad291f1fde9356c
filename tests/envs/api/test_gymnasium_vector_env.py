"""Many tables as a Gymnasium vector environment, beyond what the contract of environments checks."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import (
    DtypeObservation,
    FlattenObservation,
    NormalizeObservation,
    NormalizeReward,
    RecordEpisodeStatistics,
    RescaleObservation,
    TransformObservation,
)

import nim
from nashzoo import agents
from nashzoo.agents.gym_factory import gymnasium_vector_env
from nashzoo.envs import Game, footsies_v0
from nashzoo.envs.api.gymnasium_vector_env import GameVectorEnv
from opponents import Always, Counting, Uniform

FOOTSIES = "nashzoo.envs:nashzoo/Footsies-v0"
A, B, G, D = range(4)


@pytest.mark.parametrize("opponent", ["bayesian", "mcts", {"bayesian": 1, "nash": 2}], ids=str)
def test_a_table_is_the_single_environment(opponent: Any) -> None:
    tables, seed = 4, 11
    env = gymnasium.make_vec(FOOTSIES, num_envs=tables, opponent=opponent, player="random")
    actions = np.random.default_rng(0).integers(4, size=(20, tables))
    views, infos = env.reset(seed=seed)
    seen = [(views, infos["player"])] + [env.step(joint) for joint in actions]
    for table in range(tables):
        alone = gymnasium.make(FOOTSIES, opponent=opponent, player="random")
        view, info = alone.reset(seed=seed + table)
        assert (view == seen[0][0][table]).all() and info["player"] == seen[0][1][table]
        for action, (views, rewards, terminated, truncated, infos) in zip(actions[:, table], seen[1:], strict=True):
            view, *outcome, info = alone.step(action)
            assert outcome == [rewards[table], terminated[table], truncated[table]]
            if outcome[1] or outcome[2]:
                assert (infos["final_obs"][table] == view).all()
                assert (infos["final_info"]["action_mask"][table] == info["action_mask"]).all()
                view, info = alone.reset()
            assert (view == views[table]).all()
            assert info["player"] == infos["player"][table]


def test_games_start_where_the_reset_mask_says() -> None:
    game = Game(nim, heap=20)
    env = GameVectorEnv(game, 4, Counting())
    start, _ = env.reset(seed=0)
    later, *_ = env.step(np.zeros(4, np.int64))
    views, infos = env.reset(options={"reset_mask": np.array([False, True, True, False])})
    assert (views[[1, 2]] == start[[1, 2]]).all() and (views[[0, 3]] == later[[0, 3]]).all()
    assert infos["_action_mask"].tolist() == [False, True, True, False]
    assert infos["action_mask"][0].sum() == 0 < infos["action_mask"][1].sum()
    views, _ = env.reset(options={})
    assert (views == start).all()


@pytest.mark.parametrize("copier", [lambda env: pickle.loads(pickle.dumps(env)), copy.deepcopy])
def test_a_copy_goes_on_alike(copier: Any) -> None:
    env = GameVectorEnv(footsies_v0.game(), 4, Counting(), "random", render_mode="rgb_array")
    env.reset(seed=0)
    env.step(np.array([A, B, G, D]))
    env.render()
    other = copier(env)
    for action in (B, A, D, G):
        actions = np.full(4, action)
        assert data_equivalence(env.step(actions), other.step(actions), exact=True)
        assert data_equivalence(env.render(), other.render(), exact=True)


def test_what_was_returned_stays_and_may_be_changed() -> None:
    env, spoilt = (GameVectorEnv(footsies_v0.game(), 3, Uniform(), max_cycles=4) for _ in range(2))
    kept = [env.reset(seed=1)]
    spoilt.reset(seed=1)
    copies = [copy.deepcopy(kept[0])]
    for k in range(12):
        actions = np.array([k % 4, A, B])
        kept.append(env.step(actions))
        copies.append(copy.deepcopy(kept[-1]))
        result = spoilt.step(actions)
        assert data_equivalence(result, copies[-1], exact=True)
        for array in (*result[:4], result[4]["action_mask"], result[4]["player"]):
            array[...] = 0
    assert data_equivalence(kept, copies, exact=True)


def test_rendering() -> None:
    game = footsies_v0.game()
    env = GameVectorEnv(game, 2, Always(A), render_mode="ansi")
    env.reset()
    env.step(np.array([A, B]))
    assert env.render() == tuple(game.text(code) for code in env.batch.codes.tolist())
    env = GameVectorEnv(game, 2, Always(A), render_mode="rgb_array")
    env.reset()
    env.step(np.array([A, B]))
    first, second = env.render()
    assert first.shape == second.shape and first.dtype == np.uint8 and (first != second).any()


@pytest.mark.parametrize(
    "wrapper",
    [
        NormalizeObservation,
        FlattenObservation,
        lambda env: DtypeObservation(env, np.float32),
        lambda env: RescaleObservation(env, np.float32(-1), np.float32(1)),
        lambda env: TransformObservation(env, lambda seen: 1 - seen),
        NormalizeReward,
        RecordEpisodeStatistics,
    ],
)
def test_wrappers_that_want_another_reset_have_it(wrapper: Any) -> None:
    env = wrapper(gymnasium.make_vec(FOOTSIES, num_envs=3, autoreset_mode="NextStep", max_cycles=3))
    env.reset(seed=0)
    for _ in range(10):
        seen, *_ = env.step(np.zeros(3, np.int64))
        assert seen.shape == (3, *env.single_observation_space.shape)


def test_games_start_with_the_step_after_the_end() -> None:
    game = footsies_v0.game()
    env = GameVectorEnv(game, 2, Always(A), max_cycles=2, autoreset_mode=AutoresetMode.NEXT_STEP)
    with pytest.raises(ValueError, match="no game is running in environment 0"):
        env.step(np.array([A, A]))
    first, _ = env.reset()
    env.step(np.array([A, A]))
    last, rewards, terminated, truncated, infos = env.step(np.array([D, A]))
    assert (rewards.tolist(), terminated.tolist(), truncated.tolist()) == ([1, 0], [True, False], [False, True])
    assert (last != first).any(axis=1).all() and infos["action_mask"].any(axis=1).tolist() == [False, True]
    views, rewards, terminated, truncated, infos = env.step(np.array([D, D]))
    assert (views == first).all() and not rewards.any() and not (terminated | truncated).any()
    assert env.step(np.array([A, D]))[2].tolist() == [False, True]


def test_a_finished_game_that_nobody_restarts_is_not_stepped() -> None:
    env = GameVectorEnv(footsies_v0.game(), 2, Always(A), max_cycles=1, autoreset_mode="Disabled")
    env.reset()
    env.step(np.array([A, A]))
    env.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(ValueError, match=r"no game is running in environment 1: call reset\(\) first"):
        env.step(np.array([A, A]))


def test_options_reach_the_opponent_and_the_game() -> None:
    env = gymnasium.make_vec(
        FOOTSIES, num_envs=3, opponent="bayesian", opponent_options={"alpha": 2.0}, blocks=5, max_cycles=7
    )
    assert isinstance(env, GameVectorEnv) and env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.batch.opponent.alpha == 2.0  # type: ignore[attr-defined]
    assert (env.game.options["blocks"], env.batch.max_cycles, env.num_envs) == (5, 7, 3)
    game = footsies_v0.game(blocks=2)
    assert gymnasium_vector_env(game, 2, agents.make("counter", game)).game is game


def vector_env(num_envs: Any = 2, **options: Any) -> GameVectorEnv:
    return GameVectorEnv(footsies_v0.game(), num_envs, Uniform(), **options)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda env: env.reset(seed=[1, 2, 3]), "one for each of 2 environments, not 3"),
        (lambda env: env.reset(options={"reset_mask": np.ones(3, np.bool_)}), r"2 truth values.*bool of shape \(3,\)"),
        (lambda env: env.reset(options={"reset_mask": np.ones(2, np.int64)}), r"2 truth values.*int64 of shape \(2,\)"),
        *((lambda env, wrong=wrong: env.reset(options=wrong), "must be a dictionary") for wrong in (5, "reset_mask")),
        (lambda env: env.reset(options={"x": 1, "reset_mask": np.ones(2, np.bool_), 2: 1}), "has no option 'x', 2"),
        *(
            (lambda env, wrong=wrong: env.step(wrong), r"actions must have shape \(2,\)")
            for wrong in (np.zeros(3, np.int64), np.zeros((2, 1), np.int64), 0)
        ),
        (lambda env: env.render(), "render_mode="),
        *((lambda env, wrong=wrong: vector_env(wrong), f"at least 1, not {wrong}") for wrong in (0, -1, 2.0, True)),
        (lambda env: vector_env(render_mode="human"), "one of ansi, svg, rgb_array, not 'human'"),
        (lambda env: vector_env(illegal_action="win"), "one of lose, noop, raise, not 'win'"),
        (lambda env: vector_env(autoreset_mode="Never"), "'Never' is not a valid AutoresetMode"),
        (lambda env: gymnasium.make_vec(FOOTSIES, num_envs=2, opponent="champion"), "no player 'champion'"),
        (lambda env: gymnasium_vector_env(footsies_v0.game(), blocks=2), "unexpected blocks"),
    ],
)
def test_wrong_use_is_told(use: Callable[[GameVectorEnv], Any], message: str) -> None:
    env = vector_env()
    env.reset()
    with pytest.raises((ValueError, TypeError), match=message):
        use(env)
