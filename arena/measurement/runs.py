"""Runs of the benchmark: a learner in games, with seeds, measured exactly after the times of the protocol.

Every run is a task of its own: a game and a seed. Results are stored, so that an interrupted benchmark resumes, and
tasks are spread over processes or a cluster.
"""

import dataclasses
import math
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nashzoo.agents.basic.checks import check_positive
from nashzoo.agents.learning.past_policies import SELF
from nashzoo.agents.loading import located
from nashzoo.arena.measure import QUICK, SLOW, SOLVED, Figure, best_responses, measure, rivals_in
from nashzoo.arena.measurement.checkpoints import Contestant, Run
from nashzoo.arena.measurement.contestants import contestant
from nashzoo.arena.measurement.games import MeasuredGame
from nashzoo.arena.measurement.held_out import held_out as games_held_out
from nashzoo.arena.measurement.learning import Learning
from nashzoo.arena.measurement.outcomes import RunOutcome, SizeOutcome
from nashzoo.arena.measurement.pacer import FREE, MEASURING
from nashzoo.arena.measurement.points import point_of
from nashzoo.arena.measurement.protocol import HELD_OUT, OPEN, SECONDS, SEEDS, WORST, Size, Suite, schedule
from nashzoo.arena.tasks import ResultStore, run_missing
from nashzoo.baselines.measures import histories_walked, states_measured
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import file_name
from nashzoo.envs.base.progress import note, progress_bar
from nashzoo.envs.base.threads import processors
from nashzoo.envs.base.words import counted, lasting
from nashzoo.envs.core.checks import MOST_SEEDS, check_count, check_whole

EARLIEST = 0.25  # of the time, before which nothing is measured where a measure takes seconds; if minutes, 1
WALKED = 45_000_000  # histories that an exact measure walks in a second of a processor
LOST = "its process was lost three times: it crashed, or was killed for want of memory"


def run(
    learner: str | type[Any],
    games: Sequence[str] = (),
    *,
    seeds: int = SEEDS,
    seconds: float = SECONDS,
    every: bool = False,
    suite: Suite = OPEN,
    held_out: int | None = None,
    folder: Path | None = None,
    processes: int | None = None,
    ray: str | None = None,
    retry: bool = False,
) -> list[SizeOutcome]:
    """Does the runs of a learner that are missing; returns what it reached in each game.

    Args:
        learner: Its name, ``module:Class``, ``./file.py:Class`` or ``./script.py``; or a class, which learns in this
            process, and is not stored.
        games: Games of the protocol, or titles of their sizes; the small ones when empty.
        seeds: Number of seeds.
        seconds: Of the processor, to learn in.
        every: Whether to run the large games too.
        suite: The games of a protocol.
        held_out: Seed of games outside the protocol, which are run too; None for none.
        folder: Keeps the results, and what is needed to go on after an interruption; None to keep nothing.
        processes: Number of processes, that of the processors when None.
        ray: Address of a cluster, see :func:`nashzoo.arena.tasks.run_tasks`.
        retry: Whether to do runs again that ended with an error.

    Raises:
        UsageError: a number is out of its range, there is no such learner or game, the learner breaks the contract, or
            the folder holds results of another learner or protocol.
    """
    check_whole("seeds", seeds, 1, MOST_SEEDS)
    check_positive("seconds", seconds)
    is_class = isinstance(learner, type)
    if is_class and (folder is not None or ray is not None):
        raise UsageError("a class whose results are stored, or that learns on a cluster, is named: ./file.py:MyLearner")
    measured = contestant(learner)
    sizes = suite.sizes_of(games, every)
    if held_out is not None:
        sizes += games_held_out(check_count("held-out", held_out, 0), HELD_OUT, suite)
    measured.check(sizes[0])
    runs = None if ray or folder is None else folder / "runs"  # the machines of a cluster need not share a folder
    place = learner if isinstance(learner, type) else located(learner)
    tasks = [BenchTask(place, size, seed, seconds, runs) for size in sizes for seed in range(seeds)]
    store = ResultStore(folder, about(measured, seconds, suite))
    if retry:
        for task in tasks:
            if store.get(task.key, {}).get("error"):
                del store[task.key]
                if runs is not None:
                    shutil.rmtree(runs / task.name, ignore_errors=True)
    missing = [task for task in tasks if task.key not in store]
    workers = 1 if is_class else processes
    if missing:
        note(_duration(missing, workers or processors(), seconds, bool(ray)))
    with progress_bar("measuring") as show:
        run_missing(tasks, store, workers, ray, show, None if is_class else BenchTask.failed)
    with progress_bar("computing best responses") as show:
        run_missing([FactsTask(size) for size in sizes], store, workers, ray, show)
    return outcomes_of(measured, tasks, store, suite)


def about(learner: Contestant, seconds: float, suite: Suite) -> dict[str, Any]:
    """Returns what results must have in common to be compared: other code, time or protocol gives other ones."""
    return {
        "protocol": suite.version,
        "learner": learner.fingerprint,
        "seconds": seconds,
        "version": version("nashzoo"),
    }


