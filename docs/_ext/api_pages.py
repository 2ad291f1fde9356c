"""The pages of the Python interface, made of docstrings: the packages' own names, and the modules that somebody uses.

A module is described if a page, an example or a lesson names it; the others are read in the code. Pages are written to
``docs/reference/generated/`` when the site is built. What a package offers itself, such as ``nashzoo.baselines.solve``,
is described under that name, and not a second time in the module that defines it.
"""

import ast
import importlib
import inspect
import itertools
import re
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from packages import PACKAGES, ROOT

FOLDER = Path("reference/generated")
FAMILIES = ("envs", "baselines", "agents", "arena")  # the command has a page of its own
FORMER = ("nashzoo.envs.game", "nashzoo.agents.maskable_dqn")  # hand on names that old files look for
USERS = (
    "README.md",
    "docs/*.md",
    "docs/[rt]*/*.md",
    "examples/**/*.py",
    "lessons/*.py",
)  # not those who change the code
NAMED = re.compile(r"from (nashzoo[\w.]*) import \(?([\w, \n]+)|(nashzoo(?:\.\w+)+)")


def offered(package: str) -> dict[str, str]:
    """Returns the names that a package offers from its modules, by the full name where they are defined."""
    module = importlib.import_module(package)
    found = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    return {
        f"{thing.__module__}.{name}": f"{package}.{name}"
        for name, thing in found.items()
        if getattr(thing, "__name__", None) == name and hasattr(thing, "__module__")  # no other name, and no module
    }


def kind(public: str) -> str:
    """Returns as what autodoc describes the thing of this name."""
    package, _, name = public.rpartition(".")
    thing = getattr(importlib.import_module(package), name)
    if not isinstance(thing, type):
        return "function" if callable(thing) else "data"
    return "exception" if issubclass(thing, BaseException) else "class"


def packages() -> list[str]:
    """Returns the packages that have a page, from the ground up."""
    folders = [name for name in PACKAGES if name.split("/")[0] in FAMILIES and not name.endswith("__init__")]
    names = ["nashzoo." + folder.replace("/", ".") for folder in folders]
    return [name for name in names if offered(name) or modules(name)]


@cache
def public_names() -> dict[str, str]:
    """Returns under which name something is described, by the full name where it is defined, if these differ."""
    return {defined: public for package in packages() for defined, public in offered(package).items()}


def made(module: str) -> list[str]:
    """Returns the public functions of a module that other functions made, as those of ``footsies_v0`` are."""
    found = importlib.import_module(module)
    assigned = (node for node in ast.parse(Path(str(found.__file__)).read_text()).body if isinstance(node, ast.Assign))
    names = [name.id for node in assigned for name in ast.walk(node.targets[0]) if isinstance(name, ast.Name)]
    functions = {name: getattr(found, name) for name in names if not name.startswith("_")}
    return [name for name, made in functions.items() if inspect.isfunction(made) and made.__module__ != module]


@cache
def named() -> frozenset[str]:
    """Returns the full names that pages, examples and lessons use, and all that stand before a dot in them."""
    found = set()
    for file in itertools.chain.from_iterable(ROOT.glob(pattern) for pattern in USERS):
        for package, names, whole in NAMED.findall(file.read_text()):
            found |= {whole} if whole else {f"{package}.{name}" for name in re.findall(r"\w+", names)}
    return frozenset(
        ".".join(parts[:length])
        for parts in map(str.split, found, itertools.repeat("."))
        for length in range(1, len(parts) + 1)
    )


def modules(package: str) -> list[str]:
    """Returns the modules of a package that are described."""
    files = sorted((ROOT / package.removeprefix("nashzoo.").replace(".", "/")).glob("[!_]*.py"))
    return [name for name in (f"{package}.{file.stem}" for file in files) if name in named() - set(FORMER)]


