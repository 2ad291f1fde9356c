"""Run a learner of your own by the benchmark's protocol, and make its scorecard.

It learns in every game with every seed, and is measured exactly while it does. The scorecard shows it beside the
learners of this package.

Example: nashzoo bench policy_gradient footsies_v0 --seeds 2 --seconds 1
"""

import sys
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import LEARNER, RUN_DIR, Json, Processes, Quiet, Ray, be_quiet
from nashzoo.app.shared.errors import WRONG


def main(
    learner: Annotated[Positional[str], arg(metavar="LEARNER", help=f"Your learner: {LEARNER}.")],
    games: Annotated[
        Positional[tuple[str, ...]],
        arg(metavar="[GAME ...]", help="Games of the protocol, or titles of sizes; the small ones when left out."),
    ] = (),
    /,
    suite: Annotated[
        Literal["open", "hidden"], arg(help="Both players see the whole state (nashzoo-bench 1), or not (2).")
    ] = "open",
    every: Annotated[bool, arg(name="all", help="Run the large games too.")] = False,
    held_out: Annotated[
        int | None, arg(metavar="SEED", help="Also run sizes and games outside the protocol, drawn by this seed.")
    ] = None,
    seeds: Annotated[int, arg(help="Number of seeds; the protocol has 10.")] = 10,
    seconds: Annotated[float, arg(help="Processor seconds of learning in a run; the protocol has 60.")] = 60.0,
    processes: Processes = None,
    ray: Ray = None,
    out: Annotated[
        Path, arg(aliases=RUN_DIR, help="Folder for results and scorecard (HTML, PNG, SVG, PDF, LaTeX); resumes.")
    ] = Path("bench"),
    compare: Annotated[
        tuple[Path, ...], arg(metavar="FILE ...", help="What --json printed of other learners, to compare with.")
    ] = (),
    retry: Annotated[bool, arg(help="Do runs that ended with an error again.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Does the runs that are missing, prints what was reached, and writes the scorecard.

    Raises:
        UsageError: a number is out of its range, there is no such learner or game, the learner breaks the contract,
            the folder holds results of another learner or protocol, or a file to compare with is not by the protocol.
        MissingPackageError: matplotlib or jinja2 is not installed.
    """
    from nashzoo.app.bench import bench, scorecard
    from nashzoo.app.shared.interruption import continued_in
    from nashzoo.arena.measurement.comparison import compare as compared_with
    from nashzoo.arena.measurement.contestants import contestant
    from nashzoo.arena.measurement.protocol import SUITES
    from nashzoo.arena.measurement.reference import others_than
    from nashzoo.arena.measurement.runs import run
    from nashzoo.envs.base.files import check_folder
    from nashzoo.envs.base.json_text import json_text
    from nashzoo.envs.base.words import wrapped

    be_quiet(quiet)
    check_folder(out)
    scorecard.need_packages()
    others = others_than(contestant(learner).name, compare, SUITES[suite])
    with continued_in(out):
        own = run(
            learner, games, seeds=seeds, seconds=seconds, every=every, suite=SUITES[suite], held_out=held_out,
            folder=out, processes=processes, ray=ray, retry=retry,
        )  # fmt: skip
        comparison = compared_with(own, others)
        paths = scorecard.write(comparison, out)
    if as_json:
        print(json_text(bench.described(comparison.own) | bench.compared(comparison)))
    else:
        for line in bench.summary(comparison):
            print(line)
        print(wrapped(f"Written to {', '.join(map(str, paths))}."))
    if any(run.error for outcome in comparison.own for run in outcome.runs):
        sys.exit(WRONG)
