"""The pictures of a scorecard: a ranking with intervals, and exploitability on logarithmic axes."""

import html
import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nashzoo.app.shared.curves import LEAST, show_powers
from nashzoo.arena import heat_map
from nashzoo.arena.measurement.comparison import Ranked
from nashzoo.envs.core.game import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OWN = "#d9480f"
INK = "#012345"  # of texts and axes; on a page it is the colour of the text there
DASHES = ("-", "--", ":")  # of each seven others
COLOURS = ("#3b82c4", "#2f9e44", "#9067c6", "#b07d2b", "#d6569a", "#1098ad", "#7f8791")  # legible on white and on black
TICKS = {LEAST: "≤ 10⁻⁴", 1e-3: "10⁻³", 1e-2: "10⁻²", 0.1: "0.1", 1.0: "1"}
LIMITS = 0.7 * LEAST, 1.5
GAP = 0.068  # of the height of a picture, between labels
PANEL, PROFILE, DOTS = (4.4, 2.9), (5.6, 2.9), (4.6, 0.9)  # inches; a row of the ranking takes 0.2 more
ROW = 0.2
STATES = "states"  # a horizontal axis on which lines are points of different games
ACROSS = 3  # panels of the summary
STYLE: dict[Any, Any] = {
    "font.size": 9, "axes.labelsize": 9, "xtick.labelsize": 8, "ytick.labelsize": 8, "axes.titlesize": 9,
    "svg.fonttype": "none", "axes.spines.top": False, "axes.spines.right": False,
}  # fmt: skip
INKED = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color", "grid.color")


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
    with matplotlib.rc_context(STYLE | dict.fromkeys(INKED, INK) | {"svg.hashsalt": text}):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots())
        figure.savefig(
            file, format="svg", transparent=True, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type"))
        )
    drawn = file.getvalue()
    drawn = re.sub(r' id="[^"]*_\d+"', "", drawn[drawn.index("<svg") :]).replace(INK, "currentColor")
    return drawn.replace("<svg", f'<svg role="img" aria-label="{html.escape(text)}"', 1)


def draw_ranking(axes: "Axes", ranking: Sequence[Ranked], own: str) -> None:
    """Draws interquartile means with their intervals, the best on top, and writes them at the right."""
    from matplotlib.transforms import blended_transform_factory

    beside = blended_transform_factory(axes.transAxes, axes.transData)
    for place, row in enumerate(ranking):
        colour, weight = (OWN, "bold") if row.learner == own else (COLOURS[-1], "normal")
        if row.mean.interval:
            axes.plot(np.maximum(row.mean.interval, LEAST), [place, place], color=colour, linewidth=3, alpha=0.6)
        axes.plot(max(row.mean.value, LEAST), place, "o", color=colour, markersize=6)
        axes.text(
            -0.03, place, heat_map.shortened(row.learner), weight=weight, ha="right", va="center", transform=beside
        )
        axes.text(1.05, place, str(row.mean), weight=weight, va="center", transform=beside, size=8)
    axes.set(xscale="log", xlim=LIMITS, ylim=(len(ranking) - 0.5, -0.5), yticks=[])
    axes.set_xticks(list(TICKS)[::2], list(TICKS.values())[::2])
    axes.minorticks_off()
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("exploitability, share of the stake")
    axes.grid(axis="x", alpha=0.25)


