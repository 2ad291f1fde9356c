"""Damaged files: every one must be refused, or have the same contents as before."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.agents.learning.menace import boxes
from nashzoo.agents.learning.tabular.minimax_q import MinimaxQ
from nashzoo.baselines import solve, store
from nashzoo.baselines.indexed_solution import IndexedSolution
from nashzoo.envs import bodega_brawl_v0, footsies_v0
from nashzoo.envs.base.errors import UsageError
from studies.campaign.tally import Row

KINDS = ("flipped bits", "cut off", "filled with zeros", "longer", "other bytes")


def damaged(rng: np.random.Generator, kind: str, content: bytes) -> bytes:
    """Returns damaged content."""
    found = bytearray(content)
    place = int(rng.integers(len(found)))
    if kind == "flipped bits":
        found[place] ^= 1 << int(rng.integers(8))
    elif kind == "cut off":
        del found[place:]
    elif kind == "filled with zeros":
        found[place:] = bytes(len(found) - place)
    elif kind == "longer":
        found += rng.bytes(int(rng.integers(1, 100)))
    else:
        found[place : place + 16] = rng.bytes(len(found[place : place + 16]))
    return bytes(found)


def try_damaged(path: Path, kind: str, files: int, seed: int, read: Callable[[Path], Any]) -> Iterator[str]:
    """Damages copies of a file and reads them; yields a line for each with other contents or an unexpected error."""
    rng, content = np.random.default_rng(seed), path.read_bytes()
    before = read(path)
    other = path.with_name(f"damaged-{path.name}")
    for number in range(files):
        changed = damaged(rng, kind, content)
        if changed == content:
            continue
        other.write_bytes(changed)
        try:
            if not np.array_equal(read(other), before):
                yield f"file {number} with {kind} is taken for another {path.name}"
        except UsageError:
            pass
        except Exception as error:
            yield f"file {number} with {kind}: {type(error).__name__}: {error}"


def rows(files: int, seed: int) -> Iterator[Row]:
    """Yields a row for each kind of file; ``files`` of each are damaged in every way."""
    game, other = bodega_brawl_v0.game(preset="tiny"), footsies_v0.game(rounds=1)
    solution, learner = solve(game), MinimaxQ(other, seed)
    assert isinstance(solution, IndexedSolution)
    learner.learn(1000)
    kinds: tuple[tuple[str, str, Callable[[Path], None], Callable[[Path], Any]], ...] = (
        (
            "solutions",
            "solution.safetensors",
            lambda path: store.save(solution, path),
            lambda path: store.open_solution(game, path).values.half,
        ),
        (
            "boxes of MENACE",
            "boxes.json",
            lambda path: boxes.write_json(path, boxes.Boxes().as_json()),
            lambda path: np.concatenate(boxes.load(path).beads),
        ),
        (
            "files of learners",
            "learner.safetensors",
            learner.save,
            lambda path: np.concatenate([a.ravel() for a in MinimaxQ.load(path, other)._arrays().values()]),
        ),
    )
    with tempfile.TemporaryDirectory() as name:
        for what, file, write, read in kinds:
            write(path := Path(name) / file)
            failures = [told for kind in KINDS for told in try_damaged(path, kind, files, seed, read)]
            yield Row(f"damaged {what}", files * len(KINDS), tuple(failures))
