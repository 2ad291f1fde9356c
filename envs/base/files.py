"""Atomic writing of files: a reader never reads a part of one; and hashes of files."""

import contextlib
import errno
import hashlib
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path

UNFINISHED = f".unfinished-{socket.gethostname()}-"  # folders may be shared, process numbers are not


@contextlib.contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Yields a temporary path in the same folder; at the end its file is renamed to ``path``.

    The folder is made if it does not exist. After an exception the old file remains. Temporary files of killed
    writers in the folder are removed.

    Raises:
        IsADirectoryError: the path is that of a folder.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path.parent)
    temporary = path.with_name(f"{UNFINISHED}{os.getpid()}-{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _remove_leftovers(folder: Path) -> None:
    for name in os.listdir(folder):
        writer = re.match(rf"{re.escape(UNFINISHED)}(\d+)-", name)
        if writer and not _runs(int(writer[1])):
            with contextlib.suppress(OSError):  # another writer may have been faster, or the file has another owner
                (folder / name).unlink()


def _runs(process: int) -> bool:
    """Returns whether a process runs on this machine."""
    if os.name != "posix":
        return process == os.getpid()  # other processes' files can be removed only when they are closed
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it has another owner
        return True
    return True


def digest(path: Path) -> str:
    """Returns a hash of the content of a file, 12 hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]
