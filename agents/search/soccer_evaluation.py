"""Evaluations of states of grid soccer: three made by hand, and one fitted to the exact values.

They evaluate the player with the ball, the *holder*, in the same way for both players. Distances are straight lines
between the middles of cells; the middle of a goal is in the centre row, one column off the field.
"""

import math

from nashzoo.agents.search.evaluation import EVALUATE, Evaluation
from nashzoo.envs.games.soccer import field as soccer_field
from nashzoo.envs.games.soccer import rules as soccer
from nashzoo.envs.games.soccer.field import BLUE, RED
from nashzoo.envs.games.soccer.rules import NAME, NOBODY
from nashzoo.envs.jit.compiled import Floats, Ints, compiled
from nashzoo.envs.jit.plain_functions import plain
from nashzoo.envs.rules.build import build

decode, params_of = build(soccer).decode, build(soccer).params_of
in_penalty_area = plain(soccer_field.in_penalty_area)

GAME = NAME  # whose states they evaluate

HANDMADE = {
    "ball": 5.0,  # to have it
    "goal": 0.25,  # for each cell by which the holder's distance to the goal it attacks is less than the field's length
    "room": 0.1,  # for each cell between the holder and the other player
    "blocked": -2.0,  # the other player is between the holder and that goal
    "penalty_area": 3.0,  # the holder is in the penalty area of that goal
    "own_penalty_area": -1.0,  # the holder is in the penalty area of its own goal
    "race": 0.5,  # the ball is free: for each cell by which one player is nearer to it than the other
    "other_goal": 0.0,  # the same as ``goal``, for the player without the ball; for both if the ball is free
    "blocked_room": 0.0,  # besides ``room``, if the other player is between the holder and that goal
}
BALL, GOAL, ROOM, BLOCKED, PENALTY_AREA, OWN_PENALTY_AREA, RACE, OTHER_GOAL, BLOCKED_ROOM = range(len(HANDMADE))
BOTH_GOALS = HANDMADE | {"other_goal": HANDMADE["goal"]}  # as in the course project
# The farther ahead the other player is, the surer it stops the holder. If room were an advantage there, players would
# leave a loose ball to each other: who takes it and loses it is placed between, at a distance.
CHASE = HANDMADE | {"blocked_room": -2 * HANDMADE["room"]}

# Found by ``python -m studies.soccer_fit``; ``through`` is the number of the function of this name.
FITTED = {
    "held": -2.473,  # logarithm of the odds that the holder wins ...
    "held_to_move": 1.157,  # ... more, if it is to move
    "held_passed": 6.042,  # ... more, if it has passed the other player
    "held_is_through": 5.541,  # ... more, if ``through`` is not negative
    "held_through": 1.492,  # ... more, times ``through``, cut to -3 to 3
    "loose": -1.657,  # the same for a player, if the ball is free
    "loose_is_through": 3.832,
    "loose_through": 1.722,
    "moves": -2.21,  # number of both players' moves to a win from a cell before the goal
    "moves_to_goal": 1.625,  # ... more, for each move to the cells before the goal, from the holder or from the centre
    "moves_to_ball": 1.834,  # ... more, for each move to the ball, if the ball is free
}
(
    HELD, HELD_TO_MOVE, HELD_PASSED, HELD_IS_THROUGH, HELD_THROUGH, LOOSE, LOOSE_IS_THROUGH, LOOSE_THROUGH,
    MOVES, MOVES_TO_GOAL, MOVES_TO_BALL,
) = range(len(FITTED))  # fmt: skip
MOST_THROUGH = 3  # ``through`` is cut to this and its negative
CERTAIN = 100.0  # evaluation points of a certain win, minus the number of its moves


@compiled()
def between(x: int, y: int, goal_x: int, goal_y: int, other_x: int, other_y: int) -> bool:
    """Returns whether the other player is in a column between a cell and a goal, at most a row off their line."""
    if not min(x, goal_x) < other_x < max(x, goal_x):
        return False
    off_line = (other_y - y) * (goal_x - x) - (goal_y - y) * (other_x - x)
    return abs(off_line) <= abs(goal_x - x)


@compiled(EVALUATE)
def handmade(params: Ints, weights: Floats, code: int) -> float:
    """Evaluates a state to red by the weights of ``HANDMADE``."""
    s = decode(code)
    width, height, goal_height, _ = params_of(params)
    goal_y = (height + 1) // 2
    to_goals = math.hypot(s.blue_x, goal_y - s.blue_y) - math.hypot(width + 1 - s.red_x, goal_y - s.red_y)
    if s.ball == NOBODY:
        ball_x = (width + 1) // 2
        red, blue = math.hypot(ball_x - s.red_x, goal_y - s.red_y), math.hypot(ball_x - s.blue_x, goal_y - s.blue_y)
        return float(weights[RACE] * (blue - red) + weights[OTHER_GOAL] * to_goals)
    holder = s.ball - 1
    if holder == RED:
        x, y, other_x, other_y, goal_x = s.red_x, s.red_y, s.blue_x, s.blue_y, width + 1
    else:
        x, y, other_x, other_y, goal_x = s.blue_x, s.blue_y, s.red_x, s.red_y, 0
    points = float(weights[BALL])
    points += weights[GOAL] * (width + 1 - math.hypot(goal_x - x, goal_y - y))
    points -= weights[OTHER_GOAL] * (width + 1 - math.hypot(width + 1 - goal_x - other_x, goal_y - other_y))
    room = math.hypot(other_x - x, other_y - y)
    points += weights[ROOM] * room
    if between(x, y, goal_x, goal_y, other_x, other_y):
        points += weights[BLOCKED] + weights[BLOCKED_ROOM] * room
    if in_penalty_area(width, height, goal_height, holder, x, y):
        points += weights[PENALTY_AREA]
    if in_penalty_area(width, height, goal_height, 1 - holder, x, y):
        points += weights[OWN_PENALTY_AREA]
    return float(points if holder == RED else -points)