def page(package: str) -> str:
    """Returns the page of a package, as reStructuredText."""
    lines = [package, "=" * len(package), "", f".. automodule:: {package}", "   :no-members:"]
    lines += ["   :no-index:"] * (package in public_names().values()) + [""]  # nashzoo.envs.games is also a function
    for public in sorted(offered(package).values()):
        described = kind(public)
        lines += [f".. auto{described}:: {public}", *["   :members:"] * (described in ("class", "exception")), ""]
    for module in modules(package):
        stem = module.rpartition(".")[2]
        elsewhere = {name: public for name, public in public_names().items() if name.rpartition(".")[0] == module}
        lines += [stem, "-" * len(stem), "", f".. automodule:: {module}", "   :members:", "   :ignore-module-all:"]
        if elsewhere:
            lines += ["   :exclude-members: " + ", ".join(name.rpartition(".")[2] for name in elsewhere)]
            lines += ["", "Described above: " + ", ".join(f":py:obj:`{public}`" for public in elsewhere.values()) + "."]
        lines += [""]
        for name in made(module):
            lines += [f".. autofunction:: {module}.{name}", ""]
    return "\n".join(lines)


INTRODUCTION = """\
Python
======

What these pages, the examples and the lessons use, package by package; a package uses those above it alone. What most
programs use is in :doc:`/api`; other modules are described by their docstrings. Names that begin with ``_`` are private
and may change at any time.

.. toctree::
   :maxdepth: 1

"""


def contents() -> str:
    """Returns the page that lists the packages."""
    return INTRODUCTION + "".join(f"   {package}\n" for package in packages())


def _write(app: Sphinx) -> None:
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    pages = {package: page(package) for package in packages()} | {"api": contents()}
    for old in folder.glob("nashzoo.*.rst"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        file = folder / f"{name}.rst"
        if not file.exists() or file.read_text() != text:  # what has not changed need not be read again
            file.write_text(text)


def _skipped(app: Sphinx, what: str, name: str, found: object, skip: bool, options: Any) -> bool | None:
    """Leaves out the fields of named tuples and dataclasses, which the docstring of the class describes."""
    return True if type(found).__name__ in ("_tuplegetter", "member_descriptor") else None


@cache
def defined_at(target: str, module: str | None, cls: str | None) -> str | None:
    """Returns the full name of what a docstring or signature in ``module`` calls ``target``; None if it is nothing."""
    scopes = [f"{module}.{cls}", module] if module and cls else [module]
    scopes += [
        defined.rpartition(".")[0] for defined, public in public_names().items() if public.startswith(f"{module}.")
    ]
    for full in (*(f"{scope}.{target}" for scope in scopes if scope), target):
        parts = full.split(".")
        for length in range(len(parts), 0, -1):
            try:
                thing: Any = importlib.import_module(".".join(parts[:length]))
            except ImportError:
                continue
            owner = thing.__name__
            try:
                for part in parts[length:]:
                    thing = getattr(thing, part)
            except AttributeError:
                break
            if isinstance(thing, type(importlib)):
                return thing.__name__
            rest = getattr(thing, "__qualname__", None)
            known = rest and "<locals>" not in rest and getattr(thing, "__module__", None)  # else it is made by another
            return f"{thing.__module__}.{rest}" if known else ".".join([owner, *parts[length:]])
    return None


def _lead(app: Sphinx, doctree: nodes.document) -> None:
    """Leads references to where things are described, whatever name they have in the place that refers to them."""
    for node in doctree.findall(pending_xref):
        if node.get("refdomain") != "py" or node["reftarget"] in public_names().values():
            continue
        full = defined_at(node["reftarget"], node.get("py:module"), node.get("py:class"))
        if full is not None and full.startswith("nashzoo."):
            known = next((name for name in public_names() if full == name or full.startswith(f"{name}.")), None)
            node["reftarget"] = full if known is None else public_names()[known] + full.removeprefix(known)
            node["refspecific"] = False


def _without_link(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.TextElement | None:
    """Leaves without a link what exists and has no entry: other packages, constants, type aliases."""
    if node.get("refdomain") != "py":
        return None
    there = defined_at(node["reftarget"], node.get("py:module"), node.get("py:class"))
    return None if there is None else content


def setup(app: Sphinx) -> dict[str, Any]:
    """Connects to Sphinx."""
    app.connect("builder-inited", _write)
    app.connect("autodoc-skip-member", _skipped)
    app.connect("doctree-read", _lead)
    app.connect("missing-reference", _without_link)
    return {"parallel_read_safe": True}
