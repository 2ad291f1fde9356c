"""Programs killed at random moments: their files must stay whole, and they must resume from them."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from nashzoo.envs.base.files import UNFINISHED
from studies.campaign.tally import Row

# Each writes to its working folder, and can be run again there.
PROGRAMS = {
    "solve": "solve bodega_brawl_v0 --param preset=tiny --out solution.safetensors",
    "menace train": "menace train --opponent random --iterations 30000 --seed 0 --out boxes --resume",
    "tournament": "tournament footsies_v0 --games 200 --seed 1 --out points --processes 2",
}
ENDING = 10.0  # seconds for the processes of a program that was killed
PATIENCE = 120.0  # seconds for a program that is not killed


def run(line: str, folder: Path, seconds: float, shell: str = 'exec "$@"') -> tuple[int | None, str]:
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
        cwd=folder,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "MPLBACKEND": "agg"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
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


def rows(kills: int, seed: int) -> Iterator[Row]:
    """Yields a row for each program, killed ``kills`` times."""
    rng = np.random.default_rng(seed)
    for name, line in PROGRAMS.items():
        failures = []
        with tempfile.TemporaryDirectory() as place:
            folder = Path(tempfile.mkdtemp(dir=place))
            for _ in range(kills):
                code, errors = run(line, folder, float(rng.uniform(0.5, 5.0)))
                if code not in (None, 0):
                    failures.append(f"{name}: after a kill it ends with {code}: {errors.strip()[-300:]}")
                elif code is None and errors:
                    failures.append(f"{name}: {errors}")
                elif code == 0:  # it begins anew elsewhere
                    folder = Path(tempfile.mkdtemp(dir=place))
            code, errors = run(line, folder, PATIENCE)
            if code != 0:
                failures.append(f"{name}: at last it ends with {code}: {errors.strip()[-300:]}")
            left = [path.name for path in Path(place).rglob("*") if path.name.startswith(UNFINISHED)]
            if left:
                failures.append(f"{name}: {', '.join(left)} are left")
        yield Row(f"kills of `{name}`", kills, tuple(failures))
