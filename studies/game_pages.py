"""The generated parts of the pages of the games, and of the page on rules files: facts, options of players, pieces.

python -m studies.game_pages             # writes the blocks between markers, and the table of the gallery
python -m studies.game_pages --measure   # first solves every game, for docs/games.json
"""

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import gymnasium

from nashzoo import agents
from nashzoo.baselines import solve
from nashzoo.envs import Game, make_game
from nashzoo.envs.base.files import written_whole
from nashzoo.envs.core.one_hot import OneHotEncoding
from nashzoo.envs.registry import environments
from nashzoo.envs.rules.pieces import PIECES, VIEW_PIECES, Piece
from studies.game_pictures import MATCHES, SOLUTIONS, animation_commands, solution_command

DOCS = Path(__file__).resolve().parents[1] / "docs"
MEASURED = DOCS / "games.json"
GALLERY = DOCS / "games.md"
OWN_GAME = DOCS / "own_game.md"

TITLES = {
    "footsies": "Footsies",
    "roshambo": "Roshambo",
    "bodega_brawl": "Bodega Brawl",
    "tictactoe": "Tic-tac-toe",
    "soccer": "Grid soccer",
}

# The headings of a game's page; all other text is below one of them.
HEADINGS = (
    "Facts",
    "Rules",
    "Parameters",
    "Actions",
    "Observation",
    "Rewards",
    "Start and end",
    "Players",
    "The exact solution",
    "Results",
    "Versions",
    "Sources",
)

BRIEF = 10.0  # seconds; games that are solved faster are solved several times
REPETITIONS = 7
BOUND_DIGITS = ".0e"


def begin(block: str) -> str:
    """Returns the line before a block that is written by this program."""
    return f"<!-- {block} -->\n"


def end(block: str) -> str:
    """Returns the line after it."""
    return f"<!-- end of {block} -->\n"


def with_block(page: str, block: str, text: str) -> str:
    """Returns a page with a text between the two lines of a block."""
    before, rest = page.split(begin(block))
    return before + begin(block) + text + end(block) + rest.split(end(block))[1]


def measure(name: str) -> dict[str, Any]:
    """Solves a game, compiled and with its certificate; returns the figures of the solution, and the seconds."""
    game = make_game(f"{name}_v0")
    taken = []
    if name != "bodega_brawl":
        solve(game)  # compiles
    else:
        solve(make_game("bodega_brawl_v0", preset="small"))
    while not taken or (len(taken) < REPETITIONS and taken[0] < BRIEF):
        begun = time.process_time()  # of all threads; other work on the machine does not count
        solution = solve(game)
        taken.append(time.process_time() - begun)
    return {
        "states": solution.num_states,
        "value": round(solution.start_value, 9) + 0.0,
        "certificate": solution.certificate,
        "processor_seconds": float(f"{statistics.median(taken):.2g}"),
    }


