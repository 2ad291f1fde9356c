"""``nashzoo list``: what there is."""

import rich
from rich.markup import escape
from rich.table import Table

from nashzoo import agents
from nashzoo.agents.registry import self_play_learner, self_play_learners
from nashzoo.envs import games, make_game
from nashzoo.envs.base.errors import MissingPackageError
from nashzoo.envs.compilation.lazy_compilation import interpreted


def main() -> None:
    """Prints the games with their parameters, the agents of each, and who learns."""
    with interpreted():  # a game that nobody plays is not worth compiling
        for name in games():
            rich.print(_table(name))
        rich.print(_learners())


def _learners() -> Table:
    table = Table("learner", "learns from", title="learners of every game, for nashzoo train --algorithm")
    table.add_column("settings", overflow="fold", min_width=24)
    for name in self_play_learners():
        try:
            given, options = self_play_learner(name).GIVEN, agents.options(name)
            settings = ", ".join(f"{key}={value!r}" for key, value in options.items() if key != "file")
        except MissingPackageError as error:
            given, settings = "", escape(str(error))
        table.add_row(name, given, settings)
    return table


def _table(name: str) -> Table:
    game = make_game(name)
    parameters = ", ".join(f"{key}={value!r}" for key, value in game.options.items())
    table = Table("agent", "who", "options", title=f"{name}\n{parameters}")
    for agent in agents.names(game):
        options = ", ".join(f"{key}={value!r}" for key, value in agents.options(agent).items())
        table.add_row(agent, agents.title(agent), options)
    return table
