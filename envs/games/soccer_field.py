"""The field of grid soccer: its size, the cells from which a shot counts, and the penalty areas."""

import math

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_whole
from nashzoo.envs.core.rules import Ints, compiled

RED, BLUE = 0, 1

# Indices of the parameters in ``params``; from SHOTS on the players whose shots count from each cell, row by row from
# below: 1 for red, 2 for blue, 3 for both.
WIDTH, HEIGHT, GOAL_HEIGHT, RANDOM_POSITIONS, SHOTS = range(5)

FROM_CENTRE = 5  # columns from the centre to where the players line up
LARGEST = 63  # cells in a row or column; six bits
LIMITS = {"width": (2 * FROM_CENTRE + 1, LARGEST), "height": (3, LARGEST), "goal_height": (1, LARGEST)}
ENOUGH = 0.3  # a shot counts above it, see ``shot_counts``


def parameters(width: int = 19, height: int = 13, goal_height: int = 5, random_positions: bool = True) -> Ints:
    """Checks the parameters of a match.

    Args:
        width: Cells from goal line to goal line, odd, 11 to 63: there is a centre column, and five columns on either
            side of it for the players to line up.
        height: Cells from sideline to sideline, odd, 3 to 63.
        goal_height: Rows of the goal mouth, odd, 1 to ``height``.
        random_positions: Whether each player starts on a random cell of its own half, or lines up.

    Raises:
        UsageError: a value is out of its range.
    """
    for name, value in {"width": width, "height": height, "goal_height": goal_height}.items():
        check_whole(name, value, *LIMITS[name], kind="an odd whole number")
    for name, value, reason in (
        ("width", width, "for there is a centre column"),
        ("height", height, "for there is a centre row"),
        ("goal_height", goal_height, "for height - goal_height is even"),
    ):
        if value % 2 == 0:
            raise UsageError(f"{name} must be odd, {reason}, not {value}")
    if goal_height > height:
        raise UsageError(f"goal_height must be at most height, which is {height}, not {goal_height}")
    if not isinstance(random_positions, bool):
        raise UsageError(f"random_positions must be True or False, not {random_positions!r}")
    shots = [
        shot_counts(width, height, goal_height, RED, x, y) + 2 * shot_counts(width, height, goal_height, BLUE, x, y)
        for y in range(1, height + 1)
        for x in range(1, width + 1)
    ]
    return np.array([width, height, goal_height, random_positions, *shots], np.int64)


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


@compiled()
def in_penalty_area(width: int, height: int, goal_height: int, attacker: int, x: int, y: int) -> bool:
    """Returns whether a cell is in the penalty area of the goal that ``attacker`` attacks. The two areas differ."""
    inside = x >= width - 3 if attacker == RED else x <= 3
    return inside and height - goal_height - 2 < 2 * y - 1 < height + goal_height + 2
