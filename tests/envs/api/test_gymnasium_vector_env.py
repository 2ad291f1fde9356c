"""Many tables as a Gymnasium vector environment, beyond what the contract of environments checks."""

import copy
import pickle
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
from nashzoo.envs.base.errors import UsageError
from opponents import Always, Counting, Uniform

FOOTSIES = "nashzoo.envs:nashzoo/Footsies-v0"
A, B, G, D = range(4)


@pytest.mark.parametrize("opponent", ["bayesian", "markov", "nash", "mcts", {"bayesian": 1, "nash": 2}], ids=str)
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


def test_the_end_of_a_game() -> None:
    game = footsies_v0.game()
    env = GameVectorEnv(game, 3, Always(A), max_cycles=2)
    first, infos = env.reset()
    assert set(infos) == {"action_mask", "_action_mask", "player", "_player"}
    *_, infos = env.step(np.array([A, A, A]))
    assert "final_obs" not in infos
    views, rewards, terminated, truncated, infos = env.step(np.array([D, A, G]))
    assert rewards.tolist() == [1, 0, 0]
    assert terminated.tolist() == [True, False, False] and truncated.tolist() == [False, True, True]
    assert (views == first).all(), "the next games have begun"
    start = int(game.start_codes[0])
    for table, last in enumerate((D, A, G)):
        assert (infos["final_obs"][table] == game.observe(game.step(game.step(start, A, A), last, A), 0)).all()
    assert infos["final_info"]["_player"].all()
    _, _, *ends, infos = env.step(np.array([A, D, A]))
    assert [end.tolist() for end in ends] == [[False, True, False], [False] * 3]
    assert infos["_final_obs"].tolist() == infos["_final_info"].tolist() == [False, True, False]
    assert infos["final_obs"][0] is None and infos["final_obs"][2] is None
    assert infos["final_info"]["_action_mask"].tolist() == [False, True, False]


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


def test_gymnasiums_wrappers_accept_it() -> None:
    env = RecordEpisodeStatistics(GameVectorEnv(Game(nim, heap=1), 2, Uniform()))
    env.reset(seed=0)
    *_, infos = env.step(np.array([0, 0]))
    assert infos["episode"]["r"].tolist() == [1.0, 1.0]


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
    with pytest.raises(ValueError, match="'Never' is not a valid AutoresetMode"):
        GameVectorEnv(footsies_v0.game(), 2, Always(A), autoreset_mode="Never")


def test_options_reach_the_opponent_and_the_game() -> None:
    env = gymnasium.make_vec(
        FOOTSIES, num_envs=3, opponent="bayesian", opponent_options={"alpha": 2.0}, blocks=5, max_cycles=7
    )
    assert isinstance(env, GameVectorEnv) and env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.batch.opponent.alpha == 2.0  # type: ignore[attr-defined]
    assert (env.game.options["blocks"], env.batch.max_cycles, env.num_envs) == (5, 7, 3)
    game = footsies_v0.game(blocks=2)
    assert gymnasium_vector_env(game, 2, agents.make("counter", game)).game is game


def test_wrong_use_is_told() -> None:
    game = footsies_v0.game()
    env = GameVectorEnv(game, 2, Uniform())
    with pytest.raises(ValueError, match="a list of seeds must have one for each of 2 environments, not 3"):
        env.reset(seed=[1, 2, 3])
    for mask, told in (
        (np.ones(3, np.bool_), r"bool of shape \(3,\)"),
        (np.ones(2, np.int64), r"int64 of shape \(2,\)"),
    ):
        with pytest.raises(ValueError, match=f"reset_mask must be 2 truth values, one for each game, not {told}"):
            env.reset(options={"reset_mask": mask})
    for options in (5, "reset_mask"):
        with pytest.raises(UsageError, match=r"options of reset must be a dictionary \(there is reset_mask\), not "):
            env.reset(options=options)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="reset has no option 'x', 2: there is reset_mask"):
        env.reset(options={"x": 1, "reset_mask": np.ones(2, np.bool_), 2: 1})  # type: ignore[dict-item]
    env.reset()
    for actions in (np.zeros(3, np.int64), np.zeros((2, 1), np.int64), 0):
        with pytest.raises(ValueError, match=r"actions must have shape \(2,\), not"):
            env.step(actions)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="make the environment with render_mode= one of"):
        env.render()
    for number in (0, -1, 2.0, True):
        with pytest.raises(ValueError, match=f"num_envs must be a whole number of at least 1, not {number}"):
            GameVectorEnv(game, number, Uniform())  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match="vector environments have render_mode= one of ansi, svg, rgb_array, not 'human'"
    ):
        GameVectorEnv(game, 2, Uniform(), render_mode="human")
    with pytest.raises(ValueError, match="illegal_action must be one of lose, noop, raise, not 'win'"):
        GameVectorEnv(game, 2, Uniform(), illegal_action="win")
    with pytest.raises(ValueError, match="there is no player 'champion'"):
        gymnasium.make_vec(FOOTSIES, num_envs=2, opponent="champion")
    with pytest.raises(TypeError, match="has its parameters already; unexpected blocks"):
        gymnasium_vector_env(game, blocks=2)
    raising = GameVectorEnv(game, 2, Uniform(), illegal_action="raise")
    raising.reset()
    with pytest.raises(ValueError, match="player 0 played 9; legal actions are"):
        raising.step(np.array([0, 9]))
