"""A game of rooms, drawn by its seed: both players choose at once, and their choices lead to a later room or the end.

With a single room it is a matrix game. Which choices are legal in a room, where each pair of them leads, and what each
end pays, whole points from ``-most`` to ``most``, is drawn, and said in full by the rules in words.
"""

from typing import NamedTuple

import numpy as np

NAME = "drawn_rooms_v0"
BOTH = 2
NAMES = ("amber", "birch", "coral", "delta", "ember", "flint")
ENDS = 0.5  # the share of pairs of choices that end play, but for the last room, where all do


class Params(NamedTuple):
    seed: int = 0
    rooms: int = 3
    actions: int = 3
    most: int = 5


class State(NamedTuple):
    place: int  # the number of a room; from ``rooms`` on an end, which pays place - rooms - most


class Tables(NamedTuple):
    legal: np.ndarray  # [rooms, 2]: a bit mask for each player
    places: np.ndarray  # [rooms * actions**2]: where each pair of actions leads


RANGES = {"seed": (0, 2**32 - 1), "rooms": (1, 12), "actions": (2, len(NAMES)), "most": (1, 100)}


def tables(params):
    rng = np.random.default_rng(params.seed)
    order = rng.permuted(np.tile(np.arange(params.actions), (params.rooms, 2, 1)), axis=2)
    allowed = order < rng.integers(2, params.actions + 1, (params.rooms, 2, 1))  # two or more
    shape = params.rooms, params.actions**2
    rooms, last = np.arange(params.rooms)[:, None], params.rooms - 1
    ends = (rng.random(shape) < ENDS) | (rooms == last)
    later = rng.integers(np.minimum(rooms + 1, last), params.rooms, shape)
    places = np.where(ends, params.rooms + rng.integers(2 * params.most + 1, size=shape), later)
    return Tables(allowed @ (1 << np.arange(params.actions)), places.ravel())


def actions(params):
    return NAMES[: params.actions]


def field_maxima(params):
    return State(params.rooms + 2 * params.most)


def start():
    return State(0)


def turn():
    return BOTH


def legal(tables, state, player):
    return tables.legal[state.place, player]


def step(params, tables, state, action0, action1):
    return State(tables.places[(state.place * params.actions + action0) * params.actions + action1])


def terminal(params, state):
    return state.place >= params.rooms


def payoff(params, state):
    return state.place - params.rooms - params.most if state.place >= params.rooms else 0


def at_stake(params):
    return params.most


def rules_text(params, tables):
    lines = [
        "Both players choose at the same time. Play begins in {room} 0. Each pair of choices leads to a later {room}, "
        "or to a number with a sign: there play ends, and player 0 gets so many points from player 1, or pays them "
        "where it is negative. Nothing is hidden."
    ]
    for room in range(params.rooms):
        able = [[k for k in range(params.actions) if tables.legal[room, player] >> k & 1] for player in (0, 1)]
        can = "; ".join(f"player {player}: {', '.join(f'{{{NAMES[k]}}}' for k in able[player])}" for player in (0, 1))
        lines.append(f"In {{room}} {room} these choices are legal: {can}. They lead, player 0's first:")
        for mine in able[0]:
            places = [int(tables.places[(room * params.actions + mine) * params.actions + other]) for other in able[1]]
            pairs = zip(able[1], places, strict=True)
            lines.append("- " + "; ".join(
                f"{{{NAMES[mine]}}} and {{{NAMES[other]}}}: {told(params, place)}" for other, place in pairs
            ))  # fmt: skip
    return "\n".join(lines)


def told(params, place):
    return f"{{room}} {place}" if place < params.rooms else f"{place - params.rooms - params.most:+d}"


def text(params, state):
    return told(params, state.place).replace("{", "").replace("}", "")
