"""Loops over parts of long arrays, in parallel on all processors."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

from nashzoo.envs.base.threads import processors

T = TypeVar("T")
S = TypeVar("S")

PART = 2048  # rows; the data of a part stay in the processor's cache


def in_parts(
    work: Callable[[slice], None],
    length: int,
    progress: Callable[[int], None] | None = None,
    size: int | None = None,
) -> None:
    """Calls ``work`` with slices of ``size`` rows that together cover ``length``, in threads if there are many.

    A size of None is ``PART``. After each part ``progress`` is called with the number of its rows. An exception, or an
    interruption, ends it: the remaining parts are skipped.
    """

    def one(rows: slice) -> None:
        work(rows)
        if progress is not None:
            progress(rows.stop - rows.start)

    size = PART if size is None else size
    if length <= size:
        one(slice(0, length))
        return
    with ThreadPoolExecutor(processors()) as pool:
        running = [pool.submit(one, slice(first, min(first + size, length))) for first in range(0, length, size)]
        try:
            done, _ = wait(running, return_when=FIRST_EXCEPTION)
            for part in done:
                part.result()
        finally:
            pool.shutdown(cancel_futures=True)


def reported(progress: Callable[[str, int, int], None] | None, what: str, total: int) -> Callable[[int], None] | None:
    """Returns the ``progress`` of :func:`in_parts` that reports the rows done so far, once at a time and in order.

    Args:
        progress: Called with the part of the work, the rows done of it, and the rows in it.
        what: The part of the work.
        total: The rows in it.
    """
    if progress is None:
        return None
    done = 0
    lock = threading.Lock()

    def advance(count: int) -> None:
        nonlocal done
        with lock:
            done += count
            progress(what, done, total)

    return advance


def overlapped(prepare: Callable[[T], S], work: Callable[[T, S], None], blocks: Sequence[T]) -> None:
    """Calls ``work(block, prepare(block))`` for each block; while it works on one, the next is prepared.

    All blocks are prepared on the calling thread, and ``work`` runs for one block at a time.
    """
    with ThreadPoolExecutor(1) as pool:
        running = None
        for number, block in enumerate(blocks, 1):
            prepared = prepare(block)
            if running is not None:
                running.result()
            if number == len(blocks):
                work(block, prepared)  # no thread for a single block
            else:
                running = pool.submit(work, block, prepared)
