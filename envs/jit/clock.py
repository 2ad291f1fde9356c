"""Clocks that stand still while Numba compiles, since only a first use compiles: of the wall, and of the processors."""

import time
from operator import sub
from typing import Any, NamedTuple

from nashzoo.envs.jit.numba import event

FIRST_USE = "the first use is slow: nashzoo compiles itself once"


class _Times(NamedTuple):
    """Seconds of the wall and of the processors."""

    wall: float
    processors: float


class _Stopwatch(event.Listener):  # type: ignore[misc]  # numba has no type information
    """Adds up the seconds of compilation, which is in one thread at a time; a function compiles others meanwhile.

    Attributes:
        state: When it began, if it goes on, and the seconds of those before; set at once, for other threads read it.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.state: tuple[_Times | None, _Times] = None, _Times(0.0, 0.0)

    def on_start(self, event: Any) -> None:
        """Notes when it begins."""
        if self.depth == 0:
            self.state = _now(), self.state[1]
        self.depth += 1

    def on_end(self, event: Any) -> None:
        """Adds the time of a function that is compiled for no other."""
        self.depth -= 1
        begun, before = self.state
        if self.depth == 0 and begun is not None:
            self.state = None, _Times(*map(sum, zip(before, map(sub, _now(), begun), strict=True)))


def _now() -> _Times:
    return _Times(time.monotonic(), time.process_time())


_compilation = _Stopwatch()
event.register("numba:compile", _compilation)


def compiling() -> bool:
    """Returns whether a thread compiles at the moment."""
    return _compilation.depth > 0


def working_time() -> float:
    """Returns the seconds of a clock that stands still while code is compiled."""
    now = time.monotonic()  # before the state: another thread may compile
    begun, compiled = _compilation.state
    return (begun.wall if begun else now) - compiled.wall


def working_processor_time() -> float:
    """Returns the processor seconds of this process on such a clock."""
    now = time.process_time()
    begun, compiled = _compilation.state
    return (begun.processors if begun else now) - compiled.processors
