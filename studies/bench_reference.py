"""The stored outcomes of nashzoo's own learners in the games of the benchmark protocol, and their table on its page.

python -m studies.bench_reference                      # anew, from docs/results
python -m studies.bench_reference nash_vi.json         # runs that nashzoo bench --json prints are added, or replace
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from nashzoo.app.bench.bench import described
from nashzoo.app.results.results import ABOUT, table_of, tasks_of
from nashzoo.app.results.rows import ROWS
from nashzoo.app.results.table import BUDGET, DETERMINISTIC, GameTable
from nashzoo.arena.measure import SOLVED
from nashzoo.arena.measurement import protocol
from nashzoo.arena.measurement.comparison import by_learner, mean_of, plain_mean
from nashzoo.arena.measurement.intervals import Estimate
from nashzoo.arena.measurement.outcomes import RunOutcome, SizeOutcome
from nashzoo.arena.measurement.protocol import HIDDEN, OPEN, SECONDS, SUITES, Size, Suite
from nashzoo.arena.measurement.reference import FILE, outcomes_in, reference
from nashzoo.arena.tasks import ResultStore
from nashzoo.baselines.measures import states_measured
from nashzoo.envs.base.errors import UsageError
from studies.tables import DOCS, markdown, with_block, write_page

PAGE = DOCS / "benchmark.md"
TABLES = {OPEN: ("learners", protocol.SEEDS), HIDDEN: ("hidden learners", 1)}  # blocks of the page; fewest runs in it
SEEDS = 3  # of docs/results
MIXED = ", mixed"  # end of the name of an average over past policies
POINTS = 12  # of a curve
DIGITS = 6
ONCE = 0.01  # seconds, below which no time is written
FIGURES = ("timesteps", "seconds", "exploitability")  # of a point


@dataclass
class Options:
    """Store the outcomes of nashzoo's own learners."""

    files: Annotated[tuple[Path, ...], tyro.conf.Positional] = ()
    """What ``nashzoo bench --json`` prints, the newest last; the results of docs/results alone, when none is named."""


def outcomes_of(folder: Path) -> Iterator[SizeOutcome]:
    """Yields the outcomes of a folder of ``nashzoo results GAME ... --seeds 3 --seconds 60``, by game and learner."""
    store, rows = ResultStore(folder, ABOUT), {row.title: row for row in ROWS}
    for size in OPEN.sizes:
        row = rows.get(size.title)
        if row is not None:
            table = table_of(row, tasks_of(row, SEEDS, None, None, SECONDS), store)
            states = states_measured(size.make())
            learned = dict.fromkeys(one.player for one in table.measured if one.kind == "learned")
            for name in learned:
                if not name.endswith((DETERMINISTIC, MIXED, BUDGET)):
                    yield _outcome(table, name, size, states)


def _outcome(table: GameTable, learner: str, size: Size, states: int) -> SizeOutcome:
    results = table.of(learner)
    runs = [
        RunOutcome(one.seed, one.made["curve"], {name: value[:2] for name, value in one.figures["values"].items()}, [])
        for one in results
    ]
    return SizeOutcome(learner, results[0].given, results[0].unit, size, states, runs, table.best)


def merged(stored: Iterable[SizeOutcome], newer: Iterable[SizeOutcome]) -> list[SizeOutcome]:
    """Returns outcomes by learner and game, with the runs of both; of two with the same seed, the newer."""
    latest: dict[tuple[str, str, int], SizeOutcome] = {}
    for one in (*stored, *newer):
        key = one.suite.version, one.learner, one.suite.sizes.index(one.size)
        runs = {run.seed: run for run in (*latest.get(key, one).runs, *one.runs)}
        latest[key] = one._replace(runs=[runs[seed] for seed in sorted(runs)])
    return [latest[key] for key in sorted(latest)]