def measure_all() -> None:
    """Writes the figures of all games, with the machine and the date."""
    found = {
        "measured": {
            "on": date.today().isoformat(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        },
        "games": {name: measure(name) for name in TITLES},
    }
    with written_whole(MEASURED) as temporary:
        temporary.write_text(json.dumps(found, indent=2) + "\n")


def measured() -> dict[str, Any]:
    """Returns the figures, see :func:`measure_all`."""
    found: dict[str, Any] = json.loads(MEASURED.read_text())
    return found


def facts(name: str) -> str:
    """Returns the facts of a game as a table."""
    game = make_game(f"{name}_v0")
    return "\n".join(
        [
            "",
            "| fact | of this game |",
            "|---|---|",
            *(f"| {what} | {said} |" for what, said in _facts(name, game)),
            "",
            "",
        ]
    )


def _facts(name: str, game: Game) -> Iterator[tuple[str, str]]:
    known, told = measured(), measured()["games"][name]
    env = environments(game.name).parallel_env()
    yield "PettingZoo", f"`from nashzoo.envs import {game.name}`, `{game.name}.parallel_env()`, `{game.name}.env()`"
    identifier = next(key for key, spec in gymnasium.registry.items() if spec.kwargs.get("game") == game.name)
    yield "Gymnasium", f'`gymnasium.make("nashzoo.envs:{identifier}")`'
    yield "moves", moves(game)
    yield "chance", chance(game)
    yield "symmetric", "yes, both seats see the same" if game.symmetric else "no"
    yield "action space", f"`{env.action_space('player_0')}`"
    yield "observation space", f"`{env.observation_space('player_0')}`"
    yield "one-hot", f'{OneHotEncoding(game).width:,} numbers with `observation="one_hot"`'
    yield "states that are not terminal", f"{told['states']:,}"
    yield "value to player 0", value(told)
    bound = f"{told['certificate']:{BOUND_DIGITS}}" if told["certificate"] else "0"
    yield "certificate", f"{bound}, the proven bound of the error at any state"
    where = known["measured"]
    command = "python -m studies.game_pages --measure"
    yield (
        "solved in",
        f"{told['processor_seconds']:g} s of processor time with its certificate, once compiled; `{command}` on "
        f"{where['cores']} cores, {where['system']}, {where['on']}",
    )


def moves(game: Game) -> str:
    """Returns the order of moves, in words."""
    return "in turn" if game.turn_based else "both at once"


def chance(game: Game) -> str:
    """Returns the role of chance, in words."""
    if game.has_chance:
        return "in the rules"
    starts = len(game.start_codes)
    return "none" if starts == 1 else f"the start alone, one of {starts:,}"


def value(told: dict[str, Any]) -> str:
    """Returns the value of a game as text."""
    return f"{told['value']:+.6f}" if told["value"] else "0"


def options(name: str) -> str:
    """Returns all options of the players as a table."""
    game = make_game(f"{name}_v0")
    lines = ["", "| all options | and their defaults |", "|---|---|"]
    for agent in agents.names(game):
        told = ", ".join(f"`{key}={default!r}`" for key, default in agents.options(agent).items())
        if told and agent != "manual":
            lines.append(f"| `{agent}` | {told} |")
    return "\n".join([*lines, "", ""])


def gallery() -> str:
    """Returns the table of all games."""
    lines = ["", "| game | moves | states | value | solved in | played by |", "|---|---|---|---|---|---|"]
    for name, title in TITLES.items():
        game, told = make_game(f"{name}_v0"), measured()["games"][name]
        who = ", ".join(f"`{agent}`" for agent in agents.names(game))
        cells = [
            f"[{title}]({name}.md)",
            moves(game),
            f"{told['states']:,}",
            value(told),
            f"{told['processor_seconds']:g} s",
            who,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", ""])


def commands() -> str:
    """Returns the commands that make the pictures, as a block of code."""
    lines = [line for game in MATCHES for line in animation_commands(game)]
    return "\n".join(["", "```sh", *lines, *(solution_command(game) for game in SOLUTIONS), "```", "", ""])


def pieces(table: dict[str, Piece]) -> str:
    """Returns what a rules file, or its view, can have, as a table."""
    lines = ["", "| piece | what it is, or returns | without it |", "|---|---|---|"]
    for name, piece in table.items():
        arguments = [word for word in piece.takes if word != "code"]  # in place of state, as the page says
        call = f"`{name}({', '.join(arguments)})`" if arguments else f"`{name}`"
        lines.append(f"| {call} | {piece.says} | {piece.default} |")
    return "\n".join([*lines, "", ""])


def pages() -> dict[Path, str]:
    """Returns the pages with generated blocks, with their current blocks."""
    own_game = with_block(OWN_GAME.read_text(), "pieces", pieces(PIECES))
    found = {
        GALLERY: with_block(with_block(GALLERY.read_text(), "gallery", gallery()), "commands", commands()),
        OWN_GAME: with_block(own_game, "pieces of a view", pieces(VIEW_PIECES)),
    }
    for name in MATCHES:
        page = DOCS / f"{name}.md"
        text = with_block(page.read_text(), "facts", facts(name))
        found[page] = with_block(text, "options", options(name))
    return found


def main() -> None:
    """Writes the blocks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="solve every game first, which takes a minute or two")
    if parser.parse_args().measure:
        measure_all()
    for page, text in pages().items():
        with written_whole(page) as temporary:
            temporary.write_text(text)


if __name__ == "__main__":
    main()
