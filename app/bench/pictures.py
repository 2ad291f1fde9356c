"""The pictures of a scorecard: a ranking with intervals, and exploitability on logarithmic axes."""

import html
import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nashzoo.arena.measurement.intervals import in_short
from nashzoo.arena.pictures import OWN, SERIES, End, headed, name_ends, plain_numbers, shortened, style, write_each
from nashzoo.envs.core.game import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST = 1e-4  # share of the stake; smaller values are drawn as this
INK = "#012345"  # of texts and axes; on a page it is the colour of the text there
TICKS = {LEAST: "≤ 0.01%", 1e-3: "0.1%", 1e-2: "1%", 0.1: "10%", 1.0: "100%"}
AXIS = "exploitability, % of all that can be lost"
LIMITS = 0.7 * LEAST, 1.5
PANEL, DOTS = (4.4, 2.9), (5.0, 0.9)  # inches; a row of dots takes more
ROW = 0.25
GREY, ACCURATE = SERIES[-1], 5e-10  # a share that is 0 but for rounding
INKED = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color", "grid.color")
ON_PAGE: dict[Any, Any] = dict.fromkeys(INKED, INK) | {"svg.fonttype": "none"}  # words of a page remain words


class Dots(NamedTuple):
    """A row of a picture: a figure with its interval or range, what is written beside it, and figures of others."""

    name: str
    own: bool
    value: float
    interval: tuple[float, float] | None
    text: str
    others: Sequence[float] = ()


class Line(NamedTuple):
    """A learner's figures at ``places`` ``[n]``: their mean, and the ends of their range or band."""

    learner: str
    own: bool
    places: Floats
    mean: Floats
    least: Floats
    largest: Floats


def on_page(draw: Callable[["Axes"], None], size: tuple[float, float], text: str) -> str:
    """Returns a picture as an element of a page, with a text for those who do not see it."""
    import matplotlib
    from matplotlib.figure import Figure

    file = io.StringIO()
    with style(), matplotlib.rc_context(ON_PAGE | {"svg.hashsalt": text}):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots())
        figure.savefig(
            file, format="svg", transparent=True, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type"))
        )
    drawn = file.getvalue()
    drawn = re.sub(r' id="[^"]*_\d+"', "", drawn[drawn.index("<svg") :]).replace(INK, "currentColor")
    return drawn.replace("<svg", f'<svg role="img" aria-label="{html.escape(text)}"', 1)


def draw_dots(axes: "Axes", rows: Sequence[Dots]) -> None:
    """Draws a row for each learner or game, the first on top: a dot, its interval, and marks for others."""
    beside, others = axes.get_yaxis_transform(), not all(row.own for row in rows)
    for place, row in enumerate(rows):
        colour, weight = (OWN, "bold" if others else "normal") if row.own else (GREY, "normal")
        if row.interval:
            axes.plot(np.maximum(row.interval, LEAST), [place, place], color=colour, linewidth=3, alpha=0.6)
        axes.plot(np.maximum(row.others, LEAST), [place] * len(row.others), "|", color=GREY, markersize=8, mew=1.5)
        axes.plot(max(row.value, LEAST), place, "o" if row.own else "s", color=colour, markersize=6)
        axes.text(-0.03, place, row.name, weight=weight, ha="right", va="center", transform=beside, size=9)
        axes.text(1.05, place, row.text, weight=weight, va="center", transform=beside, size=9)
    axes.set(xscale="log", xlim=LIMITS, ylim=(len(rows) - 0.5, -0.5), yticks=[])
    axes.set_xticks(list(TICKS)[::2], list(TICKS.values())[::2])
    axes.minorticks_off()
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(f"{AXIS}  (\N{LEFTWARDS ARROW} better)")


def draw_lines(
    axes: "Axes", lines: Sequence[Line], styles: Mapping[str, tuple[str, Any]], uniform: float | None = None
) -> None:
    """Draws learners' exploitability, each with its name at the right: means over seeds, and the range of one's own.

    ``styles`` are the colours and dashes of the others, ``uniform`` is the exploitability of uniform random play.
    """
    ends = []
    for line in sorted(lines, key=lambda line: line.own):
        colour, dashes = (OWN, "-") if line.own else styles[line.learner]
        mean, least, largest = (np.maximum(values, LEAST) for values in (line.mean, line.least, line.largest))
        marker = "o" if len(line.places) == 1 else ""
        axes.plot(
            line.places, mean, linestyle=dashes, color=colour, linewidth=2.2 if line.own else 0.9, marker=marker, ms=4
        )
        if line.own:
            axes.fill_between(line.places, least, largest, color=colour, alpha=0.25, linewidth=0)
        ends.append(End(float(line.places[-1]), float(mean[-1]), shortened(line.learner), colour, line.own))
    axes.set(xscale="log", yscale="log", ylim=LIMITS, xlabel="processor seconds of learning", ylabel="exploitability")
    plain_numbers(axes.xaxis)
    if uniform is not None and uniform > LEAST:
        axes.axhline(uniform, color=GREY, linestyle=(0, (6, 4)), linewidth=0.9)
        ends.append(End(axes.get_xlim()[1], uniform, "uniform random play", GREY))
    name_ends(axes, ends)
    axes.set_yticks(list(TICKS), list(TICKS.values()))
    axes.minorticks_off()


def percent(share: float, interval: tuple[float, float] | None = None, least: float = LEAST) -> str:
    """Returns a share in per cent with two digits, and its interval; what is below ``least`` is not told apart.

    >>> percent(0.0), percent(1e-5), percent(0.0271), percent(0.0271, (0.023, 0.032))
    ('0%', '< 0.01%', '2.7%', '2.7% [2.3, 3.2]')
    """
    if ACCURATE < share < least:
        return f"< {100 * least:g}%"
    value, *ends = (in_short(100 * figure) for figure in (share, *(interval or ())))
    return f"{value}%" + f" [{', '.join(ends)}]" * bool({*ends} - {value})


@style()
def write_summary(headline: str, note: str, panels: Mapping[str, Sequence[Dots]], path: Path) -> list[Path]:
    """Writes rows of dots beside each other as PNG, SVG and PDF; returns the paths."""
    from matplotlib.figure import Figure

    most = max(map(len, panels.values()))
    figure = Figure(figsize=(1 + DOTS[0] * len(panels), 1 + DOTS[1] + 1.2 * ROW * most), layout="constrained")
    headed(figure, headline, note)
    for axes, (title, rows) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True):
        draw_dots(axes, rows)
        axes.set_title(title)
    return write_each(figure, path)
