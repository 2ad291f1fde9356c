"""Files of arrays: other readers and writers of safetensors files have the same contents."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from nashzoo.envs.base.array_files import read_arrays, write_arrays
from nashzoo.envs.base.errors import UsageError

CONTENT: dict[str, np.ndarray[Any, Any]] = {
    "marks": np.array([True, False, True]),
    "values": np.arange(6.0).reshape(2, 3),
    "weights": np.arange(4, dtype=np.float32),
    "codes": np.array([-1, 2**62]),
    "streams": np.array([2**64 - 1], np.uint64),
    "bytes": np.array([-128, 127], np.int8),
    "empty": np.empty((0, 3)),
    "turned": np.arange(6.0).reshape(2, 3).T,
}


def same(arrays: Any) -> bool:
    return set(arrays) == set(CONTENT) and all(
        arrays[name].dtype == array.dtype and np.array_equal(arrays[name], array) for name, array in CONTENT.items()
    )


def test_safetensors_reads_what_was_written(tmp_path: Path) -> None:
    write_arrays(tmp_path / "new" / "file", {"format": "7"}, CONTENT)
    assert same(load_file(tmp_path / "new" / "file"))
    with safe_open(tmp_path / "new" / "file", framework="np") as file:
        assert file.metadata()["format"] == "7"


def test_what_safetensors_wrote_is_read(tmp_path: Path) -> None:
    save_file({name: np.ascontiguousarray(array) for name, array in CONTENT.items()}, tmp_path / "file", {"by": "it"})
    content = read_arrays(tmp_path / "file", "no file")
    assert same(content.arrays) and content.metadata == {"by": "it"}
    assert not content.is_whole


def test_the_checksum_covers_names_types_and_shapes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_arrays(path, {"format": "7"}, CONTENT)
    content = read_arrays(path, "no file")
    assert content.is_whole
    renamed = {{"values": "velues"}.get(name, name): array for name, array in CONTENT.items()}
    shaped = CONTENT | {"values": np.arange(6.0).reshape(3, 2)}
    typed = CONTENT | {"codes": CONTENT["codes"].view(np.float64)}
    swapped = CONTENT | {"values": CONTENT["turned"], "turned": CONTENT["values"]}
    for changed in (renamed, shaped, typed, swapped):
        save_file({name: np.ascontiguousarray(array) for name, array in changed.items()}, path, content.metadata)
        assert not read_arrays(path, "no file").is_whole


@pytest.mark.parametrize("text", [b"", b"text", b"\x08" + bytes(7) + b"[[[[[[[["])
def test_other_files(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(text)
    with pytest.raises(UsageError, match="file is no file of arrays, or is damaged: "):
        read_arrays(tmp_path / "file", "no file of arrays")
