"""The forms in which a training function under test is given a game: the game, or an environment of another library.

The function says which by the name of its first parameter, ``aec_env`` or ``aec``, or by its annotation, ``AECEnv``.
Observations of PettingZoo's forms are dictionaries with the mask, as its wrappers for board games expect.
"""

import importlib
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.envs.api.gymnasium_env import GameEnv
from nashzoo.envs.api.parallel_env import GameParallelEnv
from nashzoo.envs.base.errors import MissingPackageError, UsageError
from nashzoo.envs.core.checks import check_one_of
from nashzoo.envs.core.game import Game
from nashzoo.envs.vector.game_batch import GameBatch

NUM_GAMES = 8  # of a VecEnv
WITH_MASKS: dict[str, Any] = {"masks": "observation"}


class Form(NamedTuple):
    """A form of a game: what it is, the classes of an annotation that mean it, and what makes it."""

    about: str
    classes: tuple[str, ...]
    make: Callable[[Game], Any]
    in_turn: bool = False  # whether a loop over it may take the players one after the other


class Module:
    """A game with the functions of PettingZoo's modules, which take their options."""

    def __init__(self, game: Game) -> None:
        self.env, self.raw_env = (partial(_aec, game, guarded) for guarded in (True, False))
        self.parallel_env = partial(GameParallelEnv, game, **WITH_MASKS)


def _aec(game: Game, guarded: bool = True, **options: Any) -> Any:
    from nashzoo.envs.api.aec import GameAECEnv, wrapped

    env = GameAECEnv(game, **{**WITH_MASKS, **options})
    return wrapped(env) if guarded else env


def _vec_env(game: Game) -> Any:
    from nashzoo.envs.api.sb3_vec_env import GameVecEnv

    return GameVecEnv(GameBatch(game, NUM_GAMES, RandomAgent(game), player="random"))


def _by(module: str, name: str, game: Game) -> Any:
    """Returns the parallel environment in another library's own wrapper for PettingZoo."""
    try:
        wrapper = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise MissingPackageError(f"this form needs {module.partition('.')[0]} installed: {error}") from error
    return wrapper(GameParallelEnv(game, **WITH_MASKS))


FORMS = {
    "game": Form("a game of nashzoo", ("Game",), lambda game: game, in_turn=True),
    "module": Form("a module of PettingZoo with env() and parallel_env()", ("ModuleType",), Module, in_turn=True),
    "aec": Form("PettingZoo's AECEnv", ("AECEnv",), _aec, in_turn=True),
    "parallel": Form("PettingZoo's ParallelEnv", ("ParallelEnv",), partial(GameParallelEnv, **WITH_MASKS)),
    "gymnasium": Form(
        "Gymnasium's Env, whose batch.opponent plays the other seat, at random at first",
        ("Env",),
        lambda game: GameEnv(game, RandomAgent(game), player="random"),
    ),
    "sb3": Form(f"a VecEnv of Stable-Baselines3 with {NUM_GAMES} games, and an opponent", ("VecEnv",), _vec_env),
    "torchrl": Form("TorchRL's EnvBase", ("EnvBase",), partial(_by, "torchrl.envs", "PettingZooWrapper")),
    "rllib": Form(
        "RLlib's MultiAgentEnv",
        ("MultiAgentEnv",),
        partial(_by, "ray.rllib.env.wrappers.pettingzoo_env", "ParallelPettingZooEnv"),
    ),
    "puffer": Form(
        "PufferLib's environment of agents",
        ("PettingZooPufferEnv",),
        partial(_by, "pufferlib.emulation", "PettingZooPufferEnv"),
    ),
}
NAMES = {name: name for name in FORMS} | {f"{name}_env": name for name in FORMS} | {"env_fn": "module"}
UNCLEAR = ("env", "envs", "environment")


def form_of(train: Callable[..., Any], chosen: str = "") -> Form:
    """Returns the form that a training function expects: the chosen one, or that of its first parameter, or the game.

    Raises:
        UsageError: there is no such form, or the parameter is an environment of no known form.
    """
    if chosen:
        return FORMS[check_one_of("form", chosen, FORMS)]
    first = next(iter(inspect.signature(train).parameters.values()))
    kind = getattr(first.annotation, "__name__", str(first.annotation)).rpartition(".")[2].partition("[")[0]
    named = NAMES.get(first.name) or next((name for name, form in FORMS.items() if kind in form.classes), "")
    if not named and first.name in UNCLEAR:
        raise UsageError(
            f"which environment {first.name} is does not show: name it {'_env, '.join(FORMS)}_env, or give the form"
        )
    return FORMS[named or "game"]
