"""Runs the benchmarks: all of them, or those that are named. Each row is printed and kept as soon as it is measured.

python -m benchmarks
python -m benchmarks parallel_env exact_solution --repetitions 5
"""

import argparse
import sys
from pathlib import Path

from benchmarks import report
from benchmarks.topic import rows_of

TOPICS = (
    "parallel_env",
    "aec",
    "random_play",
    "exact_solution",
    "bodega_brawl",
    "exploitability",
    "turn_based",
    "hidden_information",
    "dark_hex",
    "import_time",
    "opponent_inside",
    "matrix_game",
    "minimax",
    "roshambo",
    "roshambo_mixture",
    "menace",
    "tabular_learners",
    "vector_env",
    "training",
    "pages",
)


def main() -> None:
    """Runs the topics given on the command line and writes what they found."""
    parser = argparse.ArgumentParser("python -m benchmarks", description="Measures nashzoo beside its peers.")
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=f"any of {', '.join(TOPICS)}; all by default")
    parser.add_argument("--repetitions", type=int, default=15, help="of each measurement (15)")
    parser.add_argument("--out", type=Path, default=Path("runs/benchmark"), help="folder to write to (runs/benchmark)")
    options = parser.parse_args()
    unknown = sorted(set(options.topics) - set(TOPICS))
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(TOPICS)}")
    if options.repetitions < 1:
        parser.error(f"--repetitions must be at least 1, not {options.repetitions}")

    machine, rows, unfinished = report.machine(), [], []
    for topic in options.topics or TOPICS:
        print(topic, flush=True)
        whole = False
        for row in rows_of(topic, options.repetitions):
            whole = row is None
            if row is not None:
                print(f"  {row.sentence()}", flush=True)
                rows.append(row)
                report.save(rows, machine, options.out)
        unfinished += [] if whole else [topic]
    report.show(rows)
    print(f"{options.out}/benchmark.json and benchmark.md have the table")
    for row in rows:
        if row.met is False:
            print(f"target missed: {row.sentence()}")
    if unfinished:
        sys.exit(f"not measured to the end: {', '.join(unfinished)}")


if __name__ == "__main__":
    main()
