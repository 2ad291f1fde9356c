"""``nashzoo check-trainer``: mistakes of self-play code."""

import contextlib
import json
import shutil
import sys
import textwrap
from collections.abc import Iterable
from typing import Any, cast

from nashzoo.agents.learning.own_class import learner_of, training_of
from nashzoo.agents.registry import self_play_learner, self_play_learners
from nashzoo.app.commands.check import WRONG
from nashzoo.app.shared.words import wrapped
from nashzoo.arena.trainer_checks import Finding, Trainer, check_trainer, nothing_learned, suspects
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.modules import CLASS, module_at
from nashzoo.envs.base.words import counted
from nashzoo.envs.core.checks import check_count

MOST_NAMED = 6  # suspects
LEAST = 24  # columns for what is said of a game


def main(place: str, probe: tuple[str, ...], seed: int, factor: float, as_json: bool = False) -> None:
    """Runs the probes and prints what was reached; the exit code is 1 if one failed."""
    if not 0 < factor < float("inf"):
        raise UsageError(f"factor must be a positive number, not {factor}")
    findings = _run(check_trainer(trainer_at(place), check_count("seed", seed, 0), probe, factor), as_json)
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


def trainer_at(place: str) -> Trainer:
    """Returns the training function ``./file.py:function`` or ``module:function``, or that of a learner.

    Raises:
        UsageError: there is no such learner, module, file or function, or its code fails.
    """
    match = CLASS.fullmatch(place)
    if match is None:
        if place in self_play_learners():
            return training_of(self_play_learner(place))
        raise UsageError(
            f"a training function is ./file.py:train or my_package.module:train, or a learner's name, not {place!r}"
        )
    train = getattr(module_at(match["module"]), match["name"], None)
    if not callable(train):
        raise UsageError(f"{match['module']} has no function {match['name']}")
    is_learner = isinstance(train, type) and hasattr(train, "learn")
    return training_of(learner_of(train)) if is_learner else cast(Trainer, train)


def _run(findings: Iterable[Finding], as_json: bool) -> list[Finding]:
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


def _line(finding: Finding) -> str:
    probe = finding.probe
    losses = "  ".join(f"{loss:.3f}" for loss in finding.losses) or "-"
    result = "" if finding.passed else "  FAILED" + f": {finding.error}" * bool(finding.error)
    figures = f"{probe.name:<11} {losses:<20} {probe.most:<10} {finding.seconds:<8.1f} "
    width = max(shutil.get_terminal_size().columns, len(figures) + LEAST)
    return textwrap.fill(f"{figures}{probe.about}{result}", width, subsequent_indent=" " * len(figures))


def _figures(finding: Finding) -> dict[str, Any]:
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
