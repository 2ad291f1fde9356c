"""The best response that a search has found, as a player."""

from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.bounded.fixed_policy import FixedPolicy
from nashzoo.baselines.policies.with_memory import not_seen
from nashzoo.envs.core.agent import FiniteMemoryAgent, PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask


class Choices(NamedTuple):
    """What a responder chooses at the nodes that are known."""

    codes: Ints  # states or information states, ascending [n]
    ranks: Ints  # the action among the legal ones [n]


def chosen(codes: Ints, ranks: Any) -> Choices:
    """Returns choices at nodes in any order."""
    order = np.argsort(codes)
    return Choices(codes[order], ranks[order].astype(np.int64))


def played(choices: dict[int, Choices], players: Ints, nodes: Ints, masks: Mask) -> Floats:
    """Returns 1 for the actions that players choose at nodes, 0 for the others ``[B, actions]``."""
    ranks = np.zeros(len(nodes), np.int64)
    for player, known in choices.items():
        rows = np.flatnonzero(players == player)
        at = np.minimum(np.searchsorted(known.codes, nodes[rows]), len(known.codes) - 1)
        ranks[rows] = np.where(known.codes[at] == nodes[rows], known.ranks[at], 0)
    order = np.argsort(1 - masks, axis=1, kind="stable")
    pure: Floats = np.eye(masks.shape[1])[np.take_along_axis(order, ranks[:, None], axis=1)[:, 0]]
    return pure


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
        return played(self.choices, players, codes, action_masks)


class FoundResponseToMemory(FiniteMemoryAgent):
    """The same against ``others``, by its own seat, whose memory states it computes from their observations."""

    def __init__(self, game: Game, choices: dict[int, Choices], others: dict[int, FixedPolicy]) -> None:
        super().__init__(game)
        self.choices, self.others = choices, others
        self.memory_states = max(other.memories for other in others.values())
        self._unseen = [player for player, other in others.items() if other.moves_alone]

    def remember(self, states: Ints, observations: Features) -> Ints:
        """Returns the other player's memory states after its observation of the state.

        Raises:
            UsageError: the other player moves at states that this player does not observe.
        """
        (codes, players), after = self.states_of(observations), states.copy()
        if np.isin(players, self._unseen).any():
            raise not_seen(self.game)
        for player, other in self.others.items():
            rows = players == player
            after[rows] = other.enter(codes[rows], states[rows]) % other.memories
        return after

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        """Returns 1 for the chosen action, 0 for the others ``[B, actions]``."""
        codes, players = self.states_of(observations)
        sizes = np.array([self.others[player].memories if player in self.others else 1 for player in (0, 1)])
        return played(self.choices, players, codes * sizes[players] + states, masks)
