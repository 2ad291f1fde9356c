"""The stored outcomes of nashzoo's own learners in the games of the benchmark protocol.

python -m studies.bench_reference                      # anew, from docs/results
python -m studies.bench_reference nash_vi.json         # what nashzoo bench --json prints replaces what is stored
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from nashzoo.app.bench.bench import described
from nashzoo.app.bench.comparison import by_learner
from nashzoo.app.bench.outcomes import RunOutcome, SizeOutcome
from nashzoo.app.bench.protocol import SECONDS, SIZES, Size
from nashzoo.app.bench.reference import FILE, outcomes_in, reference
from nashzoo.app.results.results import ABOUT, table_of, tasks_of
from nashzoo.app.results.rows import ROWS
from nashzoo.app.results.table import BUDGET, DETERMINISTIC, GameTable
from nashzoo.arena.tasks import ResultStore
from nashzoo.baselines.measures import states_measured
from studies.tables import DOCS, write_page

SEEDS = 3  # of docs/results
MIXED = ", mixed"  # end of the name of an average over past policies
POINTS = 12  # of a curve
DIGITS = 6
FIGURES = ("timesteps", "seconds", "exploitability")  # of a point


@dataclass
class Options:
    """Store the outcomes of nashzoo's own learners."""

    files: Annotated[tuple[Path, ...], tyro.conf.Positional] = ()
    """What ``nashzoo bench --json`` prints, the newest last; the results of docs/results alone, when none is named."""


def outcomes_of(folder: Path) -> Iterator[SizeOutcome]:
    """Yields the outcomes of a folder of ``nashzoo results --seeds 3 --seconds 60``, by game and learner."""
    store = ResultStore(folder, ABOUT)
    for size in SIZES:
        if size.row in ROWS:
            table = table_of(size.row, tasks_of(size.row, SEEDS, None, None, SECONDS), store)
            states = states_measured(size.row.make())
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
    """Returns outcomes by learner and game, the newer one of two of the same learner in the same game."""
    places = [size.row.title for size in SIZES]
    latest = {(one.learner, places.index(one.size.row.title)): one for some in (stored, newer) for one in some}
    return [latest[key] for key in sorted(latest)]


def as_json(outcomes: Iterable[SizeOutcome]) -> str:
    """Returns the learning curves of outcomes, thinned and rounded, a line for each learner."""
    thinned = [
        one._replace(best={}, runs=[run._replace(curve=_thinned(run), values={}, weaknesses=[]) for run in one.runs])
        for one in outcomes
    ]
    lines = [described(list(games.values())) for games in by_learner(thinned).values()]
    return "[\n" + ",\n".join(json.dumps(line, separators=(",", ":")) for line in lines) + "\n]\n"


def _thinned(run: RunOutcome) -> list[dict[str, Any]]:
    """Returns the first point of a curve, the last, and points at equal distances in its order between them."""
    places = np.linspace(0, len(run.curve) - 1, min(POINTS, len(run.curve))).round().astype(int)
    return [{name: _rounded(run.curve[place][name]) for name in FIGURES} for place in places]


def _rounded(figure: float | None) -> float | None:
    return float(f"{figure:.{DIGITS}g}") if isinstance(figure, float) else figure


def main(options: Options) -> None:
    """Writes the file."""
    outcomes = reference() if options.files else merged([], outcomes_of(DOCS / "results"))
    for file in options.files:
        outcomes = merged(outcomes, outcomes_in([json.loads(file.read_text(encoding="utf-8"))]))
    write_page(FILE, as_json(outcomes))


if __name__ == "__main__":
    main(tyro.cli(Options))
