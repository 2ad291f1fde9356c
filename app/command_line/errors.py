"""How a program that a person runs tells what went wrong."""

import sys
from collections.abc import Callable


def run_program(program: str, work: Callable[[], None]) -> int:
    """Does a program's work; returns its exit code: 0, 2 after an error, 130 after an interruption.

    What this project refuses and what the file system refuses is told in one line on standard error, and so are errors
    in files that the user named. All other errors are bugs, and keep their traceback.
    """
    try:
        work()
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        from nashzoo.envs.base.errors import UsageError  # with it come the games, which help does without
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
