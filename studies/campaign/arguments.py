"""Odd command lines, and options that repeat.

An odd line must succeed, be refused in one sentence, or end when it is interrupted. The words of repeated options are
collected, and what is said twice is refused.
"""

import contextlib
import io
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from types import FrameType
from typing import NamedTuple

import numpy as np

from nashzoo.app.arguments import COMMANDS
from nashzoo.app.main import main
from nashzoo.envs.registry import games
from studies.campaign import Row
from studies.campaign.programs import PATIENCE

WORKING = 5.0  # seconds after which a running command is interrupted
ENDING = 60.0  # seconds within which it must then end
INTERRUPTED = 130  # its exit code
LEFT_OUT = ("train", "results", "population")  # slow with valid arguments
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
    commands = [name for name in COMMANDS if name not in LEFT_OUT]
    line = [str(rng.choice([*commands, "solv", ""], p=[0.96 / len(commands)] * len(commands) + [0.02] * 2))]
    if rng.random() < 0.9:
        line.append(str(rng.choice(GAMES)))
    line += [str(word) for word in rng.choice(WORDS, int(rng.integers(0, 3)))]
    for option in rng.choice(list(OPTIONS), int(rng.integers(0, 3)), replace=False).tolist():
        line += [option, str(rng.choice(OPTIONS[option]))]
    return line


class Outcome(NamedTuple):
    """The end of a command: its exit code, what it printed, and the problem with its end, empty if there is none."""

    code: int
    output: str
    problem: str


def outcome(line: list[str], working: float = WORKING) -> Outcome:
    """Runs a command in this process, and interrupts it after ``working`` seconds."""
    output, errors, arguments, answers = io.StringIO(), io.StringIO(), sys.argv, sys.stdin
    code, problem = 1, ""
    sys.argv, sys.stdin = ["nashzoo", *line], io.StringIO("")
    begun = time.monotonic()
    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, working)
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            code = main()
    except SystemExit as ended:  # tyro's way of refusing arguments
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        problem = "" if code in (0, 1, 2) else f"exit code {code}"
    except BaseException as error:
        problem = f"{type(error).__name__}: {error}"
    else:
        lines = errors.getvalue().strip().splitlines()
        if code not in (0, INTERRUPTED) and len(lines) != 1:
            problem = f"exit code {code} and {len(lines)} lines"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.argv, sys.stdin = arguments, answers
    if time.monotonic() - begun > working + ENDING:
        problem = problem or f"ended after {time.monotonic() - begun:.0f} s"
    return Outcome(code, output.getvalue(), problem)


def interrupt(number: int, frame: FrameType | None) -> None:
    """Interrupts the command, as Ctrl-C does."""
    raise KeyboardInterrupt


def odd(lines: int, seed: int) -> Iterator[Row]:
    """Yields a row of odd command lines."""
    rng, failures = np.random.default_rng(seed), list[str]()
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        os.environ.setdefault("MPLBACKEND", "agg")
        for _ in range(lines):
            line = command_line(rng)
            if problem := outcome(line).problem:
                failures.append(f"nashzoo {line}: {problem}")
    yield Row("odd command lines", lines, tuple(failures))


FOOTSIES = ("rounds=1", "rounds=2", "blocks=1", "blocks=2", "attacks_to_win=1", "max_turns=5")
MCTS = ("simulations=2", "simulations=3", "search_seed=1", "rollout_depth=5", "exploration=1.0")


class Repeating(NamedTuple):
    """A command: its line, its options of several words, and those of one."""

    line: str
    several: dict[str, tuple[str, ...]]
    one: dict[str, tuple[str, ...]]


REPEATING = (
    Repeating("solve footsies_v0 --json", {"--param": FOOTSIES}, {"--at": ("blocks1=0", "blocks0=1")}),
    Repeating("watch footsies_v0 random bayesian --seed 1", {"--param": FOOTSIES}, {"--games": ("1", "2")}),
    Repeating("exploitability footsies_v0 mcts --json", {"--param": FOOTSIES, "--option": MCTS}, {}),
    Repeating(
        "tournament footsies_v0 --json --out points",
        {"--param": FOOTSIES, "--agents": ("random", "counter", "bayesian", "bluff")},
        {"--games": ("2", "4"), "--seed": ("0", "1")},
    ),
)


def repeating_line(rng: np.random.Generator) -> tuple[list[str], list[str] | None]:
    """Returns a random line with a repeated option, and the line that must do the same, None if none is right."""
    line, several, one = REPEATING[rng.integers(len(REPEATING))]
    begin = line.split()
    if one and rng.random() < 0.3:
        option = str(rng.choice(list(one)))
        return [*begin, option, str(rng.choice(one[option])), option, str(rng.choice(one[option]))], None
    option = str(rng.choice(list(several)))
    words = [str(word) for word in rng.choice(several[option], int(rng.integers(2, 5)), replace=False)]
    names = [word.partition("=")[0] for word in words]
    repeated = list(begin)
    for number, word in enumerate(words):
        repeated += [option, word] if number in (0, len(words) - 1) or rng.random() < 0.5 else [word]
    return repeated, [*begin, option, *words] if len(set(names)) == len(names) else None


def repeated(lines: int, seed: int) -> Iterator[Row]:
    """Yields a row of command lines with repeated options."""
    rng, failures = np.random.default_rng(seed), list[str]()
    for _ in range(lines):
        line, once = repeating_line(rng)
        ends = []
        for words in (line, once or line):
            with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
                ends.append(outcome(words, PATIENCE))
        problem = ends[0].problem
        if not problem and once is None and ends[0].code != 2:
            problem = "is not refused"
        elif not problem and once and ends[0] != ends[1]:
            problem = f"does something else than {once}"
        if problem:
            failures.append(f"nashzoo {line}: {problem}")
    yield Row("repeated options", lines, tuple(failures))
