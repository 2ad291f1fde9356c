"""The public games by name, and their registration with Gymnasium and PettingZoo."""

import importlib
from typing import Any

import gymnasium
import pettingzoo

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game

# The public module's name and the name that Gymnasium's ids carry.
GAMES = {
    "footsies_v0": "Footsies",
    "roshambo_v0": "Roshambo",
    "bodega_brawl_v0": "BodegaBrawl",
    "tictactoe_v0": "TicTacToe",
    "soccer_v0": "Soccer",
}

NAMESPACE = "nashzoo"


def games() -> tuple[str, ...]:
    """Returns the names of all games."""
    return tuple(GAMES)


def make_game(name: str, **options: Any) -> Game:
    """Returns a game by name, with its parameters.

    Raises:
        UsageError: there is no such game, or a parameter's value is out of its range.
        UsageTypeError: the game has no such parameter.
    """
    if name not in GAMES:
        raise UsageError(f"there is no game {name!r}; the games are {', '.join(GAMES)}")
    game: Game = importlib.import_module(f"nashzoo.envs.{name}").game(**options)
    return game


def register_all() -> None:
    """Registers every game with Gymnasium and with PettingZoo, by the same name, such as ``nashzoo/Footsies-v0``.

    A Gymnasium environment has its opponent inside. Opponents stand above the environments, so the entry point
    is a name which Gymnasium looks up when somebody makes one.
    """
    for name, title in GAMES.items():
        identifier = f"{NAMESPACE}/{title}-v{name.rsplit('_v', 1)[1]}"
        gymnasium.register(
            identifier,
            entry_point="nashzoo.agents.gym_factory:gymnasium_env",
            vector_entry_point="nashzoo.agents.gym_factory:gymnasium_vector_env",
            kwargs={"game": name},
        )
        if hasattr(pettingzoo, "register"):  # since PettingZoo 1.27
            for env_type, function in (("parallel", "parallel_env"), ("aec", "env")):
                pettingzoo.register(env_type, identifier, f"nashzoo.envs.{name}:{function}")
