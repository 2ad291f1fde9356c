"""Clocks that stand still while Numba compiles, since only a first use compiles: of the wall, and of the processors."""

import time
from typing import Any

from nashzoo.envs.jit.numba import event


class _Stopwatch(event.Listener):  # type: ignore[misc]  # numba has no type information
    """Adds up the seconds of compilation, which is in one thread at a time; a function compiles others meanwhile."""

    def __init__(self) -> None:
        self.begun: list[tuple[float, float]] = []
        self.wall = self.processors = 0.0

    def on_start(self, event: Any) -> None:
        """Notes when it begins."""
        self.begun.append((time.monotonic(), time.process_time()))

    def on_end(self, event: Any) -> None:
        """Adds the time of a function that is compiled for no other."""
        wall, processors = self.begun.pop()
        if not self.begun:
            self.wall += time.monotonic() - wall
            self.processors += time.process_time() - processors


_compilation = _Stopwatch()
event.register("numba:compile", _compilation)


def working_time() -> float:
    """Returns the seconds of a clock that stands still while code is compiled."""
    now, since = time.monotonic(), _compilation.begun[:1]  # another thread may compile
    return (since[0][0] if since else now) - _compilation.wall


def working_processor_time() -> float:
    """Returns the processor seconds of this process on such a clock."""
    now, since = time.process_time(), _compilation.begun[:1]
    return (since[0][1] if since else now) - _compilation.processors
