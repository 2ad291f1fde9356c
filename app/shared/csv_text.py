"""Tables as CSV."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from nashzoo.envs.base.files import write_text


def write_csv(path: Path, heading: Sequence[str], rows: Iterable[Sequence[object]], end: str = "\n") -> None:
    """Writes a table as CSV, never half a file; ``end`` ends its lines."""
    write_text(path, csv_text(heading, rows, end))


def csv_text(heading: Sequence[str], rows: Iterable[Sequence[object]], end: str = "\n") -> str:
    """Returns a table as CSV, with its heading in the first line."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator=end)
    writer.writerow(heading)
    writer.writerows(rows)
    return lines.getvalue()
