"""What a learner reached in the games of the protocol, beside those of this package: in words, and as JSON."""

import shutil
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from nashzoo.app.bench import scorecard
from nashzoo.arena.measurement.comparison import Comparison, Improvement, Ranked, grouped, mean_of, plain_mean
from nashzoo.arena.measurement.intervals import Estimate
from nashzoo.arena.measurement.outcomes import SizeOutcome
from nashzoo.envs.base.words import counted, wrapped


def summary(comparison: Comparison) -> list[str]:
    """Returns two tables in lines: what was reached in each game, and from what; and other learners in these games."""
    own, place, ranked = comparison.own, comparison.place, len(comparison.ranking)
    deviations, budget = scorecard.deviations(own), scorecard.budget
    heads = ["game", "exploitability, share of the stake", own[0].unit, "processor seconds"]
    costs = [scorecard.cost(one) for one in own]
    about = f"{comparison.learner}, {scorecard.by_protocol(own)}" + f": {'; '.join(deviations)}" * bool(deviations)
    lines = [
        f"{wrapped(about)}\n",
        *_columns([heads, *([one[name] for name in ("game", "score", "timesteps", "seconds")] for one in costs)]),
        wrapped(
            f"interquartile mean over {counted(len(comparison.titles), 'game')}: {place.mean}"
            + f" (rank {place.rank} of {ranked}; the others have {budget(comparison.rivals)})" * (ranked > 1)
        ),
    ]
    if comparison.improvements:
        heads = ["other learner", "its exploitability", "yours", "games", "probability that yours is better"]
        rows = [[one.learner, one.theirs, one.ours, one.games, one.probability] for one in comparison.improvements]
        lines += ["", *_columns([heads, *([str(cell) for cell in row] for row in rows)]), ""]
    errors = ((one.size.title, run) for one in own for run in one.runs if run.error)
    return lines + [wrapped(f"{title}, seed {run.seed}: {run.error}") for title, run in errors]


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Returns rows of a table as lines that fit the terminal; the first row has the headings."""
    table = Table(box=None, pad_edge=False, header_style="")
    for head in rows[0]:
        table.add_column(Text(head))
    for row in rows[1:]:
        table.add_row(*map(Text, row))
    console = Console(width=shutil.get_terminal_size().columns, color_system=None)
    with console.capture() as printed:
        console.print(table)
    return [line.rstrip() for line in printed.get().splitlines()]


def compared(comparison: Comparison) -> dict[str, Any]:
    """Returns for JSON by what the figures are made, what games make together, and how others compare."""
    own = comparison.own
    return {
        "version": version("nashzoo"),
        "deviations": scorecard.deviations(own),
        "scores": {one.size.title: one.scores for one in own},
        "together": {
            name: {"interquartile_mean": mean_of([one.scores for one in some])._asdict(), "mean": plain_mean(some)}
            for name, some in grouped(own).items()
        },
        "ranked_in": comparison.titles,
        "ranking": [_plain(row) for row in comparison.ranking],
        "improvements": [_plain(row) for row in comparison.improvements],
    }


def _plain(row: Ranked | Improvement) -> dict[str, Any]:
    return {name: one._asdict() if isinstance(one, Estimate) else one for name, one in row._asdict().items()}


def described(outcomes: Sequence[SizeOutcome]) -> dict[str, Any]:
    """Returns the outcomes of a learner for JSON."""
    return {
        "protocol": outcomes[0].suite.version,
        "learner": outcomes[0].learner,
        "given": outcomes[0].given,
        "unit": outcomes[0].unit,
        "seconds": outcomes[0].seconds,
        "games": [
            {
                "title": outcome.size.title,
                "family": outcome.size.family,
                "game": outcome.size.name,
                "states": outcome.states,
                "stake": outcome.size.stake,
                "best_responses": outcome.best,
                "runs": [run._asdict() for run in outcome.runs],
            }
            for outcome in outcomes
        ],
    }
