"""The commands that the pages and the help show, as users type them."""

import re
import shlex
from collections.abc import Iterator

from nashzoo.app import index


def typed(lines: str) -> list[list[str]]:
    """Returns the words of each line of a block, without its comment."""
    return [shlex.split(line.partition("#")[0].removeprefix("$ ")) for line in lines.splitlines()]


def blocks_of(page: str, language: str) -> Iterator[tuple[str, int]]:
    """Yields every block of code in this language, and the line of the page that it begins after."""
    for match in re.finditer(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        yield match[1], page[: match.start()].count("\n") + 1


def example(command: str) -> str:
    """Returns the example in the help of a command, such as ``menace train``."""
    name, *rest = command.split()
    function = index.subcommands(name)[rest[0]] if rest else index.command(name)
    found = re.search(r"Example: (nashzoo .*)", function.__doc__ or "")
    assert found is not None, command
    return found[1]


def commands() -> list[str]:
    """Returns all commands and subcommands."""
    parts = ((name, index.subcommands(name)) for name in index.names())
    return [command for name, below in parts for command in ([f"{name} {sub}" for sub in below] if below else [name])]
