"""The ``nashzoo`` command. Its help does not import the commands."""

import atexit
import difflib
import gc
import shutil
import sys
import textwrap
from collections.abc import Sequence

from nashzoo.app.shared.errors import run_program

SUMMARIES = {
    "train": "Train an agent in a game against an opponent, and compare it with the exact solution.",
    "solve": "Solve a game exactly.",
    "verify": "Prove that a solution is right, by the rules of the game alone.",
    "check": "Look for what is wrong with the rules of a game.",
    "check-trainer": "Look for mistakes in code for self-play, on tiny games whose right play is known.",
    "play": "Play a game in the terminal.",
    "watch": "Watch two agents play: every turn, and what happened in it.",
    "replay": "Play back matches that were recorded, in the terminal.",
    "tournament": "Let agents play each other.",
    "exploitability": "Measure exactly how much perfect opponents win from an agent.",
    "weaknesses": "Show where a player loses points, and why: the states with the largest shares.",
    "results": "Measure all learners, searches and scripted players of each game: the table of results.",
    "bench": "Run a learner of your own by the benchmark's protocol, and make its scorecard.",
    "export": "Write a Roshambo player as a single file that runs without nashzoo.",
    "picture": "Draw the exact solution, a state, or a match that was recorded.",
    "menace": "The learning matchboxes of tic-tac-toe: train, show, play, plot.",
    "text": "Train and evaluate language models by exact regret: dataset, review.",
    "web": "Play, watch and look up games in the browser.",
    "mcp": "Let language models play and look up games, as tools of the Model Context Protocol.",
    "list": "List the games, their parameters, and their agents.",
}

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
    indent = max(map(len, SUMMARIES)) + 4
    commands = (
        textwrap.fill(summary, columns, initial_indent=f"  {name}".ljust(indent), subsequent_indent=" " * indent)
        for name, summary in SUMMARIES.items()
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
    elif first in SUMMARIES or first in COMPLETION:
        _run_command(first, rest)
    else:
        near = difflib.get_close_matches(first, SUMMARIES, 1)
        question = f" (did you mean {near[0]}?)" if near else ""
        message = f"there is no command {first!r}{question}; the commands are {', '.join(SUMMARIES)}"
        print(f"{USAGE}\nnashzoo: {message}", file=sys.stderr)
        sys.exit(2)


def _run_command(first: str, rest: Sequence[str]) -> None:
    import tyro

    from nashzoo.app import arguments
    from nashzoo.app.shared import options

    if first in SUMMARIES:
        subcommands = arguments.SUBCOMMANDS.get(first, {})
        if rest[:1] and rest[0] in subcommands:  # tyro's advice names a subcommand without the command
            options.run(subcommands[rest[0]], rest[1:], f"nashzoo {first} {rest[0]}")
        else:
            options.run(arguments.command(first), rest, f"nashzoo {first}")
        return
    known = {name: arguments.command(name) for name in SUMMARIES}
    config = (tyro.conf.FlagCreatePairsOff,)
    tyro.extras.subcommand_cli_from_dict(known, prog="nashzoo", args=[first, *rest], config=config)


def main() -> int:
    """Runs the command; returns its exit code."""
    # What is imported is no garbage: looking through it again and again, and once more at the end, takes 0.2 s.
    gc.set_threshold(20_000)
    atexit.register(gc.freeze)
    return run_program("nashzoo", lambda: _run(sys.argv[1:]))
