"""Liar's dice: each player rolls dice that the other does not see, and bids until one calls the other a liar.

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
    dice: int = 1  # of each player


class State(NamedTuple):
    rolls: int  # dice that are not rolled yet
    die0: int  # the dice of a player, the highest first: digits in base faces + 1, the last digit first
    die1: int
    mover: int
    bids: int  # bit k: whether bid k has been made: k // faces + 1 dice with face k % faces + 1
    doubted: int


SEEN_BY = {"die0": (0,), "die1": (1,)}
BIT_FIELDS = ("bids",)
UNSEEN_FIELDS = ("rolls",)


RANGES = {"faces": (2, 9), "dice": (1, 3)}


def bids(params):
    return 2 * params.dice * params.faces


def actions(params):
    """Bids, the lowest first, and the doubt."""
    numbers = range(1, 2 * params.dice + 1)
    return (*(f"{number}x{face}" for number in numbers for face in range(1, params.faces + 1)), "liar")


def field_maxima(params):
    most = (params.faces + 1) ** params.dice - 1
    return State(2 * params.dice, most, most, 1, (1 << bids(params)) - 1, 1)


def start(params):
    return State(2 * params.dice, 0, 0, 0, 0, 0)


def turn(state):
    return CHANCE if state.rolls else state.mover


def with_die(params, dice, face):
    """Dice with one more, in order."""
    base, place, sorted_dice = params.faces + 1, 1, 0
    for _ in range(params.dice):
        digit = dice // place % base
        sorted_dice += max(digit, face) * place
        face = min(digit, face)
        place *= base
    return sorted_dice


def chance(params, state):
    """The dice of player 0 are rolled first."""
    outcomes = []
    for face in range(1, params.faces + 1):
        die0, die1 = state.die0, state.die1
        if state.rolls > params.dice:
            die0 = with_die(params, die0, face)
        else:
            die1 = with_die(params, die1, face)
        outcomes.append((State(state.rolls - 1, die0, die1, 0, 0, 0), 1 / params.faces))
    return outcomes


def legal(params, state):
    """Any higher bid; a doubt when there is a bid."""
    everything = (1 << bids(params)) - 1
    lower = state.bids
    for shift in (1, 2, 4, 8, 16, 32):
        lower |= lower >> shift
    return everything & ~lower | (state.bids > 0) << bids(params)


def step(params, state, action):
    if action == bids(params):
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
    showing, place = 0, 1
    for _ in range(params.dice):
        for dice in (state.die0, state.die1):
            die = dice // place % (params.faces + 1)
            showing += die == face or die == params.faces
        place *= params.faces + 1
    true = showing >= bid // params.faces + 1
    return 1 if true == (state.mover == 0) else -1


def rules_text(params):
    has = f"{params.dice} {{dice}}" if params.dice > 1 else "one {die}"
    return f"""{{Liar}}'s {{dice}}. Each player has {has} with the numbers 1 to {params.faces}, drawn by \
chance, and does not see the other's. The players choose alternately, player 0 first. A {{bid}} such as 2x1 claims \
that at least 2 of all {{dice}} show a 1; a {params.faces} counts as any number. Each {{bid}} must be higher than the \
last: more {{dice}}, or as many and a higher number. Instead, a player may say {{liar}} to the last {{bid}}. Then all \
{{dice}} are shown, and the game is over: if the claim is true, who made it wins 1 point, else who {{doubted}} it. \
There is no draw."""


def played(params, state):
    moves = [bid for number, bid in enumerate(actions(params)[:-1]) if state.bids >> number & 1]
    return ", ".join(moves + ["liar"] * state.doubted) or "no bid yet"


def dice_of(params, dice):
    """The dice of a player; without those that are not seen, or not rolled yet."""
    digits = (dice // (params.faces + 1) ** place % (params.faces + 1) for place in range(params.dice))
    return [str(digit) for digit in digits if digit]


def text(params, state):
    hands = (" ".join(dice_of(params, dice)) or "?" for dice in (state.die0, state.die1))
    lines = [f"player {player}: {'dice' if params.dice > 1 else 'die'} {hand}" for player, hand in enumerate(hands)]
    return "\n".join([*lines, played(params, state)])


def draw(params, state, canvas):
    for player, dice in enumerate((state.die0, state.die1)):
        canvas.text(30 + 40 * player, 20, f"player {player}", 6)
        hand = dice_of(params, dice)
        for number in range(params.dice):
            middle = 30 + 40 * player + 14 * (number - (params.dice - 1) / 2)
            playing_card(canvas, middle, 48, hand[number] if hand else "", player, 40 // params.dice)
    moves = played(params, state)
    canvas.text(50, 85, moves, fitting(moves, 6, 96))
