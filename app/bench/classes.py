"""Classes as learners of the benchmark.

A class is made from a game and a seed, ``learn(num_timesteps)`` learns from at least so many more decisions, and its
``policy`` is what :func:`nashzoo.baselines.exploitability` measures; without this attribute the learner itself is. Of
the rest a class has what it wants to: an argument ``total_timesteps`` of the constructor, the decisions that fit into
the time, for schedules; ``num_timesteps``, those it has learned from; ``save(path)`` and
``load(path, game, seed)``, to resume; ``NAME``, ``GIVEN`` and ``UNIT``, for tables.
"""

import contextlib
import faulthandler
import inspect
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from nashzoo.agents.loading import fingerprint
from nashzoo.app.bench.checkpoints import PATIENCE, Checkpoint, clock
from nashzoo.app.bench.protocol import DECISIONS, SHARES, TOO_LATE
from nashzoo.app.results.rows import ResultsRow
from nashzoo.baselines.measures import tabulated
from nashzoo.baselines.policies.tabular import as_policy
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.base.files import written_whole
from nashzoo.envs.core.game import Game

FIRST, TIMES = 1_000, 4  # decisions of the first trial, and how many times as many of the next
LONG_ENOUGH = 3.0  # seconds that trials take, or a tenth of the given time if that is less
MOST, SHORTEST = 10**9, 1e-6  # decisions of a trial, and seconds that it is taken for, where learning takes no time
USUAL = 1_000_000  # decisions that a trial with a schedule is for
LONGEST = 1e8  # seconds of waiting
Waiting = Callable[[], contextlib.AbstractContextManager[None]]
PROGRESS, SAVED, STUCK = "progress.json", "learner.saved", "stuck.txt"


class ClassContestant:
    """A class with ``learn(num_timesteps)`` and a policy, see the module."""

    def __init__(self, place: str, kind: type[Any]) -> None:
        if not callable(getattr(kind, "learn", None)):
            raise UsageTypeError(
                f"{place} has no learn(num_timesteps); a learner is made from a game and a seed, learns in learn, and "
                "has a policy"
            )
        self._kind = kind
        self.name = str(getattr(kind, "NAME", kind.__name__))
        self.given = str(getattr(kind, "GIVEN", "unknown"))
        self.unit = str(getattr(kind, "UNIT", "decisions"))
        self.fingerprint = fingerprint(place)
        settings = getattr(kind, "Settings", None)  # of a learner of this package
        fields = settings or kind
        self._resumes = hasattr(kind, "save") and hasattr(kind, "load")
        self._scheduled = "total_timesteps" in inspect.signature(fields).parameters

    def check(self, row: ResultsRow) -> None:
        """Checks that a learner can be made, has a policy that can be measured, and can be saved and loaded."""
        game = row.make()
        try:
            learner = self._made(game, 0, USUAL)
        except TypeError as error:
            raise UsageTypeError(f"{self.name} is not made from a game and a seed: {error}") from error
        tabulated(game, as_policy(_policy_of(learner), game))
        if self._resumes:
            with tempfile.TemporaryDirectory() as folder:
                learner.save(Path(folder) / SAVED)
                self._kind.load(Path(folder) / SAVED, game, 0)

    def checkpoints(self, row: ResultsRow, seed: int, seconds: float, folder: Path) -> Iterator[Checkpoint]:
        """Yields policies after the times and decisions of the protocol.

        A call of ``learn`` that does not return ends this process; if that was so twice, it is an error.
        """
        run, game = _Resumable.opened(folder), row.make()
        limit = min(PATIENCE * (seconds + PATIENCE), LONGEST)
        if run.stuck.exists() and run.stuck.read_text(encoding="utf-8").count("Timeout") > 1:
            raise UsageError(f"learn did not return within {limit:.0f} s; {run.stuck} tells where it was")
        waiting = partial(_ended_after, limit, run.stuck)
        total = self._decisions_in(game, seconds, waiting)  # and compiles, which is not counted
        run.total = run.total or total
        pace = run.total / seconds
        if run.model is None:
            learner = self._made(game, seed, run.total)
        else:
            learner = self._kind.load(folder / run.model, game, seed)
        yield Checkpoint(_policy_of(learner), run.timesteps, run.seconds)
        for share in (share for share in SHARES if share * seconds > run.seconds):
            while run.seconds < share * seconds:
                left = (share * seconds - run.seconds) * pace
                marks = [mark - run.timesteps for mark in DECISIONS if mark > run.timesteps]
                asked = max(1, min([round(left), *marks]))
                before, begun = run.seconds, clock()
                learned = _learned(learner, asked, self.unit, waiting)
                took = clock() - begun
                pace = min(run.total / seconds, learned / max(took, SHORTEST))  # what was slow may stay so
                run.timesteps += learned
                run.seconds += took
                if run.seconds > TOO_LATE * seconds:
                    raise UsageError(
                        f"learn({asked}) took {took:.3g} s of the processor where {seconds - before:.3g} s of "
                        f"{seconds:g} were left, more than {TOO_LATE:g} times the budget; a learner returns from "
                        "learn(num_timesteps) after about so many decisions"
                    )
                if asked in marks and run.seconds < share * seconds:
                    yield Checkpoint(_policy_of(learner), run.timesteps, run.seconds)
            if self._resumes:
                run.save(learner)
            yield Checkpoint(_policy_of(learner), run.timesteps, run.seconds)

    def _made(self, game: Game, seed: int, total: int) -> Any:
        return self._kind(game, seed, **({"total_timesteps": total} if self._scheduled else {}))

    def _decisions_in(self, game: Game, seconds: float, waiting: Waiting) -> int:
        """Returns about how many decisions it learns from in some time, by the pace of another learner."""
        learner = self._made(game, 0, USUAL)
        _learned(learner, 1, self.unit, waiting)  # its time includes compilation
        spent, trial = 0.0, FIRST
        while True:
            begun = clock()
            timesteps = _learned(learner, trial, self.unit, waiting)
            took = clock() - begun
            spent += took
            if spent >= min(LONG_ENOUGH, seconds / 10) or trial >= MOST:
                return max(1, round(timesteps * seconds / max(took, SHORTEST)))
            trial *= TIMES


