"""A tug of war with a clock: both pull at once, then the ground may slip, until one is over the line or time is up."""

from typing import NamedTuple

NAME = "tug_v0"
ACTIONS = ("rest", "pull", "heave")
CLOCK = "clock"
BOTH, CHANCE = 2, 3
WIDTH = 9


class Params(NamedTuple):
    moves: int = 6
    slips: float = 0.25


class State(NamedTuple):
    rope: int
    rested: int
    clock: int


def field_maxima(params):
    return State(WIDTH + 4, 3, 2 * params.moves)


def start():
    return State(WIDTH // 2, 0, 0)


def turn(state):
    return CHANCE if state.clock % 2 == 1 else BOTH


def legal(state, player):
    return True, True, state.rested >> player & 1 == 1


def step(state, action0, action1):
    rope = min(max(state.rope + action0 - action1, 0), WIDTH)
    return State(rope, (action0 == 0) | (action1 == 0) << 1, state.clock + 1)


def chance(params, state):
    slipped = State(max(state.rope - 1, 0), state.rested, state.clock + 1)
    return [(slipped, params.slips), (State(state.rope, state.rested, state.clock + 1), 1 - params.slips)]


def terminal(params, state):
    return state.rope in (0, WIDTH) or state.clock == 2 * params.moves


def payoff(params, state):
    return 0.0 if not terminal(params, state) else (state.rope - WIDTH // 2) / WIDTH
