"""Atomic writing of files: a reader never reads a part of one; locks of folders; and hashes of files."""

import contextlib
import csv
import errno
import hashlib
import os
import re
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from nashzoo.envs.base.errors import UsageError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PICTURES = (".png", ".svg", ".pdf")
LOCK = ".lock"
LOCKED_BYTE = (1 << 31) - 2  # on Windows nobody else can read what is locked; no later byte can be
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


def write_text(path: str | Path, text: str) -> None:
    """Writes a text as it is, in UTF-8, never half a file, see :func:`written_whole`."""
    with written_whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def check_folder(path: Path) -> None:
    """Checks, before the work, that a folder is there and can be written to, or can be made.

    Raises:
        UsageError: it is or lies in a file, or must not be written to.
    """
    there = next(one for one in (path, *path.absolute().parents) if one.exists() or one.is_symlink())
    if not there.is_dir():
        raise UsageError(f"{there} is a file, and a folder is to be written there; choose another name")
    if not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(f"{there} must not be written to by you; choose another folder")


def check_file(path: Path, endings: Sequence[str] = ()) -> None:
    """Checks, before the work, that a file can be written, and has one of the endings if any are given.

    Raises:
        UsageError: it has another one, it is a folder, or its folder cannot be made or written to.
    """
    if endings and path.suffix not in endings:
        ends = " or ".join(filter(None, [", ".join(endings[:-1]), endings[-1]]))
        raise UsageError(f"--out must end in {ends}, not {path.name!r}")
    if path.is_dir():
        raise UsageError(f"{path} is a folder, and a file is to be written; choose another name")
    check_folder(path.parent)


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


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Locks a folder within this context; a process that is killed loses the lock.

    The folder is made if it does not exist, and removed if nothing is written to it. On file systems without locks
    there is none.

    Raises:
        UsageError: another process, or this one, has locked it; or it cannot be made or written to.
    """
    check_folder(folder)
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    path, is_left = folder / LOCK, False
    try:
        with path.open("a", encoding="utf-8") as file:
            if not lock(file, path):
                raise UsageError(f"another command works in {folder}; wait until it ends, or choose another folder")
            try:
                yield
            finally:
                try:
                    path.unlink(missing_ok=True)
                except OSError:
                    is_left = True  # Windows removes no open files
    finally:
        if is_left:
            with contextlib.suppress(OSError):  # another process may have it open by now
                path.unlink()
        for empty in made:
            with contextlib.suppress(OSError):
                empty.rmdir()


def lock(file: IO[Any], path: Path) -> bool:
    """Locks an open file; returns False if another process has locked it, or has moved or removed it meanwhile."""
    return _lock(file) and path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat())


def _lock(file: IO[Any]) -> bool:
    """Locks an open file; returns False if another process has locked it."""
    try:
        if sys.platform == "win32":
            _windows_lock(file, msvcrt.LK_NBLCK)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
    return True


def unlock(file: IO[Any]) -> None:
    """Unlocks a file, also where it is still mapped into memory."""
    if sys.platform == "win32":
        _windows_lock(file, msvcrt.LK_UNLCK)
    else:
        fcntl.flock(file, fcntl.LOCK_UN)


def _windows_lock(file: IO[Any], how: int) -> None:
    """Locks or unlocks a byte that no file needs, wherever the file is read or written."""
    if sys.platform == "win32":
        here = os.lseek(file.fileno(), 0, os.SEEK_CUR)
        os.lseek(file.fileno(), LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file.fileno(), how, 1)
        finally:
            os.lseek(file.fileno(), here, os.SEEK_SET)


def file_name(text: str) -> str:
    """Returns a text as the name of a file or folder: other characters are replaced by ``_``."""
    return re.sub(r"[^\w=.-]+", "_", text)


def text_in(path: Path) -> str:
    """Returns the text of a user's file, without the mark of UTF-8 that some programs begin it with.

    Raises:
        UsageError: it is no text in UTF-8.
        OSError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no text in UTF-8: its byte {error.start} is none") from None


def csv_lines(path: Path) -> list[list[str]]:
    """Returns the fields of the lines of a user's file that are not empty, with commas, semicolons or tabs between.

    Semicolons or tabs are what stands between if the first line has them, or one without commas is followed by them.

    Raises:
        UsageError: it is no such file.
        OSError: it cannot be read.
    """
    text = text_in(path)
    marks = (mark for part in (text.partition("\n")[0], text) for mark in ";\t," if mark in part)
    try:
        lines = csv.reader(text.splitlines(), delimiter="\t" if path.suffix == ".tsv" else next(marks, ","))
        return [line for line in lines if any(map(str.strip, line))]
    except csv.Error as error:
        raise UsageError(f"{path} is no CSV: {error}") from None


def digest(path: Path) -> str:
    """Returns a hash of the content of a file, 12 hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]
