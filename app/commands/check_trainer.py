"""Look for mistakes in code for self-play, on tiny games whose right play is known.

The function is called as train(game, decisions, seed), and returns a policy, which is measured exactly. Prints what
it loses in each game, and which known mistakes look like that; the exit code is 1 if it loses too much.

Example: nashzoo check-trainer ./ppo.py:train --probe one_state seats
"""

import contextlib
import json
import shutil
import sys
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, cast

from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import Json, Quiet, be_quiet
from nashzoo.app.shared.errors import WRONG

if TYPE_CHECKING:  # the help does without them
    from nashzoo.arena.trainer_checks import Finding, Trainer

MOST_NAMED = 6  # suspects
LEAST = 24  # columns for what is said of a game


def main(
    trainer: Annotated[
        Positional[str],
        arg(
            metavar="MODULE:FUNCTION",
            help="Your training function: ./ppo.py:train, or my_package.ppo:train; or a learner, ./mine.py:Mine.",
        ),
    ],
    /,
    probe: Annotated[tuple[str, ...], arg(metavar="NAME ...", help="Probes to run; all when left out.")] = (),
    seed: Annotated[int, arg(help="Seed that the training function is given.")] = 0,
    factor: Annotated[float, arg(help="Multiplies the numbers of decisions, for learners that need more.")] = 1.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Runs the probes and prints what was reached; the exit code is 1 if one failed."""
    from nashzoo.arena.trainer_checks import check_trainer, nothing_learned, suspects
    from nashzoo.envs.base.errors import UsageError
    from nashzoo.envs.base.words import counted, wrapped
    from nashzoo.envs.core.checks import check_count

    be_quiet(quiet)
    if not 0 < factor < float("inf"):
        raise UsageError(f"factor must be a positive number, not {factor}")
    findings = _run(check_trainer(trainer_at(trainer), check_count("seed", seed, 0), probe, factor), as_json)
    likely = suspects(findings)
    failed = sum(not finding.passed for finding in findings)
    nothing = nothing_learned(findings)
    if as_json:
        figures = [_figures(finding) for finding in findings]
        print(json.dumps({"probes": figures, "nothing_learned": nothing, "suspects": likely}, indent=2))
    elif not failed:
        print("The probe passed." if len(findings) == 1 else f"All {len(findings)} probes passed.")
    else:
        print(f"{failed} of {counted(len(findings), 'probe')} failed.")
        if nothing:
            print("Nothing was learned: the losses are about those of uniform play.")
        if factor < 1:
            print(f"There may have been too few decisions, with --factor {factor:g}.")
        if likely:
            print(wrapped("This looks like: " + "; or ".join(likely[:MOST_NAMED]) + "."))
    if failed:
        sys.exit(WRONG)


def trainer_at(place: str) -> "Trainer":
    """Returns the training function ``./file.py:function`` or ``module:function``, or that of a learner.

    Raises:
        UsageError: there is no such learner, module, file or function, or its code fails.
    """
    from nashzoo.agents.learning.own_class import training_of
    from nashzoo.agents.registry import self_play_learner
    from nashzoo.envs.base.modules import CLASS, class_at

    if CLASS.fullmatch(place) and not hasattr(train := class_at(place, functions=True), "learn"):
        return cast("Trainer", train)
    return training_of(self_play_learner(place))


def _run(findings: Iterable["Finding"], as_json: bool) -> list["Finding"]:
    """Returns the findings, each printed when it is there."""
    every: list[Finding] = []
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):  # what a training function prints is no figure
        for finding in findings:
            if not (as_json or every):  # only now, as the first use of a function says that it is compiled
                print(f"{'probe':<11} {'loss in seats 0, 1':<20} {'tolerance':<10} {'seconds':<8} game", file=out)
            every.append(finding)
            if not as_json:
                print(_line(finding), file=out, flush=True)
    return every


def _line(finding: "Finding") -> str:
    probe = finding.probe
    losses = "  ".join(f"{loss:.3f}" for loss in finding.losses) or "-"
    result = "" if finding.passed else "  FAILED" + f": {finding.error}" * bool(finding.error)
    figures = f"{probe.name:<11} {losses:<20} {probe.most:<10} {finding.seconds:<8.1f} "
    width = max(shutil.get_terminal_size().columns, len(figures) + LEAST)
    return textwrap.fill(f"{figures}{probe.about}{result}", width, subsequent_indent=" " * len(figures))


def _figures(finding: "Finding") -> dict[str, Any]:
    probe = finding.probe
    return {
        "name": probe.name,
        "about": probe.about,
        "passed": finding.passed,
        "losses": list(finding.losses),
        "most": probe.most,
        "error": finding.error,
        "seconds": finding.seconds,
    }
