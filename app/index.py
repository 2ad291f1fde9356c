"""The commands by name: each is a file of ``app/commands``; its docstring is the help, its first line the summary.

The options of a command are the arguments of the function ``main`` of its file. A file with subcommands has their
functions in ``SUBCOMMANDS`` instead, whose docstrings are their help.
"""

import importlib
import os
from collections.abc import Callable
from typing import Annotated, Any, Union

from nashzoo.app import commands

FIRST = (
    "train", "solve", "verify", "check", "check-trainer", "play", "watch", "replay", "tournament", "exploitability",
    "weaknesses", "exploit", "results", "bench", "export", "picture", "menace", "text", "web", "mcp", "list",
)  # fmt: skip  # in the help; others follow


def summaries() -> dict[str, str]:
    """Returns the names of all commands, and what each does, without importing any."""
    found = {}
    for name, file in _files().items():
        with open(file, encoding="utf-8") as lines:
            found[name] = lines.readline().strip('"\n')
    return found


def names() -> list[str]:
    """Returns the names of all commands."""
    return [*_files()]


def command(name: str) -> Callable[..., Any]:
    """Returns a command, with all its options."""
    module = _module(name)
    function: Callable[..., Any] = _choice(module.SUBCOMMANDS) if hasattr(module, "SUBCOMMANDS") else module.main
    function.__doc__ = module.__doc__
    return function


def subcommands(name: str) -> dict[str, Callable[..., Any]]:
    """Returns the subcommands of a command by name; of most commands none."""
    return getattr(_module(name), "SUBCOMMANDS", {})


def _files() -> dict[str, str]:
    """Returns the files of the commands by name."""
    files = {file: folder for folder in commands.__path__ for file in sorted(os.listdir(folder))}
    found = {
        file.removesuffix(".py").replace("_", "-"): os.path.join(folder, file)
        for file, folder in files.items()
        if file.endswith(".py") and file != "__init__.py"
    }
    return {name: found[name] for name in dict.fromkeys((*FIRST, *found)) if name in found}


def _module(name: str) -> Any:
    return importlib.import_module(f"nashzoo.app.commands.{name.replace('-', '_')}")


def _choice(functions: dict[str, Callable[..., Any]]) -> Callable[..., Any]:
    """Returns a function whose options are those of one of several functions, chosen by its name."""
    from tyro.conf import arg, subcommand

    def chosen(command: Any) -> None:
        """Is called when the chosen function has done its work."""

    kinds = tuple(Annotated[Any, subcommand(name, constructor=one)] for name, one in functions.items())
    chosen.__annotations__["command"] = Annotated[Union[kinds], arg(name="")]  # noqa: UP007  # a tuple of types
    return chosen
