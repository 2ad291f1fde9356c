"""Oshi-Zumo: both players bid coins at once, and the higher bid pushes the wrestler one field towards the other player.

Bids are paid, whoever wins them. A player wins who pushes the wrestler off the other's side; when no coins are left,
the player on whose half the wrestler does not stand. Both may bid nothing for ever.

Source: Buro (2003), "Solving the Oshi-Zumo game", Advances in Computer Games 10.
"""

from typing import NamedTuple

NAME = "oshi_zumo_v0"


class Params(NamedTuple):
    coins: int = 8
    size: int = 2  # fields on each side of the middle


class State(NamedTuple):
    coins0: int
    coins1: int
    place: int  # 0 is off player 0's side, size + 1 the middle


def actions(params):
    return [f"bid {bid}" for bid in range(params.coins + 1)]


def field_maxima(params):
    return State(params.coins, params.coins, 2 * params.size + 2)


def start(params):
    return State(params.coins, params.coins, params.size + 1)


def legal(state, player):
    return (2 << (state.coins0 if player == 0 else state.coins1)) - 1


def step(params, state, action0, action1):
    pushed = (action0 > action1) - (action0 < action1)
    return State(state.coins0 - action0, state.coins1 - action1, state.place + pushed)


def terminal(params, state):
    off = state.place == 0 or state.place == 2 * params.size + 2
    return off or state.coins0 + state.coins1 == 0


def payoff(params, state):
    if not terminal(params, state):
        return 0
    return (state.place > params.size + 1) - (state.place < params.size + 1)


def swap_players(params, state):
    return State(state.coins1, state.coins0, 2 * params.size + 2 - state.place)
