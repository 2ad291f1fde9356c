"""Programs at work in one folder at the same time: one works, the other is refused, and nothing is lost."""

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from safetensors.numpy import load_file

from studies.campaign.kills import PATIENCE, run
from studies.campaign.tally import Row

# Each is at work for some seconds, so that two that begin together meet.
PROGRAMS = {
    "tournament": "tournament footsies_v0 --games 40000 --seed 1 --out run",
    "train": "train footsies_v0 --algorithm minimax_q --timesteps 3000000 --seed 0 --games 10 --run-dir run --resume",
}


def results(folder: Path) -> dict[str, bytes]:
    """Returns what is the same after every run: tables, and the arrays of learners."""
    same = {path.name: path.read_bytes() for path in folder.rglob("*.csv")}
    for path in folder.rglob("*.safetensors"):
        same |= {name: array.tobytes() for name, array in load_file(path).items()}
    return same


def rows(pairs: int, seed: int) -> Iterator[Row]:
    """Yields a row for each program, begun twice at once ``pairs`` times."""
    for name, line in PROGRAMS.items():
        failures = []
        with tempfile.TemporaryDirectory() as place:
            alone = Path(tempfile.mkdtemp(dir=place))
            ended = [run(line, alone, PATIENCE)]
            for _ in range(pairs):
                folder = Path(tempfile.mkdtemp(dir=place))
                with ThreadPoolExecutor(2) as pool:
                    pair = [pool.submit(run, line, folder, PATIENCE) for _ in range(2)]
                (first, _), (last, errors) = sorted((end.result() for end in pair), key=str)
                if (first, last) != (0, 2) or errors.count("\n") != 1 or "[Errno" in errors:
                    failures.append(f"{name}: two at once end with {first} and {last}: {errors.strip()[-300:]}")
                ended.append(run(line, folder, PATIENCE))
                if results(folder) != results(alone):
                    failures.append(f"{name}: after two at once its results are other ones")
            failures += [f"{name}: alone it ends with {code}: {errors[-300:]}" for code, errors in ended if code != 0]
        yield Row(f"pairs of `{name}` in one folder", pairs, tuple(failures))
