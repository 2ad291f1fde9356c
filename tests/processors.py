"""Runs the numeric tests under the arithmetic of several processors: ``python tests/processors.py``.

NumPy, BLAS and the C library add and multiply in other ways on other processors, so the last bit of a sum may differ;
no test may depend on it. An older processor has neither fused multiplication nor wide registers. Compiled code computes
the same on all processors, see ``tests/envs/jit/test_rounding.py``, but not the same as plain Python.
"""

import os
import platform
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# NumPy tells in no other way what it has been built for.
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

TESTS = Path(__file__).resolve().parent

# Where numbers are computed: solutions, values, best responses, probabilities.
NUMERIC = (
    "baselines", "examples", "agents/basic", "agents/learning/tabular", "agents/search/test_expectiminimax.py",
    "agents/test_mixed.py",
    "envs/games/test_tictactoe_symmetry.py",
    "studies/test_values_study.py",
)  # fmt: skip
# Those that plain Python is through with in time.
QUICK = (
    "agents/test_mixed.py", "agents/basic/test_regret.py", "baselines/test_evaluation.py",
    "baselines/test_large_matrix.py", "baselines/test_measures.py",
    "baselines/test_win_probabilities.py", "baselines/policies/test_tabular.py", "baselines/solvers/test_distance.py",
    "baselines/solvers/test_matrix.py", "baselines/information/test_families.py",
)  # fmt: skip


def arithmetics() -> dict[str, tuple[dict[str, str], tuple[str, ...]]]:
    """Returns by name the environment variables and the tests of each arithmetic that this machine can do."""
    wide = [feature for feature in __cpu_dispatch__ if __cpu_features__.get(feature)]
    older = {"NPY_DISABLE_CPU_FEATURES": " ".join(wide)} if wide else {}
    if platform.machine() in ("x86_64", "AMD64"):
        older |= {"OPENBLAS_CORETYPE": "Nehalem", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"}
    return {"an older processor": (older, NUMERIC), "not compiled": ({"NUMBA_DISABLE_JIT": "1"}, QUICK)}


def run(name: str, variables: dict[str, str], tests: tuple[str, ...]) -> bool:
    """Runs tests with environment variables; prints what came of it, and returns whether all passed."""
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *(str(TESTS / test) for test in tests)],
        env={**os.environ, **variables},
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    settings = " ".join(f"{key}={value!r}" for key, value in variables.items())
    print(f"== {name}: {settings}, {time.monotonic() - start:.0f} s\n{done.stdout}{done.stderr}", flush=True)
    return done.returncode == 0


def main() -> int:
    """Runs as many arithmetics side by side as there are processors; returns the exit code."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = [pool.submit(run, name, *how) for name, how in arithmetics().items()]
        return 0 if all([result.result() for result in results]) else 1


if __name__ == "__main__":
    sys.exit(main())
