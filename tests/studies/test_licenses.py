"""What nashzoo installs can be used under any licence, and the page has all that it names itself."""

import re
import tomllib
from importlib.metadata import distribution

import pytest
from packaging.requirements import Requirement

from packages import ROOT
from studies.licenses import APART, CORE, EXTRAS, PAGE, licence, needed

COPYLEFT = re.compile(r"\b(?:A?GPL|GNU (?:Affero )?General)")  # not the LGPL, which binds the library alone


@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_nothing_is_under_the_gpl(extra: str) -> None:
    packages = needed(extra)
    assert len(packages) >= 9
    licences = {name: licence(package) for name, package in packages.items()}
    assert {name: text for name, text in licences.items() if COPYLEFT.search(text)} == {}
    # NVIDIA's, which PyTorch brings where there are no builds for processors alone, does not name its own.
    assert {name for name, text in licences.items() if text == "unknown"} <= {"cuda-toolkit"}


@pytest.mark.parametrize(
    "text", ["GPL-3.0-or-later", "AGPL-3.0", "GNU General Public License v3 (GPLv3)", "MIT AND GPL-2.0-only"]
)
def test_licences_that_are_refused(text: str) -> None:
    assert COPYLEFT.search(text)
    assert not COPYLEFT.search("LGPL-2.1") and not COPYLEFT.search(
        "GNU Library or Lesser General Public License (LGPL)"
    )


def test_the_page_has_what_the_project_names() -> None:
    lines = re.findall(r"^\| .+ \| (.+) \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    rows = {name: users for users, names in lines for name in names.split(", ")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {*EXTRAS, *APART, "all", "dev"} == project["optional-dependencies"].keys()
    assert all(f"`{extra}`" in PAGE.read_text(encoding="utf-8") for extra in APART)
    for extra in EXTRAS:
        named = [Requirement(text) for text in project["optional-dependencies"][extra]]
        for one in named:
            if one.marker is None or one.marker.evaluate():
                assert extra in rows[one.name.replace("_", "-")].split(", ") or rows[one.name] == CORE
    core = {Requirement(text).name for text in project["dependencies"]}
    assert {name for name, users in rows.items() if users == CORE} >= core


def test_a_licence_is_named() -> None:
    assert licence(distribution("numpy")).startswith("BSD-3-Clause")
