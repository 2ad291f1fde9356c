"""What studies share: tables in Markdown, the parts of pages that programs write, and the output of commands."""

import contextlib
import io
import os
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from unittest.mock import patch

from nashzoo.app import main as command
from nashzoo.envs.base.files import written_whole
from nashzoo.envs.drawing.palette import THEMES

DOCS = Path(__file__).resolve().parents[1] / "docs"


def markdown(rows: Iterable[Sequence[object]], left: int = 1) -> str:
    """Returns rows, the first of them headings, as a table whose columns after the first ``left`` are aligned right."""
    head, *lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    columns = head.count(" | ") + 1
    return "\n".join([head, "|" + "---|" * left + "--:|" * (columns - left), *lines])


def with_block(page: str, block: str, text: str) -> str:
    """Returns a page with a text between the lines ``<!-- block -->`` and ``<!-- end of block -->``.

    Raises:
        ValueError: the page has no such block.
    """
    begin, end = f"<!-- {block} -->\n", f"<!-- end of {block} -->\n"
    before, rest = page.split(begin)
    _, after = rest.split(end)
    return before + begin + text + end + after


def theme_rules(names: Iterable[str]) -> list[str]:
    """Returns rules of CSS that give a picture the colours of these roles, as variables, in the reader's theme."""
    variables = {theme: "; ".join(f"--{name}: {colours[name]}" for name in names) for theme, colours in THEMES.items()}
    return [f"@media (prefers-color-scheme: {theme}) {{ svg {{ {text} }} }}" for theme, text in variables.items()]


def write_page(page: Path, text: str) -> None:
    """Writes a page whole."""
    with written_whole(page) as unfinished:
        unfinished.write_text(text)


def run(line: str) -> str:
    """Runs a command in the current folder; returns its output, on 80 columns.

    Raises:
        RuntimeError: it fails.
    """
    output = io.StringIO()
    with contextlib.redirect_stdout(output), patch("sys.argv", shlex.split(line)), patch.dict(os.environ, COLUMNS="80"):
        if command.main() != 0:
            raise RuntimeError(f"{line} fails")
    return output.getvalue()
