"""Time limits of work that ends between two of its pieces: loops over long pieces look at the clock."""

import math
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

_until = ContextVar("_until", default=math.inf)  # of the work of this thread


class _TimeIsUp(BaseException):
    """Ends work as KeyboardInterrupt does, which handlers of errors do not catch."""


def check_time() -> None:
    """Ends the work of :func:`within` if its time is up; threads that help with it go on to the end of a piece."""
    if time.monotonic() >= _until.get():
        raise _TimeIsUp


def within(seconds: float, work: Callable[..., T], *arguments: Any) -> T | None:
    """Calls a function and returns its result, or None if :func:`check_time` finds that it takes longer."""
    until = min(time.monotonic() + seconds, _until.get())
    token = _until.set(until)
    try:
        return work(*arguments) if seconds > 0 else None
    except _TimeIsUp:
        return None
    finally:
        _until.reset(token)
