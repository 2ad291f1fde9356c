"""Checks of the options of players."""

import math
from typing import Any

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import name_of
from nashzoo.envs.core.game import Game


def check_probability(name: str, value: Any) -> float:
    """Returns a probability.

    Raises:
        UsageError: it is not a number from 0 to 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UsageError(f"{name} must be a number from 0 to 1, not {value!r}")
    return float(value)


def check_positive(name: str, value: Any) -> float:
    """Returns a number above 0.

    Raises:
        UsageError: it is not a finite number above 0.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise UsageError(f"{name} must be a number above 0, not {value!r}")
    return float(value)


def check_not_negative(name: str, value: Any) -> float:
    """Returns a number of at least 0.

    Raises:
        UsageError: it is not a finite number of at least 0.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise UsageError(f"{name} must be a finite number of at least 0, not {value!r}")
    return float(value)


def check_positive_probability(name: str, value: Any) -> float:
    """Returns a probability above 0.

    Raises:
        UsageError: it is not a number above 0 and at most 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise UsageError(f"{name} must be a number above 0 and at most 1, not {value!r}")
    return float(value)


def check_turn_based(player: object, game: Game) -> None:
    """Checks that a game is turn-based.

    Raises:
        UsageError: it is not.
    """
    if not game.turn_based:
        raise UsageError(f"{name_of(player)} plays turn-based games; in {game.name} both players move at once")
