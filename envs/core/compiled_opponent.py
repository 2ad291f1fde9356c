"""Opponents whose decision in one game is a compiled function, so that a step in many games stays in compiled code.

Such an opponent has :meth:`nashzoo.envs.core.agent.Opponent.act` and an attribute ``compiled`` for kernels, made by
:func:`pack_opponent`. Its ``act`` can be :func:`choose_all`, which calls the same function.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from nashzoo.envs.jit.compiled import PARAMS, Features, Floats, Ints, borrowed, compiled
from nashzoo.envs.jit.numba import PLAIN, float32, float64, int64, structref, types, void
from nashzoo.envs.jit.private import define_boxing
from nashzoo.envs.rules.compiled_game import GAME

# Returns the action of ``player`` at a state. Its arguments are the game's parameters, the state's code, the
# player, the opponent's own numbers, its memory ``[memory_size]`` to be changed in place, and random numbers
# in [0, 1) ``[DRAWS]``. The action must depend only on what the player observes of the state.
CHOOSE = int64(PARAMS, int64, int64, float64[::1], float64[::1], float64[::1])

_FIELDS = {"choose": types.FunctionType(CHOOSE), "numbers": float64[::1]}


class _CompiledOpponentType(types.StructRef):  # type: ignore[misc]  # numba has no type information
    """Numba's type of :class:`CompiledOpponent`."""


structref.register(_CompiledOpponentType)
OPPONENT = _CompiledOpponentType(list(_FIELDS.items()))

if not PLAIN:
    define_boxing(_CompiledOpponentType)

    @compiled(OPPONENT(*_FIELDS.values()))
    def _fill(choose: Any, numbers: Floats) -> Any:
        opponent = structref.new(OPPONENT)
        opponent.choose = choose
        opponent.numbers = numbers
        return opponent


class CompiledOpponent:
    """An opponent's decision function and its parameters, as an argument of kernels, compiled or not."""

    _numba_type_ = OPPONENT

    def __init__(self, choose: Callable[..., int], numbers: Floats) -> None:
        self.choose, self.numbers = choose, numbers
        if not PLAIN:
            self._meminfo = _fill(choose, numbers)  # which Numba reads


@cache
def pack_opponent(choose: Callable[..., int], *numbers: float) -> Any:
    """Returns an opponent as an argument of kernels; it decides by ``choose``, see ``CHOOSE``, with these numbers."""
    return CompiledOpponent(choose, np.array(numbers, np.float64))


@compiled(void(GAME, OPPONENT, float32[:, ::1], float64[:, ::1], float64[:, ::1], int64[::1]))
def choose_all(
    game: Any, opponent: Any, observations: Features, memory: Floats, uniforms: Floats, actions: Ints
) -> None:
    """Fills an opponent's actions ``[B]``; the other arrays are as in :meth:`nashzoo.envs.core.agent.Opponent.act`."""
    decode_observation, params = game.decode_observation, game.params
    choose, numbers = opponent.choose, opponent.numbers
    views, memories, draws = borrowed(observations), borrowed(memory), borrowed(uniforms)
    for i in range(len(actions)):
        code, player = decode_observation(params, views[i])
        actions[i] = choose(params, code, player, numbers, memories[i], draws[i])
