"""How a program that a person runs tells what went wrong."""

import sys
from collections.abc import Callable

from nashzoo.envs.base.errors import UsageError


def run_program(program: str, work: Callable[[], None]) -> int:
    """Does a program's work; returns its exit code: 0, 2 after an error, 130 after an interruption.

    What this project refuses and what the file system refuses is told in one line on standard error. All other
    errors are bugs, and keep their traceback.
    """
    try:
        work()
    except KeyboardInterrupt:
        return 130
    except (UsageError, OSError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    return 0
