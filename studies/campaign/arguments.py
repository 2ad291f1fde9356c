"""Odd command lines: each must succeed, be refused in one sentence, or end when it is interrupted."""

import contextlib
import io
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator

import numpy as np

from nashzoo.app import index
from nashzoo.app.main import main
from nashzoo.envs.registry import games
from studies.campaign import Row

WORKING = 5.0  # seconds after which a running command is interrupted
ENDING = 60.0  # seconds within which it must then end
INTERRUPTED = 130  # its exit code
LEFT_OUT = ("train", "results", "mcp")  # slow with valid arguments; a server that reads its input
GAMES = (*games(), "footsies", "Footsies-v0", "", "..", "footsies_v0\n")
WORDS = (
    "random", "nash", "counter", "nobody", "model.zip", "boxes.json", "bot.py", "openspiel:nobody", "0", "-", "ä" * 99,
)  # fmt: skip
OPTIONS = {
    "--seed": ("0", "-1", "1.5", "nan", "1e99", "", str(2**70)),
    "--games": ("2", "3", "0", "-2", "1e3", "two"),
    "--param": ("blocks=2", "blocks=-1", "blocks=", "=2", "blocks", "blocks=2=3", "nothing=1", "rounds=1e9"),
    "--at": ("blocks0=1", "blocks0=99", "board=x", "what", "=", "board=........."),
    "--out": ("/nonexistent/x", ".", "", "/dev/full", "a\0b", "\udcff", "x" * 300),
    "--against": WORDS,
    "--agent": WORDS,
    "--over": ("blocks0,blocks1", "blocks0", ",", ""),
    "--format": ("kaggle", "paper"),
    "--json": ("",),
    "--help": ("",),
    "--nothing": ("", "1"),
}


def command_line(rng: np.random.Generator) -> list[str]:
    """Returns a random command line."""
    commands = [name for name in index.names() if name not in LEFT_OUT]
    line = [str(rng.choice([*commands, "solv", ""], p=[0.96 / len(commands)] * len(commands) + [0.02] * 2))]
    if rng.random() < 0.9:
        line.append(str(rng.choice(GAMES)))
    line += [str(word) for word in rng.choice(WORDS, int(rng.integers(0, 3)))]
    for option in rng.choice(list(OPTIONS), int(rng.integers(0, 3)), replace=False).tolist():
        line += [option, str(rng.choice(OPTIONS[option]))]
    return line


def problem_of(line: list[str]) -> str:
    """Runs a command in this process, and interrupts it after a while; returns the problem with its end, if any."""
    errors, arguments, answers, problem = io.StringIO(), sys.argv, sys.stdin, ""
    sys.argv, sys.stdin = ["nashzoo", *line], io.StringIO("")
    begun = time.monotonic()
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, WORKING)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
            code = main()
    except SystemExit as ended:  # tyro's way of refusing arguments
        problem = "" if ended.code in (None, 0, 1, 2) else f"exit code {ended.code}"
    except BaseException as error:
        problem = f"{type(error).__name__}: {error}"
    else:
        lines = errors.getvalue().strip().splitlines()
        if code not in (0, INTERRUPTED) and len(lines) != 1:
            problem = f"exit code {code} and {len(lines)} lines"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.argv, sys.stdin = arguments, answers
    if time.monotonic() - begun > WORKING + ENDING:
        problem = problem or f"ended after {time.monotonic() - begun:.0f} s"
    return problem


def rows(lines: int, seed: int) -> Iterator[Row]:
    """Yields a row of odd command lines."""
    rng, failures = np.random.default_rng(seed), list[str]()
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        os.environ.setdefault("MPLBACKEND", "agg")
        for _ in range(lines):
            line = command_line(rng)
            if problem := problem_of(line):
                failures.append(f"nashzoo {line}: {problem}")
    yield Row("odd command lines", lines, tuple(failures))
