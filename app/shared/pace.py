"""The delay between pages at a terminal, and the keys that change it."""

import os
import select
import sys
import time
from typing import Any

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import wrapped

DELAY = 0.5  # seconds between pages at a terminal
FASTER, SLOWEST, FASTEST = 2.0, 30.0, 0.01
NEXT, BACK, SKIP, QUIT = "next", "back", "skip", "quit"
KEYS = {
    b"\n": NEXT, b"\r": NEXT, b"n": NEXT, b"\x1b[C": NEXT, b"b": BACK, b"\x1b[D": BACK, b"m": SKIP, b"q": QUIT,
}  # fmt: skip
HELP = "space pauses and goes on, Enter next, b back, + and - faster and slower, m next match, q quits"


class Pace:
    """Waits between pages. At a terminal keys pause, step forward and back, and change the speed, see ``HELP``.

    Args:
        delay: Seconds between pages; when None half a second at a terminal, and none elsewhere.
        step: Wait for a key after every page.

    Raises:
        UsageError: the delay is below 0, or ``step`` is set without a terminal.
    """

    def __init__(self, delay: float | None = None, step: bool = False) -> None:
        if delay is not None and not 0 <= delay < float("inf"):
            raise UsageError(f"the delay must be a number of seconds of at least 0, not {delay}")
        self.keys = sys.stdin.isatty() and sys.stdout.isatty() and os.name == "posix"
        if step and not self.keys:
            raise UsageError("--step needs a terminal, to wait for keys; leave it out to show pages without waiting")
        self.delay = (DELAY if sys.stdout.isatty() else 0.0) if delay is None else delay
        self.paused = step
        self._before: Any = None

    def __enter__(self) -> "Pace":
        if self.keys:
            import termios
            import tty

            self._before = termios.tcgetattr(sys.stdin.fileno())
            tty.setcbreak(sys.stdin.fileno(), termios.TCSADRAIN)  # keeps input that is typed already
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            import termios

            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)
            self._before = None

    def wait(self) -> str:
        """Waits for the delay or for a key; returns ``NEXT``, ``BACK``, ``SKIP`` or ``QUIT``."""
        if not self.keys:
            time.sleep(self.delay)
            return NEXT
        sys.stdout.flush()
        end = time.monotonic() + self.delay
        while True:
            left = None if self.paused else max(0.0, end - time.monotonic())
            if not select.select([sys.stdin.fileno()], [], [], left)[0]:
                return NEXT
            key = os.read(sys.stdin.fileno(), 8)
            if key in KEYS or not key:
                self.paused = True
                return KEYS.get(key, QUIT)
            if key == b" ":
                self.paused = not self.paused
                end = time.monotonic()
            elif key in (b"+", b"-"):
                factor = 1 / FASTER if key == b"+" else FASTER
                self.delay = min(max(self.delay * factor, FASTEST), SLOWEST)
                print(f"{self.delay:g} seconds a step")
            else:
                print(wrapped(HELP))
