"""``nashzoo list``: what there is."""

import rich
from rich.table import Table

from nashzoo import agents
from nashzoo.envs import games, make_game
from nashzoo.envs.compilation.lazy_compilation import interpreted


def main() -> None:
    """Prints the games with their parameters, and the agents of each."""
    with interpreted():  # a game that nobody plays is not worth compiling
        for name in games():
            rich.print(_table(name))


def _table(name: str) -> Table:
    game = make_game(name)
    parameters = ", ".join(f"{key}={value!r}" for key, value in game.options.items())
    table = Table("agent", "who", "options", title=f"{name}\n{parameters}")
    for agent in agents.names(game):
        options = ", ".join(f"{key}={value!r}" for key, value in agents.options(agent).items())
        table.add_row(agent, agents.title(agent), options)
    return table
