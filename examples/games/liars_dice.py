"""Liar's dice: each player rolls a die, which the other does not see, and bids until one calls the other a liar.

A bid is a number of dice and a face; the highest face is wild. A bid is higher than another with more dice, or with as
many and a higher face. When a bid is doubted and at least so many dice show the face or the wild one, the bidder wins
a point, else the doubter.

Source: the version of Lanctot et al. (2009), "Monte Carlo Sampling for Regret Minimization in Extensive Games", NIPS.
"""

from typing import NamedTuple

from nashzoo.envs.drawing.canvas import fitting
from nashzoo.envs.drawing.shapes import playing_card

NAME = "liars_dice_v0"
CHANCE = 3


class Params(NamedTuple):
    faces: int = 6


class State(NamedTuple):
    rolls: int  # dice that are not rolled yet
    die0: int
    die1: int
    mover: int
    bids: int  # bit k: whether bid k has been made: k // faces + 1 dice with face k % faces + 1
    doubted: int


SEEN_BY = {"die0": (0,), "die1": (1,)}
BIT_FIELDS = ("bids",)
UNSEEN_FIELDS = ("rolls",)


def check_params(params):
    if not 2 <= params.faces <= 9:
        raise ValueError(f"faces must be from 2 to 9, not {params.faces}")


def actions(params):
    """Bids, the lowest first, and the doubt."""
    return (*(f"{dice}x{face}" for dice in (1, 2) for face in range(1, params.faces + 1)), "liar")


def field_maxima(params):
    return State(2, params.faces, params.faces, 1, (1 << 2 * params.faces) - 1, 1)


def start():
    return State(2, 0, 0, 0, 0, 0)


def turn(state):
    return CHANCE if state.rolls else state.mover


def chance(params, state):
    outcomes = []
    for face in range(1, params.faces + 1):
        after = State(1, face, 0, 0, 0, 0) if state.rolls == 2 else State(0, state.die0, face, 0, 0, 0)
        outcomes.append((after, 1 / params.faces))
    return outcomes


def legal(params, state):
    """Any higher bid; a doubt when there is a bid."""
    everything = (1 << 2 * params.faces) - 1
    lower = state.bids
    for shift in (1, 2, 4, 8, 16):
        lower |= lower >> shift
    return everything & ~lower | (state.bids > 0) << 2 * params.faces


def step(params, state, action):
    if action == 2 * params.faces:
        return State(0, state.die0, state.die1, 1 - state.mover, state.bids, 1)
    return State(0, state.die0, state.die1, 1 - state.mover, state.bids | 1 << action, 0)


def terminal(state):
    return state.doubted == 1


def payoff(params, state):
    """After a doubt the bidder is to move."""
    if not state.doubted:
        return 0
    bid = 0
    while state.bids >> (bid + 1):
        bid += 1
    face = bid % params.faces + 1
    showing = (state.die0 == face or state.die0 == params.faces) + (state.die1 == face or state.die1 == params.faces)
    true = showing >= bid // params.faces + 1
    return 1 if true == (state.mover == 0) else -1


def rules_text(params):
    return f"""{{Liar}}'s {{dice}}. Each player has one {{die}} with the numbers 1 to {params.faces}, drawn by \
chance, and does not see the other's. The players choose alternately, player 0 first. A {{bid}} such as 2x1 claims \
that at least 2 of both {{dice}} show a 1; a {params.faces} counts as any number. Each {{bid}} must be higher than the \
last: more {{dice}}, or as many and a higher number. Instead, a player may say {{liar}} to the last {{bid}}. Then both \
{{dice}} are shown, and the game is over: if the claim is true, who made it wins 1 point, else who {{doubted}} it. \
There is no draw."""


def played(params, state):
    moves = [bid for number, bid in enumerate(actions(params)[:-1]) if state.bids >> number & 1]
    return ", ".join(moves + ["liar"] * state.doubted) or "no bid yet"


def text(params, state):
    """A die that is not seen is 0."""
    return f"player 0: die {state.die0 or '?'}\nplayer 1: die {state.die1 or '?'}\n{played(params, state)}"


def draw(params, state, canvas):
    for player, die in enumerate((state.die0, state.die1)):
        canvas.text(30 + 40 * player, 20, f"player {player}", 6)
        playing_card(canvas, 30 + 40 * player, 48, str(die or ""), player, 40)
    moves = played(params, state)
    canvas.text(50, 85, moves, fitting(moves, 6, 96))
