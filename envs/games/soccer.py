"""Grid soccer: two players in turn on a field of cells, one ball, one goal wins. See ``docs/soccer.md``.

Red is player 0 and attacks the goal on the right, blue is player 1 and attacks the one on the left. Cells are numbered
from the left, x = 1..width, and from below, y = 1..height; the goals are at x = 0 and x = width + 1.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.rules import (
    Floats,
    Ints,
    compiled,
    flag,
    observing,
    one_hot,
    packing,
    parameter,
    rule,
    scaled,
    seat,
)
from nashzoo.envs.games.soccer_field import (
    BLUE,
    FROM_CENTRE,
    GOAL_HEIGHT,
    HEIGHT,
    RANDOM_POSITIONS,
    RED,
    SHOTS,
    WIDTH,
)
from nashzoo.envs.games.soccer_field import parameters as parameters

NAME = "soccer_v0"
ACTIONS = ("Kick", "Right", "Left", "Up", "Down", "Right Up", "Right Down", "Left Up", "Left Down")
MASKED = True
MAX_CYCLES = 200
KICK = 0
STEP_X = (0, 1, -1, 0, 0, 1, 1, -1, -1)
STEP_Y = (0, 0, 0, 1, -1, 1, -1, 1, -1)
STRAIGHT, RIGHTWARD, LEFTWARD = 0b000_011_110, 0b001_100_000, 0b110_000_000  # the diagonals in two groups
TO_RIGHT, TO_LEFT, TO_UP, TO_DOWN = 0b001_100_010, 0b110_000_100, 0b010_101_000, 0b101_010_000

NOBODY = 0  # nobody has the ball, or has scored; else 1 + the player

BODY = ((0.0, 0.0), (0.25, 0.25), (0.25, -0.25), (-0.25, 0.25), (-0.25, -0.25))  # points that stop a shot

COLOURS = ("red", "blue")
NEAR = range(-2, 3)  # distances between the players that are one-hot in observations


class State(NamedTuple):
    """A state between two moves. After a goal the players are lined up around the ball."""

    red_x: int  # 1..width
    red_y: int  # 1..height
    blue_x: int
    blue_y: int
    ball: int  # 0 loose on the centre cell, 1 red has it, 2 blue has it
    turn: int  # 0..1, the player to move; 0 after a goal
    winner: int  # 0 nobody yet, 1 red has scored, 2 blue has scored


encode, decode = packing(State, red_x=6, red_y=6, blue_x=6, blue_y=6, ball=2, turn=1, winner=2)


def field_maxima(params: Ints) -> State:
    """Returns the largest value of each field."""
    width, height = int(params[WIDTH]), int(params[HEIGHT])
    return State(width, height, width, height, 2, 1, 2)


def check(params: Ints, state: State) -> None:
    """Raises a ValueError for an impossible state."""
    width, height = int(params[WIDTH]), int(params[HEIGHT])
    red, blue = (state.red_x, state.red_y), (state.blue_x, state.blue_y)
    centre = ((width + 1) // 2, (height + 1) // 2)
    for colour, cell in zip(COLOURS, (red, blue), strict=True):
        if 0 in cell:
            raise UsageError(f"cells are numbered from 1; {colour} is on {cell}")
        if state.ball == NOBODY and cell == centre:
            raise UsageError(f"{colour} is on the centre cell {cell}, where the ball is, and would have it")
    if red == blue:
        raise UsageError(f"red and blue are both on {red}")
    if state.winner:
        end = decode(scored(width, height, state.winner - 1))
        if state != end:
            raise UsageError(f"after a goal the players line up and red is to move, {end}")


def start(params: Ints) -> tuple[Ints, Floats]:
    """The players are lined up, or placed uniformly in their own halves; the lined-up start comes first."""
    width, height = int(params[WIDTH]), int(params[HEIGHT])
    first = lined_up(width, height, NOBODY, RED)
    if not params[RANDOM_POSITIONS]:
        return np.array([first]), np.ones(1)
    half, rows = range(1, (width + 1) // 2), range(1, height + 1)
    codes = [
        encode(State(red_x, red_y, width + 1 - blue_x, blue_y, NOBODY, RED, NOBODY))
        for red_x in half
        for red_y in rows
        for blue_x in half
        for blue_y in rows
    ]
    codes.remove(first)
    return np.array([first, *codes]), np.full(len(codes) + 1, 1 / (len(codes) + 1))


@compiled()
def lined_up(width: int, height: int, ball: int, mover: int) -> int:
    """Returns the code with the players five columns from the centre, one of them perhaps with the ball."""
    x, y = (width + 1) // 2, (height + 1) // 2
    return encode(State(x - FROM_CENTRE, y, x + FROM_CENTRE, y, ball, mover, NOBODY))


@compiled()
def scored(width: int, height: int, player: int) -> int:
    """Returns the code of the state after a goal for ``player``."""
    s = decode(lined_up(width, height, NOBODY, RED))
    return encode(State(s.red_x, s.red_y, s.blue_x, s.blue_y, NOBODY, RED, 1 + player))


@compiled()
def placed_between(
    width: int, height: int, loser: int, x: int, y: int, holder_x: int, holder_y: int
) -> tuple[int, int]:
    """Returns the new cell of a player at ``(x, y)`` who lost the ball: halfway from the new holder to its own goal."""
    goal_x = 0 if loser == RED else width + 1
    to_x, to_y = max((holder_x + goal_x) // 2, 1), (holder_y + (height + 1) // 2) // 2
    if (to_x, to_y) != (x, y) and (to_x, to_y) != (holder_x, holder_y):
        return to_x, to_y
    # One of the two players is here, so that only the other can be in the way.
    other_x, other_y = (holder_x, holder_y) if (to_x, to_y) == (x, y) else (x, y)
    if to_x + 1 <= width and (to_x + 1, to_y) != (other_x, other_y):
        return to_x + 1, to_y
    if to_x - 1 >= 1 and (to_x - 1, to_y) != (other_x, other_y):
        return to_x - 1, to_y
    if to_y + 1 <= height and (to_x, to_y + 1) != (other_x, other_y):
        return to_x, to_y + 1
    return to_x, to_y - 1


@compiled()
def intercepted(
    width: int, height: int, goal_height: int, kicker: int, x: int, y: int, other_x: int, other_y: int
) -> bool:
    """Returns whether the other player stops a shot, being partly between the lines from the kicker to the posts.

    All numbers are multiples of a quarter and compared without a division, hence exactly.
    """
    forward = 1 if kicker == RED else -1
    across = width + 1 - (x + 0.5) if kicker == RED else x + 0.5 - 1
    lower = (height - goal_height) // 2 + 1 - (y + 0.5)
    upper = (height + goal_height) // 2 + 1 - (y + 0.5)
    for body_x, body_y in BODY:
        ahead, aside = forward * (other_x - x + body_x), other_y - y + body_y
        if lower * ahead <= aside * across <= upper * ahead:
            return True
    return False


@compiled()
def shot_scores(params: Ints, x: int, y: int, player: int) -> int:
    """Returns whether a shot of a player at ``(x, y)`` that is not stopped is a goal."""
    return int(params[SHOTS + (y - 1) * params[WIDTH] + x - 1] >> player & 1)


@compiled()
def after(mover: int, x: int, y: int, other_x: int, other_y: int, ball: int) -> int:
    """Returns the code of a state after a move, with the mover at ``(x, y)`` and the other player to move."""
    if mover == RED:
        return encode(State(x, y, other_x, other_y, ball, BLUE, NOBODY))
    return encode(State(other_x, other_y, x, y, ball, RED, NOBODY))


@compiled()
def carried_out(width: int, height: int, goal_height: int, mover: int, x: int, y: int) -> int:
    """Returns the code of the state after the ball was carried to ``(x, y)``, off the field."""
    other = 1 - mover
    if y < 1 or y > height:
        return lined_up(width, height, 1 + other, other)
    attacker = RED if x > width else BLUE
    if height - goal_height < 2 * y - 1 < height + goal_height:
        return scored(width, height, attacker)
    if attacker == mover:
        return lined_up(width, height, 1 + other, other)
    # A corner.
    if mover == RED:
        return after(RED, 3, 3, 1, 1, 1 + BLUE)
    return after(BLUE, width - 2, 3, width, 1, 1 + RED)


@rule
def step(params: Ints, code: int, action0: int, action1: int) -> int:
    """Moves or kicks for the player to move."""
    s = decode(code)
    width, height, goal_height = params[WIDTH], params[HEIGHT], params[GOAL_HEIGHT]
    mover, other = s.turn, 1 - s.turn
    if mover == RED:
        action, x, y, other_x, other_y = action0, s.red_x, s.red_y, s.blue_x, s.blue_y
    else:
        action, x, y, other_x, other_y = action1, s.blue_x, s.blue_y, s.red_x, s.red_y

    if action == KICK:
        if intercepted(width, height, goal_height, mover, x, y, other_x, other_y):
            x, y = placed_between(width, height, mover, x, y, other_x, other_y)
            return after(mover, x, y, other_x, other_y, 1 + other)
        if shot_scores(params, x, y, mover):
            return scored(width, height, mover)
        return lined_up(width, height, 1 + other, other)

    to_x, to_y = x + STEP_X[action], y + STEP_Y[action]
    if to_x == other_x and to_y == other_y:
        if s.ball == 1 + mover:
            x, y = placed_between(width, height, mover, x, y, other_x, other_y)
            return after(mover, x, y, other_x, other_y, 1 + other)
        if s.ball == 1 + other:
            other_x, other_y = placed_between(width, height, other, other_x, other_y, x, y)
            return after(mover, x, y, other_x, other_y, 1 + mover)
        return after(mover, x, y, other_x, other_y, NOBODY)
    if to_x < 1 or to_x > width or to_y < 1 or to_y > height:
        return carried_out(width, height, goal_height, mover, to_x, to_y)
    found = s.ball == NOBODY and 2 * to_x == width + 1 and 2 * to_y == height + 1
    return after(mover, to_x, to_y, other_x, other_y, 1 + mover if found else s.ball)


@rule
def legal(params: Ints, code: int, player: int) -> int:
    """Only a player with the ball can kick or leave the field; diagonals lead forward, or inward from a goal line."""
    s = decode(code)
    if player != s.turn:
        return 1
    width, height = params[WIDTH], params[HEIGHT]
    x, y = (s.red_x, s.red_y) if player == RED else (s.blue_x, s.blue_y)
    rightward = x <= 1 or (player == RED and x < width)
    moves = STRAIGHT | (RIGHTWARD if rightward else LEFTWARD)
    if s.ball == 1 + player:
        return moves | 1 << KICK
    if x == 1:
        moves &= ~TO_LEFT
    elif x == width:
        moves &= ~TO_RIGHT
    if y == 1:
        moves &= ~TO_DOWN
    elif y == height:
        moves &= ~TO_UP
    return moves


@rule
def turn(params: Ints, code: int) -> int:
    """Red moves first."""
    return decode(code).turn


@rule
def terminal(params: Ints, code: int) -> bool:
    """One goal ends the game."""
    return decode(code).winner != NOBODY


@rule
def payoff(params: Ints, code: int) -> float:
    """A point for a goal."""
    winner = decode(code).winner
    return float(int(winner == 1 + RED) - int(winner == 1 + BLUE))


@compiled()
def seen_by_blue(params: Ints, code: int) -> int:
    """Returns the code of the state with the players swapped and the field mirrored, for blue's observation."""
    s = decode(code)
    width = params[WIDTH]
    ball = 3 - s.ball if s.ball else NOBODY
    winner = 3 - s.winner if s.winner else NOBODY
    return encode(State(width + 1 - s.blue_x, s.blue_y, width + 1 - s.red_x, s.red_y, ball, 1 - s.turn, winner))


