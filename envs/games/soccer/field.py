"""The field of grid soccer: the cells from which a shot counts, what stops a shot, and the penalty areas."""

import math

RED, BLUE = 0, 1

ENOUGH = 0.3  # a shot counts above it, see ``shot_counts``
BODY = ((0.0, 0.0), (0.25, 0.25), (0.25, -0.25), (-0.25, 0.25), (-0.25, -0.25))  # points that stop a shot


def shot_counts(width: int, height: int, goal_height: int, player: int, x: int, y: int) -> bool:
    """Returns whether a shot from a cell scores when nobody intercepts it: near, and at a goal that looks wide.

    >>> shot_counts(19, 13, 5, RED, 15, 5), shot_counts(19, 13, 5, RED, 15, 4)
    (True, False)
    """
    lower, upper = (height - goal_height) // 2, (height + goal_height) // 2
    across = width + 2 - (x + 0.5) if player == RED else x + 0.5
    below, above = lower - (y - 0.5), upper - (y - 0.5)
    angle = math.atan(above / across) - math.atan(below / across)
    return 20 * angle**2 / (across**2 + ((below + above) / 2) ** 2) > ENOUGH


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


def in_penalty_area(width: int, height: int, goal_height: int, attacker: int, x: int, y: int) -> bool:
    """Returns whether a cell is in the penalty area of the goal that ``attacker`` attacks. The two areas differ."""
    inside = x >= width - 3 if attacker == RED else x <= 3
    return inside and height - goal_height - 2 < 2 * y - 1 < height + goal_height + 2
