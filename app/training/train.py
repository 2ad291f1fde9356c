"""Trains a reinforcement-learning agent in one of the games, and compares it with the exact solution.

Every run has a folder: the options, checkpoints, TensorBoard logs, and at the end ``report.json`` and
``report.png``. An interrupted run goes on with ``--resume``.
"""

from nashzoo.app.shared.interruption import interruptible
from nashzoo.app.shared.parsing import game_of
from nashzoo.app.training.exact_self_play import answer_exactly
from nashzoo.app.training.options import Options
from nashzoo.app.training.report import Report
from nashzoo.app.training.report_pictures import write_picture
from nashzoo.app.training.run import Run, Trained
from nashzoo.arena.heat_map import need_matplotlib
from nashzoo.baselines.forms import form_of
from nashzoo.envs.base.files import locked
from nashzoo.envs.base.progress import Show, hidden, showing


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
    if options.is_self_play_learner:
        from nashzoo.app.training import self_play_training

        return self_play_training.learn(options, show, measure)
    from nashzoo.app.training import sb3_training

    return sb3_training.learn(options, show, measure)


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
        form_of(game).population(representatives_only=True)  # before the folder is made, since it may raise
        Run(options.folder(), "model.zip").open(options)
        return answer_exactly(
            game, options.opponent_name(), options.iterations, options.seed, options.games, show, options.report_seconds
        )
    learned = learn(options, show)
    game = learned.evaluator.game
    return learned.evaluator.report(
        learned.policy, options.entry.name, learned.timesteps, learned.games, learned.curve, options.games, show,
        deterministic=options.entry.gives_distributions and game.perfect_information,
    )  # fmt: skip
