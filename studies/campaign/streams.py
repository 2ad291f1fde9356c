"""Closed and odd streams and file names: each command must succeed, or be refused in one sentence."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from studies.campaign.kills import PATIENCE, run
from studies.campaign.tally import Row

STREAMS = {  # what bash does with the command
    "closed standard input": 'exec "$@" <&-',
    "closed standard output": 'exec "$@" >&-',
    "closed standard error": 'exec "$@" 2>&-',
    "closed pipe": 'exec "$@" > >(true)',
    "pipe closed after a line": 'exec "$@" > >(head -n 1 >/dev/null)',
    "full disk": 'exec "$@" >/dev/full',
    "ASCII": 'PYTHONIOENCODING=ascii exec "$@"',
}
SILENT = ("closed standard error", "closed pipe", "pipe closed after a line")  # no message, unless it is refused
REFUSED = 2  # exit code
COMMANDS = (
    "list",
    "--help",
    "solve --help",
    "solve footsies_v0",
    "solve bodega_brawl_v0 --param preset=tiny --out {out}.safetensors",
    "check tictactoe_v0",
    "play footsies_v0 --against random --seed 1",
    "watch footsies_v0 random counter --seed 1 --save {out}.jsonl",
    "tournament footsies_v0 --agents random counter --games 10 --out {out}",
    "exploitability footsies_v0 random --json",
    "export roshambo_v0 random --out {out}.py",
    "picture tictactoe_v0 --board --out {out}.svg",
    "menace train --opponent random --iterations 20 --seed 0 --out {out}",
)
NAMES = ("out", "ä", "\udcff", "a\0b", "x" * 300)  # of files; the last three are not UTF-8, impossible, too long


def problem(stream: str, code: int | None, errors: str) -> str:
    """Returns the problem with the end of a command, empty if there is none."""
    lines = errors.strip().splitlines()
    if code is None:
        return "it does not end"
    if "Traceback" in errors or "Exception ignored" in errors:
        return f"a traceback: {errors.strip()[-300:]}"
    if stream in SILENT:
        return "" if code == REFUSED and "[Errno 32]" not in errors else " ".join(lines)
    if stream == "full disk" and code == 0:
        return "its output is lost in silence"
    return "" if code == 0 or (code == REFUSED and len(lines) == 1) else f"exit code {code} and {len(lines)} lines"


def rows(cases: int, seed: int) -> Iterator[Row]:
    """Yields a row of commands with odd streams and file names, after each has run with ordinary ones."""
    rng, failures = np.random.default_rng(seed), list[str]()
    tried = [(line, "ordinary streams", "out") for line in COMMANDS]
    for number in range(cases):
        line, stream = COMMANDS[number % len(COMMANDS)], list(STREAMS)[number % len(STREAMS)]
        tried.append((line, stream, NAMES[rng.integers(len(NAMES))]))
    for line, stream, out in tried:
        with tempfile.TemporaryDirectory() as folder:
            code, errors = run(line.format(out=out), Path(folder), PATIENCE, STREAMS.get(stream, 'exec "$@"'))
        failure = problem(stream, code, errors)
        if stream == "ordinary streams" and code != 0:
            failure = f"exit code {code}: {errors.strip()[-300:]}"
        if failure:
            failures.append(f"nashzoo {line.format(out=out)!r}, {stream}: {failure}")
    yield Row("closed and odd streams and file names", len(tried), tuple(failures))
