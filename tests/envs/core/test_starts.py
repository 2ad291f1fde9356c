"""Exploring starts: games that begin where play can lead to."""

import pickle
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import nim
from nashzoo import agents
from nashzoo.agents.gym_factory import gymnasium_env, gymnasium_vector_env
from nashzoo.baselines import ListedStates
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, make_game, roshambo_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.api.gymnasium_env import GameEnv
from nashzoo.envs.api.module import make_module
from nashzoo.envs.api.sb3_vec_env import GameVecEnv
from nashzoo.envs.core.one_hot import one_hot_encoding
from nashzoo.envs.core.reachable import reachable
from nashzoo.envs.core.starts import starts_of
from nashzoo.envs.vector.game_batch import GameBatch
from opponents import Always, Uniform
from traces import running

NIM = Game(nim, heap=9)
FOOTSIES = footsies_v0.game()
OVER, UNREACHED = NIM.code(heap=0, mover=1), NIM.code(heap=9, mover=1)
nim_env = make_module(nim).parallel_env
DEVIATIONS = 5  # standard deviations that a share may be off


def drawn(batch: GameBatch, times: int) -> np.ndarray:
    """Returns the states in which games began ``[times * B]``; nobody has moved yet where both move at once."""
    codes = []
    for _ in range(times):
        batch.restart(np.arange(batch.num_games))
        codes.append(batch.codes.copy())
    return np.concatenate(codes)


@pytest.mark.parametrize(
    "game",
    [NIM, FOOTSIES, tictactoe_v0.game(), bodega_brawl_v0.game(preset="tiny"), roshambo_v0.game(rounds=4)],
    ids=lambda game: game.name,
)
def test_reachable_states_are_those_that_steps_lead_to(game: Game) -> None:
    listed = reachable(game).tolist()
    assert listed == sorted(listed)
    assert set(running(game)) <= set(listed) if game.name == "tictactoe_v0" else set(running(game)) == set(listed)
    assert not any(game.terminal(code) for code in listed)


def test_how_many_states_are_reachable() -> None:
    """Of the 5,478 positions of tic-tac-toe 958 end the game (OEIS A008907)."""
    assert len(reachable(tictactoe_v0.game())) == 5478 - 958
    assert len(reachable(soccer_v0.game())) == 363_588  # docs/soccer.md
    assert (reachable(FOOTSIES) == ListedStates(FOOTSIES).codes).all()


def test_every_reachable_state_is_as_likely_as_every_other() -> None:
    states = reachable(FOOTSIES)
    batch = GameBatch(FOOTSIES, 500, Uniform(), starts="reachable")
    batch.seed(0)
    codes = drawn(batch, 100)
    counts = np.bincount(np.searchsorted(states, codes), minlength=len(states))
    expected = len(codes) / len(states)
    assert set(codes.tolist()) == set(states.tolist())
    assert abs(counts - expected).max() < DEVIATIONS * np.sqrt(expected)


def test_a_code_that_is_given_twice_is_twice_as_likely() -> None:
    first, second = reachable(FOOTSIES)[[10, 20]].tolist()
    batch = GameBatch(FOOTSIES, 900, Uniform(), starts=[first, second, first])
    batch.seed(0)
    share = (drawn(batch, 1) == first).sum()
    assert abs(share - 600) < DEVIATIONS * np.sqrt(200)


def everywhere(starts: Any) -> list[Any]:
    """Returns the states in which games begin in every environment, with the one state as the only start."""
    public = make_module(nim)
    parallel, raw = (make(heap=9, starts=starts) for make in (public.parallel_env, public.raw_env))
    single = GameEnv(NIM, Uniform(), starts=starts)
    many = gymnasium_vector_env(NIM, 3, starts=starts)
    batch = GameBatch(NIM, 2, Uniform(), starts=starts)
    for env in (parallel, raw, single, many):
        env.reset(seed=0)
    GameVecEnv(batch).reset()
    return [parallel.code, raw.code, *single.batch.codes, *many.batch.codes, *batch.codes]