@compiled()
def oriented(params: Ints, code: int, player: int) -> tuple[int, int, int, int, bool]:
    """Returns a player's cell and the other's, as if it attacked the goal on the right, and whether it is to move."""
    s = decode(code)
    if player == RED:
        return s.red_x, s.red_y, s.blue_x, s.blue_y, s.turn == RED
    width = params_of(params).width
    return width + 1 - s.blue_x, s.blue_y, width + 1 - s.red_x, s.red_y, s.turn == BLUE


@compiled()
def moves_to(columns: int, rows: int) -> int:
    """Returns the moves to a cell ``columns`` ahead, or behind if negative; there are no diagonal moves back."""
    return max(columns, rows) if columns >= 0 else rows - columns


@compiled()
def room_to_pass(params: Ints, y: int, ahead: int, other_y: int) -> int:
    """Returns the rows of the goal mouth left when a holder who moves aside reaches the other player's column.

    Both move aside in parallel, and the holder needs a row for each column by which the other is ahead.
    """
    height: int = params_of(params).height
    row = min(other_y, height + 1 - other_y)  # of the other, counted from the sideline behind the holder
    if y > other_y:
        row = other_y
    elif y < other_y:
        row = height + 1 - other_y
    goal_height: int = params_of(params).goal_height
    return (height + goal_height) // 2 - row - ahead


@compiled()
def through(params: Ints, code: int, player: int) -> int:
    """Returns the margin by which a player, with the ball or on the way to it, can pass the other; negative if not.

    With the ball there must be room to pass, and the holder must be a row aside, or it is stopped at once; two rows if
    the other is to move. Without it, the player must be first at the ball by a move, and then there must be room, minus
    the rows that the other has taken by then.
    """
    x, y, other_x, other_y, to_move = oriented(params, code, player)
    waits = 1 if to_move else 2
    if decode(code).ball != NOBODY:
        ahead = other_x - x
        return min(room_to_pass(params, y, ahead, other_y), abs(y - other_y) + int(ahead < 0)) - waits
    ball_x, ball_y = (params_of(params).width + 1) // 2, (params_of(params).height + 1) // 2
    moves = moves_to(ball_x - x, abs(ball_y - y))
    lead = moves_to(other_x - ball_x, abs(ball_y - other_y)) - moves
    room = room_to_pass(params, ball_y, other_x - ball_x, other_y)
    return min(lead - waits, room - moves - waits)


@compiled()
def win_logit(params: Ints, weights: Floats, code: int, player: int) -> float:
    """Returns the logarithm of the odds that a player wins; the other must not have the ball."""
    margin = through(params, code, player)
    clipped = max(min(margin, MOST_THROUGH), -MOST_THROUGH)
    if decode(code).ball == NOBODY:
        return float(weights[LOOSE] + weights[LOOSE_IS_THROUGH] * int(margin >= 0) + weights[LOOSE_THROUGH] * clipped)
    x, _, other_x, _, to_move = oriented(params, code, player)
    logit = weights[HELD] + weights[HELD_IS_THROUGH] * int(margin >= 0) + weights[HELD_THROUGH] * clipped
    return float(logit + weights[HELD_TO_MOVE] * int(to_move) + weights[HELD_PASSED] * int(other_x < x))


@compiled()
def win_moves(params: Ints, weights: Floats, code: int, player: int) -> float:
    """Returns the number of moves to a player's win; the other must not have the ball."""
    x, y, _, _, _ = oriented(params, code, player)
    height = params_of(params).height
    to_ball = 0
    if decode(code).ball == NOBODY:
        ball_x, ball_y = (params_of(params).width + 1) // 2, (height + 1) // 2
        to_ball = moves_to(ball_x - x, abs(ball_y - y))
        x, y = ball_x, ball_y
    off_mouth = max(abs(2 * y - height - 1) - params_of(params).goal_height + 1, 0) // 2
    to_goal = moves_to(params_of(params).width - x, off_mouth)
    return float(weights[MOVES] + weights[MOVES_TO_GOAL] * to_goal + weights[MOVES_TO_BALL] * to_ball)


@compiled(EVALUATE)
def fitted(params: Ints, weights: Floats, code: int) -> float:
    """Evaluates a state to red by the weights of ``FITTED``: probabilities of a win; earlier wins count more."""
    ball = decode(code).ball
    points = 0.0
    for player in (RED, BLUE):
        if ball in (NOBODY, 1 + player):
            chance = 1.0 / (1.0 + math.exp(-win_logit(params, weights, code, player)))
            worth = chance * (CERTAIN - win_moves(params, weights, code, player))
            points += worth if player == RED else -worth
    return points


EVALUATIONS = {
    "handmade": Evaluation(handmade, HANDMADE),
    "fitted": Evaluation(fitted, FITTED),
    "both_goals": Evaluation(handmade, BOTH_GOALS),
    "chase": Evaluation(handmade, CHASE),
}
BEYOND_ONE_MOVE = "chase"  # the default of searches that see the reply, and so the loss of a ball just taken
