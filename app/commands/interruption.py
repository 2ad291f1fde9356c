"""Handling of Ctrl-C, of the signal to terminate, and of time limits."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

SHORTEST, LONGEST = 1e-6, 1e9  # seconds of a time limit
ANEW = "No part of the work is kept; the same command begins anew."


@contextlib.contextmanager
def interruptible(advice: str) -> Iterator[None]:
    """Within this context the signal to terminate raises KeyboardInterrupt, as Ctrl-C does.

    The exception has the advice how to continue, which :func:`nashzoo.app.commands.errors.run_program` prints.
    """

    def stop(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(advice) from None
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def continued_in(folder: Path) -> Iterator[None]:
    """Is for work that the same command continues from the results in a folder; locks the folder meanwhile.

    Raises:
        UsageError: another command has locked it.
    """
    from nashzoo.envs.base.files import locked  # this imports the games, which the help does not need

    with locked(folder), interruptible(f"The same command continues; finished results are kept in {folder}."):
        yield


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


class _TimeIsUp(BaseException):
    """Interrupts work as KeyboardInterrupt does, which handlers of errors do not catch."""


def within(seconds: float, work: Callable[..., T], *arguments: Any) -> T | None:
    """Calls a function and returns its result, or None if it takes longer than ``seconds``; it is then interrupted.

    The function must be one that Ctrl-C can interrupt at any moment. Compiled code and compilation end first.
    Without the timer of POSIX, or outside the main thread, there is no limit.
    """

    def stop(number: int, frame: Any) -> None:
        raise _TimeIsUp

    if seconds <= 0:
        return None
    here = hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()
    if not here or seconds > LONGEST:
        return work(*arguments)
    before = signal.signal(signal.SIGALRM, stop)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, max(seconds, SHORTEST))
            return work(*arguments)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _TimeIsUp:
        return None
    finally:
        signal.signal(signal.SIGALRM, before)
