"""Play, watch and look up games in the browser.

Example: nashzoo web --no-browser --port 8000
"""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import LOADS_CODE, Agents


def main(
    games: Annotated[
        Positional[tuple[str, ...]],
        arg(
            metavar="[GAME|FOLDER ...]",
            help="Modules or files with rules of your own (named games, Kuhn and Leduc poker are always included), and "
            f"folders of training runs, whose models may be played ({LOADS_CODE}), tournaments and results to show.",
        ),
    ] = (),
    /,
    agents: Agents = (),
    matches: Annotated[tuple[Path, ...], arg(help="Files of recorded matches that may be watched.")] = (),
    port: Annotated[int, arg(help="Port to listen at; a free one when 0.")] = 0,
    host: Annotated[str, arg(help="Address to listen at; others than 127.0.0.1 let other machines in.")] = "127.0.0.1",
    no_browser: Annotated[bool, arg(help="Open no browser.")] = False,
    export: Annotated[
        Path | None, arg(help="Folder to write static pages to, which play and explore small games without a server.")
    ] = None,
) -> None:
    """Serves games until it is interrupted, or writes them as static pages."""
    from nashzoo.app.menace.web import menace_page

    if export is not None:
        from nashzoo.app.web import export as static

        static.main(games, agents, export, [menace_page()])
    else:
        from nashzoo.app.web import server

        server.main(games, agents, matches, host, port, not no_browser, [menace_page()])
