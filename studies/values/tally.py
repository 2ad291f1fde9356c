"""The results of the pairs, as a table and as a file."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from nashzoo.envs.base.files import written_whole
from studies.values.trials import SMALL, Answer

HEADER = (
    "pairs",
    "figure",
    "tried",
    "compared",
    "wrong",
    "refused",
    "with a chance below 1e-14",
    "without",
    "unfinished",
    "seconds, median",
    "largest",
)
COLUMNS = ("family", "seed", "pair", "smallest", *Answer._fields, "wrong")


class Record(NamedTuple):
    """An answer of the library, and its pair.

    Attributes:
        family: Its name.
        seed: The seed.
        pair: The number of the pair.
        smallest: The smallest positive probability in the pair's policies; None if it is unknown.
        answer: The answer.
    """

    family: str
    seed: int
    pair: int
    smallest: float | None
    answer: Answer

    def cells(self) -> list[object]:
        """Returns a line of the file."""
        return [*self[:4], *self.answer, self.answer.wrong]


def line(title: str, figure: str, records: Sequence[Record]) -> str:
    """Returns one row of the table, about one figure of one family."""
    answers = [record.answer for record in records]
    refused = [record.smallest for record in records if record.answer.refused]
    known = [smallest for smallest in refused if smallest is not None]
    below = sum(smallest < SMALL for smallest in known)
    seconds = [answer.seconds for answer in answers]
    compared = sum(answer.off is not None for answer in answers)
    wrong = sum(answer.wrong for answer in answers)
    unfinished = sum(answer.unfinished for answer in answers)
    split = (f"{below:,}", f"{len(known) - below:,}") if len(known) == len(refused) else ("", "")
    cells = (title, f"`{figure}`", f"{len(answers):,}", f"{compared:,}", f"{wrong:,}", f"{len(refused):,}", *split)
    return "| " + " | ".join((*cells, f"{unfinished:,}", f"{median(seconds):.3f}", f"{max(seconds):.3f}")) + " |"


def markdown(records: Sequence[Record], titles: dict[str, str]) -> Iterator[str]:
    """Yields the lines of the table."""
    yield "| " + " | ".join(HEADER) + " |"
    yield "|---|---" + "|--:" * (len(HEADER) - 2) + "|"
    for family in dict.fromkeys(record.family for record in records):
        for figure in ("evaluate", "exploitability"):
            mine = [record for record in records if record.family == family and record.answer.figure == figure]
            if mine:
                yield line(titles[family], figure, mine)


def read(path: Path) -> list[Record]:
    """Returns the answers of a file that :func:`write` wrote."""

    def number(text: str) -> float | None:
        return float(text) if text else None

    with path.open(newline="") as file:
        return [
            Record(
                row["family"],
                int(row["seed"]),
                int(row["pair"]),
                number(row["smallest"]),
                Answer(
                    row["figure"],
                    number(row["said"]),
                    row["error"],
                    row["refused"] == "True",
                    row["unfinished"] == "True",
                    number(row["width"]),
                    number(row["off"]),
                    float(row["seconds"]),
                ),
            )
            for row in csv.DictReader(file)
        ]


def write(records: Sequence[Record], out: Path) -> None:
    """Writes a line for each answer as CSV."""
    with written_whole(out) as path, path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(record.cells() for record in records)
