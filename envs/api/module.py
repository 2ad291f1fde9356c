"""The functions of a public environment module such as ``footsies_v0``, made from its rules file."""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from nashzoo.envs.api.parallel_env import GameParallelEnv
from nashzoo.envs.api.pettingzoo_base import PettingZooBase
from nashzoo.envs.core.game import Game
from nashzoo.envs.rules.parameters import signature_of

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from nashzoo.envs.api.aec import GameAECEnv

ENVIRONMENT_OPTIONS = {
    name: option.replace(kind=inspect.Parameter.KEYWORD_ONLY)
    for name, option in inspect.signature(PettingZooBase).parameters.items()
    if name != "game"
}


class EnvironmentModule(NamedTuple):
    """The functions of a public environment module; all take the game's parameters by keyword.

    The environments also take the options of :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`, such as
    ``render_mode``.
    """

    game: Callable[..., Game]
    env: "Callable[..., AECEnv]"
    raw_env: "Callable[..., GameAECEnv]"
    parallel_env: Callable[..., GameParallelEnv]


def make_module(rules: Any) -> EnvironmentModule:
    """Returns the public functions of a rules file, whose signatures list the parameters of its ``Params``."""

    def game(**options: Any) -> Game:
        """Returns the game with these parameters: its rules, without an environment."""
        return Game(rules, **options)

    def split(options: dict[str, Any]) -> tuple[Game, dict[str, Any]]:
        chosen = {name: options.pop(name) for name in ENVIRONMENT_OPTIONS if name in options}
        return game(**options), chosen

    def raw_env(**options: Any) -> "GameAECEnv":
        """Returns a PettingZoo ``AECEnv`` without wrappers."""
        from nashzoo.envs.api.aec import GameAECEnv

        made, rest = split(options)
        return GameAECEnv(made, **rest)

    def env(**options: Any) -> "AECEnv":
        """Returns a PettingZoo ``AECEnv`` with PettingZoo's usual wrappers."""
        from nashzoo.envs.api.aec import wrapped

        return wrapped(raw_env(**options))

    def parallel_env(**options: Any) -> GameParallelEnv:
        """Returns a PettingZoo ``ParallelEnv``."""
        made, rest = split(options)
        return GameParallelEnv(made, **rest)

    module = EnvironmentModule(game, env, raw_env, parallel_env)
    parameters = signature_of(rules).parameters
    for function in module:
        known = {**parameters, **({} if function is game else ENVIRONMENT_OPTIONS)}
        signature = inspect.signature(function).replace(parameters=list(known.values()))
        vars(function)["__signature__"] = signature
        if parameters:
            place = rules.Params
            function.__doc__ = f"{function.__doc__}\n\nParameters: :class:`{place.__module__}.{place.__qualname__}`."
    return module
