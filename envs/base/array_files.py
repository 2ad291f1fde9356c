"""Files of arrays, with a checksum: safetensors files, which contain no code.

The checksum is one of the metadata. It covers the other metadata, and types, shapes and entries of the arrays.
"""

import json
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import written_whole

CHECKSUM, ARRAYS = "checksum", "arrays"  # among the metadata; files of earlier versions lack the second, or both
ALIGNMENT = 8  # bytes, of the arrays in the file

Arrays = Mapping[str, NDArray[Any]]


class ArrayFile(NamedTuple):
    """The contents of a file.

    Attributes:
        metadata: The metadata.
        arrays: The arrays, mapped into memory: parts are read when needed. They cannot be changed.
    """

    metadata: dict[str, str]
    arrays: Arrays

    @property
    def is_signed(self) -> bool:
        """Whether there is a checksum."""
        return CHECKSUM in self.metadata

    @property
    def is_whole(self) -> bool:
        """Whether the contents are what was written, by the checksum; reads all arrays."""
        description = self.metadata.get(ARRAYS)
        return description in (None, _described(self.arrays)) and self.metadata.get(CHECKSUM) == _checksum(*self)


def write_arrays(path: str | Path, metadata: Mapping[str, str], arrays: Arrays) -> None:
    """Writes a file atomically; if the process is killed, an earlier file stays, and no other one remains."""
    # Not by safetensors' own writer: if it is killed, a temporary file of another name remains.
    order = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))  # so that all are aligned
    parts = {name: np.ascontiguousarray(arrays[name]) for name in order}
    signed = {**metadata, ARRAYS: _described(parts)}
    signed[CHECKSUM] = _checksum(signed, parts)
    header: dict[str, Any] = {"__metadata__": signed}
    end = 0
    for name, part in parts.items():
        begin, end = end, end + part.nbytes
        header[name] = {"dtype": _type_name(part.dtype), "shape": part.shape, "data_offsets": (begin, end)}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    with written_whole(path) as unfinished:
        _write(unfinished, text, parts)


def _write(path: Path, header: bytes, parts: Arrays) -> None:
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        for part in parts.values():
            file.write(part.data)


def read_arrays(path: Path, what: str) -> ArrayFile:
    """Returns the contents of a file; they may be damaged, see :attr:`ArrayFile.is_whole`.

    Args:
        path: The file.
        what: What another file is, for the message, such as ``"not a solution"``.

    Raises:
        FileNotFoundError: there is no such file.
        UsageError: it is no file of arrays.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        with safe_open(path, framework="np"):  # checks that the header fits the file
            pass
        content = np.memmap(path, np.uint8, "r")
        first = 8 + int(content[:8].view("<u8")[0])
        header = json.loads(content[8:first].tobytes())
        metadata = header.pop("__metadata__", {})
        arrays = {
            name: content[first:][slice(*about["data_offsets"])].view(_type(about["dtype"])).reshape(about["shape"])
            for name, about in header.items()
        }
    except (SafetensorError, TypeError, ValueError) as error:
        raise UsageError(f"{path} is {what}, or is damaged: {error}") from None
    return ArrayFile(metadata, arrays)


def _type_name(kind: np.dtype[Any]) -> str:
    """Returns the format's name of a type of numbers.

    >>> _type_name(np.dtype(np.float64)), _type_name(np.dtype(bool))
    ('F64', 'BOOL')
    """
    return "BOOL" if kind.kind == "b" else f"{kind.kind.upper()}{8 * kind.itemsize}"


def _type(name: str) -> np.dtype[Any]:
    """Returns the type of numbers with this name.

    Raises:
        ValueError: NumPy has no such type.
        TypeError: NumPy has no such type.
    """
    return np.dtype("?" if name == "BOOL" else f"<{name[0].lower()}{int(name[1:]) // 8}")


def _described(arrays: Arrays) -> str:
    return json.dumps({name: [_type_name(array.dtype), array.shape] for name, array in arrays.items()}, sort_keys=True)


def _checksum(metadata: Mapping[str, str], arrays: Arrays) -> str:
    unsigned = {name: text for name, text in metadata.items() if name != CHECKSUM}
    checksum = zlib.crc32(json.dumps(unsigned, sort_keys=True).encode())
    for _, array in sorted(arrays.items()):
        checksum = zlib.crc32(array.data, checksum)
    return str(checksum)