def outcomes_of(
    learner: Contestant, tasks: Sequence["BenchTask"], results: Mapping[str, Any], suite: Suite
) -> list[SizeOutcome]:
    """Returns what a learner reached in each game, from the results of its runs."""
    outcomes = []
    for size in {task.size.key: task.size for task in tasks}.values():
        facts = results[FactsTask(size).key]
        runs = [RunOutcome(task.seed, **results[task.key]) for task in tasks if task.size is size]
        known = learner.name, learner.given, learner.unit, size
        outcomes.append(SizeOutcome(*known, facts["states"], runs, facts["best"], tasks[0].seconds, suite))
    return outcomes


def _duration(missing: Sequence["BenchTask"], workers: int, seconds: float, is_cluster: bool) -> str:
    """Returns about how long runs take, in words."""
    runs = f"{counted(len(missing), 'run')} of {seconds:g} s"
    if is_cluster:
        return runs
    rounds, sizes = -(-len(missing) // workers), Counter(task.size for task in missing)
    return (
        f"{runs} take about {lasting(rounds * seconds)} in {counted(workers, 'process')}; a solved game ends a run; "
        f"measuring takes up to {lasting(rounds * (MEASURING * seconds + FREE))} more, with large games half a minute "
        "for the end of each run, and compiling the first time about a minute"
        + "".join(
            f"; {size.title} has {walked:,} histories, which take about {lasting(walked / WALKED)} of a processor "
            f"at the end of each run, in all {lasting(many * walked / WALKED)}"
            for size, many in sizes.items()
            if not size.small and (walked := histories_walked(size.make()))
        )
    )


@dataclasses.dataclass(frozen=True)
class BenchTask:
    """A learner in one game with one seed."""

    place: str | type[Any]  # the learner, see nashzoo.arena.measurement.contestants.contestant
    size: Size  # the game
    seed: int
    seconds: float  # of the processor, to learn in
    folder: Path | None  # folder of the runs, to resume them after an interruption; None to keep none

    @property
    def key(self) -> str:
        """What the result is kept under."""
        return f"{self.size.key} {self.seed}"

    @property
    def name(self) -> str:
        """The name of its folder."""
        return file_name(f"{self.size.name} {self.seed}")

    def __call__(self) -> dict[str, Any]:
        """Returns the fields of :class:`nashzoo.arena.measurement.outcomes.RunOutcome`, without the seed."""
        run: Run | None = None
        try:
            with tempfile.TemporaryDirectory() if self.folder is None else nullcontext(self.folder) as folder:
                learner = contestant(self.place)
                asked = {"algorithm": learner.name, "opponent": SELF, "game": self.size.name, "seed": self.seed}
                run = Run(Path(folder) / self.name, asked | {"seconds": self.seconds})
                policy = self._learned(learner, run)
                if all(point["exploitability"] is None for point in run.curve):
                    raise UsageError("no policy could be measured")
                return {"curve": run.curve, **self._measured(policy, run.curve)}
        except (Exception, SystemExit) as error:  # the learner's code can raise anything
            if isinstance(error, SystemExit) and type(error) is not SystemExit:  # that of a signal
                raise
            if not isinstance(error, UsageError):
                traceback.print_exc(file=sys.stderr)
            return self.failed(f"{type(error).__name__}: {error}", run.curve if run else ())

    def failed(self, error: str = LOST, curve: Any = ()) -> dict[str, Any]:
        """Returns the result of a run that ended with an error."""
        return {"curve": list(curve), "values": {}, "weaknesses": [], "error": error}

    def _learned(self, learner: Contestant, run: Run) -> Any:
        """Measures the policies of the run, and returns the last one."""
        game = self.size.make()
        states = states_measured(game)
        earliest = 0.0 if states <= QUICK else EARLIEST * self.seconds if states <= SLOW else math.inf
        plan = dataclasses.replace(schedule(self.seconds), earliest=earliest)
        learning = Learning(run, partial(point_of, game), SOLVED * self.size.stake, every=1, keeps=learner.resumes)
        return learning.learn(learner, self.size, self.seed, plan, partial(point_of, game, walks=True)).policy

    def _measured(self, policy: Any, curve: list[dict[str, Any]]) -> dict[str, Any]:
        game, known = self.size.make(), Figure(curve[-1]["exploitability"])
        worst = WORST if states_measured(game) <= QUICK else 0  # in larger games it would take long to find them
        found = measure(game, policy, rivals=rivals_in(game, self.seed), worst=worst, seed=self.seed, known=known)
        return {"values": found.stored["values"], "weaknesses": [one._asdict() for one in found.weaknesses]}


@dataclasses.dataclass(frozen=True)
class FactsTask:
    """The points of a best response against each scripted player of a game, and the number of its states."""

    game: MeasuredGame

    @property
    def key(self) -> str:
        """What the result is kept under."""
        return f"{self.game.key} best responses"

    def __call__(self) -> dict[str, Any]:
        """Returns the number of states, and points per game by scripted player, None where they are not computed."""
        game = self.game.make()
        return {"states": states_measured(game), "best": best_responses(game)}
