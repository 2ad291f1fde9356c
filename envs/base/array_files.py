"""Files of arrays, with a checksum: safetensors files, which contain no code.

The checksum is one of the metadata. It covers the other metadata, and types, shapes and entries of the arrays.
"""

import contextlib
import json
import os
import shutil
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from nashzoo.envs.base.errors import BusyError, UsageError
from nashzoo.envs.base.files import lock, unlock, written_whole

CHECKSUM, ARRAYS = "checksum", "arrays"  # among the metadata
ALIGNMENT = 8  # bytes, of the arrays in the file
UNFINISHED = ".unfinished"  # the end of the name of a file that is made part by part
ROOM = 1 << 14  # bytes of the header of such a file

Arrays = Mapping[str, NDArray[Any]]


class ArrayFile(NamedTuple):
    """The contents of a file."""

    metadata: dict[str, str]
    arrays: Arrays  # the arrays, mapped into memory: parts are read when needed. They cannot be changed

    @property
    def is_whole(self) -> bool:
        """Whether the contents are what was written, by the checksum; reads all arrays."""
        said = self.metadata.get(ARRAYS), self.metadata.get(CHECKSUM)
        return said == (_described(self.arrays), _checksum(*self))


def write_arrays(path: str | Path, metadata: Mapping[str, str], arrays: Arrays) -> None:
    """Writes a file atomically; if the process is killed, an earlier file stays, and no other one remains."""
    # Not by safetensors' own writer: if it is killed, a temporary file of another name remains.
    order = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))  # so that all are aligned
    parts = {name: np.ascontiguousarray(arrays[name]) for name in order}
    header = _header(_signed(metadata, parts), parts)
    with written_whole(path) as unfinished:
        _write(unfinished, header, parts)


def _write(path: Path, header: bytes, parts: Arrays) -> None:
    with path.open("wb") as file:
        file.write(header)
        for part in parts.values():
            file.write(part.data)


class GrowingFile:
    """A file of one long array that is made part by part; after an interruption a later process goes on with it.

    Meanwhile its name ends in ``.unfinished``. Its place on the disk is reserved at the beginning.

    Attributes:
        array: The array ``[length]``, mapped into memory; zeros at first.
        metadata: The metadata that were noted last.
        is_unnamed: Whether it is finished, and does not have its name yet.
    """

    is_unnamed = False

    def __init__(
        self, path: Path, file: IO[bytes], about: Mapping[str, str], name: str, length: int, replaces: bool
    ) -> None:
        self._path, self._file, self._about, self._name = path, file, dict(about), name
        size, there = ROOM + 8 * length, os.fstat(file.fileno()).st_size
        is_new = there == 0 or not any(file.read(8))  # or its process was killed before it noted anything
        earlier = {} if is_new else self._metadata()
        goes_on = there == size and earlier.items() >= self._about.items()
        if not (goes_on or is_new or replaces):
            raise UsageError(f"{file.name} is not the beginning of {path}; remove it, or choose another file")
        if not goes_on:
            self._reserve(size, there)
        self.array: NDArray[np.float64] = np.memmap(file, np.float64, "r+", ROOM, (length,))
        self.metadata = earlier
        if not goes_on:
            self.note({})

    def _metadata(self) -> dict[str, str]:
        with contextlib.suppress(UsageError):
            return read_arrays(Path(self._file.name), "").metadata
        return {}

    def _reserve(self, size: int, there: int) -> None:
        free = shutil.disk_usage(self._path.parent).free + there
        if free < size:
            raise UsageError(f"{self._path} takes {size / 1e9:,.2f} GB, and {free / 1e9:,.2f} GB are free on its disk")
        self._file.truncate(0)
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(self._file.fileno(), 0, size)
        else:
            self._file.truncate(size)

    def note(self, metadata: Mapping[str, str]) -> None:
        """Notes what is done: what is in the array by now, and these metadata, stay if the process is killed."""
        self.array.flush()  # type: ignore[attr-defined]
        self.metadata = {**self._about, **metadata}
        self._write_header(self.metadata)

    def finish(self, metadata: Mapping[str, str]) -> None:
        """Gives the file its name, with other metadata and its checksum; on Windows the end of the context does."""
        self._write_header(_signed(metadata, {self._name: self.array}))
        try:
            os.replace(self._file.name, self._path)
        except PermissionError:  # Windows renames no file that is open
            self.is_unnamed = True

    def _write_header(self, metadata: Mapping[str, str]) -> None:
        self._file.seek(0)
        self._file.write(_header(metadata, {self._name: self.array}, ROOM))
        self._file.flush()
        os.fsync(self._file.fileno())


@contextlib.contextmanager
def growing_file(
    path: Path, about: Mapping[str, str], name: str, length: int, replaces: bool = False
) -> Iterator[GrowingFile]:
    """Yields a file that is made part by part; one that an interrupted process left, if it says the same of itself.

    Args:
        path: The path of the finished file.
        about: The first of its metadata.
        name: The name of the array; nothing may refer to it after the context, for the file is renamed then on Windows.
        length: The number of its entries, of double precision.
        replaces: Whether to begin anew where there is something else.

    Raises:
        OSError: it cannot be written.
        BusyError: another process is making it.
        UsageError: the disk has no room for it, or something else has the name of its beginning.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + UNFINISHED)
    unfinished.touch()
    with unfinished.open("r+b") as file:
        if not lock(file, unfinished):
            raise BusyError(f"another command is making {path}; wait until it ends, or choose another file")
        try:
            growing = GrowingFile(path, file, about, name, length, replaces)
        except (OSError, UsageError):
            if os.fstat(file.fileno()).st_size == 0:
                with contextlib.suppress(OSError):  # Windows removes no open files
                    unfinished.unlink()
            raise
        try:
            yield growing
        finally:
            unlock(file)
            del growing.array  # Windows renames no file that is mapped into memory
    if growing.is_unnamed:
        os.replace(unfinished, path)


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
    """Returns the type of numbers with this name."""
    return np.dtype("?" if name == "BOOL" else f"<{name[0].lower()}{int(name[1:]) // 8}")


def _described(arrays: Arrays) -> str:
    return json.dumps({name: [_type_name(array.dtype), array.shape] for name, array in arrays.items()}, sort_keys=True)


def _header(metadata: Mapping[str, str], arrays: Arrays, size: int | None = None) -> bytes:
    """Returns the beginning of a file, of ``size`` bytes if that is given."""
    header: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name, array in arrays.items():
        begin, end = end, end + array.nbytes
        header[name] = {"dtype": _type_name(array.dtype), "shape": array.shape, "data_offsets": (begin, end)}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % ALIGNMENT if size is None else size - 8 - len(text))
    return struct.pack("<Q", len(text)) + text


def _signed(metadata: Mapping[str, str], arrays: Arrays) -> dict[str, str]:
    """Returns the metadata with the checksum."""
    signed = {**metadata, ARRAYS: _described(arrays)}
    return {**signed, CHECKSUM: _checksum(signed, arrays)}


def _checksum(metadata: Mapping[str, str], arrays: Arrays) -> str:
    unsigned = {name: text for name, text in metadata.items() if name != CHECKSUM}
    checksum = zlib.crc32(json.dumps(unsigned, sort_keys=True).encode())
    for _, array in sorted(arrays.items()):
        checksum = zlib.crc32(array.data, checksum)
    return str(checksum)
