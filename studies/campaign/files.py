"""Damaged files: every one must be refused, or have the same contents as before."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3 import PPO

from nashzoo import agents
from nashzoo.agents.gym_factory import gymnasium_env
from nashzoo.agents.learning.menace import boxes
from nashzoo.agents.registry import self_play_learners
from nashzoo.baselines import ListedStates, solve, store
from nashzoo.baselines.layered_solution import LayeredSolution
from nashzoo.baselines.policies.tabular import tabulate
from nashzoo.envs import bodega_brawl_v0, footsies_v0
from nashzoo.envs.base.errors import UsageError
from studies.campaign import Row

NETWORK: dict[str, Any] = {"hidden": 8, "batch_size": 64, "states": 64, "total_timesteps": 500}
SETTINGS = {
    "deep_minimax": NETWORK,
    "distilled": NETWORK | {"teacher": NETWORK, "total_timesteps": 1_000},
}  # others learn in little time
TIMESTEPS = 500
KINDS = ("flipped bits", "cut off", "filled with zeros", "longer", "other bytes")

Saved = tuple[str, Path, Callable[[Path], Any]]  # a file, and the function that reads what must not change from it


def damaged(rng: np.random.Generator, kind: str, content: bytes) -> bytes:
    """Returns damaged content."""
    changed = bytearray(content)
    place = int(rng.integers(len(changed)))
    if kind == "flipped bits":
        changed[place] ^= 1 << int(rng.integers(8))
    elif kind == "cut off":
        del changed[place:]
    elif kind == "filled with zeros":
        changed[place:] = bytes(len(changed) - place)
    elif kind == "longer":
        changed += rng.bytes(int(rng.integers(1, 100)))
    else:
        changed[place : place + 16] = rng.bytes(len(changed[place : place + 16]))
    return bytes(changed)


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


def saved(folder: Path) -> Iterator[Saved]:
    """Writes a file of each kind."""
    game, footsies = bodega_brawl_v0.game(preset="tiny"), footsies_v0.game()
    solution, codes = solve(game), ListedStates(footsies).codes
    assert isinstance(solution, LayeredSolution)
    path = folder / "solution.safetensors"
    store.save(solution, path)
    yield "solutions", path, lambda path: store.open_solution(game, path).stored
    path = folder / "boxes.json"
    boxes.write_json(path, boxes.Boxes().as_json())
    yield "boxes of MENACE", path, lambda path: np.concatenate(boxes.load(path).beads)

    def policy(path: Path) -> Any:
        return tabulate(footsies, agents.as_agent(path, footsies, 0), codes, 0)

    for name in self_play_learners(footsies):
        learner = agents.make(name, footsies, 0, **SETTINGS.get(name, {}))
        learner.learn(TIMESTEPS)
        learner.save(path := folder / f"{name}.safetensors")
        yield f"learners: {name}", path, policy
    model = PPO("MlpPolicy", gymnasium_env(footsies), policy_kwargs={"net_arch": [8]}, seed=0, device="cpu")
    model.save(folder / "model.zip")
    yield "models of Stable-Baselines3", folder / "model.zip", policy


def rows(files: int, seed: int) -> Iterator[Row]:
    """Yields a row for each kind of file; ``files`` of each are damaged in every way."""
    with tempfile.TemporaryDirectory() as name:
        for what, path, read in saved(Path(name)):
            failures = [failure for kind in KINDS for failure in try_damaged(path, kind, files, seed, read)]
            yield Row(f"damaged {what}", files * len(KINDS), tuple(failures))
