"""Which lines the pictures of a scorecard have: learning curves in each game, and a ranking."""

import itertools
import statistics
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from nashzoo.app.bench.pictures import LEAST, Dots, Line, draw_lines, percent
from nashzoo.arena.measurement.comparison import Comparison
from nashzoo.arena.measurement.outcomes import SizeOutcome
from nashzoo.arena.pictures import DASHES, SERIES, shortened
from nashzoo.envs.base.words import counted
from nashzoo.envs.core.game import Floats

Panel = tuple[str, str, Callable[[Any], None]]  # a title, a note, and how to draw
SHOWN = 60  # points of a curve
ROUNDED = 1.0 + 1e-9  # times what is drawn as LEAST, on a logarithmic axis


def curves(own: Sequence[SizeOutcome], others: Sequence[SizeOutcome]) -> list[Panel]:
    """Returns a title, a note, and how to draw the learning curves by time, for each of one's own games."""
    kinds = itertools.cycle((colour, dash) for dash in DASHES for colour in SERIES[1:])
    styles: dict[str, tuple[str, Any]] = dict(zip(sorted({one.learner for one in others}), kinds, strict=False))
    panels: list[Panel] = []
    for one in own:
        lines = lines_of((one, *(other for other in others if other.size == one.size)), one.learner)
        if lines and lines[0].own:
            points = one.best.get("random")
            uniform = None if points is None else points / one.size.stake
            draw = partial(draw_lines, lines=lines, styles=styles, uniform=uniform)
            panels.append((one.size.title, counted(one.states, one.state), draw))
    return panels


def ranked(comparison: Comparison) -> list[Dots]:
    """Returns a row for each learner of the ranking: the interquartile mean with its interval."""
    return [
        Dots(
            shortened(row.learner),
            row.learner == comparison.learner,
            row.mean.value,
            row.mean.interval,
            percent(*row.mean),
        )
        for row in comparison.ranking
    ]


def by_game(comparison: Comparison) -> list[Dots]:
    """Returns a row for each game: the learner's mean and range over seeds, and the others' means."""
    rows = []
    for one in comparison.own:
        others = [statistics.fmean(other.scores) for other in comparison.others if other.size == one.size]
        scores, mean = one.scores, statistics.fmean(one.scores)
        rows.append(Dots(one.size.title, True, mean, (min(scores), max(scores)), percent(mean), others))
    return rows


def lines_of(outcomes: Sequence[SizeOutcome], own: str = "") -> list[Line]:
    """Returns the curves of learners in one game by time, for a logarithmic axis, which has no 0.

    What is solved without learning begins where the first of the others does; what is solved goes on to the end.
    """
    lines = [line for one in outcomes if (line := _curve_of(one, one.learner == own))]
    places = np.concatenate([line.places for line in lines]) if lines else np.zeros(0)
    first = min(places[places > 0.0], default=1.0)
    return [_to(line._replace(places=np.maximum(line.places, first)), max(places)) for line in lines]


def _to(line: Line, last: float) -> Line:
    """Returns a line that goes on to the last place if it has reached the exact solution, where learning ends."""
    if line.mean[-1] > LEAST * ROUNDED or line.places[-1] >= last:
        return line
    figures = [np.append(figure, figure[-1]) for figure in (line.mean, line.least, line.largest)]
    return Line(line.learner, line.own, np.append(line.places, last), *figures)


def _curve_of(outcome: SizeOutcome, is_own: bool) -> Line | None:
    """Returns a learner's curve, of the runs without an error; None if it has none.

    There is no point of the untrained policy, unless no other was needed.
    """
    measured = [points for run in outcome.runs if not run.error and (points := outcome.shares(run))]
    curves = [[(time, share) for steps, time, share in points if steps > 0 and time > 0.0] for points in measured]
    curves = [curve for curve in curves if curve]
    if not measured:
        return None
    places, values = _aligned(curves) if curves else (np.zeros(1), np.array([[end[-1][2]] for end in measured]))
    return Line(outcome.learner, is_own, places, values.mean(axis=0), values.min(axis=0), values.max(axis=0))


def _aligned(curves: Sequence[Sequence[tuple[float, float]]]) -> tuple[Floats, Floats]:
    """Returns places ``[n]`` at equal distances on a logarithmic axis, and the values of curves there ``[curves, n]``.

    They begin where all curves have begun, and end with the first that ends above ``LEAST``; curves that have fallen to
    it stay there. Where that is no range, it is one place, the mean of the ends.
    """
    first = max(curve[0][0] for curve in curves)
    going_on = [curve[-1][0] for curve in curves if curve[-1][1] > LEAST]
    last = min(going_on) if going_on else max(curve[-1][0] for curve in curves)
    places = np.geomspace(first, last, SHOWN)
    if first >= last:
        places = np.array([statistics.fmean(curve[-1][0] for curve in curves)])
    values = [np.interp(places, [point[0] for point in curve], [point[1] for point in curve]) for curve in curves]
    return places, np.maximum(values, LEAST)
