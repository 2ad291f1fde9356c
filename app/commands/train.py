"""Train a player in a game against an opponent, and compare it with the exact solution.

Most runs need no more than --opponent or --algorithm, --timesteps and --out.

Example: nashzoo train footsies_v0 --opponent counter
"""

import contextlib
import sys
from typing import Annotated

from tyro.conf import arg

from nashzoo.app.shared.arguments import GameName, Json, Param, Quiet, be_quiet
from nashzoo.app.training.options import Against, Learning, Options, Reporting, Run, Tuning


def main(
    game: GameName,
    /,
    learner: Learning,
    against: Annotated[Against, arg(name="opponent")],
    run: Run,
    tuning: Tuning,
    report: Reporting,
    param: Param = (),
    seed: Annotated[int, arg(help="Seed of everything random.")] = 0,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Trains, prints the report, and names the folder."""
    be_quiet(quiet)
    groups = vars(learner) | vars(against) | vars(run) | vars(tuning) | vars(report)
    told(Options(game, param, seed, **groups), as_json)


def told(options: Options, as_json: bool = False) -> None:
    """Trains, prints the report, and names the folder."""
    from nashzoo.app.training.report import headline
    from nashzoo.app.training.train import train
    from nashzoo.envs.base.words import wrapped

    with contextlib.redirect_stdout(sys.stderr if as_json else sys.stdout):  # messages during training
        report = train(options)
    if as_json:
        print(report.as_json())
        return
    folder = options.folder()
    print(f"{wrapped(headline(report))}\nPicture: {folder / 'report.png'}\nIn the browser: nashzoo web {folder}")
    report.show()
