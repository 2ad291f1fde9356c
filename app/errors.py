"""How a program that a person runs tells what went wrong."""

import sys
import traceback
from collections.abc import Callable


def run_program(program: str, work: Callable[[], None]) -> int:
    """Does a program's work; returns its exit code: 0, 2 after an error, 130 after an interruption.

    What this project refuses and what the file system refuses is told in one line on standard error. All other
    errors are bugs, and keep their traceback.
    """
    try:
        work()
    except KeyboardInterrupt:
        return 130
    except (ValueError, TypeError, ArithmeticError, ImportError, OSError) as error:
        if not (isinstance(error, OSError) or _ours(error)):
            raise
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    return 0


def _ours(error: Exception) -> bool:
    """Returns whether an error comes from this project's code, not from within a library."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals["__name__"]).split(".")[0] in ("nashzoo", "train", "__main__")
