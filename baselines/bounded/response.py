"""Best responses as players: those that a search has found, and those to players with memory."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.bounded.fixed_policy import FixedPolicy
from nashzoo.baselines.policies.tabular import Rows
from nashzoo.baselines.policies.with_memory import MemoryResponse, StatesWithMemory, not_seen
from nashzoo.envs.core.agent import PolicyAgent
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


def chosen(codes: Ints, ranks: Any) -> Choices:
    """Returns choices at nodes in any order."""
    order = np.argsort(codes)
    return Choices(codes[order], ranks[order].astype(np.int64))


def played(choices: Mapping[int, Choices | Rows], players: Ints, nodes: Ints, masks: Mask) -> Floats:
    """Returns the probabilities of what players do at nodes ``[B, actions]``, which are numbered where it is rows."""
    pure = np.eye(masks.shape[1])
    table: Floats = pure[masks.argmax(axis=1)]
    for player, known in choices.items():
        rows = np.flatnonzero(players == player)
        if isinstance(known, Choices):
            table[rows] = pure[known.at(nodes[rows], masks[rows])]
        else:
            table[rows] = known[nodes[rows]]
    return table


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


class ResponseToMemory(MemoryResponse):
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
        choices: Mapping[int, Choices | Rows],
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
        """Returns the probabilities of the response ``[B, actions]``."""
        nodes, players = self.states_of(observations)
        for player, other in self.others.items():
            rows = players == player
            nodes[rows] = other.nodes(nodes[rows], states[rows])
        return played(self.choices, players, nodes, masks)

    def pairs_with(self, other: Any, player: int) -> StatesWithMemory | None:
        """Returns the pairs at which it chooses, see :class:`MemoryResponse`."""
        pairs = self.others.get(player)
        return pairs if isinstance(pairs, StatesWithMemory) and pairs.players[1 - player] is other else None

    def probabilities_at(self, ids: Ints, masks: Mask, player: int) -> Floats:
        """Returns its probabilities at pairs, see :class:`MemoryResponse`."""
        return played(self.choices, np.full(len(ids), player), ids, masks)
