"""One-hot observations, beyond what the contract of environments checks of every game."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nim
import repeated_rps
from made_games import with_rules
from nashzoo import agents
from nashzoo.agents.gym_factory import gymnasium_env, gymnasium_vector_env
from nashzoo.envs import Game, footsies_v0, make_game, roshambo_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.api.sb3_vec_env import GameVecEnv
from nashzoo.envs.core.agent import PolicyAgent, legal_actions, states_of
from nashzoo.envs.core.one_hot import (
    MAX_WIDTH,
    OneHotEncoding,
    OneHotPlaces,
    compact,
    encoding_by_width,
    one_hot_encoding,
    translated,
)
from nashzoo.envs.vector import game_batch as game_batch_module
from nashzoo.envs.vector.game_batch import PART, GameBatch
from opponents import Always, Counting, Uniform
from traces import running

NIM = Game(nim, heap=4, first="random")
FOOTSIES = footsies_v0.game()
QUICK: dict[str, dict[str, int]] = {
    "mcts": {"simulations": 10, "search_seed": 0},
    "minimax": {"depth": 2},
    "alphabeta": {"depth": 2},
}


def test_nim_by_hand() -> None:
    """Three of four objects are left, and it is player 1's turn, who looks."""
    encoding = OneHotEncoding(NIM)
    seen = NIM.observe(NIM.code(heap=3, mover=1), 1)
    assert seen.tolist() == [0.75, 1, 1]  # objects left / heap, own turn, own seat
    assert encoding.encode(seen[None]).tolist() == [[0, 0, 0, 1, 0, 1, 1]]
    assert encoding.names == (*(f"objects left / heap is {left}/4" for left in range(5)), "own turn", "own seat")


def test_crossed_fields_are_one_among_all_pairs() -> None:
    game = soccer_v0.game(width=11, height=3, goal_height=1, random_positions=False)
    encoding = OneHotEncoding(game)
    code = game.code(red_x=4, red_y=2, blue_x=11, blue_y=3)
    encoded = encoding.encode(game.observe(code, 0)[None])[0]
    assert np.flatnonzero(encoded[: 2 * 33]).tolist() == [3 * 3 + 1, 33 + 10 * 3 + 2]
    assert encoding.width == game.num_features - 4 + 2 * 33


def test_where_every_number_is_0_or_1_both_are_the_same() -> None:
    game = tictactoe_v0.game()
    seen = np.stack([game.observe(code, 0) for code in running(game)[:50]])
    assert (OneHotEncoding(game).encode(seen) == seen).all()
    assert encoding_by_width(game, game.num_features) is None


@pytest.mark.parametrize("crossed", [("heap", "mover"), ("mover", "heap")])
def test_a_pair_of_few_values_is_told_from_a_compact_observation(crossed: tuple[str, str]) -> None:
    """A heap of one object has two values as the mover has; four numbers stand for the two then."""
    rules = with_rules(nim, CROSSED=(crossed,))
    game = Game(rules, heap=1)
    encoding = OneHotEncoding(game)
    assert (game.num_features, encoding.width) == (3, 5)
    seen = np.stack([game.observe(game.code(heap=heap, mover=mover), 0) for heap in (0, 1) for mover in (0, 1)])
    assert (encoding.decode(encoding.encode(seen)) == seen).all()


def test_what_no_game_shows_does_no_harm() -> None:
    encoding = OneHotEncoding(NIM)
    strange = np.array([[7.0, 0, 0], [-3.0, 0, 0], [np.nan, 0, 0], [1e30, 0, 0]], np.float32)
    assert (encoding.encode(strange) == 0).all()
    crossed = OneHotEncoding(Game(with_rules(nim, CROSSED=(("heap", "mover"),)), heap=3))
    assert (crossed.encode(np.array([[0.0, 2.0, 0.0], [0.4, np.nan, 0.0]], np.float32)) == 0).all()


@pytest.mark.parametrize(
    "name",
    [
        "footsies_v0",
        "roshambo_v0",
        "tictactoe_v0",
        "bodega_brawl_v0",
        pytest.param("soccer_v0", marks=pytest.mark.slow),
    ],
)
def test_policies_take_one_hot_observations_as_they_take_compact_ones(name: str) -> None:
    options: dict[str, Any] = {"bodega_brawl_v0": {"preset": "tiny"}, "roshambo_v0": {"rounds": 20}}.get(name, {})
    game = make_game(name, **options)
    codes = running(game)[::37]
    seen = np.stack([game.observe(code, 0) for code in codes])
    encoded = one_hot_encoding(game).encode(seen)
    masks = legal_actions(game, seen)
    decisions = [game.turn(code) != 1 for code in codes]
    starts = [code == game.start_codes[0] for code in codes]
    assert (states_of(game, encoded)[0] == states_of(game, seen)[0]).all()
    assert (legal_actions(game, encoded) == masks).all()
    policies = 0
    for player in agents.names(game):
        if player == "manual":
            continue
        one, other = (agents.make(player, game, seed=3, **QUICK.get(player, {})) for _ in range(2))
        asked = starts if one.memory_size else decisions
        assert (one.predict(seen[asked])[0] == other.predict(encoded[asked])[0]).all()
        if isinstance(one, PolicyAgent):
            policies += 1
            expected, found = (one.action_probabilities(views[asked], masks[asked]) for views in (seen, encoded))
            assert (expected == found).all()
    assert policies > 1


