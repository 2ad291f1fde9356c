"""A random game, drawn by its seed: both players choose at once, and chance leads to a place of the next layer.

There are ``layers`` layers, each a row of ``width`` places. Play begins in the middle of the first layer, and ends
after the last one with a payoff from -1 to 1, which grows along the row. At each place some actions are illegal. Each
pair of actions leads to ``chance`` places of the next layer with probabilities of its own. They are within ``reach`` of
the present place, or of the nearest one with so many on both sides, so a good place stays an advantage.

Source: Archibald, McKinnon and Thomas (1995), "On the generation of Markov decision processes", Journal of the
Operational Research Society 46, whose random processes have one player.
"""

from typing import NamedTuple

import numpy as np

NAME = "random_game_v0"
BOTH, CHANCE = 2, 3


class Params(NamedTuple):
    seed: int = 0
    layers: int = 6
    width: int = 20
    actions: int = 4
    chance: int = 2
    reach: int = 4


class State(NamedTuple):
    layer: int  # pairs of actions so far
    place: int  # in the layer
    chosen: int  # 0 while the players choose, then 1 + actions * action0 + action1


UNSEEN_FIELDS = ("chosen",)


class Tables(NamedTuple):
    legal: np.ndarray  # [states, 2]: a bit mask for each player; state number layer * width + place
    places: np.ndarray  # [states * actions**2, chance]: where each pair of actions can lead
    likely: np.ndarray  # [states * actions**2, chance]: the probabilities
    payoffs: np.ndarray  # [width]: of the last states


RANGES = {
    "seed": (0, 2**32 - 1), "layers": (1, 20), "width": (3, 100), "actions": (2, 6), "chance": (1, 6), "reach": (1, 49)
}  # fmt: skip


def check_params(params):
    if not params.chance <= 2 * params.reach + 1 <= params.width:
        raise ValueError(f"2 * reach + 1 must be from chance to width, not {2 * params.reach + 1} in {params}")


def tables(params):
    rng = np.random.default_rng(params.seed)
    states = params.layers * params.width
    pairs = states * params.actions**2
    allowed = rng.integers(4, size=(states, 2, params.actions)) > 0  # three actions in four, and one in any case
    allowed |= np.arange(params.actions) == rng.integers(params.actions, size=(states, 2, 1))
    near = 2 * params.reach + 1
    first = np.clip(np.arange(params.width) - params.reach, 0, params.width - near)  # of the places within reach
    moves = rng.permuted(np.tile(np.arange(near), (pairs, 1)), axis=1)[:, : params.chance]
    places = np.tile(first.repeat(params.actions**2), params.layers)[:, None] + moves
    weights = rng.integers(1, 10, (pairs, params.chance))
    payoffs = np.sort(rng.integers(-100, 101, params.width)) / 100
    return Tables(allowed @ (1 << np.arange(params.actions)), places, weights / weights.sum(axis=1)[:, None], payoffs)


def actions(params):
    return [f"action {k + 1}" for k in range(params.actions)]


def field_maxima(params):
    return State(params.layers, params.width - 1, params.actions**2)


def start(params):
    return State(0, params.width // 2, 0)


def turn(state):
    return CHANCE if state.chosen > 0 else BOTH


def legal(params, tables, state, player):
    return tables.legal[state.layer * params.width + state.place, player]


def step(params, state, action0, action1):
    return State(state.layer, state.place, 1 + params.actions * action0 + action1)


def chance(params, tables, state):
    pair = (state.layer * params.width + state.place) * params.actions**2 + state.chosen - 1
    outcomes = []
    for k in range(params.chance):
        outcomes.append((State(state.layer + 1, tables.places[pair, k], 0), tables.likely[pair, k]))
    return outcomes


def terminal(params, state):
    return state.layer == params.layers


def payoff(params, tables, state):
    return tables.payoffs[state.place] if state.layer == params.layers else 0.0


def rules_text(params, tables):
    ends = ", ".join(f"{points:g}" for points in tables.payoffs)
    return f"""{{Random}} game with {params.layers} {{layer}}s, each of {params.width} {{place}}s in a row, from 0 to \
{params.width - 1}. It begins at {{layer}} 0, {{place}} {params.width // 2}. Both players choose at the same time. By \
both choices chance draws a {{place}} of the next {{layer}} within {params.reach} of this one, or of the nearest with \
so many on both sides. Which choices lead where is different everywhere, and is not said; it can only be learned. At \
{{layer}} {params.layers} the game is over, and pays player 0, by {{place}}: {ends}. Nothing is paid before. Nothing \
is hidden. ({{Chosen}} is 0 when you choose.)"""
