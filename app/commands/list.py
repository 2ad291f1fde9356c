"""List the games, their parameters, and their players.

Example: nashzoo list footsies_v0
"""

import json
from typing import TYPE_CHECKING, Annotated, Any

import rich
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table
from tyro.conf import Positional, arg

from nashzoo.app.shared.arguments import Json

if TYPE_CHECKING:  # the help does without them
    from nashzoo.envs import Game


def main(
    name: Annotated[
        Positional[str | None], arg(metavar="GAME|LEARNER", help="Say all of a game, or of a learner; else an index.")
    ] = None,
    /,
    as_json: Json = False,
) -> None:
    """Prints an index of the games and the learners, or everything about one of them.

    Raises:
        UsageError: there is no such game or learner.
    """
    from nashzoo import agents
    from nashzoo.agents.registry import learner_entries, self_play_learners
    from nashzoo.app.shared.parsing import game_of
    from nashzoo.envs import games
    from nashzoo.envs.base.errors import UsageError

    if name in [each for each, entry in learner_entries().items() if entry.trained and not entry.plays_both_seats]:
        raise UsageError(f"the settings of {name} are options of nashzoo train GAME --algorithm {name}, see its --help")
    if name in {*agents.registry.entries()} - {*self_play_learners()}:
        raise UsageError(f"{name} is a player; nashzoo list GAME has the players of a game with their options")
    learners = [each for each in self_play_learners() if name in (None, each)]
    chosen = [] if name in learners else games() if name is None else [name]
    known = {game.name: _players(game) for game in map(game_of, chosen)}
    learning = {each: _learner(each) for each in learners}
    if as_json:
        print(json.dumps({"games": known, "learners": learning}, indent=2))
    elif name is None:
        _print_index(known, learning)
    elif learning:
        about = learning[name]
        title = about["missing"] or f"{name} learns {about['games']} games from {about['learns_from']}"
        _print(title, ("setting", "default"), about["settings"].items())
    else:
        ((title, about),) = known.items()
        _print(title, ("parameter", "default"), about["parameters"].items())
        described = ((agent, one["title"], _assigned(one["options"])) for agent, one in about["agents"].items())
        _print("players", ("player", "who", "options"), described)


def _print_index(known: dict[str, Any], learning: dict[str, Any]) -> None:
    from nashzoo import agents

    players = ((name, ", ".join(about["agents"])) for name, about in known.items())
    _print("nashzoo list GAME has parameters, and the options of players", ("game", "players"), players)
    learners = ((name, one["games"], one["missing"] or one["learns_from"]) for name, one in learning.items())
    heading = ("learner", "games", "learns from")
    _print("nashzoo list LEARNER has settings, for nashzoo train --algorithm", heading, learners)
    for name, entry in agents.registry.entries().items():
        if not entry.listed:
            rich.print(f"every game: {name}, {entry.title[0].lower()}{entry.title[1:]}, with options")


def _print(title: str, heading: tuple[str, ...], rows: Any) -> None:
    """Prints a table whose first column is never broken."""
    rich.print(escape(title))
    table = Table(box=SIMPLE_HEAD)
    for number, name in enumerate(heading):
        table.add_column(name, no_wrap=number == 0, overflow="fold")
    for row in rows:
        table.add_row(*(escape(each if isinstance(each, str) else repr(each)) for each in row))
    rich.print(table)


def _players(game: "Game") -> dict[str, Any]:
    from nashzoo import agents

    known = {name: {"title": agents.title(name), "options": agents.options(name)} for name in agents.names(game)}
    return {"parameters": game.options, "agents": known}


def _learner(name: str) -> dict[str, Any]:
    """Returns the input that a learner learns from, and its settings, unless a package is missing."""
    from nashzoo import agents
    from nashzoo.agents.registry import self_play_learner
    from nashzoo.envs.base.errors import MissingPackageError

    try:
        settings = {key: value for key, value in agents.options(name).items() if key != "file"}
        kind = self_play_learner(name)
        kinds = ("open", "hidden") if kind.OPEN and kind.HIDDEN else ("hidden",) if kind.HIDDEN else ("open",)
        return {"games": " and ".join(kinds), "learns_from": kind.GIVEN, "settings": settings, "missing": None}
    except MissingPackageError as error:
        return {"games": "", "learns_from": "", "settings": {}, "missing": str(error)}


def _assigned(values: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in values.items())
