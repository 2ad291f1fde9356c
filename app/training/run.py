"""A training run: what is measured and kept while it learns, and its results."""

import math
import time

import rich

from nashzoo.app.training.evaluator import Evaluator
from nashzoo.app.training.options import CHECKPOINT_EVERY, Options
from nashzoo.app.training.report import lacks_point
from nashzoo.arena.measurement.checkpoints import Checkpoint
from nashzoo.arena.measurement.kept import FILE, Run
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.progress import Show

CHECKPOINT_SECONDS = 30.0  # of learning
MEASURING = 0.1  # limit of the time of measuring, as a share of the time of learning
FREE = 1.0  # seconds of measuring that are always allowed
OPTIONS = "options.json"  # version 0.2 wrote it
PAST_SELVES, REPLAY_BUFFER = "past_selves", "replay_buffer.pkl"


def opened(options: Options, model: str) -> Run:
    """Returns the run in the folder of the options.

    Args:
        options: The options.
        model: The name of the model's file.

    Raises:
        UsageError: the folder holds a run that is not to be resumed, one with other options, or only parts of one.
    """
    folder, known = options.folder(), (options.folder() / FILE).exists()
    parts = [name for name in (OPTIONS, model, REPLAY_BUFFER, PAST_SELVES) if (folder / name).exists()]
    if parts and not known:
        raise UsageError(
            f"{folder} holds {', '.join(parts)}, but no {FILE} with the options of the run, which version 0.2 did not "
            "write: put it back, or choose another --run-dir"
        )
    if known and not options.resume:
        raise UsageError(f"{folder} holds a run: go on with --resume, or choose another --run-dir")
    run = Run(folder, dict(sorted(options.resume_key().items())))
    if known and model not in parts:
        if run.begun:
            raise UsageError(f"{folder / model} is missing: put it back, or choose another --run-dir to begin anew")
        if options.oracle != "exact":  # exact responses save no model
            rich.print(f"There is no checkpoint in {folder} yet; the run begins anew.")
    if options.resume and not known:
        rich.print(f"There is no run in {folder} yet; one begins there.")
    return run


class Training:
    """What is measured and kept while a learner learns.

    Args:
        run: The run.
        options: The options.
        evaluator: Measures its policies.
        show: Shows the progress.
        measured: Whether to measure the policy; the learning curve is empty otherwise.

    Attributes:
        last: The last checkpoint; None before the first.
    """

    def __init__(self, run: Run, options: Options, evaluator: Evaluator, show: Show, measured: bool) -> None:
        self.run, self.options, self.evaluator, self.show, self.measured = run, options, evaluator, show, measured
        self.last: Checkpoint | None = None
        self._budget, self._itself = options.budget(), options.is_self_play_learner
        self._every = options.checkpoint_every or (None if self._itself else CHECKPOINT_EVERY)
        self._seconds_measured = 0.0  # of this call of the program

    def visit(self, checkpoint: Checkpoint) -> bool:
        """Measures and saves, if that is due; returns whether to go on."""
        run, done = self.run, checkpoint.timesteps
        if self.last is None:
            self._seconds_before, self._saved_at, self._saved_timesteps = run.effort.seconds, run.effort.seconds, done
            if done:
                rich.print(f"Going on from {done:,} decisions in {run.folder}.")
            elif not run.exists:
                run.save(0)
        self.last = checkpoint
        if checkpoint.due and self._may_measure():
            begun = time.process_time()
            self.measure()
            self._seconds_measured += time.process_time() - begun
        self.show("training", min(done, self._budget), self._budget)
        unsaved = run.effort.seconds - self._saved_at, done - self._saved_timesteps
        if unsaved[0] >= CHECKPOINT_SECONDS if self._every is None else unsaved[1] >= self._every:
            self.save()
        return not self.options.reached(run.curve)

    def _may_measure(self) -> bool:
        if self.options.measure_every is not None or not self._itself:
            return True
        learned = self.run.effort.seconds - self._seconds_before
        return self.evaluator.points > 0 and self._seconds_measured <= MEASURING * learned + FREE

    def measure(self, seconds: float = math.inf) -> None:
        """Adds a point to the learning curve, unless there is one; figures that take longer than this are None."""
        last, run = self.last, self.run
        if last is not None and self.measured and lacks_point(run.curve, last.timesteps):
            point = self.evaluator.point(last.policy, last.timesteps, run.effort.games, seconds)
            run.curve.append(point | {"seconds": run.effort.seconds})

    def save(self) -> None:
        """Writes a checkpoint."""
        if self.last is not None:
            self.run.save(self.last.timesteps, self.last.files)
            self._saved_at, self._saved_timesteps = self.run.effort.seconds, self.last.timesteps
