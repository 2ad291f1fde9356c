"""Gymnasium environments with an opponent given by name; ``gym.make`` and ``gym.make_vec`` call these functions."""

from typing import Any

from gymnasium.vector import AutoresetMode

from nashzoo.agents.basic.regret_env import RegretEnv, RegretVectorEnv
from nashzoo.agents.loading import as_agent
from nashzoo.envs.api.gymnasium_env import GameEnv
from nashzoo.envs.api.gymnasium_vector_env import GameVectorEnv
from nashzoo.envs.base.errors import UsageTypeError
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.one_hot import COMPACT
from nashzoo.envs.core.starts import ChosenStarts
from nashzoo.envs.registry import make_game


def gymnasium_env(
    game: str | Game,
    opponent: Any = "random",
    opponent_options: dict[str, Any] | None = None,
    player: int | str = 0,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    illegal_action: str = "lose",
    regret: bool = False,
    observation: str = COMPACT,
    starts: ChosenStarts = None,
    **game_options: Any,
) -> GameEnv:
    """Returns a Gymnasium environment in which one player learns and the other is played by ``opponent``.

    Args:
        game: A game, or its name.
        opponent: The opponent, see :func:`nashzoo.agents.as_agent`. All its random numbers come from the
            environment's seed, not from its own.
        opponent_options: Options of an opponent given by name.
        player: The learner's seat, 0, 1, or ``"random"`` for a new draw in every episode.
        render_mode: None, ``"ansi"``, ``"svg"``, ``"rgb_array"`` or ``"human"``.
        max_cycles: Joint steps after which an unfinished game is truncated; None for ``game.max_cycles``.
        illegal_action: As in :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`.
        regret: Whether ``info["regret"]`` contains the regret of each action against perfect play; see
            :class:`nashzoo.agents.basic.regret_env.Regret`. It needs the game's solution.
        observation: ``"compact"`` or ``"one_hot"``, as in :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`.
        starts: Where games start, as in :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`.
        **game_options: Parameters of a game given by name.

    Raises:
        UsageError: there is no such game or opponent, or an option has a value it cannot have.
        UsageTypeError: there is no such option.
    """
    chosen, agent = _game_and_opponent(game, game_options, opponent, opponent_options)
    kind = RegretEnv if regret else GameEnv
    return kind(chosen, agent, player, max_cycles, illegal_action, render_mode, observation, starts)


def gymnasium_vector_env(
    game: str | Game,
    num_envs: int = 1,
    opponent: Any = "random",
    opponent_options: dict[str, Any] | None = None,
    player: int | str = 0,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    illegal_action: str = "lose",
    regret: bool = False,
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    observation: str = COMPACT,
    starts: ChosenStarts = None,
    **game_options: Any,
) -> GameVectorEnv:
    """Returns ``num_envs`` games as one Gymnasium ``VectorEnv``; the rest is as in :func:`gymnasium_env`.

    Raises:
        UsageError: there is no such game or opponent, or an option has a value it cannot have.
        UsageTypeError: there is no such option.
    """
    chosen, agent = _game_and_opponent(game, game_options, opponent, opponent_options)
    kind = RegretVectorEnv if regret else GameVectorEnv
    options = (player, max_cycles, illegal_action, render_mode, autoreset_mode, observation, starts)
    return kind(chosen, num_envs, agent, *options)


def _game_and_opponent(
    game: str | Game, game_options: dict[str, Any], opponent: Any, opponent_options: dict[str, Any] | None
) -> tuple[Game, Agent]:
    """Returns the game and the opponent."""
    if isinstance(game, str):
        name = game
        try:
            game = make_game(name, **game_options)
        except UsageTypeError as error:  # libraries that try an option, and then go without, look for Python's words
            unknown = min(game_options.keys() - make_game(name).options.keys())
            raise UsageTypeError(f"got an unexpected keyword argument {unknown!r}: {error}") from None
    elif game_options:
        raise UsageTypeError(f"{game} has its parameters already; unexpected {', '.join(sorted(game_options))}")
    return game, as_agent(opponent, game, **(opponent_options or {}))
