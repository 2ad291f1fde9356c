"""Programs that are killed at random moments, at work in one folder, or begun with closed and odd streams."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from nashzoo.envs.base.files import UNFINISHED
from studies.campaign import Row

ENDING = 10.0  # seconds for the processes of a program that was killed
PATIENCE = 120.0  # seconds for a program that is not killed
ORDINARY = 'exec "$@"'  # what bash does with a command


def run(line: str, folder: Path, seconds: float = PATIENCE, shell: str = ORDINARY) -> tuple[int | None, str]:
    """Runs a command, and kills it after some seconds.

    Args:
        line: The command line, without ``nashzoo``.
        folder: Its working folder.
        seconds: The time until it is killed.
        shell: What bash does with the command, to change its streams.

    Returns:
        Its exit code, None when it was killed, and its error output, or a message that its processes outlive it.
    """
    program = (
        f"import sys; from nashzoo.app import main; sys.argv = {['nashzoo', *line.split()]}; sys.exit(main.main())"
    )
    process = subprocess.Popen(
        ["bash", "-c", shell, "nashzoo", sys.executable, "-c", program],
        cwd=folder, env={**os.environ, "MPLBACKEND": "agg"}, text=True, errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        _, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        try:
            process.communicate(timeout=ENDING)
        except subprocess.TimeoutExpired:  # another process still has its standard error
            return None, "its processes outlive it"
        return None, ""
    return process.returncode, errors


# Files must stay whole when a program is killed, and it must resume from them.

KILLED = {
    "solve": "solve bodega_brawl_v0 --param preset=tiny --out solution.safetensors",
    "menace train": "menace train --opponent random --iterations 30000 --seed 0 --out boxes --resume",
    "tournament": "tournament footsies_v0 --games 200 --seed 1 --out points --processes 2",
}  # each writes to its working folder, and can be run again there


def kills(times: int, seed: int) -> Iterator[Row]:
    """Yields a row for each program, killed so many times."""
    rng = np.random.default_rng(seed)
    for name, line in KILLED.items():
        failures = []
        with tempfile.TemporaryDirectory() as place:
            folder = Path(tempfile.mkdtemp(dir=place))
            for _ in range(times):
                code, errors = run(line, folder, float(rng.uniform(0.5, 5.0)))
                if code not in (None, 0):
                    failures.append(f"{name}: after a kill it ends with {code}: {errors.strip()[-300:]}")
                elif code is None and errors:
                    failures.append(f"{name}: {errors}")
                elif code == 0:  # it begins anew elsewhere
                    folder = Path(tempfile.mkdtemp(dir=place))
            code, errors = run(line, folder)
            if code != 0:
                failures.append(f"{name}: at last it ends with {code}: {errors.strip()[-300:]}")
            left = [path.name for path in Path(place).rglob("*") if path.name.startswith(UNFINISHED)]
            if left:
                failures.append(f"{name}: {', '.join(left)} are left")
        yield Row(f"kills of `{name}`", times, tuple(failures))


# Of two programs in one folder one works, the other is refused, and nothing is lost.

TOGETHER = {
    "tournament": "tournament footsies_v0 --games 40000 --seed 1 --out run",
    "train": "train footsies_v0 --algorithm minimax_q --timesteps 3000000 --seed 0 --games 10 --run-dir run --resume",
}  # each is at work for some seconds, so that two that begin together meet


def results(folder: Path) -> dict[str, bytes]:
    """Returns what is the same after every run: tables, and the arrays of learners."""
    same = {path.name: path.read_bytes() for path in folder.rglob("*.csv")}
    for path in folder.rglob("*.safetensors"):
        same |= {name: array.tobytes() for name, array in load_file(path).items()}
    return same


def folders(pairs: int, seed: int) -> Iterator[Row]:
    """Yields a row for each program, begun twice at once ``pairs`` times."""
    for name, line in TOGETHER.items():
        failures = []
        with tempfile.TemporaryDirectory() as place:
            alone = Path(tempfile.mkdtemp(dir=place))
            ended = [run(line, alone)]
            for _ in range(pairs):
                folder = Path(tempfile.mkdtemp(dir=place))
                with ThreadPoolExecutor(2) as pool:
                    pair = [pool.submit(run, line, folder) for _ in range(2)]
                (first, _), (last, errors) = sorted((end.result() for end in pair), key=str)
                if (first, last) != (0, 2) or errors.count("\n") != 1 or "[Errno" in errors:
                    failures.append(f"{name}: two at once end with {first} and {last}: {errors.strip()[-300:]}")
                ended.append(run(line, folder))
                if results(folder) != results(alone):
                    failures.append(f"{name}: after two at once its results are other ones")
            failures += [f"{name}: alone it ends with {code}: {errors[-300:]}" for code, errors in ended if code != 0]
        yield Row(f"pairs of `{name}` in one folder", pairs, tuple(failures))


# With closed and odd streams and file names a command succeeds, or is refused in one sentence.

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
    if stream not in STREAMS:
        return "" if code == 0 else f"exit code {code}: {errors.strip()[-300:]}"
    if "Traceback" in errors or "Exception ignored" in errors:
        return f"a traceback: {errors.strip()[-300:]}"
    if stream in SILENT:
        return "" if code == REFUSED and "[Errno 32]" not in errors else " ".join(lines)
    if stream == "full disk" and code == 0:
        return "its output is lost in silence"
    return "" if code == 0 or (code == REFUSED and len(lines) == 1) else f"exit code {code} and {len(lines)} lines"


def streams(cases: int, seed: int) -> Iterator[Row]:
    """Yields a row of commands with odd streams and file names, after each has run with ordinary ones."""
    rng, failures = np.random.default_rng(seed), list[str]()
    tried = [(line, "ordinary streams", "out") for line in COMMANDS]
    for number in range(cases):
        line, stream = COMMANDS[number % len(COMMANDS)], list(STREAMS)[number % len(STREAMS)]
        tried.append((line, stream, NAMES[rng.integers(len(NAMES))]))
    for line, stream, out in tried:
        with tempfile.TemporaryDirectory() as folder:
            ended = run(line.format(out=out), Path(folder), shell=STREAMS.get(stream, ORDINARY))
        if failure := problem(stream, *ended):
            failures.append(f"nashzoo {line.format(out=out)!r}, {stream}: {failure}")
    yield Row("closed and odd streams and file names", len(tried), tuple(failures))
