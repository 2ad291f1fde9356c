"""Players who learn by playing, and can be asked to begin with nothing."""

from abc import abstractmethod
from typing import Any, Self

from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Game


class Learner(PolicyAgent):
    """A player who gets better with every game it plays."""

    @classmethod
    @abstractmethod
    def untaught(cls, game: Game, opponent: Any, player: int | str, seed: int) -> Self:
        """Returns one that has played no game yet.

        Args:
            game: The game.
            opponent: Whom it will play, see :func:`nashzoo.agents.as_agent`.
            player: The seat it will play, 0, 1 or ``"random"`` for both in turns.
            seed: Seed of everything random in what it learns.

        Raises:
            NoPolicyError: the opponent, or one of whom it is drawn, does not choose by the state alone.
        """

    @abstractmethod
    def learn(self, games: int) -> int:
        """Plays some more games and learns from them; returns how many decisions it took in them."""