@pytest.mark.parametrize("kind", ["list", "array", "file", "path"])
def test_games_start_where_they_are_told_in_every_environment(kind: str, tmp_path: Path) -> None:
    code = NIM.code(heap=5, mover=0)
    (tmp_path / "starts.txt").write_text(f"{code}\n")
    told: dict[str, Any] = {
        "list": [code],
        "array": np.array([code]),
        "file": str(tmp_path / "starts.txt"),
        "path": tmp_path / "starts.txt",
    }
    assert everywhere(told[kind]) == [code] * 8


def test_what_numpy_writes_is_read(tmp_path: Path) -> None:
    np.savetxt(tmp_path / "starts.txt", reachable(NIM), fmt="%d")
    assert (starts_of(NIM, tmp_path / "starts.txt").codes == reachable(NIM)).all()


def test_options_reach_environments_made_by_name() -> None:
    name, code = "nashzoo.envs:nashzoo/Footsies-v0", int(reachable(FOOTSIES)[10])
    seen = one_hot_encoding(FOOTSIES).encode(FOOTSIES.observe(code, 0)[None])
    for regret in (False, True):
        options: dict[str, Any] = {"opponent": "bayesian", "starts": [code], "observation": "one_hot", "regret": regret}
        env, envs = gymnasium.make(name, **options), gymnasium.make_vec(name, num_envs=2, **options)
        assert (env.reset(seed=0)[0] == seen[0]).all() and (envs.reset(seed=0)[0] == seen).all()
        assert env.observation_space.shape == seen[0].shape == envs.single_observation_space.shape
        assert ("regret" in env.step(0)[4]) == ("regret" in envs.step(np.zeros(2, np.int64))[4]) == regret


def test_one_seed_one_start() -> None:
    public = make_module(nim)
    for make in (public.parallel_env, public.raw_env):
        one, other = make(heap=50, starts="reachable"), make(heap=50, starts="reachable")
        codes = []
        for seed in (3, None, None, 8):
            for env in (one, other):
                env.reset(seed=seed)
            assert one.code == other.code
            codes.append(one.code)
        assert len(set(codes)) > 1
    batches = [GameBatch(FOOTSIES, n, Uniform(), "random", starts="reachable") for n in (3, 3, 1)]
    for batch in batches:
        batch.seed(5)
    starts = [drawn(batch, 4).reshape(4, -1) for batch in batches]
    assert (starts[0] == starts[1]).all() and (starts[0][:, :1] == starts[2]).all()


def test_in_turn_based_games_the_opponent_moves_first_where_it_is_its_turn() -> None:
    batch = GameBatch(NIM, 50, Always(0), starts=[NIM.code(heap=5, mover=1)])
    batch.restart(np.arange(50))
    assert set(batch.codes.tolist()) == {NIM.code(heap=4, mover=0)}
    with pytest.raises(ValueError, match="ended 1000 times before the learner was to move"):
        GameBatch(NIM, 1, Always(0), starts=[NIM.code(heap=1, mover=1)]).restart(np.arange(1))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("footsies_v0", {}),
        ("roshambo_v0", {"rounds": 20}),
        ("bodega_brawl_v0", {"preset": "tiny"}),
        ("tictactoe_v0", {}),
        ("soccer_v0", {"width": 11, "height": 3, "goal_height": 1, "random_positions": False}),
    ],
)
def test_everybody_plays_from_everywhere(name: str, options: dict[str, Any]) -> None:
    game = make_game(name, **options)
    quick: dict[str, dict[str, Any]] = {
        "mcts": {"simulations": 5}, "minimax": {"depth": 2}, "alphabeta": {"depth": 2}
    }  # fmt: skip
    for player in agents.names(game):
        if player == "manual":
            continue
        opponent = agents.make(player, game, **quick.get(player, {}))
        batch = GameBatch(game, 60, opponent, "random", max_cycles=12, illegal_action="raise", starts="reachable")
        batch.seed(1)
        batch.restart(np.arange(60))
        rng = np.random.default_rng(0)
        for _ in range(15):
            masks = batch.masks()
            batch.step_and_restart((masks * rng.random(masks.shape)).argmax(axis=1))


def test_the_states_are_listed_once() -> None:
    assert reachable(Game(nim, heap=33)) is reachable(Game(nim, heap=33))


