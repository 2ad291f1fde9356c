"""Learning curves on logarithmic axes."""

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nashzoo.envs.core.game import Floats

if TYPE_CHECKING:
    from matplotlib.axis import Axis

SHOWN = 60  # points of a curve
MOST_NARROW = 100.0  # ratio of the ends of an axis below which it has other numbers than powers of ten
LEAST = 1e-4  # share of the stake; smaller values are drawn as this


def plain_numbers(axis: "Axis") -> None:
    """Writes plain numbers at a logarithmic axis: powers of ten, and on a narrow one 2 and 5 times these."""
    from matplotlib.ticker import LogLocator, NullFormatter

    first, last = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if last / first < MOST_NARROW else (1,)))
    axis.set_major_formatter(lambda place, _: np.format_float_positional(place, precision=9, trim="-"))
    axis.set_minor_formatter(NullFormatter())


def aligned(curves: Sequence[Sequence[tuple[float, float]]], least: float) -> tuple[Floats, Floats]:
    """Returns places ``[n]`` at equal distances on a logarithmic axis, and the values of curves there ``[curves, n]``.

    They begin where all curves have begun, and end with the first that ends above ``least``; curves that have fallen to
    it stay there. Where that is no range, it is one place, the mean of the ends.

    Args:
        curves: Points of each curve, by place; places are positive.
        least: Smaller values are returned as this.
    """
    first = max(curve[0][0] for curve in curves)
    going_on = [curve[-1][0] for curve in curves if curve[-1][1] > least]
    last = min(going_on) if going_on else max(curve[-1][0] for curve in curves)
    places = np.geomspace(first, last, SHOWN)
    if first >= last:
        places = np.array([statistics.fmean(curve[-1][0] for curve in curves)])
    values = [np.interp(places, [point[0] for point in curve], [point[1] for point in curve]) for curve in curves]
    return places, np.maximum(values, least)
