"""Handling of Ctrl-C and of the signal to terminate."""

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ANEW = "No part of the work is kept; the same command begins anew."


@contextlib.contextmanager
def interruptible(advice: str) -> Iterator[None]:
    """Within this context the signal to terminate raises KeyboardInterrupt, as Ctrl-C does.

    The exception has the advice how to continue, which :func:`nashzoo.app.shared.errors.run_program` prints.
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
