"""The licences of what nashzoo needs, by the metadata of the installed packages: docs/development/licenses.md.

make licenses    # writes the page anew
"""

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

from studies.tables import DOCS, markdown, with_block, write_page

PAGE = DOCS / "development" / "licenses.md"
CORE, EXTRAS = "always", ("train", "render", "web", "llm", "mcp", "openspiel", "ray")
APART = ("docs", "class", "rllib", "onnx")  # extras that the page names without a table: they are installed apart
CLASSIFIER = "License :: OSI Approved :: "
LONGEST = 40  # characters of a licence's name; what is longer is its text


def licence(package: Distribution) -> str:
    """Returns the name of a package's licence, as its metadata have it."""
    about = package.metadata
    classifiers = [text for text in about.get_all("Classifier", []) if text.startswith(CLASSIFIER)]
    text = about.get("License-Expression") or ""
    if not text and len(about.get("License") or "") <= LONGEST:
        text = about.get("License") or ""
    return text or " OR ".join(text.removeprefix(CLASSIFIER) for text in classifiers) or "unknown"


def needed(extra: str = "") -> dict[str, Distribution]:
    """Returns the installed packages that nashzoo needs with an extra, by name, and those that these need in turn."""
    packages: dict[str, Distribution] = {}
    waiting = [("nashzoo", frozenset({extra}))]
    seen = set(waiting)
    while waiting:
        name, extras = waiting.pop()
        try:
            package = distribution(name)
        except PackageNotFoundError:  # for another system, or a part of an extra that is not installed
            continue
        packages[re.sub(r"[-_.]+", "-", name).lower()] = package
        for one in _required(package, extras):
            if one not in seen:
                seen.add(one)
                waiting.append(one)
    del packages["nashzoo"]
    return packages


def _required(package: Distribution, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for requirement in map(Requirement, package.requires or []):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""}):
            yield requirement.name, frozenset(requirement.extras)


def table() -> str:
    """Returns the table of the page: licence, what needs it, and the packages."""
    core = needed()
    by_extra = {extra: needed(extra) for extra in EXTRAS}
    everything = {name: package for packages in (core, *by_extra.values()) for name, package in packages.items()}
    alike: dict[tuple[str, str], list[str]] = {}
    for name, package in sorted(everything.items()):
        users = [extra for extra in EXTRAS if name in by_extra[extra]]
        alike.setdefault((licence(package), CORE if name in core else ", ".join(users)), []).append(name)
    rows = [(*kind, ", ".join(names)) for kind, names in sorted(alike.items())]
    return markdown([("licence", "needed", "packages"), *rows], left=3) + "\n"


if __name__ == "__main__":
    write_page(PAGE, with_block(PAGE.read_text(encoding="utf-8"), "licences", table()))
