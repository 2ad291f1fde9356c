"""A mixture of players: one of them is drawn for every game."""

from collections.abc import Sequence

import numpy as np

from nashzoo.agents.basic.checks import check_positive
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.core.checks import name_of
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask


class MixedAgent(Agent):
    """Draws one of several players at the start of every game, which then plays all of it.

    As an opponent it is a population of these players. The draw uses the second uniform number of the first decision.
    The number is then rescaled to a uniform number again for the drawn player.

    Memory: 1 + the number of the drawn player, 0 before the draw, then that player's own memory.

    Args:
        players: The players to draw from.
        weights: Weights of the players; equal when None.

    Raises:
        UsageError: there are no players, one plays another game, or the weights are not as many positive numbers.
    """

    def __init__(
        self, game: Game, players: Sequence[Agent], weights: Sequence[float] | None = None, seed: int | None = None
    ) -> None:
        super().__init__(game, seed)
        if not players:
            raise UsageError("a mixed player needs at least one player to draw")
        for player in players:
            if player.game != game:
                raise UsageError(f"{name_of(player)} plays {player.game}, not {game}")
        numbers = (
            [1.0] * len(players) if weights is None else [check_positive("a weight", weight) for weight in weights]
        )
        if len(numbers) != len(players):
            raise UsageError(f"{len(players)} players need as many weights, not {len(numbers)}")
        self.players = tuple(players)
        self.chances = np.array(numbers) / sum(numbers)
        self.memory_size = 1 + max(player.memory_size for player in players)
        self.thread_safe = all(player.thread_safe for player in players)
        self.asks_person = any(player.asks_person for player in players)
        self.takes_back = all(player.takes_back for player in players)

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Draws a player for each new game, and lets each player act in its games."""
        uniforms = uniforms.copy()
        new = memory[:, 0] == 0
        if new.any():
            memory[new, 0], uniforms[new, 1] = self._drawn(uniforms[new, 1])
        actions = np.zeros(len(observations), np.int64)
        for number, player in enumerate(self.players):
            rows = np.flatnonzero(memory[:, 0] == 1 + number)
            if len(rows) == 0:
                continue
            own = np.ascontiguousarray(memory[rows, 1 : 1 + player.memory_size])
            actions[rows], own = player.act(observations[rows], own, masks[rows], uniforms[rows])
            memory[rows, 1 : 1 + player.memory_size] = own
        return actions, memory

    def close(self) -> None:
        """Ends the processes of all players."""
        for player in self.players:
            player.close()

    def _drawn(self, uniforms: Floats) -> tuple[Floats, Floats]:
        """Returns 1 + the player drawn by each number, and the number rescaled within that player's interval."""
        ends: Floats = np.cumsum(self.chances)
        ends[-1] = 1.0
        drawn = np.searchsorted(ends, uniforms, side="right")
        begins = np.concatenate([[0.0], ends[:-1]])
        left: Floats = (uniforms - begins[drawn]) / (ends - begins)[drawn]
        return drawn.astype(np.float64) + 1.0, np.minimum(left, np.nextafter(1.0, 0.0))
