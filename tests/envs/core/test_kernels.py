"""The compiled loops over many tables."""

from typing import Any

import numpy as np
import pytest

import nim
import repeated_rps
from benchmarks.random_kernel import random_play
from nashzoo import agents
from nashzoo.arena.match import play_match
from nashzoo.envs import Game, footsies_v0
from nashzoo.envs.core import kernels
from nashzoo.envs.core.seeds import derived, streams
from nashzoo.envs.vector.game_batch import GameBatch
from traces import reachable

# The first numbers of SplitMix64 from the seed 1234567. Source: Rosetta Code, "Pseudo-random numbers/Splitmix64".
SPLITMIX64 = (
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
)


def no_views() -> np.ndarray:
    return np.zeros((0, 0), np.float32)


def within_five_deviations(counts: np.ndarray, probability: float) -> bool:
    """Returns whether counts of equally likely outcomes are as random as they should be."""
    trials = counts.sum()
    return bool((abs(counts - trials * probability) < 5 * np.sqrt(trials * probability * (1 - probability))).all())


def test_random_numbers_are_splitmix64() -> None:
    seeds = np.array([0, 1234567], np.uint64)
    drawn = [kernels.draw_uniform(seeds, 1) for _ in SPLITMIX64]
    assert drawn == [(number >> 11) / 2**53 for number in SPLITMIX64]
    assert seeds[0] == 0, "another stream moved"


def test_streams_differ() -> None:
    assert len(set(streams(0, 100).tolist())) == 100
    assert (streams(0, 100)[:60] == streams(0, 60)).all()


def test_neighbouring_seeds_have_nothing_in_common() -> None:
    found = [set(streams(seed, 1_000).tolist()) for seed in range(10)]
    assert len(set.union(*found)) == 10_000
    assert len({derived(seed, part) for seed in range(100) for part in range(100)}) > 9_980  # of 2**32


@pytest.mark.parametrize("seed", [-1, 1.5, "0", True])
def test_what_is_no_seed_is_told(seed: Any) -> None:
    game = footsies_v0.game()
    batch = GameBatch(game, 2, agents.make("random", game))
    for use in (
        lambda: streams(seed, 2),
        lambda: batch.seed([0, seed]),
        lambda: footsies_v0.parallel_env().reset(seed=seed),
        lambda: footsies_v0.raw_env().reset(seed=seed),
        lambda: agents.make("random", game, seed=seed),
        lambda: play_match(game, *[agents.make("random", game)] * 2, 2, seed=seed),
    ):
        with pytest.raises(ValueError, match="seed must be a whole number of at least 0, not"):
            use()


@pytest.mark.parametrize("mask", [0b1, 0b10, 0b111, 0b1011, 0b1000000001, 1 << 62])
def test_actions_of_a_mask(mask: int) -> None:
    legal = [action for action in range(63) if mask >> action & 1]
    assert kernels.count_actions(mask) == len(legal)
    assert [kernels.nth_action(mask, n) for n in range(len(legal))] == legal
    grid = (np.arange(60) + 0.5) / 60  # a multiple of the number of actions
    chosen = [kernels.random_action(mask, uniform) for uniform in grid]
    assert [chosen.count(action) for action in legal] == [60 // len(legal)] * len(legal)
    assert kernels.random_action(mask, np.nextafter(1.0, 0.0)) == legal[-1]


def test_random_play_is_uniform_over_legal_joint_actions() -> None:
    game = Game(repeated_rps, rounds=2)
    codes = np.repeat(game.start_codes, 9000)
    assert random_play(game.compiled, codes, codes.copy(), streams(0, 9000), 1, no_views()) == 0
    joint = np.array([game.state(code).recalled - 1 for code in codes.tolist()])
    assert within_five_deviations(np.bincount(joint, minlength=9), 1 / 9)
    game = Game(nim, heap=2)
    codes = np.repeat(game.start_codes, 4000)
    ended = random_play(game.compiled, codes, codes.copy(), streams(0, 4000), 1, no_views())
    # Takes one of two, or both and starts again.
    left = np.array([game.state(code).heap for code in codes.tolist()])
    assert set(left.tolist()) == {1, 2} and (left == 2).sum() == ended
    assert within_five_deviations(np.bincount(left)[1:], 1 / 2)


def test_random_play_goes_on_where_it_stopped() -> None:
    game = footsies_v0.game(rounds=2, max_turns=5)
    runs = []
    for parts in ((40,), (15, 25)):
        codes, seeds = np.repeat(game.start_codes, 8), streams(3, 8)
        starts, views = codes.copy(), np.zeros((8, game.num_features), np.float32)
        ended = sum(random_play(game.compiled, codes, starts, seeds, steps, views) for steps in parts)
        assert ended > 0
        assert all((view == game.observe(code, 0)).all() for view, code in zip(views, codes.tolist(), strict=True))
        runs.append((ended, codes.tolist(), seeds.tolist()))
    assert runs[0] == runs[1]


@pytest.mark.parametrize("game", [footsies_v0.game(), Game(nim), Game(repeated_rps)], ids=str)
def test_batches_are_the_rules_row_by_row(game: Game) -> None:
    codes = np.array([code for code in reachable(game) if not game.terminal(code)])
    rng = np.random.default_rng(0)
    players = rng.integers(0, 2, len(codes))
    views = np.empty((len(codes), game.num_features), np.float32)
    masks = np.empty((len(codes), game.num_actions), np.int8)
    turns, read, readers = (np.empty(len(codes), np.int64) for _ in range(3))
    kernels.observe_all(game.compiled, codes, players, views)
    kernels.legal_all(game.compiled, codes, players, masks)
    kernels.turn_all(game.compiled, codes, turns)
    kernels.decode_observations(game.compiled, views, read, readers)
    actions = rng.integers(0, game.num_actions, (2, len(codes)))
    following, rewards = codes.copy(), np.empty(len(codes))
    over, illegal = np.empty(len(codes), np.bool_), np.empty(len(codes), np.int64)
    kernels.play_all(game.compiled, following, *actions, kernels.NOOP, rewards, over, illegal)
    for i, (code, player) in enumerate(zip(codes.tolist(), players.tolist(), strict=True)):
        assert (views[i] == game.observe(code, player)).all()
        assert tuple(np.flatnonzero(masks[i])) == game.legal_actions(code, player)
        assert turns[i] == game.turn(code)
        assert (read[i], readers[i]) == tuple(game.rules.decode_observation(game.params, views[i]))
        offends = [actions[p, i] not in game.legal_actions(code, p) for p in range(2)]
        assert illegal[i] == offends[0] + 2 * offends[1]
        if not any(offends):
            assert following[i] == game.step(code, *actions[:, i].tolist())
            assert rewards[i] == game.payoff(int(following[i])) and over[i] == game.terminal(int(following[i]))
        else:
            assert (following[i], rewards[i], over[i]) == (code, 0.0, False)
