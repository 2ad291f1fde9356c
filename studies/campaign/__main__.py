"""Tries to break the library at its edges.

Reads damaged files, plays hostile scripts, gives odd arguments to the command, closes its streams, kills programs at
random moments, and runs two in one folder. Prints a table of the cases and failures, and the failures. ``--only`` runs
some parts; two halves can run side by side.

python -m studies.campaign                 # some minutes
python -m studies.campaign --long          # on two cores sooner as these two, side by side:
python -m studies.campaign --long --only files scripts arguments
python -m studies.campaign --long --only kills folders streams
"""

import argparse
import sys
import time

from studies.campaign import arguments, files, programs, scripts
from studies.tables import markdown

SHOWN = 5  # failures of a row that are printed
PARTS = {  # with the numbers of cases of each kind in the short and in the long campaign
    "files": (files.rows, 40, 2_000),
    "scripts": (scripts.rows, 1, 5),
    "arguments": (arguments.rows, 150, 10_000),
    "kills": (programs.kills, 2, 200),
    "folders": (programs.folders, 1, 10),
    "streams": (programs.streams, 14, 364),
}


def main() -> int:
    """Runs the campaign; returns 1 if there is a failure, else 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="try much more, for more than an hour")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="parts of the campaign (all)")
    parser.add_argument("--seed", type=int, default=0, help="of what is tried (0)")
    chosen = parser.parse_args()
    table, failed = [("what", "tried", "failed")], False
    for name in chosen.only:
        rows, short, long = PARTS[name]
        begun = time.monotonic()
        for kind, tried, failures in rows(long if chosen.long else short, chosen.seed):
            table.append((kind, f"{tried:,}", f"{len(failures):,}"))
            failed |= bool(failures)
            print(f"{kind}: {tried:,} tried, {len(failures):,} failed", file=sys.stderr)
            for failure in failures[:SHOWN]:
                print(f"    {failure}", file=sys.stderr)
        print(f"{name} took {time.monotonic() - begun:.0f} s", file=sys.stderr)
    print(markdown(table))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
