"""Two-player zero-sum games whose exact solution is known, as PettingZoo and Gymnasium environments."""

from nashzoo.envs import footsies_v0
from nashzoo.envs.core.game import Game
from nashzoo.envs.imported.matrix import matrix_game
from nashzoo.envs.imported.openspiel import from_openspiel
from nashzoo.envs.registry import games, make_game, register, register_all

register_all()

__all__ = ["Game", "footsies_v0", "from_openspiel", "games", "make_game", "matrix_game", "register"]
