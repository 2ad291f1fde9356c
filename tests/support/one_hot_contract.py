"""What one-hot observations promise, as tests; a part of :class:`contract.EnvironmentContract`."""

import re
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from nashzoo.envs.api.gymnasium_vector_env import GameVectorEnv
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.one_hot import OneHotEncoding, one_hot_or_none
from opponents import Uniform
from traces import choices, reachable, trace

CUT_OFF = 40  # joint steps
NUM_ENVS = 4
PLACE = re.compile(r"(.*) is (\d+)/(\d+)")


def one_hot(tree: Any, encoding: OneHotEncoding) -> Any:
    """Returns nested tuples, lists and dictionaries with one-hot observations in the place of compact ones."""
    if isinstance(tree, dict):
        return {key: one_hot(value, encoding) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return type(tree)(one_hot(value, encoding) for value in tree)
    if isinstance(tree, np.ndarray) and tree.dtype == np.float32:
        observations = tree.reshape(-1, encoding.game.num_features)
        return encoding.encode(observations).reshape(*tree.shape[:-1], -1)
    return tree


class OneHotContract:
    """Tests of one-hot observations; a subclass gives the fixtures ``game`` and ``options`` and the method ``make``."""

    make: Any

    @pytest.fixture
    def encoding(self, game: Game) -> OneHotEncoding:
        encoding = one_hot_or_none(game)
        if encoding is None:
            pytest.skip("the game has no one-hot observations")
        return encoding

    def test_one_hot_observations_are_lossless(self, game: Game, encoding: OneHotEncoding) -> None:
        for player in range(2):
            seen = np.stack([game.observe(code, player) for code in reachable(game)])
            encoded = encoding.encode(seen)
            assert encoded.shape == (len(seen), encoding.width) and encoded.dtype == np.float32
            assert set(np.unique(encoded)) <= {0, 1}, "A one-hot observation has a number that is neither 0 nor 1."
            assert encoding.decode(encoded).tobytes() == seen.tobytes(), "Decoding gives another observation."

    def test_one_hot_observations_are_what_their_names_say(self, game: Game, encoding: OneHotEncoding) -> None:
        assert len(set(encoding.names)) == encoding.width, "Two numbers of a one-hot observation share a name."
        column = {name: k for k, name in enumerate(game.features)}
        for player in range(2):
            seen = np.stack([game.observe(code, player) for code in reachable(game)[:300]])
            for name, there in zip(encoding.names, encoding.encode(seen).T, strict=True):
                expected = np.ones(len(seen), np.bool_)
                for part in [name] if name in column else name.split("; "):
                    place = PLACE.fullmatch(part)
                    feature, value, top = place.groups() if place else (part, "1", "1")
                    expected &= np.isclose(seen[:, column[feature]] * int(top), int(value), atol=1e-3)
                assert (there == expected).all(), f"'{name}' is not told by the number that has this name."

    @pytest.mark.parametrize("face", ["parallel", "aec", "gymnasium"])
    def test_one_hot_observations_change_nothing_else(
        self, options: dict[str, Any], encoding: OneHotEncoding, face: str
    ) -> None:
        plain = self.make(face, options, max_cycles=CUT_OFF)
        encoded = self.make(face, options, max_cycles=CUT_OFF, observation="one_hot")
        for seed in range(3):
            expected, actual = (trace(game, seed, choices(seed)) for game in (plain, encoded))
            assert data_equivalence(one_hot(expected, encoding), actual, exact=True), (
                "With one-hot observations the game goes on otherwise, or they are not those of the state."
            )
        env = encoded.env
        spaces = [(1, env.observation_space if face == "gymnasium" else env.observation_space("player_0"))]
        if face != "gymnasium":
            spaces += [(2 if encoding.game.hides else 1, env.state_space)]
        for count, space in spaces:
            box = getattr(space, "spaces", {"observation": space})["observation"]
            assert box.shape == (count * encoding.width,), f"The space of one-hot observations is {box}."

    def test_one_hot_observations_of_many_games(self, game: Game, encoding: OneHotEncoding) -> None:
        cut = {"max_cycles": 7, "player": "random"}
        plain = GameVectorEnv(game, NUM_ENVS, Uniform(), **cut)
        encoded = GameVectorEnv(game, NUM_ENVS, Uniform(), observation="one_hot", **cut)
        rng = choices(0)
        expected, actual = plain.reset(seed=5), encoded.reset(seed=5)
        for _ in range(20):
            assert encoded.observation_space.contains(actual[0]), "An observation is outside of its space."
            final = one_hot(expected[-1].pop("final_obs", np.empty(0, object)).tolist(), encoding)
            assert data_equivalence(final, actual[-1].pop("final_obs", np.empty(0, object)).tolist(), exact=True)
            assert data_equivalence(one_hot(expected[0], encoding), actual[0], exact=True)
            assert data_equivalence(expected[1:], actual[1:], exact=True), "With one-hot observations games differ."
            actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in expected[-1]["action_mask"]])
            expected, actual = plain.step(actions), encoded.step(actions)
