"""Learning curves on logarithmic axes."""

import math
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nashzoo.envs.core.game import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = 60  # points of a curve
MOST_NARROW = 100.0  # ratio of the ends of an axis below which it is extended to powers of ten
LEAST = 1e-4  # share of the stake; smaller values are drawn as this


def show_powers(axes: "Axes") -> None:
    """Extends a narrow logarithmic horizontal axis to powers of ten, which alone have numbers."""
    first, last = axes.get_xlim()
    if last / first < MOST_NARROW:
        axes.set_xlim(10 ** math.floor(math.log10(first)), 10 ** math.ceil(math.log10(last)))
    axes.xaxis.set_major_formatter(lambda place, _: f"{place:g}")


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
