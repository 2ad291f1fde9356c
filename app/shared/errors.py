"""Error output and exit codes of programs."""

import contextlib
import os
import shutil
import sys
from collections.abc import Callable

from nashzoo.app.shared.interruption import ANEW

WRONG = 1  # exit code of a command that found something wrong
INTERRUPTED, CUT_OFF = 130, 141  # exit codes, 128 and the number of the signal
NARROWEST = 20  # columns of a terminal that are written to


def run_program(program: str, work: Callable[[], None]) -> int:
    """Runs a program; returns its exit code: 0, 2 after an error, 130 after an interruption.

    It is 141 if the reader of its output has gone, such as ``head``. Usage errors, errors of the file system, errors in
    files that the user named, proofs that fail and too little memory are printed in one line on standard error. All
    other errors are bugs, and keep their traceback. After an interruption the message says how to continue: the
    argument of the ``KeyboardInterrupt``, see :func:`interruptible`.
    """
    _complete_streams()
    os.environ["MPLBACKEND"] = "agg"  # pictures are files, and matplotlib ends where it does not know its backend
    _tell_tyro()
    try:
        try:
            work()
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt as interruption:
        print("\nInterrupted.", *(interruption.args or [ANEW]), file=sys.stderr)
        return INTERRUPTED
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            raise  # else it is rich's way of ending when nothing reads its output
        with contextlib.suppress(OSError):  # Python flushes once more at its exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CUT_OFF
    except Exception as error:
        from nashzoo.baselines.certificate.steps import CertificateError
        from nashzoo.envs.base.errors import UsageError  # this imports the games, which the help does not need
        from nashzoo.envs.base.modules import failing_line
        from nashzoo.envs.base.progress import say

        if isinstance(error, UsageError | OSError):
            said = _sentence(error)
        elif isinstance(error, CertificateError):
            said = f"there is no proven solution, and none is shown: {error}"
        elif isinstance(error, MemoryError):
            said = f"the memory is too small for this; smaller numbers need less {error}".rstrip()
        elif place := failing_line(error):
            said = f"{place}: {type(error).__name__}: {error}"
        else:
            raise
        say(said, program)
        return 2
    return 0


def _tell_tyro() -> None:
    """Sets what tyro's help needs: it finds no end on a narrow terminal, and does not know of NO_COLOR."""
    if shutil.get_terminal_size().columns < NARROWEST:
        os.environ["COLUMNS"] = str(NARROWEST)
    if os.environ.get("NO_COLOR"):
        os.environ["PYTHON_TYRO_ANSI_CODES"] = "False"


def _sentence(error: Exception) -> str:
    """Returns the message of an error, without the number of an error of the file system."""
    if isinstance(error, FileNotFoundError):
        try:
            os.getcwd()
        except FileNotFoundError:
            return "the current folder is no longer there; change to another one"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _complete_streams() -> None:
    """Opens standard streams that were closed, and has them replace characters that their encoding lacks."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  # until the end of the program
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # a stream of a test, which takes all characters
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
