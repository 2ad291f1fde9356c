"""Players whose memory has finitely many states, measured exactly: positions and memories are solved for together.

What such a player remembers follows from what it has seen, and everyone sees everything; so the pair of a position
and the states of memory in which its players come to it is a position of a larger game, in which they choose by the
position alone. It stands in for :class:`nashzoo.baselines.positions.Positions`, and is nowhere written down.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nashzoo.baselines.policy import Policy, Rows, tabulate
from nashzoo.baselines.positions import Layer, Positions, Successors
from nashzoo.baselines.table import Table
from nashzoo.envs import batch
from nashzoo.envs.agent import FiniteMemoryAgent
from nashzoo.envs.game import Features, Floats, Ints, Mask

MAX_PAIRS = 20_000_000  # of positions and memories; as many values are kept


class Remembered:
    """The positions of a game together with what its players remember when they come there.

    A player who is given as None, or who chooses by the position alone, remembers nothing. Position ``k`` with memory
    ``m`` has the number ``memories * k + m``, where ``m`` counts the states of player 0 and, within these, of player 1.

    Args:
        positions: The game's positions.
        players: Who sits in each seat.

    Attributes:
        game: The game.
        successors: What follows on each pair, by number.

    Raises:
        ValueError: there are too many pairs.
    """

    def __init__(self, positions: Positions | Table, players: Sequence[Any]) -> None:
        self.game = positions.game
        self.positions = positions
        self.players = [player if isinstance(player, FiniteMemoryAgent) else None for player in players]
        self.states = [1 if player is None else player.memory_states for player in self.players]
        self.memories = self.states[0] * self.states[1]
        if len(self) > MAX_PAIRS:
            raise ValueError(
                f"{len(positions):,} positions with {self.memories:,} states of memory make {len(self):,} pairs; "
                f"{MAX_PAIRS:,} is the most that is solved for"
            )
        self.successors = self

    def __len__(self) -> int:
        return len(self.positions) * self.memories

    @property
    def layers(self) -> Iterator[Layer]:
        """The order in which to solve."""
        for ids, cyclic in self.positions.layers:
            yield Layer((ids[:, None] * self.memories + np.arange(self.memories)).ravel(), cyclic)

    def ids(self, codes: Any) -> Ints:
        """Returns the numbers of codes ``[B]`` at the start of a game, where nothing is remembered.

        Raises:
            KeyError: a code is no position of the game, or the game is over there.
        """
        return self.positions.ids(codes) * self.memories

    def at(self, ids: Ints) -> Successors:
        """Returns what follows on some pairs: the players remember what they see there."""
        after = self.positions.successors.at(ids // self.memories)
        memories = np.zeros(len(ids), np.int64)
        for player in range(2):
            memories = memories * self.states[player] + self.after(ids, player)
        following = after.following
        shaped = memories.reshape(-1, *[1] * (following.ndim - 1))
        pairs = np.where(following < 0, following, following * np.int64(self.memories) + shaped)
        return after._replace(following=pairs.astype(following.dtype))

    def after(self, ids: Ints, player: int) -> Ints:
        """Returns the state of a player's memory ``[L]`` once it has seen the position of each pair."""
        agent = self.players[player]
        if agent is None:
            return np.zeros(len(ids), np.int64)
        memories = ids % self.memories
        before = memories // self.states[1] if player == 0 else memories % self.states[1]
        return agent.remember(before, self.seen(ids, player)[0])

    def seen(self, ids: Ints, player: int) -> tuple[Features, Mask]:
        """Returns what a player sees at some pairs, ``[L, features]`` and ``[L, actions]``."""
        codes = self.positions.codes[ids // self.memories]
        observations = np.empty((len(ids), self.game.num_features), np.float32)
        masks = np.empty((len(ids), self.game.num_actions), np.int8)
        players = np.full(len(ids), player)
        batch.observe_all(self.game.compiled, codes, players, observations)
        batch.legal_all(self.game.compiled, codes, players, masks)
        return observations, masks
