"""The observations of the environment from which a game was made, for policies that were made for that environment."""

from typing import Any

import numpy as np

from nashzoo.envs.core.agent import states_of
from nashzoo.envs.core.game import Features, Game
from nashzoo.envs.core.one_hot import OneHotEncoding, one_hot_or_none


class EnvironmentEncoding:
    """An environment's own observations in place of the game's.

    Args:
        game: The game, made by :func:`nashzoo.envs.from_environment`.
        flat: Whether they are rows of numbers, whatever their shape is in the environment.
    """

    width = -1  # they are not recognised by their width

    def __init__(self, game: Game, flat: bool) -> None:
        self.game = game
        self.shape = game.rules.environment.observations.shape[2:]
        if flat:
            self.shape = (int(np.prod(self.shape)),)

    def encode(self, observations: Features) -> Any:
        """Returns the environment's observations ``[B, ...]`` where the game's are ``[B, features]``.

        Raises:
            UsageError: states of the game have several observations.
        """
        codes, players = states_of(self.game, observations)
        numbers = codes & self.game.rules.written.tables().mask
        return self.game.rules.environment.at(numbers, players).reshape(len(observations), *self.shape)

    def fits(self, space: Any) -> bool:
        """Returns whether they may be of a space."""
        return bool(getattr(space, "shape", None) == self.shape)


def environment_encodings(game: Game) -> list[EnvironmentEncoding]:
    """Returns an environment's observations in their own shape, and flat; none for other games."""
    shown = getattr(game.rules, "environment", None)
    if shown is None:
        return []
    return [EnvironmentEncoding(game, flat) for flat in ((False, True) if shown.observations.ndim != 3 else (False,))]


Encoding = OneHotEncoding | EnvironmentEncoding | None  # None for compact observations


def encodings(game: Game) -> list[Encoding]:
    """Returns the encodings of observations that a policy may have been made for, in the order in which to try them."""
    one_hot = one_hot_or_none(game)
    return [*environment_encodings(game), None, *([] if one_hot is None else [one_hot])]
