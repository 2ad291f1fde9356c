"""Colonel Blotto: both colonels divide their soldiers among three battlefields at once.

More soldiers win a battlefield, and more battlefields won win the game.

Source: Borel (1921), "La théorie du jeu et les équations intégrales à noyau symétrique".
"""

from typing import NamedTuple

NAME = "blotto_v0"


class Params(NamedTuple):
    soldiers: int = 6


class State(NamedTuple):
    division0: int  # 0 before the players have chosen, then 1 + player 0's action
    division1: int


RANGES = {"soldiers": (1, 8)}


def count(params):
    return (params.soldiers + 1) * (params.soldiers + 2) // 2


def division(params, action):
    """Returns the number of soldiers for each battlefield."""
    first = 0
    while action > params.soldiers - first:
        action -= params.soldiers - first + 1
        first += 1
    return first, action, params.soldiers - first - action


def actions(params):
    return ["-".join(map(str, division(params, k))) for k in range(count(params))]


def field_maxima(params):
    return State(count(params), count(params))


def start():
    return State(0, 0)


def step(action0, action1):
    return State(action0 + 1, action1 + 1)


def terminal(state):
    return state.division0 > 0


def payoff(params, state):
    if state.division0 == 0:
        return 0
    ours, theirs = division(params, state.division0 - 1), division(params, state.division1 - 1)
    won = 0
    for k in range(3):
        won += (ours[k] > theirs[k]) - (ours[k] < theirs[k])
    return (won > 0) - (won < 0)


def swap_players(state):
    return State(state.division1, state.division0)


def rules_text(params):
    return f"""{{Colonel}} {{Blotto}}. Both players divide {params.soldiers} {{soldier}}s among three \
{{battlefield}}s, once and at the same time. An action has the numbers for the three, such as 0-0-{params.soldiers} \
for all on the third. More {{soldier}}s than the other win a {{battlefield}}; equal numbers leave it to nobody. Who \
wins more {{battlefield}}s gets 1 point from the other. With equally many it is a draw, 0 points. The game is then \
over. (Each {{division}} is 0 before.)"""
