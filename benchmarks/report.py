"""What a benchmark found, as a table for the terminal, as JSON and as Markdown."""

import json
import os
import platform
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.timing import Comparison
from nashzoo.envs.base.files import written_whole

PACKAGES = ("numpy", "numba", "scipy", "torch", "gymnasium", "pettingzoo", "pgx", "jax", "open_spiel", "LiteEFG")
COLUMNS = ("measure", "ours", "peer", "peer's", "ratio", "target", "met")


@dataclass(frozen=True)
class Row:
    """One measure. Rows without a target are for information."""

    measure: str
    ours: float
    unit: str
    peer: str = ""
    peers: float | None = None
    ratio: float | None = None  # how many times as fast as the peer
    least_ratio: float | None = None  # the target, where there is a peer
    most: float | None = None  # the target in units, where there is none
    least: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.least_ratio is not None:
            return self.ratio is not None and self.ratio >= self.least_ratio
        if self.least is not None:
            return self.ours >= self.least
        return None if self.most is None else self.ours <= self.most

    def cells(self) -> list[str]:
        """Returns the row as text, in the order of ``COLUMNS``."""
        target = ""
        if self.least_ratio is not None:
            target = f"at least {self.least_ratio:,g} times"
        elif self.most is not None:
            target = f"below {self.most:g} {self.unit}"
        elif self.least is not None:
            target = f"at least {self.least:,g} {self.unit}"
        return [
            self.measure + (f" ({self.note})" if self.note else ""),
            quantity(self.ours, self.unit),
            self.peer,
            "" if self.peers is None else quantity(self.peers, self.unit),
            "" if self.ratio is None else f"{self.ratio:,.1f}",
            target,
            {True: "yes", False: "NO", None: ""}[self.met],
        ]

    def sentence(self) -> str:
        """Returns the row as one line of text."""
        measure, ours, peer, peers, ratio, target, met = self.cells()
        parts = [f"{measure}: {ours}"]
        if peer:
            parts.append(f"{peer}: {peers}; {ratio} times as fast")
        if target:
            parts.append(f"target {target}: {met}")
        return "; ".join(parts)


def row_of_rates(
    measure: str, comparison: Comparison, unit: str, peer: str, least_ratio: float | None = None, note: str = ""
) -> Row:
    """Returns the row of two speeds."""
    return Row(measure, comparison.ours, unit, peer, comparison.peer, comparison.ratio, least_ratio, note=note)


def quantity(number: float, unit: str) -> str:
    """Returns a number with three digits and its unit.

    >>> quantity(62_345_678.0, "steps/s"), quantity(0.0123, "s")
    ('62.3 M steps/s', '0.0123 s')
    """
    for size, prefix in ((1e6, "M "), (1e3, "k ")):
        if number >= size:
            return f"{number / size:.3g} {prefix}{unit}"
    return f"{number:.3g} {unit}"


def machine() -> dict[str, Any]:
    """Returns what the numbers depend on: processors, how busy they already are, and versions."""
    versions: dict[str, str | None] = {}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = None
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load_before": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "versions": versions,
    }


def show(rows: Iterable[Row]) -> None:
    """Prints the rows as a table."""
    table = Table()
    for column in COLUMNS:
        table.add_column(column, justify="right" if column in ("ours", "peer's", "ratio") else "left")
    for row in rows:
        table.add_row(*row.cells(), style="red" if row.met is False else None)
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def save(rows: Iterable[Row], around: dict[str, Any], folder: Path) -> tuple[Path, Path]:
    """Writes ``benchmark.json`` and ``benchmark.md``, each at once and whole; returns their paths."""
    rows = list(rows)
    as_json = json.dumps({"machine": around, "rows": [{**asdict(row), "met": row.met} for row in rows]}, indent=2)
    versions = ", ".join(f"{name} {version}" for name, version in around["versions"].items() if version)
    lines = [
        f"{around['cores']} cores, {around['system']}, Python {around['python']}, {versions}.",
        "",
        f"| {' | '.join(COLUMNS)} |",
        f"|{'---|' * len(COLUMNS)}",
        *(f"| {' | '.join(row.cells())} |" for row in rows),
    ]
    paths = folder / "benchmark.json", folder / "benchmark.md"
    for path, text in zip(paths, (as_json, "\n".join(lines)), strict=True):
        with written_whole(path) as unfinished:
            unfinished.write_text(text + "\n", encoding="utf-8")
    return paths
