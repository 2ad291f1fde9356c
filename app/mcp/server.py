"""The server of ``nashzoo mcp``, on standard input and output."""

import contextlib
import inspect
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from nashzoo.app.mcp.tools import Tools
from nashzoo.app.web.library import Library
from nashzoo.app.web.solver import SolvingError
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.modules import failing_line

SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
INSTRUCTIONS = (
    "Two-player zero-sum games whose exact solution is known. Begin with games; new_match tells the rules, and play "
    "makes a move. What one player wins, the other loses."
)


class SentenceServer(MCPServer[Any]):
    """A server whose errors of users are one sentence each."""

    def __init__(self, tools: Sequence[Callable[..., Any]]) -> None:
        super().__init__("nashzoo", instructions=INSTRUCTIONS, version=version("nashzoo"), log_level="WARNING")
        for tool in tools:
            self.add_tool(tool, description=inspect.getdoc(tool))
        self._arguments = {tool.__name__: list(inspect.signature(tool).parameters) for tool in tools}

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Calls a tool, in a thread of its own, so that the server answers while it works."""
        known = self._arguments.get(name, list(arguments))
        unknown = [argument for argument in arguments if argument not in known]
        if unknown:
            return _refusal(f"{name} has no argument {unknown[0]}; it has {', '.join(known) or 'none'}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                first = cause.errors()[0]
                return _refusal(f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
            if isinstance(cause, SolvingError):
                return _refusal(f"{cause}; the work goes on, ask again")
            if isinstance(cause, UsageError | OSError):
                return _refusal(str(cause))
            place = None if cause is None else failing_line(cause)
            if place is not None:
                return _refusal(f"{place}: {cause}")
            raise


def serve(games: Sequence[str], agents: Sequence[str], oracle: bool) -> None:
    """Serves until the input ends.

    Args:
        games: Modules and files of rules that may be played besides the games with names.
        agents: Models, scripts and classes that may be played.
        oracle: Whether the tools that know the exact solution are there.

    Raises:
        UsageError: a game or player is unknown.
    """
    with contextlib.redirect_stdout(sys.stderr):  # what a rules file prints is no message of the protocol
        library = Library(games, agents)
        for game in games:
            library.game(game)
    tools = Tools(library)
    if sys.stdin.isatty():
        sys.stderr.write("This server speaks to a program that starts it: see docs/mcp.md. Ctrl-D ends it.\n")
    _complete_characters()
    try:
        SentenceServer(tools.playing() + (tools.oracle() if oracle else [])).run()
    except ExceptionGroup as errors:
        if errors.split(BrokenPipeError)[1] is None:  # the client has gone
            raise BrokenPipeError from None
        raise
    finally:
        tools.close()


def _complete_characters() -> None:
    """Has standard input say ? in the place of half a surrogate pair, as such a request gets no answer else."""
    asked = os.fdopen(os.dup(0), "rb")
    read, write = os.pipe()
    os.dup2(read, 0)
    os.close(read)

    def pass_on() -> None:
        with asked, open(write, "wb", buffering=0) as passed:
            for line in asked:
                if SURROGATE.search(line):
                    with contextlib.suppress(ValueError, RecursionError):  # no JSON
                        whole = json.dumps(json.loads(line), ensure_ascii=False)
                        line = whole.encode(errors="replace") + b"\n"
                passed.write(line)

    threading.Thread(target=pass_on, daemon=True).start()


def _refusal(sentence: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=sentence)], is_error=True)
