"""``python -m nashzoo.app`` is the ``nashzoo`` command."""

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

    return started(program)


if __name__ == "__main__":
    sys.exit(main())
