"""Classes that learn and are measured: learners of this package, and classes of two methods."""

import contextlib
import faulthandler
import math
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from nashzoo.agents.learning.own_class import USUAL, OwnLearner, untrained
from nashzoo.agents.learning.self_play_learner import SUFFIX, SelfPlayLearner
from nashzoo.agents.loading import fingerprint
from nashzoo.arena.measurement.checkpoints import Checkpoint, Run, Visit
from nashzoo.arena.measurement.games import MeasuredGame
from nashzoo.arena.measurement.pacer import PATIENCE, Effort, Pacer, Schedule, clock, decisions_in
from nashzoo.baselines.measures import tabulated
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.signals import postponed

LONGEST = 1e8  # seconds of waiting
FILE, STUCK = f"learner{SUFFIX}", "stuck.txt"


class ClassContestant:
    """A class that plays both seats, see :mod:`nashzoo.agents.learning.own_class` for those of two methods.

    Args:
        place: Its name, or its place.
        kind: The class.
        settings: Its settings; the decisions that it will learn from are added, if it has a schedule.
        clock: Returns seconds of the processor.
    """

    file = FILE

    def __init__(
        self,
        place: str,
        kind: type[SelfPlayLearner],
        settings: dict[str, Any] | None = None,
        clock: Callable[[], float] = clock,
    ) -> None:
        self._kind, self._settings, self._clock = kind, settings or {}, clock
        self.name, self.given, self.unit = kind.NAME, kind.GIVEN, kind.UNIT
        self.fingerprint, self.first_point = fingerprint(place), kind.FIRST_POINT
        self.resumes = not issubclass(kind, OwnLearner) or kind.saves()

    def check(self, game: MeasuredGame) -> None:
        """Checks that a learner can be made, has a policy that can be measured, and can be saved and loaded."""
        made = game.make()
        learner = untrained(self._kind, made, 0, USUAL, **self._settings)
        tabulated(made, learner)
        if self.resumes:
            with tempfile.TemporaryDirectory() as folder:
                learner.save(Path(folder) / FILE)
                self._kind.load(Path(folder) / FILE, made, 0)

    def learn(self, game: MeasuredGame, seed: int, schedule: Schedule, run: Run, visit: Visit) -> None:
        """Learns by the schedule.

        If it can be late, a call of ``learn`` that does not return ends this process; if that was so twice, it is an
        error.
        """
        made, file, pace = game.make(), run.folder / FILE, math.inf
        around: Callable[[], AbstractContextManager[None]] = postponed
        if schedule.seconds < math.inf:
            limit, stuck = min(PATIENCE * (schedule.seconds + PATIENCE), LONGEST), run.folder / STUCK
            if stuck.exists() and stuck.read_text(encoding="utf-8").count("Timeout") > 1:
                raise UsageError(f"learn did not return within {limit:.0f} s; {stuck} tells where it was")
            around = partial(_watched, limit, stuck) if schedule.late < math.inf else _undisturbed
            tried = untrained(self._kind, made, 0, USUAL, **self._settings)
            trial = Pacer(schedule, tried, Effort(), clock=self._clock, around=around)
            trial.learn(1)  # its time includes compilation
            total = decisions_in(schedule.seconds, trial.learn)  # and compiles, which is not counted
            run.total = run.total or total
            pace = run.total / schedule.seconds
        if file.exists():
            learner = self._kind.load(file, made, seed)
        else:
            learner = untrained(self._kind, made, seed, run.total or int(schedule.timesteps), **self._settings)
        run.resume(learner.num_timesteps)
        learner.learn(0)  # compiles, so that the time of learning does not include it
        pacer = Pacer(schedule, learner, run.effort, pace, self._clock, around)
        files = {FILE: learner.save}
        if visit(Checkpoint(learner, learner, schedule.untrained, files)):
            for due in pacer.calls():
                if not visit(Checkpoint(learner, learner, due, files)):
                    break


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Postpones signals."""
    with postponed(), _one_thread():
        yield


@contextlib.contextmanager
def _watched(seconds: float, file: Path) -> Iterator[None]:
    """Ends this process if it is still in the context after some time; what it does then is added to a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as told:
        faulthandler.dump_traceback_later(seconds, exit=True, file=told)
        try:
            with _one_thread():
                yield
        finally:
            faulthandler.cancel_dump_traceback_later()
    if not file.stat().st_size:
        file.unlink()


def _one_thread() -> contextlib.AbstractContextManager[None]:
    """Limits PyTorch, if it is loaded, to one thread: others that wait would count as work."""
    if "torch" not in sys.modules:
        return contextlib.nullcontext()
    from nashzoo.baselines.policies.networks import one_thread

    return one_thread()
