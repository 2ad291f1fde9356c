"""How a contestant learns: its policies are measured and kept until it has found the solution, or its budget ends."""

import dataclasses
import math
import time
from collections.abc import Callable
from typing import Any

from nashzoo.arena.measurement.checkpoints import Checkpoint, Curve, Learns, Run
from nashzoo.arena.measurement.games import MeasuredGame
from nashzoo.arena.measurement.pacer import FREE, Effort, Schedule
from nashzoo.arena.measurement.points import EXPLOITED
from nashzoo.envs.base.progress import Show, hidden

CHECKPOINT_SECONDS = 30.0  # of learning

Point = Callable[[Checkpoint, Effort], dict[str, Any]]  # measures a point of a learning curve


@dataclasses.dataclass
class Learning:
    """What is measured and kept while a contestant learns."""

    run: Run
    point: Point  # measures a policy
    stop_at: float | None = None  # the exploitability in points per game at which learning ends; None to go on
    every: int | None = None  # decisions between checkpoints; None for half a minute of learning
    keeps: bool = True  # whether the files of the model are kept
    show: Show = hidden  # shows the progress
    tell: Callable[[str], object] = lambda text: None  # called with a sentence if the run goes on
    last: Checkpoint | None = None  # the last checkpoint; None before the first

    def learn(
        self, contestant: Learns, game: MeasuredGame, seed: int, schedule: Schedule, at_end: Point | None = None
    ) -> Checkpoint:
        """Returns the last checkpoint, which ``at_end`` measures if it has not been; it is kept after errors, too.

        Raises:
            UsageError: the learner breaks the contract.
            Exception: any exception of its code.
        """
        self._schedule, self._measuring = schedule, 0.0
        try:
            contestant.learn(game, seed, schedule, self.run, self._visit)
            self.show("measuring the policy", 0, None)
            self._measure(at_end or self.point)
        finally:
            self._save()
        assert self.last is not None
        return self.last

    def _visit(self, checkpoint: Checkpoint) -> bool:
        """Measures and saves, if that is due; returns whether to go on."""
        run, done, seconds = self.run, checkpoint.timesteps, self.run.effort.seconds
        if self.last is None:
            self._began, self._saved = seconds, (done, seconds)
            if done:
                self.tell(f"Going on from {done:,} decisions in {run.folder}.")
            elif not run.exists:
                run.save(0)
        self.last = checkpoint
        plan, learned = self._schedule, seconds - self._began
        allowed = FREE + (plan.measuring * learned if learned else 0.0)
        if checkpoint.due and seconds >= plan.earliest and self._measuring <= allowed:
            begun = time.process_time()
            self._measure(self.point)
            self._measuring += time.process_time() - begun
        if plan.timesteps < math.inf:
            self.show("training", min(done, int(plan.timesteps)), int(plan.timesteps))
        unsaved = done - self._saved[0], seconds - self._saved[1]
        if unsaved[1] >= CHECKPOINT_SECONDS if self.every is None else unsaved[0] >= self.every:
            self._save()
        found = run.curve[-1]["exploitability"] if run.curve else None
        return self.stop_at is None or found is None or found > self.stop_at

    def _measure(self, point: Point) -> None:
        """Adds a point to the learning curve, unless there is one with figures."""
        last, curve = self.last, self.run.curve
        if last is not None and _lacks_point(curve, last.timesteps):
            curve.append(point(last, self.run.effort))

    def _save(self) -> None:
        if self.last is not None:
            self.run.save(self.last.timesteps, self.last.files if self.keeps else {})
            self._saved = self.last.timesteps, self.run.effort.seconds


def _lacks_point(curve: Curve, timesteps: int) -> bool:
    """Returns whether a curve has no point after so many decisions; one without figures is removed from its end."""
    if curve and curve[-1]["timesteps"] == timesteps:
        if any(curve[-1].get(name) is not None for name in ("value", "exploitability", *EXPLOITED)):
            return False
        curve.pop()
    return True
