"""The modules of the pages: they import what is exported, one way, and the exported script has them in that order."""

import re
import tomllib
from graphlib import CycleError, TopologicalSorter
from urllib.parse import urljoin

import pytest

from nashzoo.app.web.export import SCRIPTS
from packages import ROOT

IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
DECLARED = re.compile(r"(?:^(?:export )?(?:(?:async )?function|class|const|let) |,\n  (?=\w+ = ))(\w+)", re.MULTILINE)
EXPORT = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.MULTILINE)

Modules = dict[str, str]  # texts by the addresses at which a browser finds them


def served() -> Modules:
    modules = {}
    for path in (ROOT / "app").glob("*/static/*.js"):
        page = path.parents[1].name
        modules[("/" if page == "web" else f"/pages/{page}/") + path.name] = path.read_text()
    return modules


def imports(module: str, text: str) -> dict[str, list[str]]:
    """Returns the names that a module imports, by the addresses of the modules that have them."""
    found = IMPORT.findall(text)
    assert len(found) == len(re.findall(r"^import\b(?!\()", text, re.MULTILINE)), f"{module}: import {{ NAMES }} from"
    return {urljoin(module, target): re.findall(r"\w+", names) for names, target in found}


def missing(modules: Modules) -> list[str]:
    """Returns sentences on what is imported and not exported."""
    return [
        f"{module} imports {name}, which {target} does not export"
        for module, text in modules.items()
        for target, names in imports(module, text).items()
        for name in sorted(set(names) - set(EXPORT.findall(modules.get(target, ""))))
    ]


def in_order(modules: Modules) -> list[str]:
    """Returns the modules, each one after those that it imports.

    Raises:
        CycleError: there is a circle.
    """
    return list(TopologicalSorter({name: imports(name, text) for name, text in modules.items()}).static_order())


def test_modules_import_what_is_exported_and_in_no_circle() -> None:
    modules = served()
    assert missing(modules) == []
    assert {"/app.js", "/pages/menace/menace.js"} < set(in_order(modules)) == set(modules)


def test_their_lines_are_as_short_as_those_of_python() -> None:
    longest = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["line-length"]
    long = [(name, line) for name, text in served().items() for line in text.splitlines() if len(line) > longest]
    assert long == []


def test_what_is_wrong_with_imports_is_told() -> None:
    modules = {"/a.js": 'import { b, c } from "./b.js";\nexport const a = 1;\n', "/b.js": "export function b() {}\n"}
    page = 'import { b } from "../../b.js";\nimport {\n  d,\n  e,\n} from "../../c.js";\n'
    assert in_order(modules) == ["/b.js", "/a.js"]
    assert missing(modules | {"/pages/own/own.js": page}) == [
        "/a.js imports c, which /b.js does not export",
        "/pages/own/own.js imports d, which /c.js does not export",
        "/pages/own/own.js imports e, which /c.js does not export",
    ]
    with pytest.raises(CycleError):
        in_order(modules | {"/b.js": 'import { a } from "./a.js";\nexport const b = 2;\n'})
    with pytest.raises(AssertionError, match="NAMES"):
        in_order({"/a.js": 'import * as b from "./b.js";\n'})


def test_the_exported_script_has_all_modules_each_after_those_that_it_needs() -> None:
    modules = {name.removeprefix("/"): text for name, text in served().items() if name.count("/") == 1}
    places = {f"{name}.js": place for place, name in enumerate(SCRIPTS)}
    assert sorted(places) == sorted(modules)
    for name, text in modules.items():
        for needed in imports(f"/{name}", text):
            assert places[needed.removeprefix("/")] < places[name], f"{name} needs {needed}"


@pytest.mark.parametrize("page", ["web", "menace"])
def test_modules_that_become_one_script_declare_each_name_once(page: str) -> None:
    texts = [path.read_text() for path in (ROOT / "app" / page / "static").glob("*.js")]
    names = [name for text in texts for name in DECLARED.findall(text)]
    assert sorted(names) == sorted(set(names))
