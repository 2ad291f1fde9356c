"""The functions of a public environment module such as ``footsies_v0``, made from its rules file."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from pettingzoo import AECEnv

from nashzoo.envs.api.aec import GameAECEnv, wrapped
from nashzoo.envs.api.parallel_env import GameParallelEnv
from nashzoo.envs.core.game import Game, Rules

ENVIRONMENT_OPTIONS = ("max_cycles", "illegal_action", "render_mode", "mask_in_observation", "observation", "starts")


class EnvironmentModule(NamedTuple):
    """The functions of a public environment module; all take the game's parameters by keyword.

    The environments also take ``max_cycles=None``, ``illegal_action="lose"``, ``render_mode=None``,
    ``mask_in_observation=True``, ``observation="compact"`` and ``starts=None``, see
    :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`.
    """

    game: Callable[..., Game]
    env: Callable[..., AECEnv]
    raw_env: Callable[..., GameAECEnv]
    parallel_env: Callable[..., GameParallelEnv]


def make_module(rules: Rules | ModuleType) -> EnvironmentModule:
    """Returns the public functions of a rules file."""

    def game(**options: Any) -> Game:
        """Returns the game with these parameters: its rules, without an environment."""
        return Game(rules, **options)

    def split(options: dict[str, Any]) -> tuple[Game, dict[str, Any]]:
        chosen = {name: options.pop(name) for name in ENVIRONMENT_OPTIONS if name in options}
        return game(**options), chosen

    def raw_env(**options: Any) -> GameAECEnv:
        """Returns a PettingZoo ``AECEnv`` without wrappers."""
        chosen, rest = split(options)
        return GameAECEnv(chosen, **rest)

    def env(**options: Any) -> AECEnv:
        """Returns a PettingZoo ``AECEnv`` with PettingZoo's usual wrappers."""
        return wrapped(raw_env(**options))

    def parallel_env(**options: Any) -> GameParallelEnv:
        """Returns a PettingZoo ``ParallelEnv``."""
        chosen, rest = split(options)
        return GameParallelEnv(chosen, **rest)

    return EnvironmentModule(game, env, raw_env, parallel_env)
