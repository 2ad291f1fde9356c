"""Runs the study."""

import argparse
import signal
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from studies.values import __doc__ as description
from studies.values.families import FAMILIES
from studies.values.tally import Record, markdown, read, write
from studies.values.trials import ask_for, questions

EVERY = 5.0  # seconds between reports of progress


def records(
    families: Sequence[str], figures: Sequence[str], pairs: range, seed: int, limit: float = 0.0
) -> Iterator[Record]:
    """Yields the library's results for each pair; a pair depends on its family, the seed and its number alone."""
    for family in families:
        for pair in pairs:
            trial = FAMILIES[family].draw(np.random.default_rng([seed, zlib.crc32(family.encode()), pair]))
            for figure in figures:
                yield Record(family, seed, pair, trial.smallest, ask_for(figure, trial, limit))


def interrupted(number: int, frame: Any) -> None:
    """Ends the study as Ctrl-C does."""
    raise KeyboardInterrupt


def main() -> None:
    """Prints the table, also of the pairs so far after an interruption, and writes the file."""
    parser = argparse.ArgumentParser(
        "python -m studies.values", description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--family", nargs="+", choices=FAMILIES, default=["footsies"], help="of pairs (footsies)")
    parser.add_argument("--figure", nargs="+", choices=questions(), default=list(questions()), help="what to ask (all)")
    parser.add_argument("--pairs", type=int, default=200, help="of each family (200)")
    parser.add_argument("--first", type=int, default=0, help="number of the first pair (0)")
    parser.add_argument("--seed", type=int, default=0, help="of the pairs (0)")
    parser.add_argument("--limit", type=float, default=0.0, help="seconds after which an answer is given up (never)")
    parser.add_argument("--merge", nargs="+", type=Path, metavar="FILE", help="print the table of these files instead")
    parser.add_argument("--out", type=Path, default=Path("runs/values.csv"), help="file to write (runs/values.csv)")
    options = parser.parse_args()
    titles = {name: family.title for name, family in FAMILIES.items()}
    if options.merge:
        print("\n".join(markdown([record for path in options.merge for record in read(path)], titles)))
        return
    signal.signal(signal.SIGTERM, interrupted)
    found: list[Record] = []
    shown = time.monotonic()
    numbers = range(options.first, options.first + options.pairs)
    try:
        for record in records(options.family, options.figure, numbers, options.seed, options.limit):
            found.append(record)
            if record.answer.wrong:
                print(f"{record.family} {record.pair}: {record.answer}", file=sys.stderr)
            if time.monotonic() - shown > EVERY:
                shown = time.monotonic()
                write(found, options.out)
                wrong = sum(one.answer.wrong for one in found)
                print(
                    f"{record.family}: pair {record.pair - options.first + 1:,} of {options.pairs:,}; "
                    f"{wrong:,} of {len(found):,} answers wrong",
                    file=sys.stderr,
                )
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    print("\n".join(markdown(found, titles)))
    write(found, options.out)
    print(options.out)


if __name__ == "__main__":
    main()
