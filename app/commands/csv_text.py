"""Tables as CSV."""

import csv
import io
from collections.abc import Iterable, Sequence


def csv_text(heading: Sequence[str], rows: Iterable[Sequence[object]], end: str = "\n") -> str:
    """Returns a table as CSV, with its heading in the first line."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator=end)
    writer.writerow(heading)
    writer.writerows(rows)
    return lines.getvalue()
