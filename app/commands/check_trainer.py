"""Look for mistakes in code for self-play, on tiny games whose right play is known.

The function is called as train(game, decisions, seed), and returns a policy, which is measured exactly. Its first
parameter says what it is given: aec_env, parallel_env, gymnasium_env, sb3_env, torchrl_env, rllib_env, puffer_env, or
env_fn, a module. Prints what is lost in each game, the likeliest mistakes, and what to change; the exit code is 1 if
too much is lost.

Example: nashzoo check-trainer ./ppo.py:train --probe one_state seats
"""

import contextlib
import json
import math
import shutil
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import Json, Quiet, be_quiet
from nashzoo.app.shared.errors import INTERRUPTED, WRONG

if TYPE_CHECKING:  # the help does without them
    from nashzoo.arena.trainer_checks import Finding, Trainer

MOST_NAMED = 8  # suspects
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
    factor: Annotated[
        float | None,
        arg(help="Multiplies the numbers of decisions; when left out slow learners get 4 or 16 times more."),
    ] = None,
    form: Annotated[
        str, arg(help="What train is given: game, module, aec, parallel, gymnasium, sb3, torchrl, rllib or puffer.")
    ] = "",
    junit: Annotated[Path | None, arg(metavar="FILE", help="Write the findings as JUnit XML, for CI.")] = None,
    summary: Annotated[
        Path | None, arg(metavar="FILE", help="Add the findings as Markdown, as to $GITHUB_STEP_SUMMARY.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Runs the probes and prints what was reached; the exit code is 1 if one failed."""
    from nashzoo.arena.trainer_checks import check_trainer, nothing_learned, suspects
    from nashzoo.arena.trainer_forms import form_of
    from nashzoo.arena.trainer_suspects import SUSPECTS
    from nashzoo.envs.base.errors import UsageError
    from nashzoo.envs.base.files import check_file, write_text
    from nashzoo.envs.base.words import counted, either, wrapped
    from nashzoo.envs.core.checks import check_count

    be_quiet(quiet)
    if factor is not None and not 0 < factor < float("inf"):
        raise UsageError(f"factor must be a positive number, not {factor}")
    for file in filter(None, (junit, summary)):
        check_file(file)
    findings, stopped = _run(
        check_trainer(train := trainer_at(trainer), check_count("seed", seed, 0), probe, factor, form), as_json
    )
    likely = suspects(findings, in_turn=form_of(train, form).in_turn)
    failed = sum(not finding.passed for finding in findings)
    nothing = nothing_learned(findings)
    said = ["The probe passed." if len(findings) == 1 else f"All {len(findings)} probes passed."]
    if failed:
        said = [f"{failed} of {counted(len(findings), 'probe')} failed."]
        if nothing:
            said.append("Nothing was learned: the losses are about those of uniform play.")
        learned = [finding for finding in findings if finding.losses]
        few = [finding.probe.name for finding in learned if finding.decisions < finding.probe.decisions]
        if few:
            limit = "by the limit of two minutes a probe" if factor is None else f"with --factor {factor:g}"
            said.append(f"There may have been too few decisions in {either(few, 'and')}, {limit}.")
    if stopped:
        said.insert(0, "Interrupted; of the probes until then:")
    times = max(finding.decisions / finding.probe.decisions for finding in findings)
    if factor is None and times > 1:
        said.append(f"It learned slowly, and got up to {times:.3g} times the usual decisions.")
    if likely:
        said.append("This looks like, of the known mistakes:")
        said += [
            f"- {sure:.0%}: {mistake}. {SUSPECTS[mistake].change}."
            for mistake, sure in list(likely.items())[:MOST_NAMED]
        ]
    if as_json:
        figures = [_figures(finding) for finding in findings]
        named = [{"mistake": name, "sure": sure, "change": SUSPECTS[name].change} for name, sure in likely.items()]
        print(json.dumps({"probes": figures, "nothing_learned": nothing, "suspects": named}, indent=2))
    else:
        print("\n".join(wrapped(line, indent="  " * line.startswith("-")) for line in said))
    if junit:
        write_text(junit, _junit(trainer, findings, "\n".join(said)))
    if summary:
        summary.parent.mkdir(parents=True, exist_ok=True)
        with summary.open("a", encoding="utf-8") as written:  # GitHub's file has the summaries of other steps, too
            written.write(_summary(trainer, findings, said))
    if failed or stopped:
        sys.exit(WRONG if failed else INTERRUPTED)


def trainer_at(place: str) -> "Trainer":
    """Returns the training function ``./file.py:function`` or ``module:function``, or that of a learner.

    Raises:
        UsageError: there is no such learner, module, file or function, or its code fails.
    """
    from nashzoo.agents.learning.own_class import training_of
    from nashzoo.agents.registry import self_play_learner
    from nashzoo.envs.base.errors import UsageError
    from nashzoo.envs.base.modules import CLASS, class_at

    if CLASS.fullmatch(place) and not hasattr(train := class_at(place, functions=True), "learn"):
        return cast("Trainer", train)
    if place.endswith(".py"):
        raise UsageError(f"{place} is a file: name its function, too, as {place}:train")
    return training_of(self_play_learner(place))


def _run(findings: Iterable["Finding"], as_json: bool) -> tuple[list["Finding"], bool]:
    """Returns the findings, each printed when it is there, and whether Ctrl-C came after the first."""
    every: list[Finding] = []
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):  # what a training function prints is no figure
        try:
            for finding in findings:
                if not (as_json or every):  # only now, as the first use of a function says that it is compiled
                    print(f"{'probe':<11} {'loss in seats 0, 1':<20} {'tolerance':<10} {'seconds':<8} game", file=out)
                every.append(finding)
                if not as_json:
                    print(_line(finding), file=out, flush=True)
        except KeyboardInterrupt:
            if not every:
                raise
            return every, True
    return every, False


def _line(finding: "Finding") -> str:
    probe = finding.probe
    result = "" if finding.passed else "  FAILED" + f": {finding.error}" * bool(finding.error)
    figures = f"{probe.name:<11} {_losses(finding):<20} {probe.most:<10} {finding.seconds:<8.1f} "
    width = max(shutil.get_terminal_size().columns, len(figures) + LEAST)
    return textwrap.fill(f"{figures}{probe.about}{result}", width, subsequent_indent=" " * len(figures))


def _junit(trainer: str, findings: list["Finding"], said: str) -> str:
    """Returns the findings as JUnit's XML, a test case for each probe."""
    from xml.etree.ElementTree import Element, SubElement, tostring

    failed = str(sum(not finding.passed for finding in findings))
    suite = Element("testsuite", name="nashzoo check-trainer", tests=str(len(findings)), failures=failed)
    for finding in findings:
        probe = finding.probe
        case = SubElement(suite, "testcase", classname=trainer, name=probe.name, time=f"{finding.seconds:.3f}")
        if not finding.passed:
            seats = " and ".join(_losses(finding).split())
            message = finding.error or f"loses {seats} in seats 0 and 1, more than {probe.most:g}"
            SubElement(case, "failure", message=message).text = said
    return tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _summary(trainer: str, findings: list["Finding"], said: list[str]) -> str:
    """Returns the findings as Markdown."""
    rows = [
        f"| {'✅' if finding.passed else '❌'} `{finding.probe.name}` | {_losses(finding)} | {finding.probe.most:g} | "
        f"{finding.error.replace('|', '/') or finding.probe.about} |"
        for finding in findings
    ]
    head = [f"### Self-play of `{trainer}`", "", "| probe | loss in seats 0, 1 | tolerance | |", "|---|---|---|---|"]
    return "\n".join([*head, *rows, "", *said, "", ""])


def _losses(finding: "Finding") -> str:
    """Returns the losses by seat, cut off after three digits, so that none seems to exceed what is tolerated."""
    return "  ".join(f"{math.floor(1000 * loss + 1e-6) / 1000:.3f}" for loss in finding.losses) or "-"


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
        "decisions": finding.decisions,
    }
