"""The scorecard of a learner: one page, one picture and one table of what it reaches in the games of the protocol."""

import importlib.util
import platform
import statistics
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nashzoo.app.bench.latex import tabular
from nashzoo.app.bench.panels import by_game, curves, ranked
from nashzoo.app.bench.pictures import DOTS, PANEL, ROW, Dots, draw_dots, on_page, percent, write_summary
from nashzoo.app.shared.csv_text import write_csv
from nashzoo.app.shared.words import mixture, sided, sides
from nashzoo.arena.measurement.comparison import Comparison, grouped, mean_of, plain_mean
from nashzoo.arena.measurement.intervals import FEWEST, TOLD_APART, Estimate, in_short, rounded
from nashzoo.arena.measurement.outcomes import RunOutcome, SizeOutcome
from nashzoo.arena.measurement.protocol import FAILED, SECONDS, SEEDS
from nashzoo.arena.pictures import need_matplotlib, shortened
from nashzoo.envs.base.errors import MissingPackageError
from nashzoo.envs.base.files import write_text
from nashzoo.envs.base.words import counted, figure

CPUINFO = Path("/proc/cpuinfo")
COLUMNS = (
    "protocol", "learner", "given", "game", "states", "seed", "unit", "timesteps", "seconds", "exploitability",
    "share", "score", "error",
)  # fmt: skip
SHOWN = 3  # states of a game
STRONGEST = 5  # scripted players of a game


def need_packages() -> None:
    """Checks that a scorecard can be made.

    Raises:
        MissingPackageError: matplotlib or jinja2 is not installed.
    """
    need_matplotlib()
    if importlib.util.find_spec("jinja2") is None:
        raise MissingPackageError("scorecards need jinja2: pip install '.[train]' in nashzoo's folder")


def write(comparison: Comparison, folder: Path) -> list[Path]:
    """Writes ``scorecard`` as page, as picture in each format and as LaTeX, and ``outcomes.csv``; returns the paths."""
    from jinja2 import Environment, StrictUndefined

    page, table, latex = (folder / file for file in ("scorecard.html", "outcomes.csv", "scorecard.tex"))
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(Path(__file__).with_name("scorecard.html").read_text(encoding="utf-8"))
    texts = {page: template.render(_facts(comparison)), latex: as_latex(comparison)}
    for path, text in texts.items():
        write_text(path, text)
    drawn = write_summary(*seen(comparison), _rows_of_dots(comparison), folder / "scorecard")
    write_csv(table, COLUMNS, _rows(comparison.own))
    return [page, *drawn, table, latex]


def as_latex(comparison: Comparison) -> str:
    """Returns the figures of each game, and their interquartile mean, as a table of LaTeX."""
    own = comparison.own
    heads = ["game", f"{own[0].size.state}s", "exploitability", own[0].unit, "seconds"]
    rows = [[cost(one)[name] for name in ("game", "states", "score", "timesteps", "seconds")] for one in own]
    titles = {one.size.title for one in own} & set(comparison.titles)
    last = [f"interquartile mean, {counted(len(titles), 'game')}", "", str(comparison.place.mean), "", ""]
    return tabular(
        f"{comparison.learner}, {by_protocol(own)}, {budget(own)}; exploitability: share of the stake, mean ± standard "
        "deviation over seeds; the mean with its 95 % interval",
        [heads, *rows, last],
    )


def _rows_of_dots(comparison: Comparison) -> dict[str, list[Dots]]:
    """Returns the rows of the picture by the title of their panel."""
    games = counted(len(comparison.titles), "game")
    together = {f"{games} together": ranked(comparison)} if len(comparison.ranking) > 1 else {}
    return together | {f"each game{'; grey: the other learners' * bool(comparison.rivals)}": by_game(comparison)}


