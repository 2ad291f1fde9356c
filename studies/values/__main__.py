"""Accuracy of the library's values of policies: random pairs, each measured a second time by other means.

Prints a table in Markdown with a row for each family of pairs, and writes the result of each pair as CSV.

python -m studies.values --family footsies --pairs 200
python -m studies.values --family soccer bodega-brawl --seed 1 --out runs/values.csv

The exact numbers are faster with ``pip install -r studies/values/requirements.txt``.
"""

import argparse
import contextlib
import csv
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from studies.tables import markdown
from studies.values.families import FAMILIES
from studies.values.trials import QUESTIONS, Answer, ask

SMALL = 1e-14  # with smaller probabilities, refusals are allowed in one pair of a hundred
HEADER = (
    "pairs", "figure", "tried", "compared", "wrong", "refused", "with a chance below 1e-14", "without",
    "seconds, median", "largest",
)  # fmt: skip


class Record(NamedTuple):
    """An answer of the library, and its pair: family, seed, number, and smallest positive probability, if known."""

    family: str
    seed: int
    pair: int
    smallest: float | None
    answer: Answer


def records(families: Sequence[str], figures: Sequence[str], pairs: range, seed: int) -> Iterator[Record]:
    """Yields the library's results for each pair; a pair depends on its family, the seed and its number alone."""
    for family in families:
        for pair in pairs:
            trial = FAMILIES[family].draw(np.random.default_rng([seed, zlib.crc32(family.encode()), pair]))
            for figure in figures:
                yield Record(family, seed, pair, trial.smallest, ask(figure, trial))


def rows(every: Sequence[Record]) -> Iterator[Sequence[str]]:
    """Yields the rows of the table, one for each figure of each family."""
    yield HEADER
    for family, figure in dict.fromkeys((record.family, record.answer.figure) for record in every):
        mine = [record for record in every if (record.family, record.answer.figure) == (family, figure)]
        answers = [record.answer for record in mine]
        refused = [record.smallest for record in mine if record.answer.refused]
        below = sum(chance is not None and chance < SMALL for chance in refused)
        counts = (
            len(answers), sum(answer.off is not None for answer in answers), sum(answer.wrong for answer in answers),
            len(refused), below, len(refused) - below,
        )  # fmt: skip
        cells = [f"{count:,}" for count in counts]
        if None in refused:
            cells[4:6] = "", ""
        seconds = [answer.seconds for answer in answers]
        yield FAMILIES[family].title, f"`{figure}`", *cells, f"{median(seconds):.3f}", f"{max(seconds):.3f}"


def main() -> None:
    """Writes a file with a line for each answer, and prints the table, also after an interruption."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", nargs="+", choices=FAMILIES, default=["footsies"], help="of pairs (footsies)")
    parser.add_argument("--pairs", type=int, default=200, help="of each family (200)")
    parser.add_argument("--seed", type=int, default=0, help="of the pairs (0)")
    parser.add_argument("--out", type=Path, default=Path("runs/values.csv"), help="file to write (runs/values.csv)")
    options = parser.parse_args()
    every: list[Record] = []
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("w", newline="") as file, contextlib.suppress(KeyboardInterrupt):
        writer = csv.writer(file)
        writer.writerow(("family", "seed", "pair", "smallest", *Answer._fields, "wrong"))
        for record in records(options.family, list(QUESTIONS), range(options.pairs), options.seed):
            every.append(record)
            writer.writerow((*record[:4], *record.answer, record.answer.wrong))
            file.flush()
            print(f"\r{record.family}, pair {record.pair:,}", end="", file=sys.stderr, flush=True)
            if record.answer.wrong:
                print(f": {record.answer}", file=sys.stderr)
    print(markdown(rows(every), left=2))


if __name__ == "__main__":
    main()
