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
from nashzoo.envs.core.one_hot import OneHotEncoding
from nashzoo.envs.registry import environments
from nashzoo.envs.rules.pieces import PIECES, VIEW_PIECES, Piece
from studies.game_pictures import MATCHES
from studies.tables import DOCS, markdown, with_block, write_page

MEASURED = DOCS / "games.json"
GALLERY = DOCS / "games.md"
PLAYERS = DOCS / "players.md"
RULES = DOCS / "reference" / "rules.md"

TITLES = {
    "footsies": "Footsies",
    "roshambo": "Roshambo",
    "bodega_brawl": "Bodega Brawl",
    "tictactoe": "Tic-tac-toe",
    "soccer": "Grid soccer",
}

# The headings of a game's page; all other text is below one of them.
HEADINGS = (
    "Rules", "Start and end", "Rewards", "Facts", "Actions", "Observation", "Parameters", "Players",
    "The exact solution", "Results", "Versions", "Sources",
)  # fmt: skip

BRIEF = 10.0  # seconds; games that are solved faster are solved several times
REPETITIONS = 7


def measure(name: str) -> dict[str, Any]:
    """Solves a game, compiled and with its certificate; returns the figures of the solution, and the seconds."""
    game = make_game(f"{name}_v0")
    taken = []
    solve(make_game("bodega_brawl_v0", preset="small") if name == "bodega_brawl" else game)  # compiles
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
    figures = {
        "measured": {
            "on": date.today().isoformat(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        },
        "games": {name: measure(name) for name in TITLES},
    }
    write_page(MEASURED, json.dumps(figures, indent=2) + "\n")


def measured() -> dict[str, Any]:
    """Returns the figures, see :func:`measure_all`."""
    figures: dict[str, Any] = json.loads(MEASURED.read_text())
    return figures


def block(*rows: tuple[str, ...]) -> str:
    """Returns a table as a block of a page."""
    return f"\n{markdown(rows, left=len(rows[0]))}\n\n"


def facts(name: str) -> Iterator[tuple[str, str]]:
    """Yields the rows of the facts of a game."""
    game = make_game(f"{name}_v0")
    yield "fact", "of this game"
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


def solution(name: str) -> Iterator[tuple[str, str]]:
    """Yields the rows of the figures of a game's solution."""
    figures = measured()["games"][name]
    yield "figure", "of the exact solution"
    yield "states that are not terminal", f"{figures['states']:,}"
    yield "value to player 0", value(figures)
    yield "solved in", f"{figures['processor_seconds']:g} s, [measured](games.md) as for all games"
    bound = f"{figures['certificate']:.0e}" if figures["certificate"] else "0"
    yield "certificate", f"{bound}, the proven bound of the error at any state"


def moves(game: Game) -> str:
    """Returns the order of moves, in words."""
    return "in turn" if game.turn_based else "both at once"


def chance(game: Game) -> str:
    """Returns the role of chance, in words."""
    if game.has_chance:
        return "in the rules"
    starts = len(game.start_codes)
    return "none" if starts == 1 else f"the start alone, one of {starts:,}"


def value(figures: dict[str, Any]) -> str:
    """Returns the value of a game as text."""
    return f"{figures['value']:+.6f}" if figures["value"] else "0"


def options() -> Iterator[tuple[str, str]]:
    """Yields the rows of all options of the players of the five games."""
    yield "player", "all options and their defaults"
    names = dict.fromkeys(agent for name in TITLES for agent in agents.names(make_game(f"{name}_v0")))
    for agent in names:
        defaults = ", ".join(f"`{key}={default!r}`" for key, default in agents.options(agent).items())
        if defaults and agent != "manual":
            yield f"`{agent}`", defaults


def gallery() -> Iterator[tuple[str, ...]]:
    """Yields the rows of all games."""
    yield "game", "moves", "states", "value", "solved in"
    for name, title in TITLES.items():
        game, figures = make_game(f"{name}_v0"), measured()["games"][name]
        seconds = f"{figures['processor_seconds']:g} s"
        yield f"[{title}]({name}.md)", moves(game), f"{figures['states']:,}", value(figures), seconds


def where_measured() -> str:
    """Returns how and where the seconds of all games were measured, as a sentence."""
    where = "{cores} cores, {system}, {on}".format_map(measured()["measured"])
    return (
        "*Solved in* is the processor time of `solve` with its certificate, once compiled: "
        f"`python -m studies.game_pages --measure` on {where}.\n\n"
    )


def pieces(table: dict[str, Piece]) -> Iterator[tuple[str, str, str]]:
    """Yields the rows of what a rules file, or its view, can have."""
    yield "piece", "what it is, or returns", "without it"
    for name, piece in table.items():
        arguments = [word for word in piece.takes if word != "code"]  # in place of state, as the page says
        call = f"`{name}({', '.join(arguments)})`" if arguments else f"`{name}`"
        yield call, piece.says, piece.default


def pages() -> dict[Path, str]:
    """Returns the pages with generated blocks, with their current blocks."""
    blocks = {
        PLAYERS: {"options": block(*options())},
        GALLERY: {"gallery": block(*gallery()) + where_measured()},
        RULES: {"pieces": block(*pieces(PIECES)), "pieces of a view": block(*pieces(VIEW_PIECES))},
    }
    generated = {"facts": facts, "solution": solution}
    blocks |= {DOCS / f"{name}.md": {part: block(*of(name)) for part, of in generated.items()} for name in MATCHES}
    texts = {page: page.read_text() for page in blocks}
    for page, of_page in blocks.items():
        for name, text in of_page.items():
            texts[page] = with_block(texts[page], name, text)
    return texts


def main() -> None:
    """Writes the blocks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="solve every game first, which takes a minute or two")
    if parser.parse_args().measure:
        measure_all()
    for page, text in pages().items():
        write_page(page, text)


if __name__ == "__main__":
    main()
