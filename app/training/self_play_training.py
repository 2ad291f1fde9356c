"""Training of learners that play both seats themselves, such as minimax-Q; ``sb3_training`` has those of one seat."""

import dataclasses
import itertools
import math
import time
from typing import Any

from nashzoo.agents.learning.self_play_learner import SUFFIX, SelfPlayLearner
from nashzoo.app.commands.parsing import game_of
from nashzoo.app.training.evaluator import Evaluator
from nashzoo.app.training.options import Options
from nashzoo.app.training.report import BOUNDS, LEARNED_BOUNDS, Curve
from nashzoo.app.training.run import Effort, Run, Trained, Training
from nashzoo.arena.measure import measure
from nashzoo.envs.base.progress import Show
from nashzoo.envs.base.signals import postponed

CALLS = 200  # of the learner in a run, and updates of the progress, unless measurements need more
POINTS_A_DECADE = 8  # of the learning curve, which is drawn on a logarithmic axis
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
    training = SelfPlayTraining(run, options, evaluator, curve, effort, measure, learner)
    try:
        while learner.num_timesteps < options.budget() and not options.reached(curve):
            training.go_on()
            show("training", min(learner.num_timesteps, options.budget()), options.budget())
        show("measuring the policy", 0, None)
        training.measure(evaluator.left_for_exact)
    finally:
        training.save()
    return Trained(learner, learner.num_timesteps, learner.num_games, effort.seconds, curve, evaluator)


@dataclasses.dataclass
class SelfPlayTraining(Training):
    """A training with its learner, and the schedule of its measurements and checkpoints."""

    learner: SelfPlayLearner

    def __post_init__(self) -> None:
        self._chunk = max(1, self.options.budget() // CALLS)
        self._measurable = self.evaluator.points > 0
        self._seconds_measured = 0.0  # of this call of the program
        self._seconds_before = self._saved_at = self.effort.seconds
        self._saved_timesteps = self.learner.num_timesteps
        self._next_point = self._after(self.learner.num_timesteps)

    def go_on(self) -> None:
        """Learns for one call, and measures and saves if they are due."""
        learner, effort = self.learner, self.effort
        until = min(learner.num_timesteps + self._chunk, self.options.budget(), self._next_point)
        with postponed():
            begun = time.process_time()
            learner.learn(int(until) - learner.num_timesteps)
            effort.seconds += time.process_time() - begun
            effort.games = learner.num_games
        if learner.num_timesteps >= self._next_point:
            if self._may_measure():
                self.measure()
            self._next_point = self._after(learner.num_timesteps)
        every = self.options.checkpoint_every
        unsaved = learner.num_timesteps - self._saved_timesteps
        if effort.seconds - self._saved_at >= CHECKPOINT_SECONDS if every is None else unsaved >= every:
            self.save()

    def measure(self, seconds: float = math.inf) -> None:
        """Adds a point to the learning curve, unless it has one after as many decisions.

        Figures that take longer than ``seconds`` are None.
        """
        learner, game = self.learner, self.evaluator.game
        if not self.lacks_point(learner.num_timesteps):
            return
        begun = time.process_time()
        found = measure(game, learner, seconds=seconds)
        point: dict[str, Any] = {
            "timesteps": learner.num_timesteps,
            "games": learner.num_games,
            "seconds": self.effort.seconds,
            "value": None,
            "exploitability": found.exploitability.value,
        }
        point |= dict(zip(BOUNDS, found.secured or (None, None), strict=True))
        if learner.value_bounds is not None:
            point |= dict(zip(LEARNED_BOUNDS, learner.value_bounds, strict=True))
        self.curve.append(point)
        self._seconds_measured += time.process_time() - begun

    def save(self) -> None:
        """Writes a checkpoint."""
        learner = self.learner
        self.run.save(learner.num_timesteps, self.curve, self.effort, {self.run.model: learner.save})
        self._saved_at, self._saved_timesteps = self.effort.seconds, learner.num_timesteps

    def _may_measure(self) -> bool:
        if self.options.measure_every is not None:
            return True
        learned = self.effort.seconds - self._seconds_before
        return self._measurable and self._seconds_measured <= MEASURING * learned + FREE

    def _after(self, timesteps: int) -> float:
        """Returns the number of decisions at which the next point of the learning curve is due."""
        every = self.options.measure_every
        if every is not None:
            return float((timesteps // every + 1) * every)
        points = (round(self.learner.FIRST_POINT * 10 ** (k / POINTS_A_DECADE)) for k in itertools.count())
        return float(next(point for point in points if point > timesteps))
