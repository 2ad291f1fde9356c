"""Runs the benchmarks: all of them, or those that are named.

python -m benchmarks
python -m benchmarks parallel_env exact_solution --repetitions 5
"""

import argparse
import importlib
from pathlib import Path

from benchmarks import report

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

    machine = report.machine()
    rows = []
    for topic in options.topics or TOPICS:
        print(f"{topic} ...", flush=True)
        try:
            module = importlib.import_module(f"benchmarks.{topic}")
        except ModuleNotFoundError as error:
            parser.error(f"{topic} needs {error.name}: pip install -r benchmarks/requirements.txt")
        rows += module.run(options.repetitions)
    report.show(rows)
    for path in report.save(rows, machine, options.out):
        print(path)


if __name__ == "__main__":
    main()
