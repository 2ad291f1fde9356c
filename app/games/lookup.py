"""Settings by the name of the game, from the modules of this package that are named after a game.

Such a module has ``GAME``, its name; ``PPO``, settings of PPO and MaskablePPO by opponent, from
``python -m studies.ppo_defaults``; and ``TABLE``, its rows of the table of results.
"""

from functools import cache
from types import ModuleType

from nashzoo.agents.learning.past_policies import SELF
from nashzoo.agents.learning.registry import LearnerEntry
from nashzoo.app.games.ppo_settings import BOTH_SEATS, CONVERGING, DQN, Settings
from nashzoo.app.games.table_setting import Setting
from nashzoo.envs import games
from nashzoo.envs.base.modules import modules_in


@cache
def _modules() -> dict[str, ModuleType]:
    """Returns the modules by the name of their game, in the order of the registered games."""
    found = modules_in("nashzoo.app.games")
    by_game = {module.GAME: module for module in found if hasattr(module, "GAME")}
    return {name: by_game[name] for name in games() if name in by_game}


def tuned() -> dict[tuple[str, str], Settings]:
    """Returns the settings of PPO and MaskablePPO that were tuned, by game and opponent."""
    return {(name, opponent): module.PPO[opponent] for name, module in _modules().items() for opponent in module.PPO}


def settings_of(game: str, opponent: str, algorithm: LearnerEntry, both_seats: bool) -> Settings:
    """Returns the settings of a run.

    Args:
        game: The name of the game.
        opponent: ``"self"``, ``"psro"``, ``"population"`` or the name of a player.
        algorithm: What is known of the learning algorithm.
        both_seats: Whether the learner plays both seats of every game.
    """
    if algorithm.family and not algorithm.actor_critic:
        return DQN
    is_ppo = algorithm.family == "ppo" and not algorithm.remembers
    if opponent == SELF and not (both_seats and is_ppo):
        return CONVERGING
    if not is_ppo:
        return Settings()
    return tuned().get((game, opponent), BOTH_SEATS if both_seats else Settings())


def in_table() -> tuple[Setting, ...]:
    """Returns the rows of all games in the table of results."""
    return tuple(setting for module in _modules().values() for setting in module.TABLE)
