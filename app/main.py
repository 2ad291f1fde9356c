"""The ``nashzoo`` command. Its help does not import the commands."""

import atexit
import gc
import shutil
import sys
import textwrap
from collections.abc import Sequence

from nashzoo.app import index
from nashzoo.app.shared.errors import run_program

USAGE = "usage: nashzoo [-h] [--version] COMMAND ..."

ABOUT = "Two-player zero-sum games whose exact solution is known: solve them, play them, measure players."

NOTES = (
    "nashzoo COMMAND --help shows the options of a command, with an example. nashzoo --tyro-print-completion bash, or "
    "zsh, or tcsh, prints the completion script of that shell.",
    "Figures go to standard output, with --json for programs. Progress goes to standard error if that is a terminal, "
    "and is not shown with --quiet.",
    "Exit codes: 0 done; 1 verify, check or check-trainer found something wrong, or a run of bench failed; 2 it could "
    "not be done, and standard error says why; 130 interrupted; 141 the reader of the output has gone.",
)
MOST_COLUMNS = 100

HELP = ("-h", "--help")
COMPLETION = ("--tyro-print-completion", "--tyro-write-completion")


def help_text() -> str:
    """Returns the help: all commands with their summaries."""
    columns = min(shutil.get_terminal_size().columns, MOST_COLUMNS)
    summaries = index.summaries()
    indent = max(map(len, summaries)) + 4
    commands = (
        textwrap.fill(summary, columns, initial_indent=f"  {name}".ljust(indent), subsequent_indent=" " * indent)
        for name, summary in summaries.items()
    )
    about, *notes = (textwrap.fill(text, columns, break_on_hyphens=False) for text in (ABOUT, *NOTES))
    return "\n\n".join([USAGE, about, "\n".join(commands), *notes])


def _run(words: Sequence[str]) -> None:
    if not words:
        print(help_text(), file=sys.stderr)
        sys.exit(2)
    first, *rest = words
    if first in HELP:
        print(help_text())
    elif first == "--version":
        from importlib.metadata import version

        print(f"nashzoo {version('nashzoo')}")
    elif first in index.names() or first in COMPLETION:
        _run_command(first, rest)
    else:
        from nashzoo.envs.base.progress import say
        from nashzoo.envs.base.words import suggestion

        names = index.names()
        print(USAGE, file=sys.stderr)
        say(f"there is no command {first!r}{suggestion(first, names)}; the commands are {', '.join(names)}")
        sys.exit(2)


def _run_command(first: str, rest: Sequence[str]) -> None:
    from nashzoo.app.shared import options

    if first in COMPLETION:
        import tyro

        known = {name: index.command(name) for name in index.names()}
        tyro.extras.subcommand_cli_from_dict(known, prog="nashzoo", args=[first, *rest], config=options.CONFIG)
        return
    subcommands = index.subcommands(first)
    if rest[:1] and rest[0] in subcommands:  # tyro's advice names a subcommand without the command
        options.run(subcommands[rest[0]], rest[1:], f"nashzoo {first} {rest[0]}")
    else:
        options.run(index.command(first), rest, f"nashzoo {first}")


def main() -> int:
    """Runs the command; returns its exit code."""
    # What is imported is no garbage: looking through it again and again, and once more at the end, takes 0.2 s.
    gc.set_threshold(20_000)
    atexit.register(gc.freeze)
    return run_program("nashzoo", lambda: _run(sys.argv[1:]))
