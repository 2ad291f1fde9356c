"""Bars that show in the terminal how far work is."""

import contextlib
from collections.abc import Callable, Iterator

import rich
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn


@contextlib.contextmanager
def progress_bar(description: str) -> Iterator[Callable[[int, int], None]]:
    """Shows a bar; gives what is to be called with the number of tasks done and of all tasks."""
    with Progress(console=rich.get_console()) as progress:
        bar = progress.add_task(description, total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)


def counting_progress() -> Progress:
    """Returns a display, not yet started, whose bars say how many of how many are done."""
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,} of {task.total:,}")
    return Progress(*columns, TimeRemainingColumn(), console=rich.get_console())
