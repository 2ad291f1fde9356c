"""Python in a browser has neither threads nor processes nor Numba: games are solved and played all the same.

What is missing was found by running Pyodide 314.0.7 without packages, see ``docs/development/never_run.md``.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SAID = "nashzoo: Numba is not installed"
LIMITS = """
import os, signal, subprocess, sys, threading, types

def refuse(*args, **options):
    raise RuntimeError("can't start new thread")

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in ("numba", "resource", "readline", "msvcrt"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
# Gymnasium imports this, which browsers lack too.
sys.modules["_multiprocessing"] = types.SimpleNamespace(SemLock=types.SimpleNamespace(SEM_VALUE_MAX=1), sem_unlink=None)
threading.Thread.start = subprocess.Popen.__init__ = refuse
for module, name in (os, "fork"), (os, "posix_fallocate"), (os, "sched_getaffinity"), (signal, "setitimer"):
    if hasattr(module, name):
        delattr(module, name)
os.cpu_count = lambda: 1
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("list", "footsies_v0"),
        ("solve footsies_v0 --at blocks1=0,hits0=1", "0.1111"),
        ("solve tictactoe_v0", "4,520"),
        ("exploitability footsies_v0 counter", "wins 0.5 points a game."),
        ("exploitability nashzoo.examples.kuhn random", "0.361111111"),
        ("check footsies_v0", "Nothing is wrong with its rules."),
        ("watch footsies_v0 counter random --seed 1", "red won, 1 point."),
        ("tournament footsies_v0 --agents counter random --games 4 --processes 1", "counter"),
    ],
)
def test_commands_work(words: str, shown: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(LIMITS)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    line = [sys.executable, "-m", "nashzoo.app", *words.split()]
    done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert shown in done.stdout, done.stderr
    assert [line.partition(",")[0] for line in done.stderr.splitlines()] == [SAID] * (words != "list")
