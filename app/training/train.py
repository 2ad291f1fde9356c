"""Trains a reinforcement-learning agent in one of the games, and compares it with the exact solution.

Every run has a folder: the options, checkpoints, TensorBoard logs, and at the end ``report.json`` and
``report.png``, also as SVG and PDF. An interrupted run goes on with ``--resume``.
"""

import dataclasses
import math
from typing import Any

import rich

from nashzoo.agents.learning.past_policies import PSRO, PolicyMixture
from nashzoo.app.shared.interruption import interruptible
from nashzoo.app.shared.parsing import game_of
from nashzoo.app.training.evaluator import Evaluator, Trained
from nashzoo.app.training.options import CHECKPOINT_EVERY, Options
from nashzoo.app.training.report import Report
from nashzoo.app.training.report_pictures import write_picture
from nashzoo.arena.measurement.checkpoints import FILE, Checkpoint, Learns, Run
from nashzoo.arena.measurement.contestants import contestant
from nashzoo.arena.measurement.games import MeasuredGame
from nashzoo.arena.measurement.learning import Learning
from nashzoo.arena.measurement.pacer import Effort, Schedule, apart, every, usual
from nashzoo.arena.measurement.points import BOUNDS, MIXED, Points
from nashzoo.arena.pictures import need_matplotlib
from nashzoo.baselines.fictitious import fictitious_play
from nashzoo.baselines.forms import form_of
from nashzoo.baselines.measures import can_keep
from nashzoo.baselines.oracles import double_oracle
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import locked
from nashzoo.envs.base.progress import Show, hidden, showing, working
from nashzoo.envs.base.words import lasting

MEASURE_EVERY = 5_000  # decisions, by default
MOST_POINTS = 100  # of a learning curve, by default
ENOUGH = 1e-9  # points per game, of exploitability, at which exact responses end


def learn(options: Options, show: Show = hidden) -> Trained:
    """Trains, or resumes an interrupted run.

    Raises:
        UsageError: an option has an invalid value.
        MissingPackageError: the library of the algorithm is not installed.
        KeyboardInterrupt: the run was interrupted; a checkpoint has been written.
    """
    options.check()
    game = game_of(options.game, options.param)
    learner: Learns
    if options.algorithm is not None and options.is_self_play_learner:
        learner, points = contestant(options.algorithm, options.learner_settings()), Points(game)
    else:
        from nashzoo.app.training.sb3_training import ModelContestant

        learner = model = ModelContestant(options, game)
        points = model.points
    evaluator, run = Evaluator(options, points), opened(options, learner.file)
    cadence = options.checkpoint_every or (None if points.itself else CHECKPOINT_EVERY)
    learning = Learning(run, points, options.stop_at, cadence, show=show, tell=rich.print)
    if points.cost > 1.0:
        learning.tell(f"Each point of the learning curve takes about {lasting(points.cost)} to measure.")
    place, schedule = MeasuredGame("", options.game, options.param), _schedule(options, points.acceptable)

    def at_end(checkpoint: Checkpoint, effort: Effort) -> dict[str, Any]:
        return points(checkpoint, effort, evaluator.left_for_exact)

    done = learning.learn(learner, place, options.seed, schedule, at_end)
    effort = run.effort
    return Trained(done.policy, done.timesteps, learner.unit, effort.games, effort.seconds, run.curve, evaluator)


def _schedule(options: Options, points: float) -> Schedule:
    """Returns when policies are measured, and when learning ends, if so many points of a curve are acceptable."""
    budget, marks = options.budget(), options.measure_every
    if not options.is_self_play_learner:
        return apart(marks or max(MEASURE_EVERY, budget / min(points, MOST_POINTS) if points else math.inf), budget)
    plan = usual(options.entry.load().FIRST_POINT, points, budget)
    return plan if marks is None else dataclasses.replace(plan, mark=every(marks), earliest=0.0, measuring=math.inf)


def opened(options: Options, model: str) -> Run:
    """Returns the run in the folder of the options, whose model is in the file ``model``.

    Raises:
        UsageError: the folder holds a run that is not to be resumed, one with other options, or only parts of one.
    """
    folder, known = options.folder(), (options.folder() / FILE).exists()
    has_model = (folder / model).exists()
    if has_model and not known:
        raise UsageError(
            f"{folder} holds {model}, but no {FILE} with the options of the run: put it back, or choose another "
            "--run-dir"
        )
    if known and not options.resume:
        raise UsageError(f"{folder} holds a run: go on with --resume, or choose another --run-dir")
    run = Run(folder, dict(sorted(options.resume_key().items())))
    if known and not has_model:
        if run.begun:
            raise UsageError(f"{folder / model} is missing: put it back, or choose another --run-dir to begin anew")
        if options.oracle != "exact":  # exact responses save no model
            rich.print(f"There is no checkpoint in {folder} yet; the run begins anew.")
    if options.resume and not known:
        rich.print(f"There is no run in {folder} yet; one begins there.")
    return run


def train(options: Options) -> Report:
    """Trains, and returns the report.

    Raises:
        UsageError: an option has an invalid value, or another command works in the folder.
        KeyboardInterrupt: the run was interrupted; a checkpoint has been written.
    """
    need_matplotlib()
    options.check()
    folder = options.folder()
    with locked(folder):
        if (game := game_of(options.game, options.param)).hides:
            with working("counting histories"):
                can_keep(game)  # kept for all who ask; where they are many it takes a minute
        with interruptible(f"Go on with the same command and --resume; the run is in {folder}."), showing() as show:
            trained = (_answer_exactly if options.oracle == "exact" else learn)(options, show)
            report = trained.evaluator.report(trained, show)
        report.save(folder / "report.json")
        write_picture(report, folder / "report.png")
    return report


def _answer_exactly(options: Options, show: Show) -> Trained:
    """Computes exact best responses to the mixture of all earlier policies, and returns the mixture.

    Fictitious play against ``"self"``, policy-space response oracles against ``"psro"``; they end early at an
    exploitability of ``ENOUGH``.
    """
    game = game_of(options.game, options.param)
    form_of(game).population(representatives_only=True)  # before the folder is made, since it may raise
    opened(options, "model.zip").save(0)
    show("computing exact responses", 0, None)
    answer = double_oracle if options.opponent_name() == PSRO else fictitious_play
    policy, steps = answer(game, options.iterations, ENOUGH, measure_last=True)
    curve = [
        {"timesteps": step.iteration, "games": 0, "value": None, "exploitability": step.last}
        | {MIXED: step.exploitability}
        | dict(zip(BOUNDS, (step.lower, step.upper), strict=True))
        for step in steps
    ]
    mixed = PolicyMixture(policy, steps[-1].exploitability)
    evaluator = Evaluator(options, Points(game, policy, mixed, seed=options.seed))
    return Trained(policy, steps[-1].iteration, "iterations", 0, 0.0, curve, evaluator)
