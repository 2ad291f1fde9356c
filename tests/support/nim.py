"""Nim with one heap, the smallest turn-based game: take up to three objects in turn, who takes the last wins.

The mover wins with best play unless the heap is a multiple of ``most + 1``. Source: Bouton (1901).
"""

from typing import NamedTuple

from nashzoo.envs.drawing.canvas import Canvas
from nashzoo.envs.rules.observation import flag, scaled, seat

NAME = "nim_v0"
ACTIONS = ("take 1", "take 2", "take 3")
FIRSTS = (0, 1, "random")


class Params(NamedTuple):
    heap: int = 7  # objects at the start, 1 to 100
    most: int = 3  # how many a move may take, 1 to 3
    first: int | str = 0  # who moves first, 0, 1 or "random"


class State(NamedTuple):
    """A state between two moves."""

    heap: int  # 0..heap, objects left
    mover: int  # 0..1, the player to move; who faces an empty heap has lost


def check_params(params: Params) -> None:
    for name, value, high in (("heap", params.heap, 100), ("most", params.most, len(ACTIONS))):
        if value not in range(1, high + 1):
            raise ValueError(f"{name} must be a whole number from 1 to {high}, not {value!r}")
    if params.first not in FIRSTS:
        raise ValueError(f"first must be 0, 1 or 'random', not {params.first!r}")


class Tables(NamedTuple):
    first: int  # its place in FIRSTS


def tables(params: Params) -> Tables:
    return Tables(FIRSTS.index(params.first))


def field_maxima(params: Params) -> State:
    return State(params.heap, 1)


def start(params: Params, tables: Tables) -> list[tuple[State, float]]:
    """A full heap, before the player who moves first or before either player with equal chances."""
    movers = (0, 1) if FIRSTS[tables.first] == "random" else (tables.first,)
    return [(State(params.heap, mover), 1 / len(movers)) for mover in movers]


def step(state: State, action: int) -> State:
    """Takes what the mover takes."""
    return State(state.heap - (action + 1), 1 - state.mover)


def legal(params: Params, state: State) -> int:
    """The mover takes 1 to ``most`` and no more than there are."""
    return (1 << min(params.most, state.heap)) - 1


def turn(state: State) -> int:
    return state.mover


def terminal(state: State) -> bool:
    """The game ends with an empty heap."""
    return state.heap == 0


def payoff(state: State) -> float:
    """A point to the player who took the last object."""
    if state.heap > 0:
        return 0.0
    return 1.0 if state.mover == 1 else -1.0


def exchange_sides(state: State) -> State:
    return State(state.heap, 1 - state.mover)


OBSERVATION = (scaled("objects left / heap", "heap"), flag("own turn", "mover", 0), seat("own seat"))


def text(state: State) -> str:
    """Returns the heap and the player to move."""
    return f"{'|' * state.heap or 'empty'}\nplayer {state.mover} to move"


def draw(state: State, canvas: Canvas) -> None:
    """Draws the objects in rows of ten."""
    canvas.text(50, 8, f"player {state.mover} to move", 5)
    for k in range(state.heap):
        canvas.circle(10 + 9 * (k % 10), 20 + 8 * (k // 10), 3, "black")
