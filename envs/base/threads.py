"""A pool of threads for tasks of less than a millisecond, and what threads make one at a time."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, wraps
from threading import RLock, current_thread
from typing import ParamSpec, TypeVar

from nashzoo.envs.base.deadlines import check_time

T = TypeVar("T")
P = ParamSpec("P")

POOL = "nashzoo-pool"  # the beginning of the names of its threads
_making = RLock()


def one_at_a_time(make: Callable[P, T]) -> Callable[P, T]:
    """Returns a function that threads call one at a time: for what is made when it is first asked for, and kept."""

    @wraps(make)
    def alone(*args: P.args, **options: P.kwargs) -> T:
        with _making:
            return make(*args, **options)

    return alone


_most: int | None = None


@contextmanager
def at_most(number: int | None) -> Iterator[None]:
    """Returns a context in which this process uses so many processors at most; None for all."""
    global _most
    before, _most = _most, number
    _pool.cache_clear()
    try:
        yield
    finally:
        _most = before
        _pool.cache_clear()


def processors() -> int:
    """Returns the number of processors that this process may use."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return available if _most is None else min(available, _most)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(processors() - 1, 1), POOL)


if hasattr(os, "register_at_fork"):  # a process that was forked has none of its parent's threads
    os.register_at_fork(after_in_child=_pool.cache_clear)


def side_by_side(work: Callable[[T], None], parts: Sequence[T]) -> None:
    """Calls ``work`` with each part, the first in this thread and the others in threads of their own.

    Returns when all are done; then an exception from one of them is raised. Within such a thread all parts are done in
    it one after the other, for the threads of the pool could wait for each other.
    """
    check_time()
    if current_thread().name.startswith(POOL):
        for part in parts:
            work(part)
        return
    running = [_pool().submit(work, part) for part in parts[1:]]
    try:
        work(parts[0])
    finally:
        errors = [one.exception() for one in running]
    for error in errors:
        if error is not None:
            raise error
