"""Nim with one heap, the smallest turn-based game: take up to three objects in turn, who takes the last wins.

The mover wins with best play unless the heap is a multiple of ``most + 1``. Source: Bouton (1901).
"""

from typing import NamedTuple

import numpy as np

from nashzoo.envs.core.canvas import Canvas
from nashzoo.envs.core.rules import Floats, Ints, compiled, flag, observing, packing, parameter, rule, scaled, seat

NAME = "nim_v0"
ACTIONS = ("take 1", "take 2", "take 3")
MASKED = True

# Where each parameter stands in ``params``.
HEAP, MOST, FIRST = range(3)

FIRSTS = (0, 1, "random")


class State(NamedTuple):
    """A state between two moves."""

    heap: int  # 0..heap, objects left
    mover: int  # 0..1, the player to move; who faces an empty heap has lost


encode, decode = packing(State, mover=1, heap=62)


def parameters(heap: int = 7, most: int = 3, first: int | str = 0) -> Ints:
    """Checks the parameters.

    Args:
        heap: Objects at the start, 1 to 100.
        most: How many a move may take, 1 to 3.
        first: Who moves first, 0, 1 or ``"random"``.

    Raises:
        ValueError: a value is out of its range.
    """
    for name, value, high in (("heap", heap, 100), ("most", most, len(ACTIONS))):
        if value not in range(1, high + 1):
            raise ValueError(f"{name} must be a whole number from 1 to {high}, not {value!r}")
    if first not in FIRSTS:
        raise ValueError(f"first must be 0, 1 or 'random', not {first!r}")
    return np.array([heap, most, FIRSTS.index(first)], np.int64)


def field_maxima(params: Ints) -> State:
    """Returns the largest value of each field."""
    return State(int(params[HEAP]), 1)


def start(params: Ints) -> tuple[Ints, Floats]:
    """A full heap, before the player who moves first or before either player with equal chances."""
    heap, first = int(params[HEAP]), int(params[FIRST])
    movers = (0, 1) if FIRSTS[first] == "random" else (first,)
    return np.array([encode(State(heap, mover)) for mover in movers]), np.full(len(movers), 1 / len(movers))


@rule
def step(params: Ints, code: int, action0: int, action1: int) -> int:
    """Takes what the mover takes."""
    s = decode(code)
    action = action0 if s.mover == 0 else action1
    return encode(State(s.heap - (action + 1), 1 - s.mover))


@rule
def legal(params: Ints, code: int, player: int) -> int:
    """The mover takes 1 to ``most`` and no more than there are; the other player waits."""
    s = decode(code)
    if player != s.mover:
        return 1
    return (1 << min(params[MOST], s.heap)) - 1


@rule
def turn(params: Ints, code: int) -> int:
    """Players alternate."""
    return decode(code).mover


@rule
def terminal(params: Ints, code: int) -> bool:
    """The game ends with an empty heap."""
    return decode(code).heap == 0


@rule
def payoff(params: Ints, code: int) -> float:
    """A point to the player who took the last object."""
    s = decode(code)
    if s.heap > 0:
        return 0.0
    return 1.0 if s.mover == 1 else -1.0


@compiled()
def exchanged(params: Ints, code: int) -> int:
    """Returns the code of the state in which the other player is to move."""
    return code ^ 1


OBSERVATION = (
    scaled("objects left / heap", "heap", parameter(HEAP)),
    flag("own turn", "mover", 0),
    seat("own seat"),
)
observe, decode_observation, features = observing(OBSERVATION, State, encode, decode, exchanged)


def text(params: Ints, code: int) -> str:
    """Returns the heap and the player to move."""
    s = decode(code)
    return f"{'|' * s.heap or 'empty'}\nplayer {s.mover} to move"


def draw(params: Ints, code: int, canvas: Canvas) -> None:
    """Draws the objects in rows of ten."""
    s = decode(code)
    canvas.text(50, 8, f"player {s.mover} to move", 5)
    for k in range(s.heap):
        canvas.circle(10 + 9 * (k % 10), 20 + 8 * (k // 10), 3, "black")
