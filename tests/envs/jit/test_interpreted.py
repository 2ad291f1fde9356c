"""A kernel's first calls run as plain Python: what they return and fill is what compiled code would."""

import numpy as np
import pytest

from nashzoo.envs import games, make_game
from nashzoo.envs.core import kernels
from nashzoo.envs.jit.numba import PLAIN

pytestmark = pytest.mark.skipif(PLAIN, reason="nothing is compiled")


@pytest.mark.parametrize("name", [*games(), "examples.games.pig"])
def test_the_same_numbers_of_the_same_types(name):
    game, rng = make_game(name), np.random.default_rng(0)
    code, streams = game.first_decision, [np.arange(1, dtype=np.uint64) for _ in range(2)]
    for _ in range(100):
        actions = [int(rng.integers(-1, game.num_actions + 1)) for _ in range(2)]
        results, filled = [], []
        for play, stream in zip((kernels.play_with_chance.interpret, kernels.play_with_chance), streams, strict=True):
            arrays = np.empty((2, game.num_features), np.float32), np.empty((2, game.num_actions), np.int8)
            results.append(play(game.compiled, code, *actions, kernels.NOOP, *arrays, stream))
            filled.append([array.tolist() for array in (*arrays, stream)])
        assert results[0] == results[1] and filled[0] == filled[1]
        assert [type(number) for number in results[0]] == [type(number) for number in results[1]]
        code = game.first_decision if results[0][2] else results[0][0]
