"""Pursuit on slippery ground: a pursuer and an evader move on a grid at once, and each move may fail.

The pursuer, player 0, wins on the evader's cell; the two can also swap places without meeting. The evader wins if it
has not been caught after ``turns`` turns. A move that slips, or that is into the wall, leaves the player in its cell.

Source: Isaacs (1965), "Differential Games", for pursuit; Shapley (1953), "Stochastic games", for moves that may fail.
"""

from typing import NamedTuple

NAME = "pursuit_v0"
ACTIONS = ("stay", "north", "south", "west", "east")
CHANCE = 3
FIELDS = {"turns": "", "chosen": ""}


class Params(NamedTuple):
    size: int = 3
    turns: int = 6
    slip: float = 0.2  # the probability that a move fails


class State(NamedTuple):
    pursuer: int  # cell, row * size + column
    evader: int
    turns: int  # number of turns played
    chosen: int  # 0 while the players choose, then 1 + 5 * the pursuer's action + the evader's


def check_params(params):
    if not (2 <= params.size <= 6 and 1 <= params.turns <= 50 and 0 <= params.slip < 1):
        raise ValueError(f"size is from 2 to 6, turns from 1 to 50, and slip from 0 to less than 1, not {params}")


def field_maxima(params):
    cells = params.size * params.size
    return State(cells - 1, cells - 1, params.turns, 25)


def start(params):
    return State(0, params.size * params.size - 1, 0, 0)


def turn(state):
    return CHANCE if state.chosen > 0 else 2


def step(state, action0, action1):
    return State(state.pursuer, state.evader, state.turns, 1 + 5 * action0 + action1)


def moved(params, cell, action):
    row, column = cell // params.size, cell % params.size
    if action == 1 and row > 0:
        return cell - params.size
    if action == 2 and row < params.size - 1:
        return cell + params.size
    if action == 3 and column > 0:
        return cell - 1
    if action == 4 and column < params.size - 1:
        return cell + 1
    return cell


def chance(params, state):
    action0, action1 = (state.chosen - 1) // 5, (state.chosen - 1) % 5
    outcomes = []
    for pursuer, likely0 in ((moved(params, state.pursuer, action0), 1 - params.slip), (state.pursuer, params.slip)):
        for evader, likely1 in ((moved(params, state.evader, action1), 1 - params.slip), (state.evader, params.slip)):
            if likely0 * likely1 > 0:
                outcomes.append((State(pursuer, evader, state.turns + 1, 0), likely0 * likely1))
    return outcomes


def terminal(params, state):
    return state.chosen == 0 and (state.pursuer == state.evader or state.turns == params.turns)


def payoff(params, state):
    if state.chosen > 0:
        return 0
    if state.pursuer == state.evader:
        return 1
    return -1 if state.turns == params.turns else 0


def text(params, state):
    """The cells from the north, P for the pursuer and E for the evader, and the turns that are left."""
    cells = ["."] * params.size**2
    cells[state.evader], cells[state.pursuer] = "E", "P"
    rows = [" ".join(cells[params.size * row : params.size * (row + 1)]) for row in range(params.size)]
    return "\n".join([*rows, f"{params.turns - state.turns} turns left"])


def rules_text(params):
    return f"""{{Pursuit}}, on {params.size} rows of {params.size} cells. Player 0 is the {{pursuer}}, P on the board, \
and begins at the top left; player 1 is the {{evader}}, E, and begins at the bottom right. Both choose at the same \
time: {{north}} goes a cell up, {{south}} down, {{west}} to the left, {{east}} to the right, {{stay}} nowhere. Each \
choice fails with probability {params.slip:g}, and then the player does not go; nor does it at the edge. Player 0 wins \
1 point once both are on the same cell; to exchange their cells is not enough. Player 1 wins 1 point if that has not \
happened after {{turn}} {params.turns}. There is no draw. Nothing is hidden."""
