"""``nashzoo list``: the games, their agents, and the learners."""

import json
from typing import Any

import rich
from rich.markup import escape
from rich.table import Table

from nashzoo import agents
from nashzoo.agents.registry import self_play_learner, self_play_learners
from nashzoo.envs import Game, games, make_game
from nashzoo.envs.base.errors import MissingPackageError


def main(as_json: bool = False) -> None:
    """Prints the games with their parameters and agents, and the learners."""
    known = {name: _players(make_game(name)) for name in games()}
    learning = {name: _learner(name) for name in self_play_learners()}
    if as_json:
        print(json.dumps({"games": known, "learners": learning}, indent=2))
        return
    for name, about in known.items():
        table = Table("agent", "who", "options", title=f"{name}\n{_assigned(about['parameters'])}")
        for agent, described in about["agents"].items():
            table.add_row(agent, described["title"], _assigned(described["options"]))
        rich.print(table)
    table = Table("learner", "games", "learns from", title="learners, for nashzoo train --algorithm")
    table.add_column("settings", overflow="fold", min_width=24)
    for name, described in learning.items():
        settings = escape(described["missing"]) if described["missing"] else _assigned(described["settings"])
        table.add_row(name, described["games"], described["learns_from"], settings)
    rich.print(table)
    for name, entry in agents.registry.entries().items():
        if not entry.listed:
            rich.print(f"every game: {name}, {entry.title[0].lower()}{entry.title[1:]}, with options")


def _players(game: Game) -> dict[str, Any]:
    known = {name: {"title": agents.title(name), "options": agents.options(name)} for name in agents.names(game)}
    return {"parameters": game.options, "agents": known}


def _learner(name: str) -> dict[str, Any]:
    """Returns the input that a learner learns from, and its settings, unless a package is missing."""
    try:
        settings = {key: value for key, value in agents.options(name).items() if key != "file"}
        kind = self_play_learner(name)
        kinds = ("open", "hidden") if kind.OPEN and kind.HIDDEN else ("hidden",) if kind.HIDDEN else ("open",)
        return {"games": " and ".join(kinds), "learns_from": kind.GIVEN, "settings": settings, "missing": None}
    except MissingPackageError as error:
        return {"games": "", "learns_from": "", "settings": {}, "missing": str(error)}


def _assigned(values: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in values.items())