def _facts(comparison: Comparison) -> dict[str, Any]:
    """Returns what the template says."""
    own, others, ranking = comparison.own, comparison.others, comparison.ranking
    first, place = own[0], comparison.place
    rivals, groups = comparison.rivals, grouped(own)
    leading, held_out = next(iter(groups.values())), groups.get("held out", [])
    protocol = [*groups.get("small", []), *groups.get("large", [])]
    has_both = {"small", "large"} <= groups.keys()
    return {
        "protocol": by_protocol(own),
        "learner": first.learner,
        "given": first.given,
        "unit": first.unit,
        "budget": budget(own),
        "made": _made(),
        "deviations": deviations(own),
        "games": len(protocol),
        "state": first.size.state,
        "states": _states(own),
        "mean": _mean(leading),
        "plain_mean": in_short(plain_mean(leading)),
        "averaged": "the small ones" if has_both else "these games",
        "large_mean": _mean(groups["large"]) if has_both else None,
        "held_out": [one.size.title for one in held_out],
        "held_out_mean": _mean(held_out) if held_out else None,
        "failed": FAILED,
        "strongest": STRONGEST,
        "compared": comparison.titles,
        "alone": [one.size.title for one in protocol if all(one.size != other.size for other in rivals)],
        "place": place,
        "tied": sum(row.rank == place.rank for row in ranking) - 1,
        "ranked": len(ranking),
        "others": budget(rivals) if rivals else "",
        "fewest": FEWEST,
        "few_seeds": any(len(one.runs) < FEWEST for one in (*own, *rivals)),
        "ranking": on_page(
            partial(draw_dots, rows=ranked(comparison)),
            (DOTS[0], DOTS[1] + ROW * len(ranking)),
            "Interquartile means with intervals, by learner; the table below has the figures",
        ),
        "improvements": comparison.improvements,
        "over_time": [
            (title, note, on_page(draw, PANEL, f"{title}: exploitability over processor seconds"))
            for title, note, draw in curves(own, others)
        ],
        "losses": [loss for one in own if (loss := _losses(one))],
        "winners": [(one.size.title, *_winners(one)) for one in own if any(run.values for run in one.runs)],
        "costs": [cost(one) for one in own],
        "failures": sum(bool(run.error) for one in own for run in one.runs),
        "runs": sum(len(one.runs) for one in own),
        "errors": [
            (one.size.title, run.seed, trouble) for one in own for run in one.runs if (trouble := _trouble(run))
        ],
    }


def _mean(outcomes: Sequence[SizeOutcome]) -> Estimate:
    return mean_of([one.scores for one in outcomes])


def budget(outcomes: Iterable[SizeOutcome]) -> str:
    """Returns how many runs there are in a game, and for how long each learns, in words."""
    seeds, seconds = zip(*((len(one.runs), one.seconds) for one in outcomes), strict=True)
    return f"{_range(seeds, 'run')} of {_range(seconds, 'processor second')}"


def _range(numbers: Collection[float], word: str) -> str:
    """Returns numbers of things from the least to the largest, in words."""
    least, largest = min(numbers), max(numbers)
    return f"{counted(least, word).split()[0]} to " * (least < largest) + counted(largest, word)


def _states(own: Sequence[SizeOutcome]) -> str:
    """Returns how many states the games have, or histories where these are walked, in words."""
    kinds = dict.fromkeys(one.state for one in own)
    return " or ".join(_range({one.states for one in own if one.state == kind}, kind) for kind in kinds)


def deviations(own: Sequence[SizeOutcome]) -> list[str]:
    """Returns what is not as the protocol says, in words."""
    seconds, titles = own[0].seconds, {one.size.title for one in own}
    seeds = {len(one.runs) for one in own} - {SEEDS}
    missing = [size.title for size in own[0].suite.small if size.title not in titles]
    return [
        *([f"{counted(min(seeds), 'seed')} instead of {SEEDS}"] if seeds else []),
        *([f"{counted(seconds, 'processor second')} instead of {SECONDS:g}"] if seconds != SECONDS else []),
        *([f"without {'; '.join(missing)}"] if missing else []),
        *(
            f"{one.size.title}, {'seed' if len(one.late) == 1 else 'seeds'} {', '.join(map(str, one.late))}: up to "
            f"{max(one.late.values()):.3g} processor seconds instead of {one.seconds:g}"
            for one in own
            if one.late
        ),
    ]


def by_protocol(own: Sequence[SizeOutcome]) -> str:
    """Returns by which protocol, or by which not, figures are made."""
    return "not " * bool(deviations(own)) + f"by {own[0].suite.version}"


def seen(comparison: Comparison) -> tuple[str, str]:
    """Returns what the picture shows, and how it was made; it stands alone in other people's pages."""
    own, rivals, place, count = comparison.own, comparison.rivals, comparison.place, len(comparison.ranking)
    rank, name = f": number {place.rank} of {count} learners" if count > 1 else "", shortened(comparison.learner)
    rank += f" ({own[0].seconds:g} s a run, not comparable)" * any(one.seconds != own[0].seconds for one in rivals)
    lost = percent(place.mean.value)
    headline = f"To an opponent who knows how it plays, {name} loses {lost} of all that it can lose{rank}."
    budgets = f"{budget(own)}, the others {budget(rivals)}" if rivals else budget(own)
    return headline, (
        f"{comparison.learner}, {by_protocol(own)}: {budgets}. Perfect play: 0%. Together: interquartile means with "
        "95 % intervals; each game: mean and range over seeds."
    )