def test_a_copy_goes_on_alike() -> None:
    batch = GameBatch(FOOTSIES, 4, Uniform(), starts="reachable")
    batch.seed(0)
    other = pickle.loads(pickle.dumps(batch))
    assert (drawn(batch, 3) == drawn(other, 3)).all()


def test_without_the_option_games_start_as_the_rules_say() -> None:
    for game in (NIM, Game(nim, heap=9, first="random"), soccer_v0.game()):
        codes, thresholds = starts_of(game, None)
        assert codes is game.start_codes and (thresholds == np.cumsum(game.start_probabilities)[:-1]).all()


@pytest.mark.parametrize(
    ("starts", "message"),
    [
        ([], "there must be at least one start"),
        *((wrong, "or a sequence of codes of states") for wrong in (5, [1.5], [True], [True, 4], [[1], [2, 3]])),
        ("reachabel", "reachabel cannot be read: No such file or directory"),
        ([4, -1], r"starts\[1\] must be the code of a state, .*, not -1"),
        ([2**70], rf"starts\[0\] must be the code of a state, .*, not {2**70}"),
        ([4, 10], r"starts\[1\] is 10, which is no state of nim_v0\(.*\): heap must be from 0 to 9, not"),
        ([OVER], r"starts\[0\] is .*, where nim_v0 is over"),
        ([UNREACHED], r"starts\[0\] is heap=9,mover=1, to which play of nim_v0\(.*\) does not lead"),
    ],
)
def test_starts_that_cannot_be_are_told(starts: Any, message: str) -> None:
    for make in (lambda: GameBatch(NIM, 1, Uniform(), starts=starts), lambda: nim_env(heap=9, starts=starts)):
        with pytest.raises(ValueError, match=message):
            make()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "there must be at least one start"),
        (b"4\n\n6\n", r"line 2 of .*starts\.txt must be the code of a state, .*, not ''"),
        (b"4\nx6\n", r"line 2 of .*, not 'x6'"),
        (b"4.0\n", r"line 1 of .*, not '4\.0'"),
        (b"9" * 19, r"line 1 of .*, not 9999999999999999999"),
        (b"9" * 5000, r"line 1 of .*, not '9{38}'$"),
        (b"\xff\xfe4\n", r"starts\.txt is no text file with the code of a state on each line"),
        (b"4\n%d\n" % OVER, r"line 2 of .*starts\.txt is .*, where nim_v0 is over"),
        (b"4\n%d\n" % UNREACHED, r"line 2 of .*starts\.txt is .*, to which play of nim_v0\(.*\) does not lead"),
    ],
)
def test_damaged_files_are_told(text: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "starts.txt").write_bytes(text)
    with pytest.raises(ValueError, match=message):
        gymnasium_env(NIM, starts=tmp_path / "starts.txt")
    with pytest.raises(ValueError, match="Is a directory"):
        gymnasium_env(NIM, starts=tmp_path)


def test_states_that_are_too_many_to_list_are_refused_and_some_of_them_can_be_given() -> None:
    large = bodega_brawl_v0.game()
    with pytest.raises(ValueError, match=r"28,807,600 states, more than the 2,000,000 .*instead of 'reachable'$"):
        GameBatch(large, 1, Uniform(), starts="reachable")
    later = large.step(int(large.start_codes[0]), 0, 1)
    assert GameBatch(large, 1, Uniform(), starts=[later]) is not None
    with pytest.raises(ValueError, match=r"starts\[0\] is 1, which is no state of bodega_.*: outcome must be 3"):
        GameBatch(large, 1, Uniform(), starts=[1])
    long = roshambo_v0.game(recall=8)
    with pytest.raises(ValueError, match=r"more than 2,000,000 states, too many to list.*instead of 'reachable'$"):
        roshambo_v0.parallel_env(recall=8, starts="reachable")
    with pytest.raises(ValueError, match=r"which is no state of roshambo_v0\(.*\): after 0 throws recalled must be"):
        GameBatch(long, 1, Uniform(), starts=[long.rules.encode(long.state(0)._replace(recalled=5))])
