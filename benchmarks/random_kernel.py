"""Random play of many games in one compiled loop over their rules."""

from typing import Any

import numpy as np

from nashzoo.envs.core.kernels import Seeds, count_actions, draw_bits, nth_action, pass_chance
from nashzoo.envs.jit.compiled import Features, Ints, borrowed, compiled
from nashzoo.envs.jit.numba import float32, int64, uint64
from nashzoo.envs.rules.compiled_game import GAME


@compiled(int64(int64, uint64))
def pick_action(mask: int, bits: Any) -> int:
    """Returns a legal action of a bit mask, chosen by 32 random bits; faster than ``random_action`` of the kernels."""
    if mask == 1:
        return 0
    count = count_actions(mask)
    n = int(np.int64(bits * np.uint64(count) >> np.uint64(32)))
    if mask == (1 << count) - 1:
        return n
    return nth_action(mask, n)


@compiled(int64(GAME, int64[::1], int64[::1], uint64[::1], int64, float32[:, ::1]))
def random_play(game: Any, codes: Ints, starts: Ints, seeds: Seeds, steps: int, observations: Features) -> int:
    """Plays ``steps`` uniformly random joint actions in every game; a finished game starts again at ``starts``.

    Chance events are drawn with the same streams, at the starts too.

    Args:
        game: The game.
        codes: States ``[B]``, updated in place.
        starts: The start state of each game ``[B]``.
        seeds: A stream of random numbers per game ``[B]``, advanced in place.
        steps: Joint actions per game.
        observations: Filled with player 0's observation ``[B, features]`` after every step; ``[0, 0]`` for none.

    Returns:
        The number of games that ended.
    """
    step, legal, terminal, observe, params = game.step, game.legal, game.terminal, game.observe, game.params
    turn, chance, payoff, has_chance = game.turn, game.chance, game.payoff, game.has_chance
    ended = 0
    views, watch = borrowed(observations), len(observations) > 0
    for _ in range(steps):
        for i in range(len(codes)):
            code = codes[i]
            bits = draw_bits(seeds, i)
            action0 = pick_action(legal(params, code, 0), bits >> np.uint64(32))
            action1 = pick_action(legal(params, code, 1), bits & np.uint64(0xFFFFFFFF))
            code = step(params, code, action0, action1)
            if has_chance:
                code, _ = pass_chance(turn, chance, payoff, terminal, params, code, seeds, i)
            over = terminal(params, code)
            ended += int(over)
            code = starts[i] if over else code  # not a branch: the end of a game cannot be predicted
            if has_chance:
                code, _ = pass_chance(turn, chance, payoff, terminal, params, code, seeds, i)
            codes[i] = code
            if watch:
                observe(params, code, 0, views[i])
    return ended
