"""The scorecard of a learner: one page, one picture and one table of what it reaches in the games of the protocol."""

import itertools
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.app.bench import pictures
from nashzoo.app.bench.comparison import ByGame, Standing, by_learner, duels, standings
from nashzoo.app.bench.intervals import Estimate, interquartile_mean, rounded
from nashzoo.app.bench.outcomes import RunOutcome, SizeOutcome
from nashzoo.app.bench.pictures import (
    COLOURS,
    DASHES,
    DOTS,
    PANEL,
    ROW,
    STATES,
    Line,
    draw_lines,
    draw_standings,
    on_page,
)
from nashzoo.app.bench.protocol import FAILED, SECONDS, SEEDS, SIZES, VERSION
from nashzoo.app.commands.csv_text import write_csv
from nashzoo.app.results.table import LEAST, aligned
from nashzoo.arena.heat_map import need_matplotlib
from nashzoo.envs.base.files import written_whole
from nashzoo.envs.base.words import counted

COLUMNS = (
    "learner", "given", "game", "states", "seed", "unit", "timesteps", "seconds", "exploitability", "stake",
    "score", "error",
)  # fmt: skip
TIMESTEPS, TIME = 0, 1  # in a point of SizeOutcome.shares
WORST = 3  # states of a game
STRONGEST = 5  # scripted players of a game
FEW_SEEDS = 3  # of which intervals are too narrow
LEAST_OFTEN = 0.005  # probability of an action that is named
STORED = " (stored)"  # end of the name of another learner that is called as one's own


def write(
    own: Sequence[SizeOutcome], others: Sequence[SizeOutcome], folder: Path, seconds: float = SECONDS
) -> list[Path]:
    """Writes ``scorecard.html``, ``scorecard.png`` and ``outcomes.csv``; returns their paths.

    Args:
        own: What the learner reached, by game.
        others: What others reached, in any games.
        folder: The folder, which is made if it does not exist.
        seconds: Of the processor, in which the learner learned.

    Raises:
        ValueError: there are no outcomes in games of the protocol, or they are of several learners.
        MissingPackageError: matplotlib is not installed.
    """
    if len({one.learner for one in own}) != 1 or not any(one.size in SIZES for one in own):
        raise ValueError("a scorecard is about the outcomes of one learner in games of the protocol")
    need_matplotlib()
    from jinja2 import Environment, StrictUndefined

    name = own[0].learner
    others = [one._replace(learner=name + STORED) if one.learner == name else one for one in others]
    titles, table = standings(own, others)
    paths = [folder / file for file in ("scorecard.html", "scorecard.png", "outcomes.csv")]
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(Path(__file__).with_name("scorecard.html").read_text(encoding="utf-8"))
    with written_whole(paths[0]) as temporary:
        temporary.write_text(template.render(_facts(own, others, seconds, titles, table)), encoding="utf-8")
    panels = {one.size.row.title: draw for one, draw in _over(TIME, own, others)}
    pictures.write_summary(_summary(own, seconds), table, name, panels, paths[1])
    write_csv(paths[2], COLUMNS, _rows(own))
    return paths


def _facts(
    own: Sequence[SizeOutcome],
    others: Sequence[SizeOutcome],
    seconds: float,
    titles: Sequence[str],
    table: Sequence[Standing],
) -> dict[str, Any]:
    """Returns what the template says."""
    first = own[0]
    over_time, over_decisions = _over(TIME, own, others), _over(TIMESTEPS, own, others)
    known = {one.size.row.title for one in own}
    rivals = [one for one in others if one.size.row.title in known]
    protocol = [one for one in own if one.size in SIZES]
    held_out = [one for one in own if one.size not in SIZES]
    return {
        "version": VERSION,
        "learner": first.learner,
        "given": first.given,
        "unit": first.unit,
        "seeds": _seeds(own),
        "seconds": f"{seconds:g}",
        "deviations": _deviations(own, seconds),
        "games": len(protocol),
        "states": _range(sorted({one.states for one in own}), "state"),
        "mean": _mean(protocol),
        "held_out": [one.size.row.title for one in held_out],
        "held_out_mean": _mean(held_out) if held_out else None,
        "failed": FAILED,
        "strongest": STRONGEST,
        "compared": titles,
        "alone": [title for one in protocol if (title := one.size.row.title) not in titles],
        "standing": (standing := next(row for row in table if row.learner == first.learner)),
        "tied": sum(row.rank == standing.rank for row in table) - 1,
        "ranked": len(table),
        "others": _seeds(others) if others else "",
        "few_seeds": any(len(one.runs) <= FEW_SEEDS for one in others),
        "standings": _standings(table, first.learner),
        "duels": duels(own, others),
        "over_time": _panels(over_time, "over processor seconds"),
        "over_decisions": _panels(over_decisions, f"over {first.unit}"),
        "other_units": sorted({one.learner for one in rivals if one.unit != first.unit}),
        "families": [
            (family, on_page(draw, PANEL, f"Exploitability at the end by number of states in {family}"))
            for family, draw in _families(own, others)
        ],
        "losses": [loss for one in own if (loss := _losses(one))],
        "winners": [(one.size.row.title, *_winners(one)) for one in own if any(run.values for run in one.runs)],
        "costs": [_cost(one) for one in own],
        "errors": [
            (one.size.row.title, run.seed, trouble) for one in own for run in one.runs if (trouble := _trouble(run))
        ],
    }


