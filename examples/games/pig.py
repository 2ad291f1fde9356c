"""The dice game Pig: two players in turn roll a die as often as they like; the first with ``target`` points wins.

The player to move rolls or holds. A 2 to 6 is added to the *turn total*, a 1 loses it and passes the turn. A player who
holds adds the turn total to the score and passes the turn. With a target of 100 the first player wins with probability
0.5306.

Sources: Scarne (1945), "Scarne on Dice", for the rules; Neller and Presser (2004), "Optimal Play of the Dice Game Pig",
The UMAP Journal 25(1), for the value of optimal play.
"""

from typing import NamedTuple

NAME = "pig_v0"
ACTIONS = ("roll", "hold")
CHANCE = 3
SIDES = 6


class Params(NamedTuple):
    target: int = 50


class State(NamedTuple):
    score0: int  # points that player 0 has held
    score1: int
    total: int  # the turn total
    mover: int
    rolls: int  # 1 while the die rolls


UNSEEN_FIELDS = ("rolls",)


RANGES = {"target": (2, 1000)}


def field_maxima(params):
    return State(params.target, params.target, params.target - 1, 1, 1)


def start():
    return State(0, 0, 0, 0, 0)


def turn(state):
    return CHANCE if state.rolls else state.mover


def held(state, total):
    """Returns the state after the mover has added the turn total, with the other to move."""
    if state.mover == 0:
        return State(state.score0 + total, state.score1, 0, 1, 0)
    return State(state.score0, state.score1 + total, 0, 0, 0)


def step(state, action):
    if action == 0:
        return State(state.score0, state.score1, state.total, state.mover, 1)
    return held(state, state.total)


def chance(params, state):
    own = state.score0 if state.mover == 0 else state.score1
    outcomes = [(held(state, 0), 1 / SIDES)]
    for side in range(2, SIDES + 1):
        total = state.total + side
        if own + total >= params.target:  # a player who reaches the target holds at once
            outcomes.append((held(state, params.target - own), 1 / SIDES))
        else:
            outcomes.append((State(state.score0, state.score1, total, state.mover, 0), 1 / SIDES))
    return outcomes


def terminal(params, state):
    return max(state.score0, state.score1) >= params.target


def payoff(params, state):
    if state.score0 >= params.target:
        return 1
    return -1 if state.score1 >= params.target else 0


def rules_text(params):
    return f"""{{Pig}}. One player chooses at a time, player 0 first, until its {{turn}} ends. {{Roll}} draws a \
number from 1 to {SIDES} by chance: a 1 loses the {{turn}} {{total}} and ends the {{turn}}, any other number is \
added to the {{turn}} {{total}}. {{Hold}} adds the {{turn}} {{total}} to the player's {{score}} and ends the {{turn}}. \
Who has {params.target} with both together wins the game at once: 1 point from the other. There is no draw. Nothing is \
hidden. Shown are both {{score}}s, player 0's first."""


def text(state):
    doing = "rolls" if state.rolls else "is to move"
    return f"{state.score0} : {state.score1}\nplayer {state.mover} {doing}, turn total {state.total}"
