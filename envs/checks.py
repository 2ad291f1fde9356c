"""Checks of the numbers that games are made with."""

from typing import Any

import numpy as np


def check_whole(name: str, value: Any, low: int, high: int, kind: str = "a whole number", why: str = "") -> int:
    """Returns a whole number; ``kind`` and ``why`` stand before and after the range in the message.

    Raises:
        ValueError: it is not a whole number from ``low`` to ``high``.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise ValueError(f"{name} must be {kind} from {low} to {high}{why}, not {value!r}")
    return int(value)
