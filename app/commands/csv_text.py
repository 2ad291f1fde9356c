"""Tables as CSV."""

import csv
import io
from collections.abc import Iterable, Sequence


def csv_text(heading: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Returns a table as CSV, with its heading in the first line."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows(rows)
    return lines.getvalue()
