"""A fresh process: ``import nashzoo.envs`` and the first ``reset``, with Numba's cache on disk filled."""

import json
import statistics
import subprocess
import sys
from typing import Any

from benchmarks.report import Row

LONGEST = 1.5  # seconds
HEAVY = ("torch", "stable_baselines3", "pygame", "matplotlib")

PROGRAM = f"""
import json, sys, time
start = time.perf_counter()
import nashzoo.envs
nashzoo.envs.footsies_v0.parallel_env().reset(seed=0)
seconds = time.perf_counter() - start
print(json.dumps({{"seconds": seconds, "loaded": [name for name in {HEAVY!r} if name in sys.modules]}}))
"""


def fresh_process() -> dict[str, Any]:
    """Returns the seconds a new process needed, and which heavy packages it loaded."""
    output = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True).stdout
    answer: dict[str, Any] = json.loads(output)
    return answer


def run(repetitions: int) -> list[Row]:
    """Measures seconds; a heavy package that was loaded is an error."""
    fresh_process()
    answers = [fresh_process() for _ in range(repetitions)]
    loaded = sorted({name for answer in answers for name in answer["loaded"]})
    if loaded:
        raise AssertionError(f"import nashzoo.envs loads {', '.join(loaded)}; import them where they are used")
    seconds = statistics.median(answer["seconds"] for answer in answers)
    return [Row("import nashzoo.envs and first reset", seconds, "s", most=LONGEST, note=f"without {', '.join(HEAVY)}")]
