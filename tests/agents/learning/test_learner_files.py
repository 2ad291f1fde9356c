"""Files of learners: damaged ones are refused with a sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import nim
from nashzoo import agents
from nashzoo.agents.learning.tabular.minimax_q import MinimaxQ
from nashzoo.envs.base.array_files import read_arrays, write_arrays
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game

NIM = Game(nim)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of a learner."""
    learner = MinimaxQ(NIM, seed=1)
    learner.learn(100)
    learner.save(tmp_path / "nim.safetensors")
    return tmp_path / "nim.safetensors"


def metadata_of(path: Path) -> dict[str, str]:
    with safe_open(path, framework="np") as file:
        return dict(file.metadata())


def test_no_bit_flips_unnoticed(path: Path) -> None:
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    for place in rng.integers(8, len(whole), 300).tolist():
        changed = bytearray(whole)
        changed[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(changed)
        with pytest.raises(UsageError, match=r"nim\.safetensors"):
            agents.as_agent(str(path), NIM)
    path.write_bytes(whole)
    agents.as_agent(str(path), NIM)


def test_a_checksum_cannot_be_taken_away(path: Path) -> None:
    metadata, arrays = metadata_of(path), load_file(path)
    unsigned = {name: text for name, text in metadata.items() if name != "checksum"}
    for changed in (unsigned, {**metadata, "checksum": ""}):
        save_file(arrays, path, changed)
        with pytest.raises(UsageError, match=r"nim\.safetensors is damaged: it is not what was written; put a copy"):
            MinimaxQ.load(path, NIM)


def test_a_file_of_another_format_is_refused(path: Path) -> None:
    save_file(load_file(path), path, metadata_of(path) | {"format": "nashzoo learner 1"})
    with pytest.raises(UsageError, match=r"is no file of a learner of this version \(nashzoo learner 2\)"):
        MinimaxQ.load(path, NIM)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (None, r"nim\.safetensors is damaged: its settings cannot be read \('settings'\)"),
        ("{", r"nim\.safetensors is damaged: its settings cannot be read"),
        ("[" * 100_000, r"nim\.safetensors is damaged: its settings cannot be read"),
        ("5", r"nim\.safetensors is damaged: its settings cannot be read"),
        ('{"alpha": 1}', r"nim\.safetensors is damaged: .*minimax_q has no setting alpha; it has total_timesteps"),
        ('{"gamma": "x"}', "gamma must be a number from 0 to 1, not 'x'"),
        ('{"total_timesteps": null}', "total_timesteps must be a whole number of at least 1, not None"),
        ('{"replay": [4]}', r"replay must be a whole number of at least 0, not \[4\]"),
    ],
)
def test_settings_that_no_learner_wrote(settings: str | None, message: str, path: Path) -> None:
    content = read_arrays(path, "no file of a learner")
    arrays = {name: np.array(array) for name, array in content.arrays.items()}
    metadata = {name: text for name, text in content.metadata.items() if name != "settings"}
    write_arrays(path, metadata | ({} if settings is None else {"settings": settings}), arrays)
    with pytest.raises(UsageError, match=message):
        agents.as_agent(str(path), NIM)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("q", np.nan, "q has entries that are not finite"),
        ("q", np.inf, "q has entries that are not finite"),
        ("q", np.float32, "q has the type float32, not float64"),
        ("progress", np.zeros((2, 2), np.int64), "only"),
        ("progress", np.zeros(3, np.int64), "too many values"),
    ],
)
def test_arrays_that_no_learner_wrote(name: str, array: Any, message: str, path: Path) -> None:
    content = read_arrays(path, "no file of a learner")
    arrays = {each: np.array(numbers) for each, numbers in content.arrays.items()}
    if isinstance(array, float):
        arrays[name].flat[5] = array
    else:
        arrays[name] = array if isinstance(array, np.ndarray) else arrays[name].astype(array)
    write_arrays(path, content.metadata, arrays)
    with pytest.raises(UsageError, match=rf"nim\.safetensors is damaged: {message}"):
        MinimaxQ.load(path, NIM)
