"""Progress on standard error, on one line, if that is a terminal or a notebook and ``set_quiet`` was not called."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from nashzoo.envs.base.words import printable, wrapped

if TYPE_CHECKING:  # importing it takes as long as running many commands
    from rich.progress import Progress, Task
    from rich.text import Text

Show = Callable[[str, int, int | None], None]  # what is being done, how much of it is done, and all; None: unknown

REFRESHES = 4  # of the line, a second

_quiet = False
_shown: list["_Line"] = []  # the line on the screen; who shows progress within it takes it over for a while


def set_quiet(quiet: bool) -> None:
    """Sets whether progress is hidden from now on."""
    global _quiet
    _quiet = quiet


def note(text: str) -> None:
    """Prints a line on standard error, unless ``set_quiet`` was called."""
    if not _quiet:
        say(text)


def say(text: str, program: str = "nashzoo") -> None:
    """Prints a line on standard error; a terminal's lines are broken between words."""
    text = f"{program}: {printable(text)}"
    sys.stderr.write(f"{wrapped(text) if sys.stderr.isatty() else text}\n")


def hidden(what: str, done: int, total: int | None) -> None:
    """Shows no progress, in the place of what :func:`nashzoo.envs.base.progress.showing` yields."""


@contextlib.contextmanager
def showing(transient: bool = False) -> Iterator[Show]:
    """Yields a function that shows what is being done; its line appears at the first call.

    All progress passes through here: of an unknown total the line has the time so far instead of a bar's end.

    Args:
        transient: Whether the line is removed at the end. A line within another one takes its place meanwhile.
    """
    if _shown:
        outer = _shown[0]
        before = outer.last
        try:
            yield outer.show
        finally:
            if outer in _shown and outer.last[0]:  # it may have ended in another thread, or never been shown
                outer.show(*before)
        return
    line = _Line(transient)
    _shown.append(line)
    try:
        yield line.show
    finally:
        _shown.remove(line)
        if line.bars.live.is_started:
            line.bars.stop()


@contextlib.contextmanager
def working(description: str) -> Iterator[None]:
    """Shows the time so far, for work of unknown length; nothing stays of it."""
    with showing(transient=True) as show:
        show(description, 0, None)
        yield


@contextlib.contextmanager
def progress_bar(description: str) -> Iterator[Callable[[int, int], None]]:
    """Shows a bar; yields a function of the number of finished tasks and of all tasks."""
    with showing() as show:
        show(description, 0, None)
        yield lambda done, total: show(description, done, total)


class _Line:
    """A line with a description, a bar, numbers and a time."""

    def __init__(self, transient: bool) -> None:
        self.bars = _bars(transient)
        self.last: tuple[str, int, int | None] = ("", 0, None)

    def show(self, what: str, done: int, total: int | None) -> None:
        """Shows what is being done."""
        if not self.bars.live.is_started:
            self.bars.start()
        _, before, of = self.last
        self.last = what, done, total
        numbers = "" if total is None else f"{done:,} of {total:,}"
        if not self.bars.tasks or total is None or total != of or done < before:  # else the speed so far is of use
            for task in self.bars.task_ids:
                self.bars.remove_task(task)
            self.bars.add_task(what, total=total, completed=done, numbers=numbers)
        else:
            self.bars.update(self.bars.task_ids[0], description=what, completed=done, numbers=numbers)
        if done == total:  # other work may follow before the next refresh
            self.bars.refresh()


def _bars(transient: bool) -> "Progress":
    """Returns the display of a line, not yet started."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    class Time(TimeRemainingColumn):
        """The remaining time; of an unknown total the time so far."""

        def render(self, task: "Task") -> "Text":
            return elapsed.render(task) if task.total is None else super().render(task)

    elapsed = TimeElapsedColumn()
    console = Console(file=sys.stderr)
    if console.is_jupyter:  # a line that returns to its beginning needs no widgets
        console = Console(file=sys.stderr, force_jupyter=False, force_terminal=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[numbers]}"),
        Time(),
        console=console,
        transient=transient,
        refresh_per_second=REFRESHES,
        disable=_quiet or not console.is_terminal,
        redirect_stdout=sys.stdout.isatty(),
    )
