"""Grid soccer: two players in turn on a field of cells, one ball, one goal wins. See ``docs/soccer.md``.

Red is player 0 and attacks the goal on the right, blue is player 1 and attacks the one on the left. Cells are numbered
from the left, x = 1..width, and from below, y = 1..height; the goals are at x = 0 and x = width + 1.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_whole
from nashzoo.envs.games.soccer.field import BLUE, RED, intercepted, placed_between, shot_counts
from nashzoo.envs.jit.compiled import Ints
from nashzoo.envs.rules.observation import flag, one_hot, scaled, seat

NAME = "soccer_v0"
ACTIONS = ("Kick", "Right", "Left", "Up", "Down", "Right Up", "Right Down", "Left Up", "Left Down")
MAX_CYCLES = 200
KICK = 0
STRAIGHT, RIGHTWARD, LEFTWARD = 0b000_011_110, 0b001_100_000, 0b110_000_000  # the diagonals in two groups
TO_RIGHT, TO_LEFT, TO_UP, TO_DOWN = 0b001_100_010, 0b110_000_100, 0b010_101_000, 0b101_010_000

NOBODY = 0  # nobody has the ball, or has scored; else 1 + the player
COLOURS = ("red", "blue")

FROM_CENTRE = 5  # columns from the centre to where the players line up
LARGEST = 63  # cells in a row or column; six bits
LIMITS = {"width": (2 * FROM_CENTRE + 1, LARGEST), "height": (3, LARGEST), "goal_height": (1, LARGEST)}


class Params(NamedTuple):
    """The parameters of a match.

    Attributes:
        width: Cells from goal line to goal line, odd, 11 to 63: there is a centre column, and five on either side.
        height: Cells from sideline to sideline, odd, 3 to 63.
        goal_height: Rows of the goal mouth, odd, 1 to ``height``.
        random_positions: Whether each player starts on a random cell of its own half, or lines up.
    """

    width: int = 19
    height: int = 13
    goal_height: int = 5
    random_positions: bool = True


class Tables(NamedTuple):
    """What follows from the parameters."""

    shots: Ints  # [height, width], the players whose shots count from each cell: bit p for player p


class State(NamedTuple):
    """A state between two moves. After a goal the players are lined up around the ball."""

    red_x: int  # 1..width
    red_y: int  # 1..height
    blue_x: int
    blue_y: int
    ball: int  # 0 loose on the centre cell, 1 red has it, 2 blue has it
    turn: int  # 0..1, the player to move; 0 after a goal
    winner: int  # 0 nobody yet, 1 red has scored, 2 blue has scored


# The bits of each field in the code of a state, the lowest first; enough for the LIMITS.
BITS = {"red_x": 6, "red_y": 6, "blue_x": 6, "blue_y": 6, "ball": 2, "turn": 1, "winner": 2}


def check_params(params: Params) -> None:
    """Raises a UsageError for a value out of its range."""
    for name, limits in LIMITS.items():
        check_whole(name, getattr(params, name), *limits, kind="an odd whole number")
    for name, reason in (
        ("width", "for there is a centre column"),
        ("height", "for there is a centre row"),
        ("goal_height", "for height - goal_height is even"),
    ):
        if getattr(params, name) % 2 == 0:
            raise UsageError(f"{name} must be odd, {reason}, not {getattr(params, name)}")
    if params.goal_height > params.height:
        raise UsageError(f"goal_height must be at most height, which is {params.height}, not {params.goal_height}")


def tables(params: Params) -> Tables:
    """Computes the cells from which a shot counts."""
    size = params.width, params.height, params.goal_height
    shots = [
        [shot_counts(*size, RED, x, y) + 2 * shot_counts(*size, BLUE, x, y) for x in range(1, params.width + 1)]
        for y in range(1, params.height + 1)
    ]
    return Tables(np.array(shots))


def field_maxima(params: Params) -> State:
    """Returns the largest value of each field."""
    return State(params.width, params.height, params.width, params.height, 2, 1, 2)


def lined_up(width: int, height: int, ball: int, mover: int) -> State:
    """Returns the state with the players five columns from the centre, one of them perhaps with the ball."""
    x, y = (width + 1) // 2, (height + 1) // 2
    return State(x - FROM_CENTRE, y, x + FROM_CENTRE, y, ball, mover, NOBODY)


def scored(width: int, height: int, player: int) -> State:
    """Returns the state after a goal for ``player``."""
    s = lined_up(width, height, NOBODY, RED)
    return State(s.red_x, s.red_y, s.blue_x, s.blue_y, NOBODY, RED, 1 + player)


def check(params: Params, state: State) -> None:
    """Raises a ValueError for an impossible state."""
    red, blue = (state.red_x, state.red_y), (state.blue_x, state.blue_y)
    centre = ((params.width + 1) // 2, (params.height + 1) // 2)
    for colour, cell in zip(COLOURS, (red, blue), strict=True):
        if 0 in cell:
            raise ValueError(f"cells are numbered from 1; {colour} is on {cell}")
        if state.ball == NOBODY and cell == centre:
            raise ValueError(f"{colour} is on the centre cell {cell}, where the ball is, and would have it")
    if red == blue:
        raise ValueError(f"red and blue are both on {red}")
    if state.winner:
        end = scored(params.width, params.height, state.winner - 1)
        if state != end:
            raise ValueError(f"after a goal the players line up and red is to move, {end}")


def start(params: Params) -> list[tuple[State, float]]:
    """The players are lined up, or placed uniformly in their own halves; the lined-up start comes first."""
    width, height = params.width, params.height
    first = lined_up(width, height, NOBODY, RED)
    if not params.random_positions:
        return [(first, 1.0)]
    half, rows = range(1, (width + 1) // 2), range(1, height + 1)
    states = [
        State(red_x, red_y, width + 1 - blue_x, blue_y, NOBODY, RED, NOBODY)
        for red_x in half
        for red_y in rows
        for blue_x in half
        for blue_y in rows
    ]
    states.remove(first)
    return [(state, 1 / (len(states) + 1)) for state in (first, *states)]


def turn(state: State) -> int:
    """Red moves first."""
    return state.turn


def legal(params: Params, state: State, player: int) -> int:
    """Only a player with the ball can kick or leave the field; diagonals lead forward, or inward from a goal line."""
    s = state
    width, height = params.width, params.height
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


def moved(x: int, y: int, action: int) -> tuple[int, int]:
    """Returns the cell that a move from ``(x, y)`` leads to."""
    return x + (TO_RIGHT >> action & 1) - (TO_LEFT >> action & 1), y + (TO_UP >> action & 1) - (TO_DOWN >> action & 1)


def shot_scores(tables: Tables, x: int, y: int, player: int) -> int:
    """Returns whether a shot of a player at ``(x, y)`` that is not stopped is a goal."""
    return tables.shots[y - 1, x - 1] >> player & 1  # type: ignore[no-any-return]


def after(mover: int, x: int, y: int, other_x: int, other_y: int, ball: int) -> State:
    """Returns the state after a move, with the mover at ``(x, y)`` and the other player to move."""
    if mover == RED:
        return State(x, y, other_x, other_y, ball, BLUE, NOBODY)
    return State(other_x, other_y, x, y, ball, RED, NOBODY)


def carried_out(width: int, height: int, goal_height: int, mover: int, x: int, y: int) -> State:
    """Returns the state after the ball was carried to ``(x, y)``, off the field."""
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


def step(params: Params, tables: Tables, state: State, action: int) -> State:
    """Moves or kicks for the player to move."""
    s = state
    width, height, goal_height = params.width, params.height, params.goal_height
    mover, other = s.turn, 1 - s.turn
    if mover == RED:
        x, y, other_x, other_y = s.red_x, s.red_y, s.blue_x, s.blue_y
    else:
        x, y, other_x, other_y = s.blue_x, s.blue_y, s.red_x, s.red_y

    if action == KICK:
        if intercepted(width, height, goal_height, mover, x, y, other_x, other_y):
            x, y = placed_between(width, height, mover, x, y, other_x, other_y)
            return after(mover, x, y, other_x, other_y, 1 + other)
        if shot_scores(tables, x, y, mover):
            return scored(width, height, mover)
        return lined_up(width, height, 1 + other, other)

    to_x, to_y = moved(x, y, action)
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
    reached = s.ball == NOBODY and 2 * to_x == width + 1 and 2 * to_y == height + 1
    return after(mover, to_x, to_y, other_x, other_y, 1 + mover if reached else s.ball)


def terminal(state: State) -> bool:
    """One goal ends the game."""
    return state.winner != NOBODY


def payoff(state: State) -> int:
    """A point for a goal."""
    return (state.winner == 1 + RED) - (state.winner == 1 + BLUE)


def exchange_sides(params: Params, state: State) -> State:
    """Blue observes the state with the players swapped and the field mirrored."""
    s, width = state, params.width
    ball = 3 - s.ball if s.ball else NOBODY
    winner = 3 - s.winner if s.winner else NOBODY
    return State(width + 1 - s.blue_x, s.blue_y, width + 1 - s.red_x, s.red_y, ball, 1 - s.turn, winner)


NEAR = range(-2, 3)  # distances between the players that are one-hot

OBSERVATION = (
    scaled("(own column - 1) / (width - 1), counted towards the attacked goal", "red_x", least=1),
    scaled("(own row - 1) / (height - 1)", "red_y", least=1),
    scaled("(other's column - 1) / (width - 1), counted the same way", "blue_x", least=1),
    scaled("(other's row - 1) / (height - 1)", "blue_y", least=1),
    one_hot("{} the ball", "ball", ("has", "other has"), first=1 + RED),
    flag("is to move", "turn", RED),
    one_hot("{} scored", "winner", ("has", "other has"), first=1 + RED),
    seat("plays blue"),
    flag("own shot would count if not intercepted", "shot_scores(tables, state.red_x, state.red_y, RED)"),
    flag("other's shot would count if not intercepted", "shot_scores(tables, state.blue_x, state.blue_y, BLUE)"),
    one_hot("other's column - own column is {}", "state.blue_x - state.red_x", NEAR, first=NEAR[0]),
    one_hot("other's row - own row is {}", "state.blue_y - state.red_y", NEAR, first=NEAR[0]),
)
CROSSED = (("red_x", "red_y"), ("blue_x", "blue_y"))
COMPARED = (("red_x", "blue_x"), ("red_y", "blue_y"))  # the result depends on the relative position
