"""Learners compared over several games: interquartile means, probabilities of improvement, ranks.

Each has a stratified bootstrap: seeds are drawn again, with replacement, within each game. Intervals are from the 2.5th
to the 97.5th percentile of the resamples. With ten seeds they hold the true value about 90 to 95 times of 100, with
five about 85 to 94; with fewer seeds far less often, and so there are none.

Source: Agarwal, Schwarzer, Castro, Courville and Bellemare (2021), "Deep reinforcement learning at the edge of the
statistical precipice", NeurIPS.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np

from nashzoo.envs.core.game import Floats

Scores = Sequence[Sequence[float]]  # exploitability by game, of each seed

RESAMPLES = 2_000
FEWEST = 5  # seeds in each game of an interval
PERCENTILES = (2.5, 97.5)
TRIMMED = 0.25  # of the runs, at each end
ACCURACY = 9  # decimals of exact figures; learners that differ by less have the same rank
TOLD_APART = 1e-4  # the least figure that is shown


class Estimate(NamedTuple):
    """A figure with its 95 % interval; there is no interval if a game has fewer seeds than ``FEWEST``."""

    value: float
    interval: tuple[float, float] | None

    def __str__(self) -> str:
        value, *ends = (in_short(figure) for figure in (self.value, *(self.interval or ())))
        return f"{value} [{', '.join(ends)}]" if {*ends} - {value} else value


def in_short(figure: float, digits: int = 2) -> str:
    """Returns a figure with so many digits; what is below 0.0001 is not told apart.

    >>> in_short(0.0271), in_short(1.2e-7), in_short(1.0), in_short(-1e-14), in_short(12345.6)
    ('0.027', '< 0.0001', '1', '0', '12,000')
    """
    figure = float(f"{round(figure, ACCURACY) + 0.0:.{digits}g}")  # no -0
    return f"{figure:,g}" if not figure or abs(figure) >= TOLD_APART else f"< {TOLD_APART:.4f}"


def rounded(figure: float, error: float = 0.0) -> str:
    """Returns a figure with the decimals in which its error has two digits; with three digits if that is below 0.0001.

    >>> rounded(0.123456, 0.0321), rounded(0.123456), rounded(-1e-14), rounded(12.3456, 4.2)
    ('0.123', '0.123', '0', '12.3')
    """
    if error < TOLD_APART:
        return in_short(figure, 3)
    decimals = max(0, 1 - math.floor(math.log10(error)))
    return f"{round(figure, decimals) + 0.0:.{decimals}f}"


def interquartile_mean(scores: Scores, rng: np.random.Generator) -> Estimate:
    """Returns the mean of the middle half of all runs, in which runs at its ends count by their part.

    All games count the same, also if one has fewer seeds than another.
    """
    return Estimate(_mean(scores), _interval(_means(scores, rng)))


def probability_of_improvement(ours: Scores, theirs: Scores, rng: np.random.Generator) -> Estimate:
    """Returns the probability that a run of ours has a lower score than one of theirs, in a game drawn at random.

    A tie counts half.
    """
    value = np.mean([_lower(np.array([x]), np.array([y]))[0] for x, y in zip(ours, theirs, strict=True)])
    if not _has_intervals([*ours, *theirs]):
        return Estimate(float(value), None)
    pairs = zip(_resampled(ours, rng), _resampled(theirs, rng), strict=True)
    return Estimate(float(value), _interval(np.mean([_lower(x, y) for x, y in pairs], axis=0)))


def ranks(learners: Sequence[Scores], rng: np.random.Generator) -> tuple[list[int], Floats | None]:
    """Returns the rank of each learner by interquartile mean, and the share of resamples in which it has each rank.

    Rank 1 has the lowest mean. Those that tie have the same rank, the first of theirs.

    Returns:
        The ranks, and shares ``[learners, ranks]``, whose rows add up to 1; None where there are no intervals.
    """
    own = _ranked(np.array([_mean(scores) for scores in learners]))
    means = [_means(scores, rng) for scores in learners]
    if any(one is None for one in means):
        return own.tolist(), None
    drawn = _ranked(np.array(means))
    return own.tolist(), np.stack([(drawn == 1 + rank).mean(axis=1) for rank in range(len(learners))], axis=1)


def _has_intervals(scores: Scores) -> bool:
    """Returns whether each game has enough seeds."""
    return min(map(len, scores)) >= FEWEST


def _resampled(scores: Scores, rng: np.random.Generator) -> Iterator[Floats]:
    """Yields the resamples ``[resamples, seeds]`` of each game; the order of seeds makes no difference."""
    for one in scores:
        yield np.sort(one)[rng.integers(len(one), size=(RESAMPLES, len(one)))]


def _means(scores: Scores, rng: np.random.Generator) -> Floats | None:
    """Returns the interquartile mean of each resample; None if a game has too few seeds."""
    return _mean_of_middle(list(_resampled(scores, rng))) if _has_intervals(scores) else None


def _mean(scores: Scores) -> float:
    """Returns the interquartile mean of the runs themselves."""
    return float(_mean_of_middle([np.array([one]) for one in scores])[0])


def _mean_of_middle(scores: Sequence[Floats]) -> Floats:
    """Returns the interquartile means ``[n]`` of scores ``[n, seeds]`` by game."""
    runs = np.concatenate(scores, axis=1)
    order = np.argsort(runs, axis=1)
    weights = np.concatenate([np.full(one.shape[1], 1.0 / (one.shape[1] * len(scores))) for one in scores])[order]
    ends = np.cumsum(weights, axis=1)
    first, last = np.maximum(ends - weights, TRIMMED), np.minimum(ends, 1.0 - TRIMMED)
    parts = np.maximum(last - first, 0.0)  # of each run in the middle half
    return np.asarray((np.take_along_axis(runs, order, axis=1) * parts).sum(axis=1) / parts.sum(axis=1))


def _interval(drawn: Floats | None) -> tuple[float, float] | None:
    return None if drawn is None else cast(tuple[float, float], tuple(np.percentile(drawn, PERCENTILES).tolist()))


def _lower(ours: Floats, theirs: Floats) -> Floats:
    """Returns the share ``[n]`` of pairs in which ``ours`` ``[n, seeds]`` is lower; a tie counts half."""
    x, y = ours.round(ACCURACY)[:, :, None], theirs.round(ACCURACY)[:, None, :]
    return np.asarray(((x < y) + (x == y) / 2).mean(axis=(1, 2)))


def _ranked(means: Floats) -> Floats:
    """Returns ranks from 1 on along the first axis of ``means`` ``[learners, ...]``."""
    figures = means.round(ACCURACY)
    return np.asarray(1 + (figures[:, None] > figures).sum(axis=1))
