"""Train a player in a game against an opponent, and compare it with the exact solution.

Example: nashzoo train footsies_v0 --opponent counter
"""

import contextlib
import sys
from typing import Annotated

from tyro.conf import arg

from nashzoo.app.shared.arguments import Json, Quiet, be_quiet
from nashzoo.app.training.options import Options


def main(options: Annotated[Options, arg(name="")], quiet: Quiet = False, as_json: Json = False) -> None:
    """Trains, prints the report, and names the folder."""
    from nashzoo.app.training.report import headline
    from nashzoo.app.training.train import train
    from nashzoo.envs.base.words import wrapped

    be_quiet(quiet)
    if as_json:
        with contextlib.redirect_stdout(sys.stderr):  # messages during training
            report = train(options)
        print(report.as_json())
        return
    report = train(options)
    folder = options.folder()
    print(f"{wrapped(headline(report))}\nPicture: {folder / 'report.png'}\nIn the browser: nashzoo web {folder}")
    report.show()
