"""Progress on standard error, if ``set_quiet`` was not called; displays if it is a terminal."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # importing it takes as long as running many commands
    from rich.progress import Progress, TaskID

_quiet = False
_waiting: list["Progress"] = []  # the running spinner; bars replace it, as two displays would mix


def set_quiet(quiet: bool) -> None:
    """Sets whether progress is hidden from now on."""
    global _quiet
    _quiet = quiet


def note(text: str) -> None:
    """Prints a line on standard error, unless ``set_quiet`` was called."""
    if not _quiet:
        sys.stderr.write(f"nashzoo: {text}\n")


def display(*columns: Any, transient: bool = False) -> "Progress":
    """Returns a display, not yet started.

    Args:
        *columns: Rich's columns; by default a bar and the remaining time.
        transient: Whether it is removed at the end.
    """
    from rich.console import Console
    from rich.progress import Progress

    console = Console(file=sys.stderr)
    return Progress(
        *columns,
        console=console,
        transient=transient,
        disable=_quiet or not console.is_terminal,
        redirect_stdout=sys.stdout.isatty(),
    )


@contextlib.contextmanager
def working(description: str) -> Iterator[None]:
    """Shows a spinner with the elapsed time, for work of unknown length."""
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    spinner = display(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), transient=True)
    spinner.add_task(description, total=None)
    with spinner:
        _waiting.append(spinner)
        try:
            yield
        finally:
            _waiting.remove(spinner)


@contextlib.contextmanager
def progress_bar(description: str) -> Iterator[Callable[[int, int], None]]:
    """Shows a bar; yields a function of the number of finished tasks and of all tasks."""
    with _alone(display()) as bars:
        bar = bars.add_task(description, total=None)
        yield lambda done, total: bars.update(bar, completed=done, total=total)


@contextlib.contextmanager
def progress_bars() -> Iterator[Callable[[str, int, int], None]]:
    """Shows a bar for each part of the work; yields a function of the part, the finished amount and the total."""
    tasks: dict[str, TaskID] = {}
    with _alone(display()) as bars:

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done)

        yield show


@contextlib.contextmanager
def _alone(bars: "Progress") -> Iterator["Progress"]:
    """Starts a display; a running spinner is stopped meanwhile."""
    for spinner in _waiting:
        spinner.stop()
    try:
        with bars:
            yield bars
    finally:
        for spinner in _waiting:
            spinner.start()


def counting_progress() -> "Progress":
    """Returns a display, not yet started, whose bars have the finished and the total number."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,} of {task.total:,}")
    return display(*columns, TimeRemainingColumn())
