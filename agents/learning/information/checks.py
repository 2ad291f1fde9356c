"""Checks of the game that a learner for hidden information is to learn."""

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import name_of
from nashzoo.envs.core.game import Game


def check_hidden(learner: object, game: Game) -> None:
    """Checks that a game has hidden information.

    Raises:
        UsageError: both players see its state.
    """
    if not game.hides:
        raise UsageError(
            f"{name_of(learner)} learns games with hidden information, and both players see the state of {game.name}: "
            "learn it with regret_matching"
        )
