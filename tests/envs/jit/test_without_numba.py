"""Where Numba is not installed, the same code runs as plain Python, and a sentence says once what to do about it."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from packages import ROOT, files, imports

EXACT = 1e-9
PLAYED = """
from nashzoo.envs import footsies_v0, tictactoe_v0
env = footsies_v0.parallel_env()
env.reset(seed=1)
env.step(dict.fromkeys(env.agents, 0))
print(tictactoe_v0.game().num_actions)
"""
SOLVED = """
from nashzoo import agents
from nashzoo.baselines import exploitability, solve
from nashzoo.envs import footsies_v0, tictactoe_v0
game = footsies_v0.game()
print(exploitability(game, agents.make("counter", game)), solve(game).start_value)
print(solve(tictactoe_v0.game()).start_value)
"""
IN_TWO_PROCESSES = """
import multiprocessing
from nashzoo.envs import tictactoe_v0
def actions():
    tictactoe_v0.parallel_env().reset(seed=1)
    return tictactoe_v0.game().num_actions
if __name__ == "__main__":
    actions()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(actions))
"""
MISSING = "raise ModuleNotFoundError(\"No module named 'numba'\", name='numba')"
BROKEN = "raise ModuleNotFoundError(\"No module named 'llvmlite'\", name='llvmlite')"


def run(program: str, folder: Path, numba: str = MISSING, disable: str = "0") -> "subprocess.CompletedProcess[str]":
    """Runs a program with a module ``numba`` of this text."""
    (folder / "numba.py").write_text(numba)
    (folder / "program.py").write_text(program)
    environment = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_DISABLE_JIT": disable}
    return subprocess.run([sys.executable, "program.py"], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("program", [PLAYED, pytest.param(IN_TWO_PROCESSES, marks=pytest.mark.slow)])
def test_it_is_said_once_that_it_is_slow_and_how_it_gets_fast(program: str, tmp_path: Path) -> None:
    done = run(program, tmp_path)
    assert done.stdout == "9\n", done.stderr
    assert done.stderr.startswith("nashzoo: Numba is not installed, so all runs as plain Python")
    assert "`pip install numba` makes it fast" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_games_have_their_exact_values(tmp_path: Path) -> None:
    found = [float(word) for word in run(SOLVED, tmp_path).stdout.split()]
    assert found == pytest.approx([0.5, 0, 0], abs=EXACT)


def test_who_switches_numba_off_is_told_nothing(tmp_path: Path) -> None:
    done = run(PLAYED, tmp_path, "class config: DISABLE_JIT = 1", "1")
    assert (done.stdout, done.stderr) == ("9\n", "")


def test_a_numba_that_cannot_be_imported_is_not_taken_for_none(tmp_path: Path) -> None:
    done = run(PLAYED, tmp_path, BROKEN)
    assert done.returncode == 1
    assert done.stderr.endswith("ModuleNotFoundError: No module named 'llvmlite'\n")


def test_one_file_alone_imports_numba() -> None:
    importing = [file for file in files() for _, name, _ in imports(ROOT / file) if name.split(".")[0] == "numba"]
    assert importing == []  # by a statement; envs/jit/numba.py does it by a function


@pytest.mark.parametrize(
    ("system", "machine", "python", "needed"),
    [  # the wheels of Numba 0.68.1, and of 0.62.1 for Macs with Intel's processors
        ("linux", "x86_64", "3.11", True), ("linux", "x86_64", "3.15", True), ("linux", "aarch64", "3.14", True),
        ("darwin", "arm64", "3.14", True), ("darwin", "x86_64", "3.13", True), ("win32", "AMD64", "3.14", True),
        ("win32", "ARM64", "3.14", True),
        ("darwin", "x86_64", "3.14", False), ("emscripten", "wasm32", "3.14", False), ("win32", "x86", "3.12", False),
        ("linux", "i686", "3.12", False), ("linux", "ppc64le", "3.12", False), ("linux", "s390x", "3.12", False),
        ("linux", "riscv64", "3.14", False), ("freebsd14", "amd64", "3.12", False), ("linux", "x86_64", "3.16", False),
    ],
)  # fmt: skip
def test_numba_is_installed_where_it_has_wheels(system: str, machine: str, python: str, needed: bool) -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    (numba,) = (one for one in map(Requirement, listed) if one.name == "numba")
    known = {"sys_platform": system, "platform_machine": machine, "python_version": python}
    assert numba.marker is not None
    assert numba.marker.evaluate({**known, "platform_python_implementation": "CPython"}) == needed
    assert not numba.marker.evaluate({**known, "platform_python_implementation": "PyPy"})