def draw_lines(
    axes: "Axes",
    lines: Sequence[Line],
    horizontal: str,
    styles: Mapping[str, tuple[str, str]],
    uniform: float | None = None,
    width: float = 0.9,
) -> None:
    """Draws learners' exploitability, each with its name at the right: means over seeds, and the range of one's own.

    Args:
        axes: The axes to draw on.
        lines: The lines.
        horizontal: What the places are.
        styles: Colour and dashes of the others' lines.
        uniform: The exploitability of uniform random play, if it is known.
        width: Of the others' lines, points.
    """
    ends = []
    for line in sorted(lines, key=lambda line: line.own):
        colour, dashes = (OWN, "-") if line.own else styles[line.learner]
        mean, least, largest = (np.maximum(values, LEAST) for values in (line.mean, line.least, line.largest))
        marker = "o" if len(line.places) == 1 or (line.own and horizontal == STATES) else ""
        axes.plot(
            line.places, mean, dashes, color=colour, linewidth=2.2 if line.own else width, marker=marker, markersize=4
        )
        if line.own:
            axes.fill_between(line.places, least, largest, color=colour, alpha=0.25, linewidth=0)
        ends.append((float(mean[-1]), float(line.places[-1]), line.learner, colour, line.own))
    axes.set(xscale="log", yscale="log", ylim=LIMITS, xlabel=horizontal)
    show_powers(axes)
    if uniform is not None and uniform > LEAST:
        axes.axhline(uniform, color="grey", linestyle=(0, (6, 4)), linewidth=0.9)
        ends.append((uniform, axes.get_xlim()[1], "uniform random play", "grey", False))
    ends.sort()
    bottom, top = np.log(LIMITS)
    heights = spread([(np.log(end[0]) - bottom) / (top - bottom) for end in ends], GAP)
    leader = {"arrowstyle": "-", "linewidth": 0.6, "relpos": (0.0, 0.5), "patchA": None, "shrinkA": 0, "shrinkB": 0}
    for (value, place, name, colour, own), height in zip(ends, heights, strict=True):
        axes.annotate(
            heat_map.shortened(name), (place, value), (1.1, height), textcoords="axes fraction", va="center", size=8,
            weight="bold" if own else "normal", annotation_clip=False, arrowprops=leader | {"color": colour},
        )  # fmt: skip
    axes.set_yticks(list(TICKS), list(TICKS.values()))
    axes.minorticks_off()
    axes.grid(alpha=0.25)


def draw_profile(axes: "Axes", lines: Sequence[Line], styles: Mapping[str, tuple[str, str]]) -> None:
    """Draws which share of a learner's runs is at most as exploitable as each place, one's own with its band."""
    drawn = []
    for line in lines:
        colour, dashes = (OWN, "-") if line.own else styles[line.learner]
        width, order = (2.2, 3) if line.own else (1.2, 2)
        drawn += axes.plot(line.places, line.mean, dashes, color=colour, linewidth=width, zorder=order)
        axes.fill_between(line.places, line.least, line.largest, color=colour, alpha=0.25, linewidth=0)
    axes.set(xscale="log", xlim=(LEAST, 1.0), ylim=(0.0, 1.02))
    axes.set(xlabel="exploitability of at most, share of the stake", ylabel="share of the runs")
    axes.set_xticks(list(TICKS), list(TICKS.values()))
    axes.minorticks_off()
    axes.grid(alpha=0.25)
    names = [heat_map.shortened(line.learner) for line in lines]
    axes.legend(drawn, names, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, fontsize=8)


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Returns heights in rising order moved apart, so that neighbours are ``gap`` apart, and at most 1 if they fit.

    >>> spread([0.0, 0.125, 1.0, 1.0], 0.25)
    [0.0, 0.25, 0.75, 1.0]
    """
    moved: list[float] = []
    for height in heights:
        moved.append(max(height, moved[-1] + gap) if moved else height)
    highest = 1.0
    for number in reversed(range(len(moved))):
        moved[number] = min(moved[number], highest)
        highest = moved[number] - gap
    return moved


def write_summary(
    title: str,
    compared: str,
    ranking: Sequence[Ranked],
    own: str,
    panels: Mapping[str, Callable[["Axes"], None]],
    path: Path,
) -> None:
    """Writes the ranking and a picture of each game as one PNG."""
    import matplotlib
    from matplotlib.figure import Figure

    down = -(-(1 + len(panels)) // ACROSS)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(PANEL[0] * ACROSS, PANEL[1] * down), layout="constrained")
        figure.suptitle(title, weight="bold")
        first, *axes = figure.subplots(down, ACROSS, squeeze=False).flat
        draw_ranking(first, ranking, own)
        first.set_title(compared)
        for one, (name, draw) in zip(axes, panels.items(), strict=False):
            draw(one)
            one.set_title(name)
        for one in axes[len(panels) :]:
            one.remove()
        heat_map.write(figure, path)
