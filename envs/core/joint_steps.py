"""All joint actions of a state by one call, compiled together with the rules of the game.

Kernels that look at most joint actions of many states take half the time of calls of one rule after the other.
"""

from functools import cached_property, lru_cache
from typing import Any

from nashzoo.envs.base.threads import one_at_a_time
from nashzoo.envs.core.game import Game
from nashzoo.envs.jit.compiled import PARAMS, Ints, compiled
from nashzoo.envs.jit.generated import Place, function_of
from nashzoo.envs.jit.numba import PLAIN, float64, int64, types, void
from nashzoo.envs.jit.plain_functions import PlainPiece
from nashzoo.envs.jit.private import undisturbed

OVER, INVALID, LEFT_OUT = -1, -2, -3  # in place of codes
KEPT = 8  # games used last

_SIGNATURE = void(PARAMS, int64, int64, int64, int64, int64, int64[::1], int64[::1], float64[::1])
JOINT_STEPS = types.FunctionType(_SIGNATURE)

_SOURCE = f"""
def joint_steps(numbers, code, mask0, mask1, played0, played1, after, numbers_after, rewards):
    choice = action0 = 0
    while mask0 >> action0:
        action1 = 0
        while mask0 >> action0 & 1 and mask1 >> action1:
            if mask1 >> action1 & 1:
                if not (played0 >> action0 | played1 >> action1) & 1:
                    after[choice] = {LEFT_OUT}
                else:
                    code_after = step(numbers, code, action0, action1)
                    if code_after < 0:
                        after[choice], numbers_after[choice], rewards[choice] = {INVALID}, 0, 0.0
                    else:
                        rewards[choice] = payoff(numbers, code_after)
                        if terminal(numbers, code_after):
                            after[choice] = {OVER}
                        else:
                            after[choice], numbers_after[choice] = code_after, {{number}}
                choice += 1
            action1 += 1
        action0 += 1
"""


class _JointSteps(PlainPiece):
    """The function of one game; plain Python if Numba cannot compile its rules."""

    params: Ints

    @cached_property
    def _value(self) -> Any:
        return super().as_value(self.params)

    def as_value(self, params: Any = None) -> Any:
        """Returns it as an argument of kernels."""
        with undisturbed():
            return self._value


@one_at_a_time
@lru_cache(KEPT)
def joint_steps(game: Game) -> Any:
    """Returns a function that fills what the joint actions of a state lead to, as an argument of kernels.

    Its arguments are: the numbers of the game; the code of the state, no chance state; bit masks of the actions of
    player 0 and player 1, without other bits; and masks of the actions that matter: joint actions of two others are
    left out. It fills three arrays with a number for each joint action, row by row: the next code, or ``OVER`` for
    terminal states, ``INVALID`` for a state that its code does not hold, and ``LEFT_OUT``; its ``index``, if the rules
    have one and play goes on; and the reward.
    """
    rules = game.rules
    names = {"step": rules.checked_step, "payoff": rules.payoff, "terminal": rules.terminal}
    if rules.numbered:
        names["index"] = rules.index
    written = getattr(rules.step, "py_func", rules.step)
    place = Place(written.__globals__["__name__"], written.__code__.co_filename, written.__code__.co_firstlineno)
    number = "index(numbers, code_after)" if rules.numbered else "0"
    function = function_of(_SOURCE.format(number=number), names, place)
    if PLAIN:
        return function
    made: Any = compiled(_SIGNATURE, kind=_JointSteps)(function)
    made.params = game.params
    return made
