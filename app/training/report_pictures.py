"""The picture of a training report: learning curve, exploitability, and points against all players."""

import math
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nashzoo.agents.learning.past_policies import KINDS
from nashzoo.app.shared.words import of_draws
from nashzoo.app.training.report import FEWEST, Report, interval
from nashzoo.arena.measurement.points import BOUNDS, LEARNED, LEARNED_BOUNDS, MIXED
from nashzoo.envs.base.files import written_whole
from nashzoo.envs.base.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


LEAST = 1e-9  # points: the accuracy of exact figures; a logarithmic axis has no 0
LINE = 190  # characters below the picture


def write_picture(report: Report, path: Path) -> None:
    """Draws a report into a PNG file."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 4.2), layout="constrained")
    figure.suptitle(f"{report.algorithm} {report.against} in {report.game}", size=11)
    learning, exploited, *others = figure.subplots(1, 3 if report.rows else 2)
    _draw_learning(learning, report)
    _draw_exploitability(exploited, report)
    for axes in (learning, exploited):
        if _is_timed(report):
            axes.set_xscale("log")
        axes.set_xlabel(_horizontal(report))
        axes.grid(alpha=0.3)
    for axes in others:
        _draw_everyone(axes, report)
    if note := (" ".join(report.cut) + of_draws(report.game)).strip():
        figure.supxlabel("\n".join(textwrap.wrap(note, LINE)), size=8)
    with written_whole(path) as temporary:
        figure.savefig(temporary, format="png", dpi=110)


def _is_timed(report: Report) -> bool:
    """Returns whether the learning curve is drawn by the seconds of learning, on a logarithmic axis."""
    return "seconds" in report.curve[0] and BOUNDS[0] in report.curve[0]


def _horizontal(report: Report) -> str:
    if _is_timed(report):
        return "processor seconds of learning"
    return "iterations" if report.unit == "iterations" else f"thousand {report.unit}"


def _draw_learning(axes: "Axes", report: Report) -> None:
    """Draws points per game against the training opponent, by the amount of training."""
    if BOUNDS[0] in report.curve[0]:
        for bound, dashes in zip(BOUNDS, ("-", ":"), strict=True):
            _draw_curve(axes, report, bound, "tab:green", bound.replace("_", " "), linestyle=dashes)
        if LEARNED_BOUNDS[0] in report.curve[0]:
            for bound, dashes in zip(LEARNED_BOUNDS, ("-", ":"), strict=True):
                _draw_curve(axes, report, bound, "tab:purple", bound.replace("_", " "), linestyle=dashes)
    else:
        _draw_curve(axes, report, "value", "tab:blue", report.learned)
    known = [row.value is not None for row in report.rows if row.opponent == report.opponent]
    exact = any(known) if known else report.optimum is not None  # which is known of policies alone
    how = "exact" if exact else "sampled"
    if report.optimum is not None and report.mixed_exploitability is None:  # a fixed opponent
        axes.axhline(report.optimum, color="black", linestyle="--", label="best response (exact optimum)")
    about = "bounds of the value (exact)" if BOUNDS[0] in report.curve[0] else f"{report.against} ({how})"
    axes.set(title=about, ylabel="points per game")
    axes.legend(loc="lower right")


def _draw_exploitability(axes: "Axes", report: Report) -> None:
    known = report.exploitability is not None
    if known:
        _draw_curve(axes, report, "exploitability", "tab:red", report.learned)
    if report.mixed_exploitability is not None:
        _draw_curve(axes, report, MIXED, "tab:green", KINDS[report.opponent])
    for number, name in enumerate(report.learners):
        _draw_curve(axes, report, LEARNED + name, f"C{number + 4}", f"{name}, after as many games")
    axes.set(title="exploitability (exact)" if known else "exploitability not known", ylabel="points per game")
    if _is_timed(report):
        axes.set_yscale("log")
        axes.legend(loc="lower left")
        return
    axes.axhline(0.0, color="black", linestyle="--", label="equilibrium (exact optimum)")
    axes.set_ylim(bottom=-0.02)
    axes.legend(loc="lower right")


def _draw_curve(axes: "Axes", report: Report, key: str, colour: str, label: str, **style: Any) -> None:
    """Draws one figure of the learning curve; a dot for a single point."""
    if _is_timed(report):
        steps = [point["seconds"] for point in report.curve]
    else:
        scale = 1 if report.unit == "iterations" else 1000
        steps = [point["timesteps"] / scale for point in report.curve]
    style = {"marker": "o" if len(steps) == 1 else ""} | style
    figures = [point[key] for point in report.curve]
    if _is_timed(report) and key == "exploitability":
        figures = [math.nan if figure is None else max(figure, LEAST) for figure in figures]
    axes.plot(steps, figures, color=colour, label=label, **style)


def _draw_everyone(axes: "Axes", report: Report) -> None:
    """Draws points per game against every opponent, and the best response's.

    Points are exact where they can be computed; otherwise sampled, with 95 % intervals of what can be won, and paler.
    Fewer games than :data:`FEWEST` have no bar. Points of the most likely actions have no intervals.
    """
    for place, row in enumerate(report.rows):
        if row.value is not None:
            axes.barh(place, row.value, color="tab:blue", alpha=0.8)
        elif row.result.games < FEWEST:
            axes.text(0.0, place, f" {counted(row.result.games, 'game')}: too few", verticalalignment="center")
        else:
            mean, (least, most) = row.result.mean, interval(report.game, row.result)
            axes.barh(place, mean, xerr=[[mean - least], [most - mean]], color="tab:blue", alpha=0.35)
        if row.best is not None:
            axes.plot([row.best, row.best], [place - 0.4, place + 0.4], color="black", linestyle="--")
    if report.deterministic is not None:
        points = [
            row.value if row.value is not None else row.result.mean if row.result.games >= FEWEST else math.nan
            for row in report.deterministic.rows
        ]
        axes.scatter(points, range(len(points)), marker="D", color="tab:orange", zorder=3)
    axes.axvline(0.0, color="grey", linewidth=0.8)
    axes.set_yticks(range(len(report.rows)), [row.opponent for row in report.rows])
    axes.invert_yaxis()
    sampled = "; pale: sampled" if any(row.value is None for row in report.rows) else ""
    about = f"points per game\ndashes: exact optimum{sampled}"
    if report.deterministic is not None:
        about += "\ndiamonds: its most likely actions"
    axes.set(title="against everyone", xlabel=about)
