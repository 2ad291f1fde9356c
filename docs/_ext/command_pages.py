"""The page of the command: every command with all its options, as ``nashzoo COMMAND --help`` has them."""

import inspect
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tyro
from api_pages import FOLDER
from sphinx.application import Sphinx

INTRODUCTION = """\
Commands
========

``nashzoo COMMAND --help`` prints the same in the terminal. What holds for all of them, such as exit codes and JSON, is
on the page :doc:`/command`.

"""

REPEATED = re.compile(r"^\{?\[(.+?) \[.+ \.\.\.\]\]\}?$")  # what stands for none, one or several
UNSAID = re.compile(r" \(default: (None)?\)$")  # where nothing is given, the text says what happens


def parser_of(name: str) -> Any:
    """Returns the parser that reads the options of a command."""
    from nashzoo.app import index
    from nashzoo.app.shared.options import CONFIG

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # tyro offers no other way to look at what it parses
        return tyro.extras.get_parser(index.command(name), prog=f"nashzoo {name}", config=CONFIG)


def described(parser: Any, about: str, underline: str) -> Iterator[str]:
    """Yields the lines of a command's section, and those of its subcommands."""
    title = parser.prog
    yield from (title, underline * len(title), "", f".. program:: {title}", "")
    paragraphs = inspect.cleandoc(about).split("\n\n")
    for paragraph in paragraphs:
        example = paragraph.removeprefix("Example: ")
        yield from ((_literal(paragraph),) if example == paragraph else ("Example::", "", f"   {example}"))
        yield ""
    for action in sorted(parser._actions, key=lambda action: bool(action.option_strings)):  # what has no name first
        if isinstance(action.choices, dict):
            for sub in action.choices.values():
                yield from described(sub, sub.description or "", "~")
        elif "--help" not in action.option_strings:
            yield from _option(action)


def _option(action: Any) -> Iterator[str]:
    metavar = REPEATED.sub(r"\1 ...", str(action.metavar or "").removeprefix("{None}|"))
    names = [f"{name} {metavar}".strip() for name in action.option_strings] or [metavar]
    yield f".. option:: {', '.join(names)}"
    yield ""
    yield "   " + _literal(UNSAID.sub("", str(action.help)))
    yield ""


def _literal(text: str) -> str:
    """Returns a help text in which no character means anything to reStructuredText, with options as code."""
    plain = re.sub(r"([*`|_\\])", r"\\\1", " ".join(text.split()))
    return re.sub(r"(?<!\S)(--[a-z-]+)(?![\w-])", r"``\1``", plain)


def page() -> str:
    """Returns the page, as reStructuredText."""
    from nashzoo.app import index

    lines: list[str] = []
    for name in index.names():
        lines += described(parser_of(name), index.command(name).__doc__ or "", "-")
    return INTRODUCTION + "\n".join(lines)


def _write(app: Sphinx) -> None:
    file, text = Path(app.srcdir) / FOLDER / "command.rst", page()
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def setup(app: Sphinx) -> dict[str, Any]:
    """Connects to Sphinx."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True}
