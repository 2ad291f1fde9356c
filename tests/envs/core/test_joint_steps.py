"""All joint actions of a state by one call: what a call of each rule says, in plain Python and compiled."""

from typing import Any

import numpy as np
import pytest

import table_games
from made_games import graph, with_rules
from nashzoo.envs import footsies_v0, soccer_v0
from nashzoo.envs.core.game import Game, Ints
from nashzoo.envs.core.joint_steps import INVALID, JOINT_STEPS, LEFT_OUT, OVER, joint_steps
from nashzoo.envs.core.reachable import reachable
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.jit.numba import int64, void
from nashzoo.envs.rules.compiled_game import GAME

GAMES = (footsies_v0.game(blocks=1), soccer_v0.game(width=11, height=3, goal_height=1), table_games.game("tiny"))
UNTOUCHED = -9


@compiled(void(GAME, JOINT_STEPS, int64[::1], int64[::1], int64[::1], int64[::1]))
def _compiled_call(game: Any, joint: Any, state: Ints, after: Ints, numbers: Ints, rewards: Ints) -> None:
    """Calls the function with ``state``: the code and the four masks; the bits of the rewards become integers."""
    joint(game.params, state[0], state[1], state[2], state[3], state[4], after, numbers, rewards.view(np.float64))


def both_ways(game: Game, *state: int) -> tuple[list[int], list[int], list[float]]:
    """Returns what the function fills in, which is the same in plain Python and compiled."""
    after, numbers = np.full((2, game.num_actions**2), UNTOUCHED)
    rewards = np.full(game.num_actions**2, float(UNTOUCHED))
    again = after.copy(), numbers.copy(), rewards.copy().view(np.int64)
    joint_steps(game)(game.params, *state, after, numbers, rewards)
    _compiled_call(game.compiled, joint_steps(game), np.array(state), *again)
    assert after.tolist() == again[0].tolist() and numbers.tolist() == again[1].tolist()
    assert rewards.tolist() == again[2].view(np.float64).tolist()
    return after.tolist(), numbers.tolist(), rewards.tolist()


def test_they_are_the_steps_one_by_one() -> None:
    rng, seen = np.random.default_rng(0), set[int]()
    for game, code in ((one, code) for one in GAMES for code in rng.choice(reachable(one), 40).tolist()):
        legal = [game.legal_actions(code, player) for player in range(2)]
        masks = [sum(1 << action for action in actions) for actions in legal]
        played = [mask & int(rng.integers(1, 1 << game.num_actions)) for mask in masks]
        after, numbers, rewards = both_ways(game, code, *masks, *played)
        pairs = [(action0, action1) for action0 in legal[0] for action1 in legal[1]]
        for choice, (action0, action1) in enumerate(pairs):
            if not (played[0] >> action0 & 1 or played[1] >> action1 & 1):
                assert after[choice] == LEFT_OUT
                continue
            expected = game.step(code, action0, action1)
            assert rewards[choice] == game.payoff(expected)
            assert after[choice] == (OVER if game.terminal(expected) else expected)
            if after[choice] >= 0 and game.indexed_rules is not None:
                assert numbers[choice] == game.rules.index(game.params, expected)
        assert set(after[len(pairs) :]) <= {UNTOUCHED}
        seen |= {min(code_after, 0) for code_after in after[: len(pairs)]}
    assert seen == {OVER, LEFT_OUT, 0}


def negative_step(state: Any) -> Any:
    """Leads to a state whose field is negative."""
    return type(state)(-5)


@pytest.mark.usefixtures("untried")
def test_what_is_no_code() -> None:
    rules = graph([[[1]], [[2]], None], {}).rules.written
    game = Game(with_rules(rules, step=negative_step, terminal=never), tables=[[[1]], None], pays=[0.0, 0.0])
    assert both_ways(game, 0, 1, 1, 1, 1)[0][0] == INVALID


def never(state: Any) -> bool:
    """Play never ends."""
    return False


def test_the_function_of_a_game_is_made_once() -> None:
    assert joint_steps(footsies_v0.game(blocks=1)) is joint_steps(footsies_v0.game(blocks=1))
