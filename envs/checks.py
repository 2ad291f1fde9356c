"""Checks of the numbers that games are made with."""

from typing import Any

import numpy as np

from nashzoo.envs.errors import UsageError


def check_whole(name: str, value: Any, low: int, high: int, kind: str = "a whole number", why: str = "") -> int:
    """Returns a whole number; ``kind`` and ``why`` stand before and after the range in the message.

    Raises:
        UsageError: it is not a whole number from ``low`` to ``high``.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise UsageError(f"{name} must be {kind} from {low} to {high}{why}, not {value!r}")
    return int(value)


def check_seed(seed: Any) -> int | None:
    """Returns where random numbers come from; None for the operating system's.

    Raises:
        UsageError: it is not a whole number of at least 0.
    """
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise UsageError(f"seed must be a whole number of at least 0, not {seed!r}")
    return int(seed)
