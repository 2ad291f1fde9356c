"""Files appear whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import LOCK, UNFINISHED, locked, written_whole


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
    with written_whole(str(wanted)) as path:
        path.write_text("replaced")
    assert wanted.read_text() == "replaced"


def test_an_interruption_leaves_what_was_there(tmp_path: Path) -> None:
    wanted = tmp_path / "figures.csv"
    wanted.write_text("before")
    with pytest.raises(KeyboardInterrupt), written_whole(wanted) as path:
        path.write_text("half")
        raise KeyboardInterrupt
    assert wanted.read_text() == "before"
    assert list(tmp_path.iterdir()) == [wanted]


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


class TestLocks:
    def test_a_folder_has_one_lock_at_a_time(self, tmp_path: Path) -> None:
        folder = tmp_path / "new" / "folder"
        with locked(folder):
            with pytest.raises(UsageError, match=r"^another command works in .*folder; wait until"), locked(folder):
                raise AssertionError
            (folder / "result").write_text("kept")
        with locked(folder):
            pass
        assert [path.name for path in folder.iterdir()] == ["result"]

    def test_a_folder_to_which_nothing_was_written_is_removed(self, tmp_path: Path) -> None:
        with pytest.raises(ZeroDivisionError), locked(tmp_path / "new" / "folder"):
            raise ZeroDivisionError
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.slow
    def test_a_killed_process_loses_its_lock(self, tmp_path: Path) -> None:
        program = (
            "import sys, time\n"
            "from pathlib import Path\n"
            "from nashzoo.envs.base.files import locked\n"
            "with locked(Path(sys.argv[1])):\n"
            "    print('locked', flush=True)\n"
            "    time.sleep(1000)\n"
        )
        line = [sys.executable, "-c", program, str(tmp_path)]
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
            try:
                assert process.stdout is not None and process.stdout.readline() == "locked\n"
                with pytest.raises(UsageError, match="another command works"), locked(tmp_path):
                    raise AssertionError
            finally:
                process.kill()
        assert (tmp_path / LOCK).exists()
        with locked(tmp_path):
            pass
        assert list(tmp_path.iterdir()) == []
