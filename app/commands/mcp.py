"""Let language models play and look up games, as tools of the Model Context Protocol.

A program with a language model starts it, and speaks to it on standard input and output.

Example: nashzoo mcp --no-oracle
"""

from typing import Annotated

from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import Agents


def main(
    games: Annotated[
        Positional[tuple[str, ...]],
        arg(metavar="[GAME ...]", help="Modules or files with rules of your own; named games are always included."),
    ] = (),
    /,
    agents: Agents = (),
    no_oracle: Annotated[bool, arg(help="Leave out the tools that know the exact solution.")] = False,
) -> None:
    """Serves games to a program until its input ends."""
    try:
        import mcp  # noqa: F401
    except ImportError as error:
        from nashzoo.envs.base.errors import MissingPackageError

        raise MissingPackageError(
            "nashzoo mcp needs the package mcp: pip install '.[mcp]' in nashzoo's folder"
        ) from error
    from nashzoo.app.mcp import server

    server.serve(games, agents, not no_oracle)
