"""Two-player zero-sum games whose exact solution is known, as PettingZoo and Gymnasium environments."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import nashzoo.envs.games  # noqa: F401  # before the function of the same name, whose place it would take
from nashzoo.envs.core.game import Game
from nashzoo.envs.registry import games, make_game, register, register_all

register_all()

if TYPE_CHECKING:
    from nashzoo.envs import footsies_v0
    from nashzoo.envs.imported.environments import from_environment
    from nashzoo.envs.imported.large_matrix import LargeMatrix
    from nashzoo.envs.imported.matrix import matrix_game
    from nashzoo.envs.imported.openspiel import from_openspiel
else:
    _IMPORTED = {
        "LargeMatrix": "large_matrix",
        "from_environment": "environments",
        "from_openspiel": "openspiel",
        "matrix_game": "matrix",
    }

    def __getattr__(name: str) -> Any:
        """Returns what few programs need: the version, environments, functions that make games of other programs."""
        if name == "footsies_v0":
            return import_module("nashzoo.envs.footsies_v0")
        if name == "__version__":
            return import_module("importlib.metadata").version("nashzoo")
        if name not in _IMPORTED:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"nashzoo.envs.imported.{_IMPORTED[name]}"), name)


__all__ = [
    "Game",
    "LargeMatrix",
    "footsies_v0",
    "from_environment",
    "from_openspiel",
    "games",
    "make_game",
    "matrix_game",
    "register",
]