def arrays(batch: GameBatch, rng: np.random.Generator) -> tuple[Any, ...]:
    result = batch.step_and_restart(rng.integers(0, batch.game.num_actions, batch.num_games))
    return *result.outcome, result.ended, *result.last, *result.view


@pytest.mark.parametrize("opponent", ["bayesian", "random"])  # compiled, and asked in Python
def test_a_batch_in_threads_shows_the_same_games(monkeypatch: pytest.MonkeyPatch, opponent: str) -> None:
    monkeypatch.setattr(game_batch_module, "processors", lambda: 2)
    player = agents.make(opponent, FOOTSIES)
    encoding = one_hot_encoding(FOOTSIES)
    plain, encoded = (GameBatch(FOOTSIES, 2 * PART, player, observation=seen) for seen in ("compact", "one_hot"))
    for batch in (plain, encoded):
        batch.seed(1)
        batch.restart(np.arange(2 * PART))
    assert (encoded.observations() == encoding.encode(plain.observations())).all()
    generators = np.random.default_rng(0), np.random.default_rng(0)
    for _ in range(6):
        expected, found = arrays(plain, generators[0]), arrays(encoded, generators[1])
        for one, other in zip(expected, found, strict=True):
            if one.dtype == np.float32:
                one = encoding.encode(one)
            assert one.shape == other.shape and (one == other).all()


def test_the_opponent_sees_what_it_always_sees() -> None:
    class Watching(Always):
        def act(self, observations: Any, *rest: Any) -> Any:
            assert observations.shape[1] == FOOTSIES.num_features
            return super().act(observations, *rest)

    batch = GameBatch(FOOTSIES, 3, Watching(0), observation="one_hot")
    batch.restart(np.arange(3))
    batch.step(np.zeros(3, np.int64))


def test_a_vec_env_says_how_wide_its_observations_are() -> None:
    envs = GameVecEnv(GameBatch(FOOTSIES, 3, Uniform(), max_cycles=1, observation="one_hot"))
    width = one_hot_encoding(FOOTSIES).width
    assert envs.observation_space.shape == (width,) and envs.reset().shape == (3, width)
    seen, _, _, infos = envs.step(np.zeros(3, np.int64))
    assert envs.observation_space.contains(seen[0]) and infos[0]["terminal_observation"].shape == (width,)


def test_a_copy_goes_on_alike() -> None:
    batch = GameBatch(Game(nim, heap=9), 5, Counting(), "random", observation="one_hot")
    batch.seed(3)
    batch.restart(np.arange(5))
    other = pickle.loads(pickle.dumps(batch))
    views = [one.step_and_restart(np.zeros(5, np.int64)).view.observations for one in (batch, other)]
    assert views[0].shape == (5, 12) and (views[0] == views[1]).all()


def test_observations_of_either_kind_are_translated() -> None:
    encoding = one_hot_encoding(NIM)
    seen = np.stack([NIM.observe(code, 0) for code in running(NIM)])
    encoded = encoding.encode(seen)
    for given in (seen, encoded):
        assert (translated(NIM, given, None) == compact(NIM, given)).all() and (compact(NIM, given) == seen).all()
        assert (translated(NIM, given, encoding) == encoded).all()
    assert encoding_by_width(NIM, encoding.width) is encoding


@pytest.mark.parametrize(
    ("use", "message"),
    [
        *(
            (lambda make=make: make(observation="onehot"), "one of compact, one_hot, not 'onehot'")
            for make in (
                lambda **option: GameBatch(FOOTSIES, 1, Uniform(), **option),
                lambda **option: gymnasium_env(FOOTSIES, **option),
                lambda **option: gymnasium_vector_env(FOOTSIES, **option),
                footsies_v0.env,
                footsies_v0.parallel_env,
            )
        ),
        (
            lambda: gymnasium_env(Game(repeated_rps), observation="one_hot"),
            "repeated_rps_v0 has no one-hot",
        ),
        (lambda: roshambo_v0.parallel_env(rounds=2**20 - 1, observation="one_hot"), f"more than {MAX_WIDTH:,}"),
        (lambda: OneHotEncoding(Game(with_rules(nim, CROSSED=(("heap", "wall"),)))), "CROSSED of nim_v0 has wall"),
        (lambda: OneHotPlaces(Game(with_rules(nim, COMPARED=(("heap", "wall"),)))), "COMPARED of nim_v0 has wall"),
        (lambda: one_hot_encoding(NIM).encode(np.zeros((2, 4), np.float32)), r"shape \(B, 3\) here, not \(2, 4\)"),
        (lambda: one_hot_encoding(NIM).decode(np.zeros(3, np.float32)), r"shape \(B, 7\) here, not \(3,\)"),
        (lambda: compact(NIM, np.zeros((2, 5), np.float32)), "have 3 numbers, or 7 if they are one-hot, not 5"),
        (lambda: agents.make("random", NIM).predict(np.zeros(5)), "have 3 numbers, or 7 if they are one-hot, not 5"),
        (lambda: agents.make("random", NIM).predict(np.zeros((2, 1, 3))), r"shape \(3,\) or \(num_games, 3\), not"),
    ],
)
def test_wrong_use_is_told(use: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        use()
