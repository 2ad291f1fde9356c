"""Loops over parts of long arrays, in parallel on all processors."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.base.threads import processors

T = TypeVar("T")
S = TypeVar("S")

PART = 2048  # rows; the data of a part stay in the processor's cache


def each_in_threads(work: Callable[[T], S], items: Sequence[T]) -> Iterator[tuple[T, S]]:
    """Yields each of the items with what ``work`` returns for it when it is done, in threads if there are many.

    An exception, or an interruption, ends it: the remaining items are skipped.
    """
    if len(items) == 1 or processors() == 1:  # some systems have no threads
        for item in items:
            check_time()
            yield item, work(item)
        return
    with ThreadPoolExecutor(processors()) as pool:
        running = {pool.submit(work, item): item for item in items}
        try:
            for done in as_completed(list(running)):
                check_time()
                yield running.pop(done), done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def in_parts(work: Callable[[slice], None], length: int, progress: Callable[[int, int], None] | None = None) -> None:
    """Calls ``work`` with slices of ``PART`` rows that together cover ``length``, in threads if there are many.

    After each part ``progress`` is called with the number of rows done so far, and ``length``. An exception, or an
    interruption, ends it: the remaining parts are skipped.
    """
    done = 0
    parts = [slice(first, min(first + PART, length)) for first in range(0, max(length, 1), PART)]
    for rows, _ in each_in_threads(work, parts):
        done += rows.stop - rows.start
        if progress is not None:
            progress(done, length)


def overlapped(prepare: Callable[[T], S], work: Callable[[T, S], None], blocks: Sequence[T]) -> None:
    """Calls ``work(block, prepare(block))`` for each block; while it works on one, the next is prepared.

    All blocks are prepared on the calling thread, and ``work`` runs for one block at a time.
    """
    if processors() == 1:
        for block in blocks:
            work(block, prepare(block))
        return
    with ThreadPoolExecutor(1) as pool:
        running = None
        for number, block in enumerate(blocks, 1):
            check_time()
            prepared = prepare(block)
            if running is not None:
                running.result()
            if number == len(blocks):
                work(block, prepared)  # no thread for a single block
            else:
                running = pool.submit(work, block, prepared)
