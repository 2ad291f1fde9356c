"""How far work is, shown on standard error where that is a terminal and nobody asked for quiet."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # it takes as long to import as many a command to run
    from rich.progress import Progress, TaskID

_quiet = False
_waiting: list["Progress"] = []  # the spinner that runs; bars take its place, for two displays would mix


def set_quiet(quiet: bool) -> None:
    """Decides whether work shows nothing from now on."""
    global _quiet
    _quiet = quiet


def display(*columns: Any, transient: bool = False) -> "Progress":
    """Returns a display, not yet started.

    Args:
        *columns: Rich's columns; a bar and the time it still takes if there are none.
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
    """Shows that work goes on whose length is not known, and for how long it has."""
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
    """Shows a bar; gives what is to be called with the number of tasks done and of all tasks."""
    with _alone(display()) as shown:
        bar = shown.add_task(description, total=None)
        yield lambda done, total: shown.update(bar, completed=done, total=total)


@contextlib.contextmanager
def progress_bars() -> Iterator[Callable[[str, int, int], None]]:
    """Shows a bar for each part of the work; gives what is called with a part, how much is done, and of how much."""
    tasks: dict[str, TaskID] = {}
    with _alone(display()) as shown:

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = shown.add_task(what, total=total)
            shown.update(tasks[what], completed=done)

        yield show


@contextlib.contextmanager
def _alone(shown: "Progress") -> Iterator["Progress"]:
    """Starts a display; a spinner stops for as long as it runs."""
    for spinner in _waiting:
        spinner.stop()
    try:
        with shown:
            yield shown
    finally:
        for spinner in _waiting:
            spinner.start()


def counting_progress() -> "Progress":
    """Returns a display, not yet started, whose bars say how many of how many are done."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,} of {task.total:,}")
    return display(*columns, TimeRemainingColumn())