@contextlib.contextmanager
def _ended_after(seconds: float, file: Path) -> Iterator[None]:
    """Ends this process if it is still in the context after some time; what it does then is added to a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as told:
        faulthandler.dump_traceback_later(seconds, exit=True, file=told)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
    if not file.stat().st_size:
        file.unlink()


def _learned(learner: Any, timesteps: int, unit: str, waiting: Waiting) -> int:
    """Lets a learner learn, and returns from how many decisions it did.

    Raises:
        UsageError: it counts no decisions.
        Exception: any exception of its code.
    """
    before = getattr(learner, "num_timesteps", None)
    with _one_thread(), waiting():
        learner.learn(timesteps)
    if before is None:
        return timesteps
    learned = int(learner.num_timesteps - before)
    if learned < 1:
        raise UsageError(
            f"learn({timesteps}) learned from nothing: num_timesteps, which counts the {unit}, is {before} as before"
        )
    return learned


def _policy_of(learner: Any) -> Any:
    return getattr(learner, "policy", learner)


def _one_thread() -> contextlib.AbstractContextManager[None]:
    """Limits PyTorch, if it is loaded, to one thread: others that wait would count as work."""
    if "torch" not in sys.modules:
        return contextlib.nullcontext()
    from nashzoo.baselines.policies.networks import one_thread

    return one_thread()


class _Resumable:
    """How far a run is, in a file of its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.stuck = folder, folder / STUCK
        self.total = 0  # decisions that fit into the time
        self.timesteps = 0
        self.seconds = 0.0
        self.model: str | None = None

    @classmethod
    def opened(cls, folder: Path) -> "_Resumable":
        """Returns what was saved in a folder, or the beginning."""
        run = cls(folder)
        with contextlib.suppress(FileNotFoundError):
            vars(run).update(json.loads((folder / PROGRESS).read_text(encoding="utf-8")))
        return run

    def save(self, learner: Any) -> None:
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
