"""Limits of work that ends between two of its pieces: loops over long pieces ask whether to go on."""

import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

_is_over: ContextVar[Callable[[], bool]] = ContextVar("_is_over", default=lambda: False)  # of this thread


class _Over(BaseException):
    """Ends work as KeyboardInterrupt does, which handlers of errors do not catch."""


def check_time() -> None:
    """Ends the work of :func:`unless` if it is over; threads that help with it go on to the end of a piece."""
    if _is_over.get()():
        raise _Over


def within(seconds: float, work: Callable[..., T], *arguments: Any) -> T | None:
    """Calls a function and returns its result, or None if :func:`check_time` finds that it takes longer."""
    until = time.monotonic() + seconds
    return unless(lambda: time.monotonic() >= until, work, *arguments) if seconds > 0 else None


def unless(over: Callable[[], bool], work: Callable[..., T], *arguments: Any) -> T | None:
    """Calls a function and returns its result, or None if :func:`check_time` finds that it is to end before."""
    outer = _is_over.get()
    token = _is_over.set(lambda: over() or outer())
    try:
        return work(*arguments)
    except _Over:
        return None
    finally:
        _is_over.reset(token)
