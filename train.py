"""Trains a reinforcement-learning agent in one of the games, and compares it with the exact solution.

    python train.py footsies_v0 --opponent counter

The same as ``nashzoo train``; ``app/training/train.py`` has the steps of a run, from top to bottom.
"""

import sys

from nashzoo.app.__main__ import started


def main() -> int:
    """Runs the script; returns its exit code."""

    def program() -> int:
        from nashzoo.app.shared.errors import run_program

        return run_program("train.py", work)

    def work() -> None:
        from nashzoo.app import index
        from nashzoo.app.shared import options

        options.run(index.command("train"), sys.argv[1:], "train.py")

    return started(program)


if __name__ == "__main__":
    sys.exit(main())
