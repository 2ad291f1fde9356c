"""Files that are locked, and made part by part, where the operating system is not Linux."""

import sys
from pathlib import Path

import pytest

from nashzoo.envs.base.array_files import growing_file, read_arrays
from nashzoo.envs.base.errors import BusyError, UsageError
from nashzoo.envs.base.files import locked
from windows import leave_open_files, lock_as_windows

LENGTH = 5000
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells which files are open")


def make(path: Path) -> None:
    with growing_file(path, {"format": "7"}, "values", LENGTH) as growing:
        growing.array[:] = range(LENGTH)
        growing.finish({"format": "8"})


@linux
def test_a_file_gets_its_name_where_no_open_file_can_be_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_open_files(monkeypatch)
    make(tmp_path / "file")
    content = read_arrays(tmp_path / "file", "no file")
    assert content.is_whole and content.metadata["format"] == "8"
    assert list(content.arrays["values"]) == list(range(LENGTH))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@linux
def test_nothing_is_left_of_a_lock_where_no_open_file_can_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_open_files(monkeypatch)
    with locked(tmp_path / "new" / "folder"):
        assert len(list((tmp_path / "new" / "folder").iterdir())) == 1
    assert list(tmp_path.iterdir()) == []


def test_locks_of_windows_are_taken_and_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = lock_as_windows(monkeypatch)
    path = tmp_path / "file"
    with growing_file(path, {}, "values", LENGTH) as growing:
        assert len(held) == 1
        with pytest.raises(BusyError), growing_file(path, {}, "values", LENGTH):
            pass
        ((_, position),) = held
        assert position > path.with_name("file.unfinished").stat().st_size  # the bytes of the file can be read
        growing.note({"half": "done"})
    assert not held
    with locked(tmp_path / "folder"):
        with pytest.raises(UsageError, match="another command works in"), locked(tmp_path / "folder"):
            pass
        assert len(held) == 1
