"""What other learners reached in the games of the protocol: those of this package, stored, and those of files.

``python -m studies.bench_reference`` makes the file. It has the learning curves alone, thinned and rounded.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nashzoo.arena.measurement.outcomes import RunOutcome, SizeOutcome
from nashzoo.arena.measurement.protocol import OPEN, SUITES, Suite
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.json_text import json_value
from nashzoo.envs.base.progress import note

FILE = Path(__file__).with_name("reference.json")


def reference(suite: Suite = OPEN) -> list[SizeOutcome]:
    """Returns the stored outcomes in a suite, by learner and game."""
    return [one for one in outcomes_in(json.loads(FILE.read_text(encoding="utf-8"))) if one.suite == suite]


def others_than(learner: str, files: Sequence[Path], suite: Suite = OPEN) -> list[SizeOutcome]:
    """Returns the stored outcomes in a suite and those of files, each learner under a name of its own.

    Args:
        learner: The name that none of them may have: a stored learner of this name has ``(stored)`` added.
        files: What ``nashzoo bench --json`` printed; the name of the file is added to that of the learner.
        suite: The suite.

    Raises:
        UsageError: a file is something else, or is of another protocol; or two learners have the same name then.
    """
    stored = reference(suite)
    others = [one._replace(learner=f"{learner} (stored)") if one.learner == learner else one for one in stored]
    for file in files:
        outcomes = _outcomes_of(file, suite)
        if {one.learner for one in outcomes} & {learner, *(one.learner for one in others)}:
            raise UsageError(f"there is another {outcomes[0].learner!r}: give {file} another name")
        others += outcomes
    return others


def _outcomes_of(file: Path, suite: Suite) -> list[SizeOutcome]:
    """Returns the outcomes in a file, with its name added to that of the learner."""
    try:
        printed = json_value(file.read_bytes())
        protocol = printed["protocol"]
        outcomes = outcomes_in([printed]) if protocol == suite.version else []
        for one in outcomes:
            sum(sum(point) for run in one.runs for point in one.shares(run))  # they are numbers
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise UsageError(f"{file} is not what nashzoo bench --json prints ({type(error).__name__}: {error})") from error
    if protocol != suite.version:
        raise UsageError(f"{file} is by {protocol}, not by {suite.version}: they cannot be compared")
    if not all(one.runs for one in outcomes):
        raise UsageError(f"{file} has a game without runs")
    if not outcomes:
        note(f"{file} has no game of {suite.version}")
    return [one._replace(learner=f"{one.learner} ({file.stem})") for one in outcomes]


def outcomes_in(learners: Iterable[Mapping[str, Any]]) -> list[SizeOutcome]:
    """Returns the outcomes in the games of the protocol, from what ``nashzoo bench --json`` prints by learner."""
    suites = {suite.version: (suite, {size.title: size for size in suite.sizes}) for suite in SUITES.values()}
    return [
        SizeOutcome(
            one["learner"],
            one["given"],
            one["unit"],
            sizes[game["title"]],
            game["states"],
            [RunOutcome(**run) for run in game["runs"]],
            game["best_responses"],
            one["seconds"],
            suite,
        )
        for one in learners
        for suite, sizes in [suites[one["protocol"]]]
        for game in one["games"]
        if game["title"] in sizes
    ]
