"""Trains a reinforcement-learning agent in one of the games, and compares it with the exact solution.

Every run has a folder: the options, checkpoints, TensorBoard logs, and at the end ``report.json`` and
``report.png``. An interrupted run goes on with ``--resume``.
"""

import math
from typing import Any

from nashzoo.app.shared.interruption import interruptible
from nashzoo.app.shared.parsing import game_of
from nashzoo.app.training.evaluator import Evaluator, Trained
from nashzoo.app.training.exact_self_play import answer_exactly
from nashzoo.app.training.options import Options
from nashzoo.app.training.report import Report
from nashzoo.app.training.report_pictures import write_picture
from nashzoo.app.training.run import Training, opened
from nashzoo.arena.heat_map import need_matplotlib
from nashzoo.arena.measurement.classes import FILE, ClassContestant
from nashzoo.arena.measurement.games import GameRow
from nashzoo.arena.measurement.pacer import Schedule, a_decade, every
from nashzoo.baselines.policy_average import check_mixable
from nashzoo.envs.base.files import locked
from nashzoo.envs.base.progress import Show, hidden, showing

MEASURE_EVERY = 5_000  # decisions, by default
MOST_POINTS = 100  # of a learning curve, by default
CALLS = 200  # of a learner that plays both seats, and updates of the progress, unless measurements need more


def learn(options: Options, show: Show = hidden, measure: bool = True) -> Trained:
    """Trains, or resumes an interrupted run.

    Args:
        options: The options.
        show: Shows what is being done.
        measure: Whether to measure the policy; the learning curve is empty otherwise.

    Raises:
        UsageError: an option has an invalid value.
        MissingPackageError: the library of the algorithm is not installed.
        KeyboardInterrupt: the run was interrupted; a checkpoint has been written.
    """
    options.check()
    game = game_of(options.game, options.param)
    learner: Any
    if options.is_self_play_learner:
        learner, model = ClassContestant(options.entry.name, options.entry.load(), options.learner_settings()), FILE
        evaluator = Evaluator(options, game, None)
    else:
        from nashzoo.app.training import sb3_training

        learner, model = sb3_training.ModelContestant(options, game), sb3_training.MODEL
        evaluator = Evaluator(options, game, learner.opponent, learner.self_play)
    run = opened(options, model)
    training = Training(run, options, evaluator, show, measure)
    try:
        schedule = _schedule(options, evaluator.points)
        learner.learn(GameRow("", options.game, options.param), options.seed, schedule, run, training.visit)
        show("measuring the policy", 0, None)
        training.measure(evaluator.left_for_exact)
    finally:
        training.save()
    assert training.last is not None
    done, effort = training.last, run.effort
    return Trained(done.policy, done.timesteps, learner.unit, effort.games, effort.seconds, run.curve, evaluator)


def _schedule(options: Options, points: float) -> Schedule:
    """Returns when policies are measured, and when learning ends, if so many points of a curve are acceptable."""
    budget, marks = options.budget(), options.measure_every
    if options.is_self_play_learner:
        mark = a_decade(options.entry.load().FIRST_POINT) if marks is None else every(marks)
        return Schedule(mark, budget, most=max(1, budget // CALLS), untrained=False)
    apart = marks or max(MEASURE_EVERY, budget / min(points, MOST_POINTS) if points else math.inf)
    return Schedule(lambda timesteps: timesteps + apart, budget, untrained=apart < math.inf)


def train(options: Options) -> Report:
    """Trains, and returns the report.

    Raises:
        UsageError: an option has an invalid value, or another command works in the folder.
        KeyboardInterrupt: the run was interrupted; a checkpoint has been written.
    """
    need_matplotlib()
    options.check()
    with locked(options.folder()):
        return _train(options)


def _train(options: Options) -> Report:
    advice = f"Go on with the same command and --resume; the run is in {options.folder()}."
    with interruptible(advice), showing() as show:
        report = _report(options, show)
    report.save(options.folder() / "report.json")
    write_picture(report, options.folder() / "report.png")
    return report


def _report(options: Options, show: Show) -> Report:
    if options.oracle == "exact":
        game = game_of(options.game, options.param)
        check_mixable(game, representatives_only=True)  # before the folder is made, since it may raise
        opened(options, "model.zip").save(0)
        return answer_exactly(options, game, show)
    learned = learn(options, show)
    return learned.evaluator.report(learned, show)
