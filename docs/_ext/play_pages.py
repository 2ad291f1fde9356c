"""The games in the browser, inside the site: ``play/`` is what ``nashzoo web --export`` writes, and pages lead there.

The export takes about a minute, in a process beside Sphinx, and is made again if the program is newer.
"""

import html
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from nashzoo.agents.notation import split_options
from nashzoo.app.web.library import Library
from packages import ROOT

FOLDER = "play"
# By page, the game as a person plays it, as far as pages without a server can hold it.
PLAYED = {
    "footsies": "footsies_v0",
    "roshambo": "roshambo_v0",
    "bodega_brawl": "bodega_brawl_v0(preset=small)",
    "tictactoe": "tictactoe_v0",
    "soccer": "soccer_v0(width=11,height=5,goal_height=3)",
}
PLAYED = {page: Library().short(game) for page, game in PLAYED.items()}
FURTHER = ("nashzoo.examples.kuhn",)  # games to which the lessons in the browser lead
BOXES = ("menace", "Train and play", "boxes and beads, ")
VIEWS = {"menace": BOXES, "tutorials/menace_in_class": BOXES}  # pages whose button leads to another view
ALL = "games"  # the page whose button leads to all of them
PROGRAM = ("app", "envs", "baselines", "agents", "arena")  # the folders of what the export is made of


def button(page: str) -> str:
    """Returns the button of a page, as HTML."""
    game = PLAYED.get(page, "")
    options = split_options(game)[1] if game else {}
    what = "".join(f"{name.replace('_', ' ')} {value}, " for name, value in options.items())
    view, title, what = VIEWS.get(page, (f"play?game={game}" * bool(game), "Play", what))
    address = "../" * page.count("/") + f"{FOLDER}/index.html" + f"#{view}" * bool(view)
    note = f"{what}in this browser, with the exact solution"
    return f'<p><a class="play" href="{html.escape(address)}">{title}</a>{note}</p>'


def _begin(app: Sphinx) -> None:
    """Begins the export, if the program is newer than that of an earlier build."""
    made = Path(app.outdir) / FOLDER / "index.html"
    files = [Path(__file__), *(file for name in PROGRAM for file in (ROOT / name).rglob("*.*"))]
    newest = max(file.stat().st_mtime for file in files if "__pycache__" not in file.parts)
    if app.builder.format != "html" or (made.exists() and made.stat().st_mtime > newest):
        return
    command = [sys.executable, "-m", "nashzoo.app", "web", "--export", made.parent, *PLAYED.values(), *FURTHER]
    compiling = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    exporting = subprocess.Popen(
        command, cwd=ROOT, env=compiling, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    app.connect("build-finished", lambda *_: _end(exporting, made))


def lead_back(page: Path) -> None:
    """Puts a link to the site around it into an exported page."""
    page.write_text(page.read_text().replace("</nav>", '<a href="../index.html" target="_top">Documentation</a></nav>'))


def _end(exporting: subprocess.Popen[str], page: Path) -> None:
    output, _ = exporting.communicate()
    if exporting.returncode or not page.exists():
        raise ExtensionError(f"the games in the browser could not be exported: {output}")
    lead_back(page)


def _show(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Puts the button of a game's page below its first paragraph."""
    if docname in (*PLAYED, *VIEWS, ALL) and app.builder.format == "html":
        first = next(iter(doctree.findall(nodes.paragraph)))
        first.parent.insert(first.parent.index(first) + 1, nodes.raw("", button(docname), format="html"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Connects to Sphinx."""
    app.add_config_value("played", PLAYED | VIEWS, "html")  # when it changes, pages are written again
    app.connect("builder-inited", _begin)
    app.connect("doctree-resolved", _show)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
