"""What GitHub runs is what ``.ci/run`` runs: targets of the Makefile, with the versions of Python that are promised."""

import itertools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from packages import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKE = re.compile(r"\bmake ([a-z]+)\b")


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields each job with its workflow and name."""
    for path in WORKFLOWS:
        for name, job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].items():
            yield f"{path.stem} {name}", job


def made(job: dict[str, Any]) -> set[str]:
    """Returns the targets that a job makes, for all entries of its matrix."""
    targets = set()
    matrix = job.get("strategy", {}).get("matrix", {})
    for values in itertools.product(*matrix.values()):
        for step in job.get("steps", []):
            command = step.get("run", "")
            for key, value in zip(matrix, values, strict=True):
                command = command.replace(f"${{{{ matrix.{key} }}}}", value)
            targets |= set(MAKE.findall(command))
    return targets


def test_workflows_make_what_the_makefile_has() -> None:
    by_job = {name: made(job) for name, job in jobs()}
    assert by_job["checks check"] == {"lint", "types", "docs"}
    assert set().union(*by_job.values()) <= TARGETS


def test_workflows_make_all_that_ci_makes() -> None:
    everything = set(MAKE.findall((ROOT / ".ci" / "run").read_text(encoding="utf-8")))
    assert len(everything) >= 10
    assert set().union(*(made(job) for _, job in jobs())) >= everything


def test_the_versions_of_python_are_those_of_the_project() -> None:
    (job,) = (job for name, job in jobs() if name == "checks test")
    tested = job["strategy"]["matrix"]["python"]
    promised = [text.rpartition(" ")[2] for text in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", text)]
    assert tested == promised
    assert PROJECT["requires-python"] == f">={tested[0]}"
    assert [int(version.partition(".")[2]) for version in tested] == list(range(11, 11 + len(tested)))


def test_an_action_has_one_version() -> None:
    used: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        for action, version in re.findall(r"uses: ([\w-]+/[\w-]+)@(\S+)", path.read_text(encoding="utf-8")):
            used.setdefault(action, set()).add(version)
    assert {"actions/checkout", "pypa/gh-action-pypi-publish"} <= set(used)
    assert all(len(versions) == 1 for versions in used.values())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_nothing_may_be_written_but_what_publishing_needs(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    more = {name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
    assert more == ({"publish": {"id-token": "write"}} if path.stem == "release" else {})


def test_the_hook_and_the_workflow_run_the_command() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    workflow = (ROOT / ".github" / "workflows" / f"{hook['id']}.yml").read_text(encoding="utf-8")
    assert hook["entry"] == "nashzoo check-trainer" and f"{hook['entry']} " in workflow
    assert (ROOT / "app" / "commands" / "check_trainer.py").exists()
