"""Training scripts as learners of the benchmark.

A script is called as ``nashzoo train`` is, ``script.py GAME --param NAME=VALUE ... --seed N --run-dir FOLDER``, and
writes its policies into the folder from time to time: files that :func:`nashzoo.agents.as_agent` takes, with the number
of decisions in their names, such as ``rl_model_20000_steps.zip``. It is ended when its time is up. ``NAME``, ``GIVEN``
and ``UNIT`` are strings at module level; they are read without running it.
"""

import ast
import contextlib
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from nashzoo import agents
from nashzoo.agents.loading import FILE_SUFFIXES
from nashzoo.arena.measurement.checkpoints import Checkpoint, Run, Visit
from nashzoo.arena.measurement.games import MeasuredGame
from nashzoo.arena.measurement.pacer import PATIENCE, Schedule, clock_of_others
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import digest
from nashzoo.envs.core.game import Game

LOOK = 0.1  # seconds between two looks at the folder
SUFFIXES = tuple(suffix for suffix in FILE_SUFFIXES if suffix != ".py")
LINES = 3  # of its last words, in an error


class _Learned(NamedTuple):
    num_timesteps: int


class ScriptContestant:
    """A training script, see the module."""

    resumes, file, first_point = False, "policies", 1_000

    def __init__(self, place: str) -> None:
        self._script = Path(place).resolve()
        if not self._script.is_file():
            raise UsageError(f"there is no file {place}")
        strings = _strings(self._script)
        self.name = strings.get("NAME", self._script.stem)
        self.given = strings.get("GIVEN", "unknown")
        self.unit = strings.get("UNIT", "decisions")
        self.fingerprint = f"{place}#{digest(self._script)}"

    def check(self, game: MeasuredGame) -> None:
        """Nothing can be checked before a script runs."""

    def learn(self, game: MeasuredGame, seed: int, schedule: Schedule, run: Run, visit: Visit) -> None:
        """Runs the script, then shows the policies that it has written; random play stands at the beginning."""
        policies = run.folder / self.file
        shutil.rmtree(policies, ignore_errors=True)
        policies.mkdir(parents=True)
        made, seconds = game.make(), schedule.seconds
        times = self._run(game, seed, schedule, policies, run.folder / "output.txt")
        if not times:
            when = f" in {seconds:g} s of the processor" * (seconds < math.inf)
            raise UsageError(
                f"{self._script.name} wrote no policy into --run-dir{when}; it writes files that end in "
                f"{' or '.join(SUFFIXES)}, with the number of decisions in their names; a class is named "
                f"./{self._script.name}:MyLearner"
            )
        run.resume(0)
        written = sorted((_decisions(file), moment, file) for file, moment in times.items())
        if len(written) > 1 and not _is_whole(written[-1][2], made, seed):
            written.pop()
        if not visit(Checkpoint(_Learned(0), agents.make("random", made), schedule.untrained)):
            return
        before = 0
        for timesteps, moment, file in written:
            due = schedule.moment(run.effort.seconds) <= moment or schedule.mark(before) <= timesteps
            run.effort.seconds, before = moment, timesteps
            over = file is written[-1][2] or timesteps >= schedule.timesteps
            if (due or over) and not visit(Checkpoint(_Learned(timesteps), agents.as_agent(str(file), made, seed))):
                return
            if over:
                break
        if run.effort.seconds > schedule.late * seconds:
            raise UsageError(
                f"its last policy came after {run.effort.seconds:.3g} s of the processor, in place of {seconds:g} s"
            )

    def _run(self, game: MeasuredGame, seed: int, schedule: Schedule, written: Path, output: Path) -> dict[Path, float]:
        """Runs the script until it ends or its budget does; returns its files, and after what time each was there."""
        command = [sys.executable, str(self._script), game.game]
        command += [word for assignment in game.param for word in ("--param", assignment)]
        command += ["--seed", str(seed), "--run-dir", str(written)]
        alone = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        made, times = game.make(), dict[Path, float]()
        begun, looks = clock_of_others(), PATIENCE * (schedule.seconds + PATIENCE) / LOOK
        with output.open("wb") as out:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=alone, start_new_session=True
            )
            try:
                while process.poll() is None and clock_of_others() - begun < schedule.seconds and looks > 0:
                    self._look(written, times, clock_of_others() - begun)
                    if any(_decisions(file) >= schedule.timesteps and _is_whole(file, made, seed) for file in times):
                        break
                    time.sleep(LOOK)
                    looks -= 1  # looks are counted, and not time, for the whole machine may stand still
                self._look(written, times, clock_of_others() - begun)
            finally:
                early = process.poll()
                _end(process)
        if early:
            words = output.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-LINES:]
            raise UsageError(f"{self._script.name} ended with exit code {early}: {' / '.join(words)}")
        return times

    def _look(self, written: Path, times: dict[Path, float], moment: float) -> None:
        for file in written.rglob("*"):
            if file.suffix in SUFFIXES and file not in times and not file.name.startswith("."):
                times[file] = moment


def _is_whole(file: Path, game: Game, seed: int) -> bool:
    """Returns whether a file can be loaded: the last one is cut off if the script was ended while it wrote it."""
    try:
        agents.as_agent(str(file), game, seed)
    except Exception:  # what libraries raise for half a file
        return False
    return True


def _strings(script: Path) -> dict[str, str]:
    """Returns the strings that are assigned to names at module level."""
    try:
        tree = ast.parse(script.read_bytes(), script.name)
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"{script.name} is not valid Python: {error}") from error
    return {
        target.id: statement.value.value
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def _decisions(file: Path) -> int:
    numbers = re.findall(r"\d+", file.stem)
    if not numbers:
        raise UsageError(f"{file.name} has no number of decisions in its name, such as model_20000.zip")
    return int(numbers[-1])


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ends a script and the processes that it has started; on Windows the script alone."""
    if not hasattr(os, "killpg"):
        process.kill()
        process.wait(PATIENCE)
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
            if number == signal.SIGKILL:
                return
