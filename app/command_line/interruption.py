"""Handling of Ctrl-C and of the signal to terminate."""

import contextlib
import signal
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Within this context the signal to terminate raises KeyboardInterrupt, as Ctrl-C does."""

    def stop(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def stoppable() -> Iterator[list[int]]:
    """Yields a list to which Ctrl-C and the signal to terminate add their numbers; they interrupt nothing."""
    came: list[int] = []
    before = {
        number: signal.signal(number, lambda number, frame: came.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Postpones an interruption to the end of the context; PyTorch cannot be interrupted while it writes."""
    with stoppable() as came:
        yield
    if came:
        raise KeyboardInterrupt
