"""What tests of processes share: waiting for something, and commands that hear Ctrl-C."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from command import words_of
from nashzoo.envs.jit.clock import FIRST_USE

PATIENCE = 900.0  # seconds, after which a test that waits has failed; no test takes so long on any machine


def wait_until(condition: Callable[[], Any], seconds: float = PATIENCE) -> None:
    """Waits until something holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def hear_interruptions() -> None:
    """Makes a process hear Ctrl-C, which what is started in the background of a shell does not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def said(errors: str) -> list[str]:
    """Returns the lines of standard error, but for those on compilation."""
    return [line for line in errors.splitlines() if line and not line.startswith(f"nashzoo: {FIRST_USE}")]


class Terminal:
    """A command of nashzoo at a terminal of its own, which keeps what is shown."""

    def __init__(self, line: str, folder: Path) -> None:
        import pty  # not on Windows, where the other parts of this module are of use

        self.parent, child = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nashzoo.app", *words_of(line)],
            stdin=child, stdout=child, stderr=child, cwd=folder, start_new_session=True, preexec_fn=hear_interruptions,
        )  # fmt: skip
        os.close(child)
        self.shown = ""

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.parent)

    def type(self, keys: bytes) -> None:
        """Types keys."""
        os.write(self.parent, keys)

    def until(self, text: str, after: int = 0, patience: float = PATIENCE) -> bool:
        """Reads until a text is shown, from a place on; returns False if it is not within a shorter patience."""
        while text not in self.shown[after:]:
            if not select.select([self.parent], [], [], patience)[0]:
                assert patience < PATIENCE, self.shown
                return False
            self.shown += os.read(self.parent, 4096).decode()
        return True
