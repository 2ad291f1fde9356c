"""The stored outcomes of nashzoo's own learners in the games of the benchmark protocol.

python -m studies.bench_reference                  # anew, from docs/results
python -m studies.bench_reference runs/results     # those of a folder take the place of those stored
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from nashzoo.app.bench.outcomes import RunOutcome, SizeOutcome
from nashzoo.app.bench.protocol import SECONDS, SIZES, Size
from nashzoo.app.bench.reference import FILE, merged, reference, write
from nashzoo.app.results.results import ABOUT, table_of, tasks_of
from nashzoo.app.results.rows import ROWS
from nashzoo.app.results.table import BUDGET, DETERMINISTIC, GameTable
from nashzoo.arena.tasks import ResultStore
from nashzoo.baselines.measures import states_measured
from studies.tables import DOCS

SEEDS = 3  # of docs/results
MIXED = ", mixed"  # end of the name of an average over past policies


@dataclass
class Options:
    """Store the outcomes of nashzoo's own learners."""

    folders: Annotated[tuple[Path, ...], tyro.conf.Positional] = ()
    """Folders of results, the newest last; docs/results alone, and nothing that is stored, when none is named."""


def outcomes_of(folder: Path) -> Iterator[SizeOutcome]:
    """Yields the outcomes of a folder of ``nashzoo results --seeds 3 --seconds 60``, by game and learner."""
    store = ResultStore(folder, ABOUT)
    for size in SIZES:
        if size.row in ROWS:
            table = table_of(size.row, tasks_of(size.row, SEEDS, None, None, SECONDS), store)
            states = states_measured(size.row.make())
            yield from (_outcome(table, learner, size, states) for learner in _learners(table))


def _learners(table: GameTable) -> list[str]:
    """Returns the learners themselves: not their averages or most likely actions, nor those with a larger budget."""
    learned = dict.fromkeys(one.player for one in table.measured if one.kind == "learned")
    return [name for name in learned if not name.endswith((DETERMINISTIC, MIXED, BUDGET))]


def _outcome(table: GameTable, learner: str, size: Size, states: int) -> SizeOutcome:
    results = table.of(learner)
    runs = [
        RunOutcome(
            one.seed,
            one.made["curve"],
            {name: [value, error] for name, (value, error, *_) in one.figures["values"].items()},
            [],
        )
        for one in results
    ]
    return SizeOutcome(learner, results[0].given, results[0].unit, size, states, runs, table.best)


def main(options: Options) -> None:
    """Writes the file."""
    outcomes = reference() if options.folders else []
    for folder in options.folders or (DOCS / "results",):
        outcomes = merged(outcomes, outcomes_of(folder))
    write(outcomes, FILE)


if __name__ == "__main__":
    main(tyro.cli(Options))
