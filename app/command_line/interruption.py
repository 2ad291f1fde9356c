"""What a request to end does to a command: Ctrl-C, or a signal to terminate."""

import contextlib
import signal
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Lets a request to terminate end the work within as Ctrl-C does."""

    def stop(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def stoppable() -> Iterator[list[int]]:
    """Gives a list that is empty until somebody asks to stop; nothing is interrupted."""
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
    """Puts off an interruption until the work within is done; PyTorch cannot be interrupted while it writes."""
    with stoppable() as came:
        yield
    if came:
        raise KeyboardInterrupt
