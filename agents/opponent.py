"""Gymnasium environments with an opponent given by name; what ``gym.make`` of the registered games calls."""

from typing import Any

from nashzoo.agents.registry import as_agent
from nashzoo.envs.game import Game
from nashzoo.envs.registry import make_game
from nashzoo.envs.single import GameEnv


def gymnasium_env(
    game: str | Game,
    opponent: Any = "random",
    opponent_options: dict[str, Any] | None = None,
    player: int | str = 0,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    illegal_action: str = "lose",
    **game_options: Any,
) -> GameEnv:
    """Returns a Gymnasium environment in which one player learns and the other is played by ``opponent``.

    Args:
        game: A game, or its name.
        opponent: Who plays the other side, see :func:`nashzoo.agents.as_agent`. All its draws come from the
            environment's seed, whatever seed it has itself.
        opponent_options: Options of an opponent given by name.
        player: The learner's seat, 0, 1, or ``"random"`` for a new draw in every episode.
        render_mode: None, ``"ansi"``, ``"rgb_array"`` or ``"human"``.
        max_cycles: Joint steps after which an unfinished game is truncated; None for ``game.max_cycles``.
        illegal_action: As in :class:`nashzoo.envs.face.Face`.
        **game_options: Parameters of a game given by name.

    Raises:
        ValueError: there is no such game or opponent, or an option has a value it cannot have.
        TypeError: there is no such option.
    """
    if isinstance(game, str):
        game = make_game(game, **game_options)
    elif game_options:
        raise TypeError(f"{game} has its parameters already; unexpected {', '.join(sorted(game_options))}")
    agent = as_agent(opponent, game, **(opponent_options or {}))
    return GameEnv(game, agent, player, max_cycles, illegal_action, render_mode)
