"""Timing that stands up to a noisy machine: short repetitions, taken in turns, and their medians."""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

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
