"""Classes as learners of the benchmark: learners of this package, and classes of two methods."""

import contextlib
import faulthandler
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from nashzoo.agents.learning.own_class import USUAL, OwnLearner, untrained
from nashzoo.agents.learning.self_play_learner import SelfPlayLearner
from nashzoo.agents.loading import fingerprint
from nashzoo.arena.measurement.checkpoints import Checkpoint
from nashzoo.arena.measurement.games import GameRow
from nashzoo.arena.measurement.pacer import PATIENCE, Effort, Pacer, Schedule, clock, decisions_in
from nashzoo.baselines.measures import tabulated
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import written_whole

LONGEST = 1e8  # seconds of waiting
PROGRESS, SAVED, STUCK = "progress.json", "learner.saved", "stuck.txt"


class ClassContestant:
    """A class that plays both seats, see :mod:`nashzoo.agents.learning.own_class` for those of two methods."""

    def __init__(self, place: str, kind: type[SelfPlayLearner], clock: Callable[[], float] = clock) -> None:
        self._kind, self._clock = kind, clock
        self.name, self.given, self.unit = kind.NAME, kind.GIVEN, kind.UNIT
        self.fingerprint = fingerprint(place)
        self._resumes = not issubclass(kind, OwnLearner) or kind.saves()

    def check(self, row: GameRow) -> None:
        """Checks that a learner can be made, has a policy that can be measured, and can be saved and loaded."""
        game = row.make()
        learner = untrained(self._kind, game, 0, USUAL)
        tabulated(game, learner)
        if self._resumes:
            with tempfile.TemporaryDirectory() as folder:
                learner.save(Path(folder) / SAVED)
                self._kind.load(Path(folder) / SAVED, game, 0)

    def checkpoints(self, row: GameRow, seed: int, schedule: Schedule, folder: Path) -> Iterator[Checkpoint]:
        """Yields policies by the schedule, which is one in seconds.

        A call of ``learn`` that does not return ends this process; if that was so twice, it is an error.
        """
        run, game, seconds = _Resumable(folder), row.make(), schedule.seconds
        limit = min(PATIENCE * (seconds + PATIENCE), LONGEST)
        if run.stuck.exists() and run.stuck.read_text(encoding="utf-8").count("Timeout") > 1:
            raise UsageError(f"learn did not return within {limit:.0f} s; {run.stuck} tells where it was")
        pacer = partial(Pacer, schedule, clock=self._clock, around=partial(_watched, limit, run.stuck))
        trial = pacer(untrained(self._kind, game, 0, USUAL), Effort())
        trial.learn(1)  # its time includes compilation
        total = decisions_in(seconds, trial.learn)  # and compiles, which is not counted
        run.total = run.total or total
        if run.model is None:
            learner = untrained(self._kind, game, seed, run.total)
        else:
            learner = self._kind.load(folder / run.model, game, seed)
        yield Checkpoint(learner, run.timesteps, run.seconds)
        learning = pacer(learner, Effort(0, run.seconds), run.total / seconds)
        for due in learning.calls():
            if due:
                run.timesteps, run.seconds = learner.num_timesteps, learning.effort.seconds
                if self._resumes:
                    run.save(learner)
                yield Checkpoint(learner, run.timesteps, run.seconds)


@contextlib.contextmanager
def _watched(seconds: float, file: Path) -> Iterator[None]:
    """Ends this process if it is still in the context after some time; what it does then is added to a file.

    PyTorch, if it is loaded, has one thread there.
    """
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


class _Resumable:
    """How far the run of a folder is: what was saved there, or the beginning."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.stuck = folder, folder / STUCK
        self.total = 0  # decisions that fit into the time
        self.timesteps = 0
        self.seconds = 0.0
        self.model: str | None = None
        with contextlib.suppress(FileNotFoundError):
            vars(self).update(json.loads((folder / PROGRESS).read_text(encoding="utf-8")))

    def save(self, learner: SelfPlayLearner) -> None:
        """Saves a learner, and how far it is; if the process is killed meanwhile, the previous state stays."""
        before = self.model
        self.model = f"{self.timesteps}_{SAVED}"
        with written_whole(self.folder / self.model) as path:
            learner.save(path)
        kept = {name: value for name, value in vars(self).items() if name not in ("folder", "stuck")}
        with written_whole(self.folder / PROGRESS) as path:
            path.write_text(json.dumps(kept), encoding="utf-8")
        if before is not None and before != self.model:
            (self.folder / before).unlink(missing_ok=True)