def _mean(outcomes: Sequence[SizeOutcome]) -> Estimate:
    return interquartile_mean([one.scores for one in outcomes], np.random.default_rng(0))


def _seeds(outcomes: Iterable[SizeOutcome]) -> str:
    return _range(sorted({len(one.runs) for one in outcomes}), "seed")


def _range(numbers: Sequence[int], word: str) -> str:
    """Returns numbers of things in rising order, from the least to the largest, in words."""
    return f"{numbers[0]:,} to " * (len(numbers) > 1) + counted(numbers[-1], word)


def _deviations(own: Sequence[SizeOutcome], seconds: float) -> list[str]:
    """Returns what is not as the protocol says, in words."""
    fewest, titles = min(len(one.runs) for one in own), {one.size.row.title for one in own}
    missing = [size.row.title for size in SIZES if size.small and size.row.title not in titles]
    return [
        *([f"{counted(fewest, 'seed')} instead of {SEEDS}"] if fewest < SEEDS else []),
        *([f"{seconds:g} processor seconds instead of {SECONDS:g}"] if seconds != SECONDS else []),
        *([f"without {'; '.join(missing)}"] if missing else []),
    ]


def _summary(own: Sequence[SizeOutcome], seconds: float) -> str:
    budget = f"{_seeds(own)}, {seconds:g} processor seconds each"
    return f"{own[0].learner} by {VERSION}: exploitability, share of the stake; {budget}; 0 is the exact solution"


def _standings(table: Sequence[Standing], learner: str) -> str:
    size = DOTS[0], DOTS[1] + ROW * len(table)
    text = "Interquartile means with intervals, by learner; the table below has the figures"
    return on_page(lambda axes: draw_standings(axes, table, learner), size, text)


Draw = Callable[[Any], None]


def _over(axis: int, own: Sequence[SizeOutcome], others: Sequence[SizeOutcome]) -> list[tuple[SizeOutcome, Draw]]:
    """Returns how to draw the learning curves in each of one's own games, by decisions or by time."""
    styles = _styles(others)
    drawn: list[tuple[SizeOutcome, Draw]] = []
    for one in own:
        rivals = [other for other in others if other.size == one.size and (axis == TIME or other.unit == one.unit)]
        lines = [line for each in (one, *rivals) if (line := curve_of(each, axis, each is one))]
        uniform = one.best.get("random")
        if lines and lines[0].own:
            last = max(line.places[-1] for line in lines)
            lines = [_to(line, last) for line in lines]
            what = "processor seconds of learning" if axis == TIME else one.unit
            random = None if uniform is None else uniform / one.size.row.stake
            drawn.append((one, partial(draw_lines, lines=lines, horizontal=what, styles=styles, uniform=random)))
    return drawn


def _to(line: Line, last: float) -> Line:
    """Returns a line that goes on to the last place if it has reached the exact solution, where learning ends."""
    if line.mean[-1] > LEAST or line.places[-1] >= last:
        return line
    figures = [np.append(figure, figure[-1]) for figure in (line.mean, line.least, line.largest)]
    return Line(line.learner, line.own, np.append(line.places, last), *figures)


def _styles(others: Iterable[SizeOutcome]) -> dict[str, tuple[str, str]]:
    names = sorted({one.learner for one in others})
    return dict(zip(names, itertools.cycle((colour, dash) for dash in DASHES for colour in COLOURS), strict=False))


def curve_of(outcome: SizeOutcome, axis: int, is_own: bool) -> Line | None:
    """Returns a learner's curve, of the runs without an error; None if it has none."""
    curves = [
        [(point[axis], point[2]) for point in outcome.shares(run) if point[TIMESTEPS] > 0 and point[TIME] > 0.0]
        for run in outcome.runs
        if not run.error
    ]
    curves = [curve for curve in curves if curve]
    if not curves:
        return None
    places, values = aligned(curves, LEAST)
    return Line(outcome.learner, is_own, places, values.mean(axis=0), values.min(axis=0), values.max(axis=0))


def _panels(drawn: Sequence[tuple[SizeOutcome, Draw]], what: str) -> list[tuple[str, str, str]]:
    """Returns titles, numbers of states, and pictures."""
    return [
        (
            one.size.row.title,
            counted(one.states, "state"),
            on_page(draw, PANEL, f"{one.size.row.title}: exploitability {what}"),
        )
        for one, draw in drawn
    ]


