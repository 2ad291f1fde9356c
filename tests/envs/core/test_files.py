"""Files appear whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nashzoo.envs.base.files import UNFINISHED, written_whole


def test_the_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    wanted = tmp_path / "new" / "folder" / "figures.csv"
    with written_whole(wanted) as path:
        path.write_text("half")
        assert not wanted.exists()
        assert path.parent == wanted.parent  # a rename within a file system is one step
        assert path.suffix == ".csv"  # matplotlib and Stable-Baselines3 go by it
        path.write_text("whole")
    assert wanted.read_text() == "whole"
    assert list(wanted.parent.iterdir()) == [wanted]


def test_an_interruption_leaves_what_was_there(tmp_path: Path) -> None:
    wanted = tmp_path / "figures.csv"
    wanted.write_text("before")
    with pytest.raises(KeyboardInterrupt), written_whole(wanted) as path:
        path.write_text("half")
        raise KeyboardInterrupt
    assert wanted.read_text() == "before"
    assert list(tmp_path.iterdir()) == [wanted]


def test_a_file_that_was_there_is_replaced(tmp_path: Path) -> None:
    wanted = tmp_path / "figures.csv"
    wanted.write_text("before")
    with written_whole(str(wanted)) as path:
        path.write_text("after")
    assert wanted.read_text() == "after"


def test_nothing_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), written_whole(tmp_path / "figures.csv"):
        pass


@pytest.mark.skipif(os.name != "posix", reason="who runs is known there alone")
def test_what_a_killed_writer_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    (tmp_path / f"{UNFINISHED}{killed.pid}-solution").write_text("half")
    kept = [f"{UNFINISHED}{os.getpid()}-other", ".unfinished-elsewhere-1-other", ".unfinished", "notes.txt"]
    for name in kept:
        (tmp_path / name).write_text("somebody's")
    with written_whole(tmp_path / "figures.csv") as path:
        path.write_text("whole")
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([*kept, "figures.csv"])


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError), written_whole(tmp_path):
        pass
