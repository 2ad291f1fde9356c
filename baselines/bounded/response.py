"""The best response that a search has found, as a player."""

from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask


class Choices(NamedTuple):
    """What a responder chooses at the nodes that are known."""

    codes: Ints  # states or information states, ascending [n]
    ranks: Ints  # the action among the legal ones [n]


def chosen(codes: Ints, ranks: Any) -> Choices:
    """Returns choices at nodes in any order."""
    order = np.argsort(codes)
    return Choices(codes[order], ranks[order].astype(np.int64))


class FoundResponse(PolicyAgent):
    """Chooses what a search found; elsewhere the first legal action. It wins the search's lower bound at least.

    Args:
        game: The game.
        choices: By seat. In a symmetric game, whose observations are as from seat 0, those of seat 0 are for both.
        seed: Seed of the random numbers that ``predict`` draws.
    """

    def __init__(self, game: Game, choices: dict[int, Choices], seed: int | None = None) -> None:
        super().__init__(game, seed)
        self.choices = choices

    @property
    def complete(self) -> tuple[bool, bool]:
        """Whether each seat has choices."""
        return 0 in self.choices or self.game.symmetric, 1 in self.choices or self.game.symmetric

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns 1 for the chosen action, 0 for the others ``[B, actions]``."""
        codes, players = self.states_of(observations)
        ranks = np.zeros(len(codes), np.int64)
        for player, known in self.choices.items():
            rows = np.flatnonzero(players == player)
            at = np.minimum(np.searchsorted(known.codes, codes[rows]), len(known.codes) - 1)
            ranks[rows] = np.where(known.codes[at] == codes[rows], known.ranks[at], 0)
        order = np.argsort(1 - action_masks, axis=1, kind="stable")
        actions = np.take_along_axis(order, ranks[:, None], axis=1)[:, 0]
        played: Floats = np.eye(action_masks.shape[1])[actions]
        return played
