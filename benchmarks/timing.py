"""Timing that stands up to a noisy machine: short repetitions, taken in turns, and their medians.

What takes long is done once, in a process of its own, which also tells how much memory it needs.
"""

import multiprocessing
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeVar

T = TypeVar("T")

Work = Callable[[], int]  # does something, returns how many units of it


class Comparison(NamedTuple):
    """Two speeds in units per second and their ratio, medians each.

    The ratio is the median over neighbouring repetitions, which share whatever else the machine was doing, so it
    need not be the quotient of the two speeds.
    """

    ours: float
    peer: float
    ratio: float


def rate(work: Work) -> float:
    """Returns the units per second of one call."""
    start = time.perf_counter()
    units = work()
    return units / (time.perf_counter() - start)


def rates(works: Sequence[Work], repetitions: int) -> list[list[float]]:
    """Returns the units per second of each repetition, a list per work, taken in turns after one warm-up each."""
    for work in works:
        work()
    rounds = [[rate(work) for work in works] for _ in range(repetitions)]
    return [list(of_one) for of_one in zip(*rounds, strict=True)]


def compare(ours: Sequence[float], peer: Sequence[float]) -> Comparison:
    """Returns the medians of two lists from :func:`rates`, and the median of their ratios."""
    ratios = [a / b for a, b in zip(ours, peer, strict=True)]
    return Comparison(statistics.median(ours), statistics.median(peer), statistics.median(ratios))


def median_rate(work: Work, repetitions: int) -> float:
    """Returns the median units per second, after one warm-up."""
    return statistics.median(rates([work], repetitions)[0])


class Cost(NamedTuple):
    """What a piece of work takes."""

    seconds: float
    core_seconds: float  # of all threads together
    peak: float  # GB of memory that the process has had at most, until the end of the work


def cost(work: Callable[[], T]) -> tuple[T, Cost]:
    """Returns the result of a piece of work, and what it cost."""
    wall, core = time.perf_counter(), time.process_time()
    result = work()
    return result, Cost(time.perf_counter() - wall, time.process_time() - core, _peak_memory())


def in_new_process(function: Callable[..., T], *arguments: object) -> T:
    """Calls a function of a module in a fresh process; returns its result."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def _peak_memory() -> float:
    status = Path("/proc/self/status")
    if status.exists():  # getrusage would count the process that this one was started by
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024 / 1e9
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / 1e9