def _families(own: Sequence[SizeOutcome], others: Sequence[SizeOutcome]) -> list[tuple[str, Draw]]:
    """Returns how to draw exploitability by size in each family of which several sizes were learned."""
    titles: dict[str, list[str]] = {}
    for one in sorted((one for one in own if one.size in SIZES), key=lambda one: one.states):
        titles.setdefault(one.size.family, []).append(one.size.row.title)
    drawn: list[tuple[str, Draw]] = []
    for family, sizes in titles.items():
        if len(sizes) > 1:
            everyone = {**by_learner(others), **by_learner(own)}
            lines = [
                _by_size(games, sizes, name == own[0].learner)
                for name, games in everyone.items()
                if games.keys() & set(sizes)
            ]
            drawn.append((family, partial(draw_lines, lines=lines, horizontal=STATES, styles=_styles(others))))
    return drawn


def _by_size(games: ByGame, sizes: Sequence[str], is_own: bool) -> Line:
    outcomes = [games[size] for size in sizes if size in games]
    figures = [np.array([of(one.scores) for one in outcomes]) for of in (statistics.fmean, min, max)]
    return Line(outcomes[0].learner, is_own, np.array([one.states for one in outcomes]), *figures)


def _losses(outcome: SizeOutcome) -> dict[str, Any] | None:
    """Returns the worst states of the run with the median score, in words; None if none are known."""
    scored = sorted(zip(outcome.scores, outcome.runs, strict=True), key=lambda pair: pair[0])
    scored = [(score, run) for score, run in scored if run.weaknesses and score > 0.0]
    if not scored:
        return None
    score, run = scored[(len(scored) - 1) // 2]
    players = outcome.size.row.make().view.PLAYERS
    stake = outcome.size.row.stake
    rows = [
        {
            "situation": one["situation"],
            "player": players[one["seat"]],
            "plays": _mixture(one["plays"]),
            "best": _mixture(one["best"]),
            "punished_by": one["punished_by"],
            "share": f"{one['share'] / (score * stake):.0%}",
        }
        for one in run.weaknesses[:WORST]
    ]
    return {"game": outcome.size.row.title, "seed": run.seed, "score": rounded(score), "rows": rows}


def _mixture(probabilities: Mapping[str, float]) -> str:
    often = sorted(probabilities.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name} {share:.0%}" for name, share in often if share >= LEAST_OFTEN)


def _spread(figures: Sequence[float], sign: str = "") -> str:
    """Returns the mean and the standard deviation over seeds."""
    mean, error = statistics.fmean(figures), statistics.stdev(figures) if len(figures) > 1 else 0.0
    text = rounded(mean, error)
    return (sign if mean > 0 else "") + (f"{text} ± {rounded(error, error)}" if rounded(error) != "0" else text)


def _winners(outcome: SizeOutcome) -> tuple[str, str]:
    """Returns the points per game of a best response, and of the strongest scripted players, the best first."""
    runs = [run for run in outcome.runs if run.values]
    won = {name: [-run.values[name][0] for run in runs] for name in runs[0].values}
    ranked = sorted(won, key=lambda name: -statistics.fmean(won[name]))
    ends = [points[-1][2] * outcome.size.row.stake for run in runs if (points := outcome.shares(run))]
    return (
        _spread(ends, "+") if ends else "not computed",
        "; ".join(f"{name} {_spread(won[name], '+')}" for name in ranked[:STRONGEST]),
    )


def _cost(outcome: SizeOutcome) -> dict[str, str]:
    ends = [run.curve[-1] for run in outcome.runs if run.curve and run.curve[-1]["seconds"] > 0.0]
    timesteps, seconds = ([end[name] for end in ends] for name in ("timesteps", "seconds"))
    scores = outcome.scores
    return {
        "game": outcome.size.row.title,
        "states": f"{outcome.states:,}",
        "score": _spread(scores),
        "range": f"{rounded(min(scores))} to {rounded(max(scores))}" if len(scores) > 1 else "",
        "timesteps": _about(statistics.fmean(timesteps)) if ends else "",
        "seconds": rounded(statistics.fmean(seconds)) if ends else "",
        "pace": _about(sum(timesteps) / sum(seconds)) if ends else "",
    }


def _about(number: float) -> str:
    """Returns a number with three digits."""
    return f"{float(f'{number:.3g}'):,.0f}"


def _trouble(run: RunOutcome) -> str:
    """Returns what ended a run or kept its last policy from being measured, in a sentence; empty if nothing did."""
    measured = [point for point in run.curve if point["exploitability"] is not None]
    if run.error or not measured:
        return run.error or "No policy could be measured."
    if run.curve[-1]["exploitability"] is None:
        return f"The last policy could not be measured; the score is that after {measured[-1]['timesteps']:,}."
    return ""


def _rows(own: Sequence[SizeOutcome]) -> list[list[object]]:
    """Returns a line for each point of each curve, and one for a run that has no curve."""
    return [
        [
            one.learner, one.given, one.size.row.title, one.states, run.seed, one.unit,
            *(point.get(name) for name in ("timesteps", "seconds", "exploitability")),
            one.size.row.stake, score, run.error,
        ]
        for one in own
        for run, score in zip(one.runs, one.scores, strict=True)
        for point in (run.curve or [{}])
    ]  # fmt: skip
