"""Pages that are kept outside this folder, and links to them.

A page of :data:`SHOWN_BY` stands in the site for a file elsewhere in the project, and shows its text. Links to such
files and folders lead to these pages; on GitHub they lead to the files. Other files that pages link to are copied by
Sphinx, to be downloaded.
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # read by tests without Sphinx
    from sphinx.application import Sphinx

# By file or folder, seen from the root of the project, the page that shows it.
SHOWN_BY = {
    "CONTRIBUTING.md": "docs/development/contributing.md",
    "CHANGELOG.md": "docs/development/changelog.md",
    "CODE_OF_CONDUCT.md": "docs/development/conduct.md",
    "benchmarks/README.md": "docs/development/benchmarks.md",
    "examples": "docs/examples.md",
    "examples/games": "docs/own_game.md",
}
LINK = re.compile(r"(\]\()([^)#:\s]+)(?=[)#])")


def moved(text: str, folder: str, page: str) -> str:
    """Returns a text of the folder ``folder`` as a part of ``page``, both seen from the root of the project."""

    def led(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[2]))
        return match[1] + posixpath.relpath(SHOWN_BY.get(target, target), posixpath.dirname(page))

    return LINK.sub(led, text)


def _read(app: Sphinx, docname: str, source: list[str]) -> None:
    root = Path(app.srcdir).parent
    page = f"docs/{docname}.md"
    shown = next((file for file, shows in SHOWN_BY.items() if shows == page and (root / file).is_file()), None)
    if shown is not None:
        app.env.note_dependency(os.fspath(root / shown))
        source[0] = moved((root / shown).read_text(), posixpath.dirname(shown), page)
    elif (root / page).exists():
        source[0] = moved(source[0], posixpath.dirname(page), page)


def setup(app: Sphinx) -> dict[str, Any]:
    """Connects to Sphinx."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True}
