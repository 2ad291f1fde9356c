"""The table of cases and failures."""

from collections.abc import Iterable
from typing import NamedTuple

SHOWN = 5  # failures of a row that are printed


class Row(NamedTuple):
    """One kind of case."""

    kind: str
    tried: int
    failures: tuple[str, ...]


def table(rows: Iterable[Row]) -> str:
    """Returns the rows as a table in Markdown."""
    lines = ["| what | tried | failed |", "|---|--:|--:|"]
    return "\n".join([*lines, *(f"| {row.kind} | {row.tried:,} | {len(row.failures):,} |" for row in rows)])
