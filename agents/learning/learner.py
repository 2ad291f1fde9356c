"""Base class of players that learn from games."""

from abc import abstractmethod
from typing import Any, Self

from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Game


class Learner(PolicyAgent):
    """A player that learns in one seat, such as MENACE; ``SelfPlayLearner`` is for those that play both."""

    @classmethod
    @abstractmethod
    def untaught(cls, game: Game, opponent: Any, player: int | str, seed: int) -> Self:
        """Returns an untrained learner.

        Args:
            game: The game.
            opponent: Its training opponent, see :func:`nashzoo.agents.as_agent`.
            player: Its seat, 0, 1 or ``"random"`` for both in turns.
            seed: Seed of everything random in its training.

        Raises:
            NoPolicyError: the opponent, or one of its mixture, does not choose by the state alone.
        """

    @abstractmethod
    def learn(self, games: int) -> int:
        """Plays more games and learns from them; returns the number of its decisions in them."""