OBSERVATION = (
    scaled("(own column - 1) / (width - 1), counted towards the attacked goal", "red_x", parameter(WIDTH), least=1),
    scaled("(own row - 1) / (height - 1)", "red_y", parameter(HEIGHT), least=1),
    scaled("(other's column - 1) / (width - 1), counted the same way", "blue_x", parameter(WIDTH), least=1),
    scaled("(other's row - 1) / (height - 1)", "blue_y", parameter(HEIGHT), least=1),
    one_hot("{} the ball", "ball", ("has", "other has"), first=1 + RED),
    flag("is to move", "turn", RED),
    one_hot("{} scored", "winner", ("has", "other has"), first=1 + RED),
    seat("plays blue"),
    flag("own shot would count if not intercepted", "shot_scores(params, s.red_x, s.red_y, RED)"),
    flag("other's shot would count if not intercepted", "shot_scores(params, s.blue_x, s.blue_y, BLUE)"),
    one_hot("other's column - own column is {}", "s.blue_x - s.red_x", NEAR, first=NEAR[0]),
    one_hot("other's row - own row is {}", "s.blue_y - s.red_y", NEAR, first=NEAR[0]),
)
CROSSED = (("red_x", "red_y"), ("blue_x", "blue_y"))
COMPARED = (("red_x", "blue_x"), ("red_y", "blue_y"))  # the result depends on the relative position
observe, decode_observation, features = observing(OBSERVATION, State, encode, decode, seen_by_blue)
