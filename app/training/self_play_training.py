"""Training of learners that play both seats themselves, such as minimax-Q; ``sb3_training`` has those of one seat."""

import dataclasses
import time

from nashzoo.agents.learning.self_play_learner import SUFFIX, SelfPlayLearner
from nashzoo.app.shared.parsing import game_of
from nashzoo.app.training.evaluator import Evaluator
from nashzoo.app.training.options import Options
from nashzoo.app.training.report import Curve
from nashzoo.app.training.run import Run, Trained, Training
from nashzoo.arena.measurement.pacer import Effort, Pacer, Schedule, a_decade, every
from nashzoo.envs.base.progress import Show
from nashzoo.envs.base.signals import postponed

CALLS = 200  # of the learner in a run, and updates of the progress, unless measurements need more
MEASURING = 0.1  # limit of the time of measuring, as a share of the time of learning
FREE = 1.0  # seconds of measuring that are always allowed
CHECKPOINT_SECONDS = 30.0  # of learning


def learn(options: Options, show: Show, measure: bool = True) -> Trained:
    """Trains a learner that plays both seats, see :func:`nashzoo.app.training.train.learn`.

    A run that was interrupted and resumed ends with the same policy as one that was not.
    """
    game = game_of(options.game, options.param)
    kind: type[SelfPlayLearner] = options.entry.load()
    run = Run(options.folder(), f"learner{SUFFIX}")
    learner = None if run.model.exists() else kind(game, options.seed, **options.learner_settings())
    curve: Curve = []
    effort = Effort()
    if run.open(options) or learner is None:
        learner = kind.load(run.model, game, options.seed)
        curve, effort = run.resumed(learner.num_timesteps)
    evaluator = Evaluator(
        game, options.opponent_name(), learner, "random", options.seed, seconds=options.report_seconds
    )
    learner.learn(0)  # compiles the kernels, so that the time of learning does not include it
    budget, marks = options.budget(), options.measure_every
    mark = a_decade(kind.FIRST_POINT) if marks is None else every(marks)
    schedule = Schedule(mark, timesteps=budget, most=max(1, budget // CALLS))
    pacer = Pacer(schedule, learner, effort, around=postponed)
    training = _Training(run, options, evaluator, curve, effort, measure, learner)
    try:
        for due in () if options.reached(curve) else pacer.calls():
            training.go_on(due)
            show("training", min(learner.num_timesteps, budget), budget)
            if options.reached(curve):
                break
        show("measuring the policy", 0, None)
        training.measure(learner, learner.num_timesteps, evaluator.left_for_exact)
    finally:
        training.save()
    return Trained(learner, learner.num_timesteps, learner.num_games, effort.seconds, curve, evaluator)


@dataclasses.dataclass
class _Training(Training):
    """A training of one learner, which is measured and saved when that is due."""

    learner: SelfPlayLearner

    def __post_init__(self) -> None:
        self._seconds_measured = 0.0  # of this call of the program
        self._seconds_before = self._saved_at = self.effort.seconds
        self._saved_timesteps = self.learner.num_timesteps

    def go_on(self, due: bool) -> None:
        """Measures and saves after a call of the learner, if that is due."""
        if due and self._may_measure():
            begun = time.process_time()
            self.measure(self.learner, self.learner.num_timesteps)
            self._seconds_measured += time.process_time() - begun
        every, unsaved = self.options.checkpoint_every, self.learner.num_timesteps - self._saved_timesteps
        if self.effort.seconds - self._saved_at >= CHECKPOINT_SECONDS if every is None else unsaved >= every:
            self.save()

    def _may_measure(self) -> bool:
        learned = self.effort.seconds - self._seconds_before
        is_quick = self.evaluator.points > 0 and self._seconds_measured <= MEASURING * learned + FREE
        return is_quick or self.options.measure_every is not None

    def save(self) -> None:
        """Writes a checkpoint."""
        learner = self.learner
        self.run.save(learner.num_timesteps, self.curve, self.effort, {self.run.model: learner.save})
        self._saved_at, self._saved_timesteps = self.effort.seconds, learner.num_timesteps
