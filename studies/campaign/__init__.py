"""Tries to break the library at its edges, and counts what it tried and what failed."""

from typing import NamedTuple


class Row(NamedTuple):
    """One kind of case."""

    kind: str
    tried: int
    failures: tuple[str, ...]
