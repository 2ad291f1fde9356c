"""Kernels are compiled when they are first called, once after installation, and it is said that this happens."""

import os
import pickle
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nashzoo.envs import footsies_v0
from nashzoo.envs.core import kernels
from nashzoo.envs.core.game import BOTH
from nashzoo.envs.jit import lazy
from nashzoo.envs.jit.clock import FIRST_USE
from nashzoo.envs.jit.compiled import Floats, compiled
from nashzoo.envs.jit.lazy import PATIENCE, SHORT, brief
from nashzoo.envs.jit.numba import PLAIN, IndexDataCacheFile, float64, int64, types, uint64
from nashzoo.envs.jit.private import PRIVATE

NOTICE = f"nashzoo: {FIRST_USE}"

with_jit = pytest.mark.skipif(PLAIN, reason="nothing is compiled")


def run(cache: Path, program: str) -> "subprocess.CompletedProcess[str]":
    """Runs a Python program that keeps what it compiles in the folder ``cache``."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def command(line: str) -> str:
    """Returns a program that runs the ``nashzoo`` command."""
    return f"import sys; from nashzoo.app import main; sys.argv = {['nashzoo', *line.split()]}; sys.exit(main.main())"


def kept(cache: Path) -> list[str]:
    """Returns the names of the functions that were compiled."""
    return sorted(path.name.split("-")[0] for path in cache.glob("**/*.nbi"))


@pytest.mark.slow
class TestFirstUse:
    def test_is_announced_once_with_the_place_of_what_is_kept(self, tmp_path: Path) -> None:
        program = (
            "import numpy as np; from nashzoo.envs import footsies_v0; from nashzoo.envs.core import kernels; "
            "game = footsies_v0.game(); kernels.turn_all(game.compiled, game.start_codes, np.empty(1, np.int64))"
        )
        first, second = run(tmp_path, program), run(tmp_path, program)
        assert first.stderr.startswith(NOTICE) and first.stderr.count("\n") == 1
        assert str(tmp_path) in first.stderr
        assert second.stderr == ""
        assert any(name.startswith("rules.step") for name in kept(tmp_path))

    def test_the_first_reset_of_an_environment_compiles_nothing(self, tmp_path: Path) -> None:
        done = run(tmp_path, "from nashzoo.envs import footsies_v0; footsies_v0.parallel_env().reset()")
        assert done.stderr == "" and kept(tmp_path) == []

    @pytest.mark.parametrize("line", ["list", "--help", "solve --help"])
    def test_what_plays_no_game_compiles_nothing(self, line: str, tmp_path: Path) -> None:
        done = run(tmp_path, command(line))
        assert done.stderr == "" and kept(tmp_path) == []

    def test_a_game_that_was_made_is_not_compiled_before_it_is_played(self, tmp_path: Path) -> None:
        program = "from nashzoo.envs import footsies_v0; footsies_v0.game()"
        run(tmp_path, program)
        assert kept(tmp_path) == []

    def test_a_small_game_is_solved_and_measured_before_that_could_be_compiled(self, tmp_path: Path) -> None:
        program = (
            "from nashzoo import agents; from nashzoo.baselines import best_response, solve\n"
            "from nashzoo.envs import footsies_v0\n"
            "game = footsies_v0.game()\n"
            "solution, counter = solve(game), agents.make('counter', game)\n"
            "found = solution.values.tobytes().hex(), *best_response(game, counter, 0, bounds=True).value\n"
        )
        done = run(tmp_path, program + "print(found)")
        assert not {"backup._equilibrium", "elimination.solve_chain"} & set(kept(tmp_path))
        names: dict[str, Any] = {}
        exec(program, names)
        assert done.stdout == f"{names['found']}\n"


# LLVM calls back when a function is compiled; what is raised there is lost, and so was the function.
INTERRUPTED = """
import signal
from numba import int64
from numba.core.codegen import JITCodeLibrary
from numba.core.registry import cpu_target
from nashzoo.envs.jit.clock import FIRST_USE
from nashzoo.envs.jit.compiled import compiled

def notified(module, compiled_object):
    signal.raise_signal(signal.SIGINT)
    JITCodeLibrary._object_compiled_hook(module, compiled_object)

signal.signal(signal.SIGINT, signal.default_int_handler)  # programs in the background may ignore it
engine = cpu_target.target_context.codegen()._engine
engine.set_object_cache(notified, JITCodeLibrary._object_getbuffer_hook)

def half(number):
    return number // 2

for signature in (int64(int64), None):
    kernel = compiled(signature)(half)
    for _ in range(2):
        try:
            print(kernel(8))
        except KeyboardInterrupt:
            print("interrupted")
