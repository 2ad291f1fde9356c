"""Error output and exit codes of programs."""

import sys
from collections.abc import Callable

from nashzoo.app.command_line.interruption import ANEW


def run_program(program: str, work: Callable[[], None]) -> int:
    """Runs a program; returns its exit code: 0, 2 after an error, 130 after an interruption.

    Usage errors, errors of the file system, and errors in files that the user named are printed in one line on
    standard error. All other errors are bugs, and keep their traceback. After an interruption the message says how to
    continue: the argument of the ``KeyboardInterrupt``, see :func:`interruptible`.
    """
    try:
        work()
    except KeyboardInterrupt as interruption:
        print("\nInterrupted.", *(interruption.args or [ANEW]), file=sys.stderr)
        return 130
    except Exception as error:
        from nashzoo.envs.base.errors import UsageError  # this imports the games, which the help does not need
        from nashzoo.envs.base.modules import failing_line

        if isinstance(error, UsageError | OSError):
            print(f"{program}: {error}", file=sys.stderr)
            return 2
        place = failing_line(error)
        if place is None:
            raise
        print(f"{program}: {place}: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    return 0
