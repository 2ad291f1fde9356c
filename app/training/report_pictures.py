"""The picture of a training report: points per game while it learned, and against all players."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nashzoo.agents.learning.past_policies import KINDS
from nashzoo.app.shared.words import of_draws
from nashzoo.app.training.report import FEWEST, Report, headline, interval
from nashzoo.arena import pictures
from nashzoo.arena.measurement.points import BOUNDS, LEARNED, LEARNED_BOUNDS, MIXED, bounds_in
from nashzoo.arena.pictures import COLOURS, DASHES, OTHER, OWN, SERIES, End
from nashzoo.envs.base.words import counted, signed
from nashzoo.envs.drawing.palette import INK, LINE, TINTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST = 1e-6  # points: smaller figures are drawn as this, since a logarithmic axis has no 0
WIDTH, HEIGHT = 5.2, 4.4  # inches of a panel
FEWEST_BARS = 4  # for which the panel has room


@pictures.style()
def write_picture(report: Report, path: Path) -> list[Path]:
    """Draws a report as PNG, SVG and PDF; returns the paths."""
    from matplotlib.figure import Figure

    panels = [_draw_learning, *[_draw_bounds] * (BOUNDS[0] in report.curve[0]), *[_draw_everyone] * bool(report.rows)]
    figure = Figure(figsize=(WIDTH * len(panels), HEIGHT), layout="constrained")
    shown = {
        "Bars: exact.": any(row.value is not None for row in report.rows),
        "Pale bars: sampled, with their 95 % intervals.": any(row.value is None for row in report.rows),
        "Black marks: best responses (exact).": any(row.best is not None for row in report.rows),
        "Diamonds: its most likely actions.": report.deterministic is not None,
    }
    about = [what for what, is_drawn in shown.items() if is_drawn]
    note = [f"{report.title}.", *about, *report.left_out, of_draws(report.game).strip()]
    pictures.headed(figure, headline(report), " ".join(filter(None, note)))
    for draw, axes in zip(panels, figure.subplots(1, len(panels), squeeze=False)[0], strict=True):
        draw(axes, report)
    return pictures.write_each(figure, path)


def _draw_learning(axes: "Axes", report: Report) -> None:
    """Draws points per game by the amount of training: those won from the opponent, and exploitability."""
    keys = {} if BOUNDS[0] in report.curve[0] else {"value": (f"won {report.against}", OTHER)}
    keys["exploitability"] = ("exploitability", OWN)
    if report.mixed_exploitability is not None:
        keys[MIXED] = (f"exploitability of\n{KINDS[report.opponent]}", SERIES[2])
    for name, colour in zip(report.learners, SERIES[3:], strict=False):
        keys[LEARNED + name] = (f"exploitability of {name},\nafter as many games", colour)
    unknown = " (exploitability not known)" * (report.exploitability is None and report.bounds is None)
    _draw_lines(axes, report, keys, f"points per game, while it learned{unknown}")


def _draw_bounds(axes: "Axes", report: Report) -> None:
    """Draws bounds of the value by the amount of training."""
    keys = {bound: (bound.replace("_", " "), OTHER) for bound in BOUNDS}
    if LEARNED_BOUNDS[0] in report.curve[0]:
        keys |= {bound: (bound.replace("_", " ", 1).replace("_", "\n"), SERIES[3]) for bound in LEARNED_BOUNDS}
    _draw_lines(axes, report, keys, "value of the game, points (proven bounds)")


def _draw_lines(axes: "Axes", report: Report, keys: dict[str, tuple[str, str]], title: str) -> None:
    """Draws figures of the learning curve, each with its name and colour; dots for a single point.

    Where a learner plays both seats it is by the seconds of learning, on a logarithmic axis.
    """
    is_timed, ends = {"seconds", BOUNDS[0]} <= report.curve[0].keys(), list[End]()
    scale = 1 if report.unit == "iterations" else 1000
    places = [point["seconds"] if is_timed else point["timesteps"] / scale for point in report.curve]
    bounds = [bounds_in(point) for point in report.curve] if "exploitability" in keys else []
    logarithmic = is_timed and "exploitability" in keys and not any(bounds)
    least = LEAST if logarithmic else -math.inf
    for (key, (name, colour)), dashes in zip(keys.items(), DASHES, strict=False):
        figures = [math.nan if (figure := point.get(key)) is None else max(figure, least) for point in report.curve]
        axes.plot(places, figures, color=colour, linestyle=dashes, marker="o" if len(places) == 1 else "")
        known = [(place, figure) for place, figure in zip(places, figures, strict=True) if not math.isnan(figure)]
        if known:
            ends.append(End(*known[-1], name, colour, key == "exploitability"))
    if any(bounds):
        lower, upper = zip(*(each or (math.nan, math.nan) for each in bounds), strict=True)
        if len(places) == 1:
            axes.plot(places * 2, [*lower, *upper], color=OWN, alpha=0.4, linewidth=8, solid_capstyle="butt")
        axes.fill_between(places, lower, upper, color=OWN, alpha=0.25, linewidth=0)
        ends.append(End(places[-1], (lower[-1] + upper[-1]) / 2, "exploitability,\nproven bounds", OWN, True))
    if "value" in keys and report.optimum is not None and report.mixed_exploitability is None:  # a fixed opponent
        axes.axhline(report.optimum, color=COLOURS[INK], linestyle=":", linewidth=1.2)
        ends.append(End(places[-1], report.optimum, "best response", COLOURS[INK]))
    horizontal = "processor seconds of learning" if is_timed else f"{'thousand ' * (scale > 1)}{report.unit}"
    axes.set(title=title, xlabel=horizontal, ylabel="points per game")
    if is_timed:
        axes.set_xscale("log")
        pictures.plain_numbers(axes.xaxis)
    if logarithmic:
        axes.set_yscale("log")
        pictures.plain_numbers(axes.yaxis)
    else:
        axes.axhline(0.0, color=COLOURS[LINE], linewidth=0.8)
    pictures.name_ends(axes, ends)


def _draw_everyone(axes: "Axes", report: Report) -> None:
    """Draws points per game against every opponent, and the best response's.

    Points are exact where they can be computed; otherwise sampled, with 95 % intervals of what can be won, and paler.
    Fewer games than :data:`FEWEST` have no bar. Points of the most likely actions have no intervals.
    """
    style: dict[str, Any] = {"edgecolor": OTHER, "height": 0.7, "ecolor": COLOURS[INK]}
    for place, row in enumerate(report.rows):
        points = row.value if row.value is not None else row.result.mean
        if row.value is not None:
            axes.barh(place, points, color=OTHER, **style)
        elif row.result.games < FEWEST:
            axes.text(0.0, place, f" {counted(row.result.games, 'game')}: too few", verticalalignment="center")
            continue
        else:
            least, most = interval(report.game, row.result)
            around = [[points - least], [most - points]]
            axes.barh(place, points, xerr=around, color=COLOURS[TINTS[1]], **style)
        axes.text(1.02, place, signed(points, ".2f"), va="center", transform=axes.get_yaxis_transform())
        if row.best is not None:
            axes.plot([row.best, row.best], [place - 0.45, place + 0.45], color=COLOURS[INK], linewidth=2.5)
    if report.deterministic is not None:
        likely = [
            row.value if row.value is not None else row.result.mean if row.result.games >= FEWEST else math.nan
            for row in report.deterministic.rows
        ]
        axes.scatter(likely, range(len(likely)), marker="D", color=OWN, zorder=3)
    axes.axvline(0.0, color=COLOURS[LINE], linewidth=0.8)
    axes.set_yticks(range(len(report.rows)), pictures.all_shortened([row.opponent for row in report.rows]))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False, axis="y")
    axes.set_ylim(max(len(report.rows), FEWEST_BARS) - 0.5, -0.5)
    axes.set(title="what it wins from every player", xlabel="points per game")
