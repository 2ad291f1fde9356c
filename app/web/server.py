"""The server of ``nashzoo web``."""

import contextlib
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from nashzoo.app.shared.interruption import ANEW, interruptible
from nashzoo.app.web.pages import Page
from nashzoo.envs.base.errors import MissingPackageError, UsageError

LOOPBACK = "127.0.0.1"
LARGEST_PORT = 65535
EXAMPLES = "nashzoo.examples.kuhn", "nashzoo.examples.leduc"  # games that everybody finds in the lobby


def main(
    games: Sequence[str],
    agents: Sequence[str],
    saved: Sequence[Path],
    host: str,
    port: int,
    browser: bool,
    pages: Sequence[Page] = (),
) -> None:
    """Serves until it is interrupted.

    Raises:
        UsageError: a game, file or folder is unknown, or the port is not free.
        MissingPackageError: Starlette or Uvicorn is not installed.
    """
    try:
        import uvicorn
        from starlette.applications import Starlette
    except ImportError as error:
        raise MissingPackageError(
            "nashzoo web needs Starlette and Uvicorn: pip install '.[web]' in nashzoo's folder"
        ) from error
    from nashzoo.app.web import folders
    from nashzoo.app.web.connections import LimitedProtocol
    from nashzoo.app.web.library import Library
    from nashzoo.app.web.routes import Application
    from nashzoo.app.web.security import OnlyThisSite

    if not 0 <= port <= LARGEST_PORT:
        raise UsageError(f"a port is from 0, for a free one, to {LARGEST_PORT}, not {port}")
    missing = [str(path) for path in saved if not path.is_file()]
    if missing:
        raise UsageError(f"there is no file {missing[0]}")
    if not host:
        raise UsageError(f"--host must be an address of this machine, such as {LOOPBACK}, or 0.0.0.0 for all of them")
    named = [Path(name) for name in games if Path(name).is_dir()]
    looked_at = tuple(each for folder in named for each in folders.inside(folder))
    models = [model for folder in looked_at for model in folders.learned(folder)]
    library = Library([name for name in games if Path(name) not in named], [*agents, *models], EXAMPLES)
    for game in library.named_games:
        library.game(game)
    listening = _listening(host, port)
    port = listening.getsockname()[1]
    application = Application(library, tuple(saved), looked_at, pages)

    app = OnlyThisSite(
        Starlette(routes=application.routes()),
        frozenset(f"{name}:{port}" for name in (LOOPBACK, "localhost", "[::1]")) if host == LOOPBACK else None,
    )
    address = f"http://{host}:{port}/"
    print(f"nashzoo is at {address}; Ctrl-C ends it.", flush=True)
    if host != LOOPBACK:
        sys.stderr.write(
            "All machines that reach this one over the network can use this server and everything that it may load; "
            "there is no password.\n"
        )
    if browser:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    # With a lifespan Uvicorn prints a traceback after a second Ctrl-C.
    config = uvicorn.Config(app, http=LimitedProtocol, log_level="warning", timeout_graceful_shutdown=2, lifespan="off")
    with contextlib.suppress(KeyboardInterrupt), interruptible(ANEW):
        uvicorn.Server(config).run([listening])
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # now Ctrl-C ends everything at once, threads that still compute too
    application.close()


def _listening(host: str, port: int) -> socket.socket:
    """Returns a socket that listens.

    Raises:
        UsageError: the port is not free, or the host is not an address of this machine.
    """
    try:
        return socket.create_server((host, port))
    except OSError as error:
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise UsageError(f"cannot listen at {host}, port {port}: {why}; choose another --port or --host") from None