"""


@pytest.mark.slow
@with_jit
def test_an_interruption_waits_until_the_function_is_compiled(tmp_path: Path) -> None:
    (tmp_path / "interrupted.py").write_text(INTERRUPTED)  # numba keeps only what a file defines
    program = f"import runpy; runpy.run_path({str(tmp_path / 'interrupted.py')!r})"
    assert run(tmp_path, program).stdout.split() == ["interrupted", "4", "interrupted", "4"]


@compiled(int64(int64))
def twice(number: int) -> int:
    return 2 * number


@compiled()
def plus_nothing(number: float) -> float:
    return number


@with_jit
class TestKernel:
    def test_has_its_one_signature_whatever_it_is_first_called_with(self) -> None:
        @compiled(float64(float64))
        def half(number: float) -> float:
            return number / 2

        assert half.signatures == []  # type: ignore[attr-defined]
        assert half(3) == 1.5  # an int, which is turned into a float
        assert half.signatures == [(float64,)]  # type: ignore[attr-defined]

    def test_turns_away_what_its_signature_does_not_have(self) -> None:
        for _ in range(2):  # before and after it is compiled
            with pytest.raises(TypeError, match="No matching definition for argument type"):
                kernels.turn_all(footsies_v0.game().compiled, np.zeros(1), np.zeros(1, np.int64))

    @pytest.mark.skipif(not PRIVATE, reason="each version has other names")
    def test_what_another_version_kept_is_compiled_anew(self, monkeypatch: pytest.MonkeyPatch) -> None:
        @compiled(int64(int64))
        def third(number: int) -> int:
            return 3 * number

        def load(*arguments: Any) -> None:
            raise ModuleNotFoundError("No module named 'nashzoo.moved'")

        monkeypatch.setattr(IndexDataCacheFile, "load", load)
        assert third(2) == 6

    def test_is_loaded_from_disk_once_by_many_threads(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert twice(1) == 2
        again, load = compiled(int64(int64))(twice.py_func), lazy.load  # type: ignore[attr-defined]

        def slow_load(*arguments: Any) -> Any:
            time.sleep(0.05)  # so that all threads find that it is not loaded
            return load(*arguments)

        def call(number: int) -> Any:
            with brief():
                return again(number)

        monkeypatch.setattr(lazy, "load", slow_load)
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(call, range(4))) == [0, 2, 4, 6]
        assert again(4) == 8

    @pytest.mark.skipif(not PRIVATE, reason="Numba itself does compile it so")
    def test_is_not_compiled_for_each_constant_in_a_call(self) -> None:
        @compiled()
        def after(number: int) -> int:
            return number + 1

        @compiled(int64(int64))
        def counted(steps: int) -> int:
            number = after(0)
            for _ in range(steps):
                number = after(number)
            return number

        assert counted(3) == 4
        assert after.signatures == [(int64,)]  # type: ignore[attr-defined]

    def test_is_itself_again_after_pickling(self) -> None:
        assert pickle.loads(pickle.dumps(twice)) is twice


@with_jit
class TestHelper:
    def test_is_plain_python_in_a_call_from_python_whether_compiled_or_not(self) -> None:
        @compiled(inline=True)
        def two_less(number: int) -> Any:
            return np.uint64(number) - np.uint64(2)

        @compiled(uint64(uint64))
        def kernel(number: int) -> Any:
            return two_less(number)

        for _ in range(2):
            assert two_less(1) == kernel(1) == 2**64 - 1  # integers wrap around, without a warning
            assert two_less.signatures == [(uint64,)]  # type: ignore[attr-defined]
            assert two_less(np.ones(3)).shape == (3,)
        assert two_less.signatures == [(uint64,)]  # type: ignore[attr-defined]

    @pytest.mark.skipif(not PRIVATE, reason="Numba itself compiles it twice")
    def test_is_compiled_once_for_literals_and_other_numbers(self) -> None:
        @compiled(inline=True)
        def doubled(number: int) -> int:
            return 2 * number

        @compiled(int64(int64))
        def kernel(number: int) -> int:
            return doubled(3) + doubled(number)

        assert kernel(4) == 14
        assert doubled.signatures == [(int64,)]  # type: ignore[attr-defined]


@with_jit
class TestBrief:
    @pytest.fixture(autouse=True)
    def nothing_on_disk(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))

    @staticmethod
    def total() -> Any:
        """Returns a new kernel that adds numbers up."""

        @compiled(float64(float64[::1]))
        def total(numbers: Floats) -> float:
            found = 0.0
            for number in numbers:
                found += plus_nothing(number)
            return found

        return total

    def test_short_calls_are_interpreted(self) -> None:
        total, few = self.total(), np.ones(10)
        with brief():
            assert total(few) == 10.0
        assert total.signatures == []
        assert total(few) == 10.0
        assert total.signatures == [(float64[::1],)]

    def test_a_function_with_much_to_do_is_compiled(self) -> None:
        total = self.total()
        with brief():
            assert total(np.ones(SHORT + 1)) == SHORT + 1
        assert total.signatures == [(float64[::1],)]

    def test_a_function_that_has_taken_long_is_compiled(self, monkeypatch: pytest.MonkeyPatch) -> None:
        seconds = iter([0.0, 0.4 * PATIENCE, 1.0, 1.0 + 0.4 * PATIENCE])
        monkeypatch.setattr(lazy, "working_processor_time", lambda: next(seconds))
        total, few = self.total(), np.ones(10)
        with brief():
            for signatures in ([], [], [(float64[::1],)]):  # a third call would take it beyond its time
                assert total(few) == 10.0
                assert total.signatures == signatures

    def test_without_a_signature_it_is_never_compiled_for_a_call_from_python(self) -> None:
        with brief():
            plus_nothing(np.ones(SHORT + 1))
        assert (types.float64[::1],) not in plus_nothing.signatures  # type: ignore[attr-defined]

    def test_compiled_kernels_take_the_game_that_interpreted_ones_had(self) -> None:
        game = footsies_v0.game(rounds=2)
        with brief():
            for copies in (1, SHORT):
                codes = np.repeat(game.start_codes[:1], copies)
                turns = np.zeros(copies, np.int64)
                kernels.turn_all(game.compiled, codes, turns)
                assert (turns == BOTH).all()


@pytest.mark.slow
@with_jit
def test_a_pickled_kernel_has_its_signature_in_another_process(tmp_path: Path) -> None:
    (tmp_path / "kernel").write_bytes(pickle.dumps(kernels.count_actions))
    program = (
        "import pickle; from pathlib import Path\n"
        f"kernel = pickle.loads(Path({str(tmp_path / 'kernel')!r}).read_bytes())\n"
        "print(kernel(0b101), len(kernel.signatures))"
    )
    assert run(tmp_path, program).stdout == "2 1\n"
