"""Commands import no file that nobody named, whatever the files of the current folder are called.

Python puts the current folder before all others for ``-m``, and for processes until they have their parent's paths;
compiled code on disk imports modules by their names; a view is looked for beside its rules.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import nim

SCRIPT = [str(Path(sys.executable).with_name("nashzoo"))]
MODULE = [sys.executable, "-m", "nashzoo.app"]
TELLS = "import pathlib; pathlib.Path(__file__).with_suffix('.imported').touch(); raise SystemExit\n"


def run(program: list[str], line: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Runs a command in a folder, and checks that it imports none of the folder's files."""
    cache = {"NUMBA_CACHE_DIR": str(folder.parent / "cache"), "NUMBA_DISABLE_JIT": "0", "NUMBA_DEBUG_CACHE": "1"}
    words = [*program, *line.split()]
    done = subprocess.run(words, env=os.environ | cache, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(folder.glob("*.imported")) == []
    return done


@pytest.mark.slow
class TestACommand:
    def test_imports_no_rules_of_the_current_folder_for_compiled_code(self, tmp_path: Path) -> None:
        named, here = tmp_path / "named", tmp_path / "here"
        for folder, text in ((named, Path(nim.__file__).read_text()), (here, TELLS)):
            folder.mkdir()
            (folder / "nim.py").write_text(text)
        line = "watch ../named/nim.py random random --games 20"
        assert "data saved" in run(MODULE, line, named).stdout
        for program in (MODULE, SCRIPT):
            again = run(program, line, here).stdout
            assert "data loaded" in again and "data saved" not in again

    @pytest.mark.parametrize("program", [MODULE, SCRIPT], ids=["-m", "script"])
    def test_imports_no_library_from_the_current_folder(self, program: list[str], tmp_path: Path) -> None:
        here = tmp_path / "here"
        here.mkdir()
        for library in ("socket", "numpy", "gymnasium", "tyro", "rewards", "rewards_view"):
            (here / f"{library}.py").write_text(TELLS)
        (here / "rewards.csv").write_text("1,-1\n-1,1\n")
        run(program, "solve --matrix rewards.csv", here)
