"""The rows of one topic, measured in a process of its own: libraries that others load do not disturb it."""

import contextlib
import importlib
import itertools
import multiprocessing
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection

from benchmarks.report import Row


def rows_of(topic: str, repetitions: int) -> Iterator[Row | None]:
    """Yields the rows of a topic as they are measured, in a process of its own, and None at its end."""
    ours, its = multiprocessing.get_context("spawn").Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=_send, args=(topic, repetitions, its))
    process.start()
    its.close()
    with contextlib.suppress(EOFError):
        while True:
            yield ours.recv()
    process.join()


def _send(topic: str, repetitions: int, rows: Connection) -> None:
    """Sends the rows of a topic, and None at its end."""
    try:
        module = importlib.import_module(f"benchmarks.{topic}")
    except ModuleNotFoundError as error:
        sys.exit(f"{topic} needs {error.name}: pip install -r benchmarks/requirements.txt")
    for row in itertools.chain(module.run(repetitions), [None]):
        rows.send(row)
