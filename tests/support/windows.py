"""What Windows does otherwise, done here: it renames and removes no open file, and locks bytes of files."""

import errno
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from nashzoo.envs.base import files


def leave_open_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has files neither renamed nor removed while this process has them open, or mapped into memory.

    Only Linux tells which ones these are.
    """
    replace, unlink = os.replace, os.unlink

    def check(*paths: str | Path) -> None:
        links = (Path("/proc/self/fd") / number for number in os.listdir("/proc/self/fd"))
        opened = {os.readlink(link) for link in links if os.path.lexists(link)}
        mapped = {line.rstrip().partition("/")[2] for line in Path("/proc/self/maps").read_text().splitlines()}
        for path in map(os.path.realpath, paths):
            if path in opened or path[1:] in mapped:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    def careful_replace(source: str | Path, target: str | Path) -> None:
        check(source, target)
        replace(source, target)

    def careful_unlink(path: str | Path) -> None:
        check(path)
        unlink(path)

    monkeypatch.setattr(os, "replace", careful_replace)
    monkeypatch.setattr(os, "unlink", careful_unlink)


def lock_as_windows(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[int, int], int]:
    """Has files locked as on Windows; returns what is locked: the descriptor, by file and position."""
    locked: dict[tuple[int, int], int] = {}

    def locking(descriptor: int, how: int, size: int) -> None:
        place = os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR)
        if (place in locked) == (how == LOCK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        if how == LOCK:
            locked[place] = descriptor
        else:
            del locked[place]

    LOCK, UNLOCK = 2, 0
    module = SimpleNamespace(LK_NBLCK=LOCK, LK_UNLCK=UNLOCK, locking=locking)
    monkeypatch.setattr(files, "msvcrt", module, raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    return locked
