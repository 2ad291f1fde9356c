"""Grid soccer: two players in turn on a field of cells, one ball, one goal wins. See ``docs/soccer.md``.

Red is player 0 and attacks the goal on the right, blue is player 1 and attacks the one on the left. Cells are numbered
from the left, x = 1..width, and from below, y = 1..height; the goals stand at x = 0 and x = width + 1.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.envs.canvas import Canvas
from nashzoo.envs.compiled import (
    LEGAL,
    OBSERVE,
    PAYOFF,
    READ,
    STEP,
    TERMINAL,
    TURN,
    Features,
    Floats,
    Ints,
    compiled,
)
from nashzoo.envs.errors import UsageError
from nashzoo.envs.soccer_field import (
    BLUE,
    FROM_CENTRE,
    GOAL_HEIGHT,
    HEIGHT,
    RANDOM_POSITIONS,
    RED,
    SHOTS,
    WIDTH,
)
from nashzoo.envs.soccer_field import parameters as parameters
from nashzoo.envs.soccer_view import Scene, drawn, lines_of_text, pitch_of

NAME = "soccer_v0"
ACTIONS = ("Kick", "Right", "Left", "Up", "Down", "Right Up", "Right Down", "Left Up", "Left Down")
MASKED = True
MAX_CYCLES = 200
KICK = 0
STEP_X = (0, 1, -1, 0, 0, 1, 1, -1, -1)
STEP_Y = (0, 0, 0, 1, -1, 1, -1, 1, -1)
STRAIGHT, RIGHTWARD, LEFTWARD = 0b000_011_110, 0b001_100_000, 0b110_000_000  # the diagonals in two groups
TO_RIGHT, TO_LEFT, TO_UP, TO_DOWN = 0b001_100_010, 0b110_000_100, 0b010_101_000, 0b101_010_000

NOBODY = 0  # has the ball, or has scored; else 1 + the player

BODY = ((0.0, 0.0), (0.25, 0.25), (0.25, -0.25), (-0.25, 0.25), (-0.25, -0.25))  # what stops a shot, from its middle

COLOURS = ("red", "blue")
WORDS = {"ball": ("none", *COLOURS), "turn": COLOURS, "winner": ("none", *COLOURS)}
GROUPED_BY = ("turn", "ball")
NEAR = range(-2, 3)  # cells between the players that observations tell one by one


class State(NamedTuple):
    """A position between two moves. When a goal has been scored, it is the players lined up around the ball."""

    red_x: int  # 1..width
    red_y: int  # 1..height
    blue_x: int
    blue_y: int
    ball: int  # 0 loose on the centre cell, 1 red has it, 2 blue has it
    turn: int  # 0..1, the player to move; 0 after a goal
    winner: int  # 0 nobody yet, 1 red has scored, 2 blue has scored


@compiled()
def encode(state: State) -> int:
    """Packs a position: six bits for each coordinate, then 2 for the ball, 1 for the turn, 2 for the winner."""
    code = state.winner << 1 | state.turn
    code = code << 2 | state.ball
    code = code << 6 | state.blue_y
    code = code << 6 | state.blue_x
    code = code << 6 | state.red_y
    return code << 6 | state.red_x


@compiled()
def decode(code: int) -> State:
    """Unpacks a position."""
    return State(
        code & 63, code >> 6 & 63, code >> 12 & 63, code >> 18 & 63, code >> 24 & 3, code >> 26 & 1, code >> 27
    )


def largest(params: Ints) -> State:
    """Returns the largest value of each field."""
    width, height = int(params[WIDTH]), int(params[HEIGHT])
    return State(width, height, width, height, 2, 1, 2)


def check(params: Ints, state: State) -> None:
    """Raises a ValueError for a position that cannot be."""
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
    """The players line up, or stand anywhere in their own halves with equal chances; the one lined up comes first."""
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
    """Returns the code of the players standing five columns from the centre, one of them perhaps with the ball."""
    x, y = (width + 1) // 2, (height + 1) // 2
    return encode(State(x - FROM_CENTRE, y, x + FROM_CENTRE, y, ball, mover, NOBODY))


@compiled()
def scored(width: int, height: int, player: int) -> int:
    """Returns the code of the position after a goal for ``player``."""
    s = decode(lined_up(width, height, NOBODY, RED))
    return encode(State(s.red_x, s.red_y, s.blue_x, s.blue_y, NOBODY, RED, 1 + player))


@compiled()
def placed_between(
    width: int, height: int, loser: int, x: int, y: int, holder_x: int, holder_y: int
) -> tuple[int, int]:
    """Returns where a player at ``(x, y)`` goes who lost the ball: halfway between the new holder and the own goal."""
    goal_x = 0 if loser == RED else width + 1
    to_x, to_y = max((holder_x + goal_x) // 2, 1), (holder_y + (height + 1) // 2) // 2
    if (to_x, to_y) != (x, y) and (to_x, to_y) != (holder_x, holder_y):
        return to_x, to_y
    # One of the two stands here, so that only the other can be in the way.
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
def after(mover: int, x: int, y: int, other_x: int, other_y: int, ball: int) -> int:
    """Returns the code of a position after a move, with the mover at ``(x, y)`` and the other player to move."""
    if mover == RED:
        return encode(State(x, y, other_x, other_y, ball, BLUE, NOBODY))
    return encode(State(other_x, other_y, x, y, ball, RED, NOBODY))


@compiled()
def carried_out(width: int, height: int, goal_height: int, mover: int, x: int, y: int) -> int:
    """Returns the code of the position after the ball was carried to ``(x, y)``, off the field."""
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


@compiled(STEP)
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
        if params[SHOTS + (y - 1) * width + x - 1] >> mover & 1:
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


@compiled(LEGAL)
def legal(params: Ints, code: int, player: int) -> int:
    """Only with the ball can one kick, or leave the field; diagonals lead forward, or inward from a goal line."""
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


@compiled(TURN)
def turn(params: Ints, code: int) -> int:
    """Red moves first."""
    return decode(code).turn


@compiled(TERMINAL)
def terminal(params: Ints, code: int) -> bool:
    """One goal ends the game."""
    return decode(code).winner != NOBODY


@compiled(PAYOFF)
def payoff(params: Ints, code: int) -> float:
    """A point for a goal."""
    winner = decode(code).winner
    return float(int(winner == 1 + RED) - int(winner == 1 + BLUE))


@compiled(OBSERVE)
def observe(params: Ints, code: int, player: int, out: Features) -> None:
    """Columns are counted towards the goal that the player attacks; where the other is near is told cell by cell."""
    s = decode(code)
    width, height = params[WIDTH], params[HEIGHT]
    if player == RED:
        x, y, other_x, other_y = s.red_x, s.red_y, s.blue_x, s.blue_y
    else:
        x, y, other_x, other_y = width + 1 - s.blue_x, s.blue_y, width + 1 - s.red_x, s.red_y
    out[0] = (x - 1) / (width - 1)
    out[1] = (y - 1) / (height - 1)
    out[2] = (other_x - 1) / (width - 1)
    out[3] = (other_y - 1) / (height - 1)
    out[4] = s.ball == 1 + player
    out[5] = s.ball == 2 - player
    out[6] = s.turn == player
    out[7] = s.winner == 1 + player
    out[8] = s.winner == 2 - player
    out[9] = player
    # Blue's shots count from the cells that mirror red's.
    out[10] = params[SHOTS + (y - 1) * width + x - 1] & 1
    out[11] = params[SHOTS + (other_y - 1) * width + other_x - 1] >> 1 & 1
    for k in range(5):
        out[12 + k] = other_x - x == k - 2
        out[17 + k] = other_y - y == k - 2


@compiled(READ)
def read(params: Ints, observation: Features) -> tuple[int, int]:
    """Returns code and player."""
    width, height = params[WIDTH], params[HEIGHT]
    x, y = 1 + round(observation[0] * (width - 1)), 1 + round(observation[1] * (height - 1))
    other_x, other_y = 1 + round(observation[2] * (width - 1)), 1 + round(observation[3] * (height - 1))
    player = int(observation[9] > 0.5)
    ball, winner = NOBODY, NOBODY
    if observation[4] > 0.5:
        ball = 1 + player
    elif observation[5] > 0.5:
        ball = 2 - player
    if observation[7] > 0.5:
        winner = 1 + player
    elif observation[8] > 0.5:
        winner = 2 - player
    mover = player if observation[6] > 0.5 else 1 - player
    if player == RED:
        return encode(State(x, y, other_x, other_y, ball, mover, winner)), player
    return encode(State(width + 1 - other_x, other_y, width + 1 - x, y, ball, mover, winner)), player


def features(params: Ints) -> tuple[str, ...]:
    """Returns what each number of an observation means."""
    return (
        "(own column - 1) / (width - 1), counted towards the attacked goal",
        "(own row - 1) / (height - 1)",
        "(other's column - 1) / (width - 1), counted the same way",
        "(other's row - 1) / (height - 1)",
        "has the ball",
        "other has the ball",
        "is to move",
        "has scored",
        "other has scored",
        "plays blue",
        "own shot would count if not intercepted",
        "other's shot would count if not intercepted",
        *(f"other's column - own column is {k}" for k in NEAR),
        *(f"other's row - own row is {k}" for k in NEAR),
    )


def scene(params: Ints, code: int) -> Scene:
    """Returns what there is to see of a position."""
    s = decode(code)
    if s.winner:
        caption = f"{COLOURS[s.winner - 1]} has scored"
    else:
        has_ball = "the ball is loose" if s.ball == NOBODY else f"{COLOURS[s.ball - 1]} has the ball"
        caption = f"{COLOURS[s.turn]} to move, {has_ball}"
    players = (s.red_x, s.red_y), (s.blue_x, s.blue_y)
    return Scene(pitch_of(params), players, s.ball - 1 if s.ball else None, None if s.winner else s.turn, caption)


def text(params: Ints, code: int) -> str:
    """Returns the pitch: ``r`` and ``b``, with the ball ``R`` and ``B``; the loose ball ``o``; and who is to move."""
    return lines_of_text(scene(params, code))


def draw(params: Ints, code: int, canvas: Canvas) -> None:
    """Draws the pitch, the players, who is to move, and the ball."""
    drawn(scene(params, code), canvas)
