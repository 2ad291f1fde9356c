"""Signals that interrupt the main thread by an exception: Ctrl-C, the signal to terminate, and the timer's."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

INTERRUPTING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGALRM") if hasattr(signal, name)]


@contextlib.contextmanager
def postponed() -> Iterator[None]:
    """Postpones signals that have a handler in Python to the end of the context; in other threads there are none."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: dict[int, None] = {}
    over = False
    before = {number: handler for number in INTERRUPTING if callable(handler := signal.getsignal(number))}

    def remember(number: int, frame: Any) -> None:
        if over:  # a signal interrupts the end of the context, before all handlers are as they were
            before[number](number, frame)
            return
        came[number] = None

    try:
        for number in before:
            signal.signal(number, remember)
        yield
    finally:
        over = True
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)
