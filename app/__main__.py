"""``python -m nashzoo.app`` is the ``nashzoo`` command."""

import os
import signal
import sys
from collections.abc import Callable


def started(program: Callable[[], int]) -> int:
    """Runs a program and returns its exit code; Ctrl-C may come as early as while its parts are imported."""
    try:
        return program()
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        return 130


def main() -> int:
    """Runs the command; returns its exit code."""

    def program() -> int:
        from nashzoo.app import main

        return main.main()

    try:
        return started(program)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done, and Python would show where it is in ending


if __name__ == "__main__":
    # With -m Python puts the current folder before all others; its files are not those that the command imports.
    if not sys.flags.safe_path and os.path.exists(sys.path[0]) and os.path.samefile(sys.path[0], os.curdir):
        del sys.path[0]
    sys.exit(main())
