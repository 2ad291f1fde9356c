"""Best responses as players: those that a search has found, and those to players with memory."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.baselines.bounded.fixed_policy import FixedPolicy
from nashzoo.baselines.policies.with_memory import StatesWithMemory, not_seen
from nashzoo.envs.core.agent import FiniteMemoryAgent, PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask


class Choices(NamedTuple):
    """What a responder chooses at the nodes that are known; elsewhere the first legal action."""

    codes: Ints  # states or information states, ascending [n]
    ranks: Ints  # the action among the legal ones [n]

    def at(self, nodes: Ints, masks: Mask) -> Ints:
        """Returns the actions at nodes ``[B]``."""
        at = np.minimum(np.searchsorted(self.codes, nodes), len(self.codes) - 1)
        ranks = np.where(self.codes[at] == nodes, self.ranks[at], 0)
        order = np.argsort(1 - masks, axis=1, kind="stable")
        actions: Ints = np.take_along_axis(order, ranks[:, None], axis=1)[:, 0]
        return actions


class Actions(NamedTuple):
    """The same at nodes that are numbered from 0."""

    actions: NDArray[np.int8]  # [n], -1 for the first legal one

    def at(self, nodes: Ints, masks: Mask) -> Ints:
        """Returns the actions at nodes ``[B]``."""
        actions = self.actions[nodes]
        return np.where(actions < 0, masks.argmax(axis=1), actions)


def chosen(codes: Ints, ranks: Any) -> Choices:
    """Returns choices at nodes in any order."""
    order = np.argsort(codes)
    return Choices(codes[order], ranks[order].astype(np.int64))


def played(choices: Mapping[int, Choices | Actions], players: Ints, nodes: Ints, masks: Mask) -> Floats:
    """Returns 1 for the actions that players choose at nodes, 0 for the others ``[B, actions]``."""
    actions = masks.argmax(axis=1)
    for player, known in choices.items():
        rows = np.flatnonzero(players == player)
        actions[rows] = known.at(nodes[rows], masks[rows])
    pure: Floats = np.eye(masks.shape[1])[actions]
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


class ResponseToMemory(FiniteMemoryAgent):
    """A response to players with finite memory, whose memory states it computes from their observations.

    Args:
        game: The game.
        choices: By its own seat.
        others: The nodes at which it chooses, by its own seat: pairs of a state and the other player's memory state.
        unseen: The seats in which the other player moves at states that this player does not observe.
    """

    def __init__(
        self,
        game: Game,
        choices: Mapping[int, Choices | Actions],
        others: Mapping[int, FixedPolicy | StatesWithMemory],
        unseen: Sequence[int] = (),
    ) -> None:
        super().__init__(game)
        self.choices, self.others, self.unseen = choices, others, unseen
        self.memory_states = max(other.memories for other in others.values())

    def remember(self, states: Ints, observations: Features) -> Ints:
        """Returns the other player's memory states after its observation of the state.

        Raises:
            UsageError: the other player moves at states that this player does not observe.
        """
        (codes, players), after = self.states_of(observations), states.copy()
        if np.isin(players, self.unseen).any():
            raise not_seen(self.game)
        for player, other in self.others.items():
            rows = players == player
            after[rows] = other.enter(codes[rows], states[rows]) % other.memories
        return after

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        """Returns 1 for the chosen action, 0 for the others ``[B, actions]``."""
        (nodes, players) = self.states_of(observations)
        for player, other in self.others.items():
            rows = players == player
            nodes[rows] = other.nodes(nodes[rows], states[rows])
        return played(self.choices, players, nodes, masks)