def as_json(outcomes: Iterable[SizeOutcome]) -> str:
    """Returns the learning curves of outcomes, thinned and rounded, a line for each learner."""
    thinned = [
        one._replace(best={}, runs=[run._replace(curve=_thinned(run), values={}, weaknesses=[]) for run in one.runs])
        for one in outcomes
    ]
    suites = [[one for one in thinned if one.suite == suite] for suite in SUITES.values()]
    lines = [described(list(games.values())) for some in suites for games in by_learner(some).values()]
    return "[\n" + ",\n".join(json.dumps(line, separators=(",", ":")) for line in lines) + "\n]\n"


def _thinned(run: RunOutcome) -> list[dict[str, Any]]:
    """Returns the first point of a curve, the last, and points at equal distances in its order between them."""
    places = np.linspace(0, len(run.curve) - 1, min(POINTS, len(run.curve))).round().astype(int)
    return [{name: _rounded(run.curve[place][name]) for name in FIGURES} for place in places]


def _rounded(figure: float | None) -> float | None:
    return float(f"{figure:.{DIGITS}g}") if isinstance(figure, float) else figure


def table(outcomes: Iterable[SizeOutcome], suite: Suite) -> str:
    """Returns the table of the learners that have enough seeds, by small game, the best on the left or on top.

    A figure is the interquartile mean over the seeds, or, where all have reached the equilibrium, the mean time of the
    first measurement that found it.
    """
    measured = [one for one in outcomes if one.suite == suite and len(one.runs) >= TABLES[suite][1] and one.size.small]
    titles = [size.title for size in suite.small]
    learners = by_learner(measured)
    means = {
        name: mean_of([games[title].scores for title in titles])
        for name, games in learners.items()
        if len(games) == len(titles)
    }
    unknown = Estimate(np.inf, None)

    def place(name: str) -> tuple[float, ...]:
        mine = learners[name].values()
        return means.get(name, unknown).value, plain_mean([*mine]) if name not in means else 0.0, _solving(mine)

    order = sorted(learners, key=place)
    rows = [
        [title, *(_figure(games[title]) if title in games else "" for games in map(learners.__getitem__, order))]
        for title in titles
    ]
    given = ["*may use*", *(next(iter(learners[name].values())).given for name in order)]
    together = ["**all of them**", *(f"**{means[name]}**" if name in means else "" for name in order)]
    lines = [["game", *(f"`{name}`" for name in order)], given, *rows, together]
    if len(order) > len(rows) + 2:  # a wide table does not fit the page
        lines[0][0] = "learner"
        return markdown([*zip(*lines, strict=True)], left=2) + "\n"
    return markdown(lines) + "\n"


def _figure(outcome: SizeOutcome) -> str:
    if max(outcome.scores) > SOLVED:
        return f"{mean_of([outcome.scores]).value:.2g}"
    seconds = _solving([outcome])
    return "0 at once" if seconds < ONCE else f"0 in {float(f'{seconds:.1g}'):g} s"


def _solving(outcomes: Iterable[SizeOutcome]) -> float:
    """Returns the mean time of runs until they were solved or over; that of a failed one is the whole budget."""
    runs = [run for one in outcomes for run in one.runs]
    return float(np.mean([SECONDS if run.error else run.curve[-1]["seconds"] for run in runs]))


def main(options: Options) -> None:
    """Writes the file, and the table on the page."""
    stored = [one for suite in SUITES.values() for one in reference(suite)]
    outcomes = (
        stored if options.files else merged([one for one in stored if one.suite != OPEN], outcomes_of(DOCS / "results"))
    )
    for file in options.files:
        printed = json.loads(file.read_text(encoding="utf-8"))
        versions = [suite.version for suite in SUITES.values()]
        if printed["protocol"] not in versions or printed["seconds"] != protocol.SECONDS:
            raise UsageError(f"{file} is by {printed['protocol']} with {printed['seconds']:g} s in a run")
        outcomes = merged(outcomes, outcomes_in([printed]))
    write_page(FILE, as_json(outcomes))
    for suite, (block, _) in TABLES.items():
        write_page(PAGE, with_block(PAGE.read_text(), block, table(outcomes, suite)))


if __name__ == "__main__":
    main(tyro.cli(Options))