def _made() -> str:
    """Returns with what and when the page is made: seconds of other processors are other seconds."""
    return f"nashzoo {version('nashzoo')}, {platform.system()}, {_processor()}, {date.today():%Y-%m-%d}"


def _processor() -> str:
    """Returns the name of the processor."""
    if CPUINFO.exists():  # Linux, where platform.processor() has the architecture alone
        for line in CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, model = line.partition(":")
            if name.strip() == "model name":
                return model.strip()
    return platform.processor() or platform.machine()


def _losses(outcome: SizeOutcome) -> dict[str, Any] | None:
    """Returns the worst states of the run with the median score, in words; None if none are known."""
    scored = sorted(zip(outcome.scores, outcome.runs, strict=True), key=lambda pair: pair[0])
    scored = [(score, run) for score, run in scored if run.weaknesses and score > 0.0]
    if not scored:
        return None
    score, run = scored[(len(scored) - 1) // 2]
    game = outcome.size.make()
    rows = [
        {
            "situation": sided(game, game.text(one["code"])),
            "player": sides(game)[one["seat"]],
            "plays": mixture(one["plays"]),
            "best": mixture(one["best"]),
            "punished_by": one["punished_by"],
            "share": figure(one["share"]),
        }
        for one in run.weaknesses[:SHOWN]
        if one["share"] > 0.0
    ]
    known = {"game": outcome.size.title, "seed": run.seed, "score": in_short(score)}
    return known | {"losing": len(scored), "runs": len(outcome.runs), "rows": rows}


def _spread(figures: Sequence[float], sign: str = "") -> str:
    """Returns the mean and the standard deviation over seeds."""
    mean, error = statistics.fmean(figures), statistics.stdev(figures) if len(figures) > 1 else 0.0
    spread = f" ± {rounded(error, error)}" if error >= TOLD_APART else ""
    return f"{sign if mean > 0 else ''}{rounded(mean, error)}{spread}"


def _winners(outcome: SizeOutcome) -> tuple[str, str, str]:
    """Returns the points per game of a best response, the regret, and the strongest scripted players, the best first.

    The regret is how much less is won from the scripted players than by best responses to them, on average over those
    whose best responses are computed.
    """
    runs = [run for run in outcome.runs if run.values]
    won = {name: [-run.values[name][0] for run in runs] for name in runs[0].values}
    ranked = sorted(won, key=lambda name: -statistics.fmean(won[name]))
    ends = [points[-1][2] * outcome.size.stake for run in runs if (points := outcome.shares(run))]
    best = {name: value for name, value in outcome.best.items() if value is not None and name in won}
    regrets = [statistics.fmean(best[name] - run.values[name][0] for name in best) for run in runs] if best else []
    return (
        _spread(ends, "+") if ends else "not computed",
        _spread(regrets) if regrets else "not computed",
        "; ".join(f"{name} {_spread(won[name], '+')}" for name in ranked[:STRONGEST]),
    )


def cost(outcome: SizeOutcome) -> dict[str, str]:
    """Returns what a game and its runs took, in words: means over seeds, a failed run until its end."""
    ends = [run.curve[-1] for run in outcome.runs if run.curve]
    timesteps, seconds = ([end[name] for end in ends] for name in ("timesteps", "seconds"))
    scores = outcome.scores
    return {
        "game": outcome.size.title,
        "states": f"{outcome.states:,}" + " histories" * (outcome.state == "history"),
        "score": _spread(scores),
        "range": f"{rounded(min(scores))} to {rounded(max(scores))}" if len(scores) > 1 else "",
        "timesteps": _about(statistics.fmean(timesteps)) if ends else "",
        "seconds": rounded(statistics.fmean(seconds)) if ends else "",
        "pace": _about(sum(timesteps) / sum(seconds)) if sum(seconds) > 0.0 else "",
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
    protocol = by_protocol(own)
    return [
        [
            protocol, one.learner, one.given, one.size.title, one.states, run.seed, one.unit,
            *(point.get(name) for name in ("timesteps", "seconds", "exploitability")),
            one.share(point), score, run.error,
        ]
        for one in own
        for run, score in zip(one.runs, one.scores, strict=True)
        for point in (run.curve or [{}])
    ]  # fmt: skip
