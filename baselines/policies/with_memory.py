"""Players whose memory has finitely many states, measured exactly on pairs of a state and memory states.

The memory of such a player is a function of its observations, and both players observe the whole state; so the pair of
a state and the players' memory states is a state of a larger game, in which their policies depend on the
state alone. It is never stored.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nashzoo.baselines.policies import tabular
from nashzoo.baselines.policies.tabular import (
    LazyPolicyTable,
    Model,
    Module,
    Policy,
    Rows,
    as_policy,
    observed,
    tabulate,
)
from nashzoo.baselines.states.indexed import numbering
from nashzoo.baselines.states.space import Layer, StateSpace, Successors
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import Agent, FiniteMemoryAgent, NoPolicyError
from nashzoo.envs.core.checks import check_plays, name_of
from nashzoo.envs.core.game import BOTH, CHANCE, Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.reachable import TooManyStatesError

# Players to measure, see :mod:`nashzoo.baselines.policies.adapters`; an agent without a policy raises a NoPolicyError.
PolicyLike = Policy | Agent | Module | Model | Callable[..., Any] | Mapping[Any, Any] | tuple[Any, Any] | list[Any]
FEW = 20_000  # with at most so many states a policy is evaluated at all in one call, reachable or not
MAX_PAIRS = 20_000_000  # of states and memory states; the number of values in memory


class StatesWithMemory(StateSpace):
    """Pairs of a state of a game and the memory states of its players on entering it.

    A player given as None, or whose policy depends on the state alone, has no memory. State ``k`` with memory
    ``m`` has the number ``memories * k + m``, where ``m`` counts the states of player 0 and, within these, of player 1.

    Attributes:
        game: The game.
        states: Its states.
        memories: The number of pairs of memory states.

    Raises:
        TooManyStatesError: there are too many pairs.
        ValueError: a player plays another game.
    """

    def __init__(self, states: StateSpace, players: Sequence[Any]) -> None:
        self.game = states.game
        self.states = states
        for player in players:
            check_plays(self.game, player)
        self.players = [player if isinstance(player, FiniteMemoryAgent) else None for player in players]
        self.memory_sizes = [1 if player is None else player.memory_states for player in self.players]
        self.memories = self.memory_sizes[0] * self.memory_sizes[1]
        if len(self) > MAX_PAIRS:
            raise TooManyStatesError(
                f"{len(states):,} states with {self.memories:,} states of memory make {len(self):,} pairs; "
                f"{MAX_PAIRS:,} is the most that is solved for"
            )

    def __len__(self) -> int:
        return len(self.states) * self.memories

    @property
    def layers(self) -> Iterator[Layer]:
        """The order in which to solve."""
        for ids, cyclic in self.states.layers:
            yield Layer((ids[:, None] * self.memories + np.arange(self.memories)).ravel(), cyclic)

    @property
    def recurs(self) -> bool:
        """Whether any state can recur."""
        return self.states.recurs

    def ids(self, codes: Any) -> Ints:
        """Returns the numbers of codes ``[B]`` at the start of a game, with initial memory states.

        Raises:
            KeyError: a code is no state of the game, or is terminal.
        """
        return self.states.ids(codes) * self.memories

    def codes_at(self, ids: Ints) -> Ints:
        """Returns the codes of the states of pairs ``[L]``."""
        return self.states.codes_at(ids // self.memories)

    def successors_at(self, ids: Ints) -> Successors:
        """Returns the successors of pairs ``[L]``: the players update their memory by their observations."""
        after = self.states.successors_at(ids // self.memories)
        memories = np.zeros(len(ids), np.int64)
        for player in range(2):
            memories = memories * self.memory_sizes[player] + self.after(ids, player)
        following = after.following
        shaped = memories.reshape(-1, *[1] * (following.ndim - 1))
        pairs = np.where(following < 0, following, following * np.int64(self.memories) + shaped)
        return after._replace(following=pairs.astype(following.dtype))

    def after(self, ids: Ints, player: int) -> Ints:
        """Returns a player's memory state ``[L]`` after its observation of each pair, if it chooses there."""
        agent = self.players[player]
        if agent is None:
            return np.zeros(len(ids), np.int64)
        memory = np.divmod(ids % self.memories, self.memory_sizes[1])[player]
        return remembered(agent, player, self.codes_at(ids), self.turns(ids), memory)


def remembered(agent: FiniteMemoryAgent, player: int, codes: Ints, turns: Ints, memory: Ints) -> Ints:
    """Returns a player's memory states ``[n]`` after its observation of states ``[n]``, where it chooses.

    Raises:
        UsageError: it has no such memory states.
    """
    chooses, after = np.isin(turns, (player, BOTH)), memory.copy()
    observations = observed(agent.game, codes[chooses], player).observations
    after[chooses] = agent.remember(memory[chooses], observations)
    if len(none := after[(after < 0) | (after >= agent.memory_states)]):
        raise UsageError(f"{name_of(agent)} must return memory states 0 to {agent.memory_states - 1}, not {none[0]}")
    return after


def check_no_memory(policy: Any) -> None:
    """Checks that a policy has no memory, in a game with hidden information.

    Raises:
        NoPolicyError: it has.
    """
    if isinstance(policy, FiniteMemoryAgent):
        raise NoPolicyError(
            f"{name_of(policy)} chooses by more than its information state: in games with hidden information, exact "
            "measures need a policy that depends on what the player sees alone; nashzoo tournament measures it in games"
        )


def not_seen(game: Game) -> UsageError:
    """Returns the error that a response does not see all that the other player remembers."""
    return UsageError(
        f"in {game.name} one player moves at a time, and who is not to move sees nothing: what the other "
        "remembers cannot be known; the value of the best response stands, but it cannot be played"
    )


class Seated(NamedTuple):
    """The states of a game for the players of its seats, and their probabilities there.

    Attributes:
        states: The states, paired with the players' memory states if they have any.
        tables: Probabilities by number of player 0 and player 1, computed now or when needed; None without a policy.
    """

    states: StateSpace
    tables: tuple[Any, Any]


def seated(game: Game, policy0: PolicyLike | None, policy1: PolicyLike | None) -> Seated:
    """Returns the states of a game for the policies of its seats.

    Raises:
        NoPolicyError: a player has no probabilities by state, or others when it is asked again.
        ValueError: a player's probabilities are not a distribution over the legal actions, or it plays another game.
    """
    for player, response, other in ((0, policy0, policy1), (1, policy1, policy0)):
        if isinstance(response, ResponseToMemory) and response.responds(other, player):  # whose memory is the same
            known = _rows(response.pairs, other, 1 - player)
            own = _ResponseTable(response.pairs, response, player)
            return Seated(response.pairs, (own, known) if player == 0 else (known, own))
    states = numbering(game)
    if isinstance(policy0, FiniteMemoryAgent) or isinstance(policy1, FiniteMemoryAgent):
        states = StatesWithMemory(states, (policy0, policy1))
    return Seated(states, (_rows(states, policy0, 0), _rows(states, policy1, 1)))


def _rows(states: StateSpace, policy: Any, player: int) -> Rows | None:
    if policy is None:
        return None
    if isinstance(policy, FiniteMemoryAgent):
        return _MemoryPolicyTable(states, policy, player)
    policy = as_policy(policy, states.game)
    if isinstance(states, StatesWithMemory):
        return _MemorylessPolicyTable(states, policy, player)
    if len(states) <= FEW:
        return tabulate(states.game, policy, states.codes_at(np.arange(len(states))), player)
    return LazyPolicyTable(states, policy, player)


class _MemoryPolicyTable(LazyPolicyTable):
    """The probabilities by number of a player with memory."""

    def rows(self, ids: Ints, again: bool) -> Floats:
        pairs = cast(StatesWithMemory, self.states)
        memory, decisions = pairs.after(ids, self.player), pairs.turns(ids) != CHANCE
        table = np.eye(pairs.game.num_actions)[np.zeros(len(ids), np.int64)]
        at = observed(pairs.game, pairs.codes_at(ids[decisions]), self.player)
        if again and (differs := (pairs.after(ids[::-1], self.player)[::-1] != memory)[decisions]).any():
            raise tabular.changed(self.policy, at, int(differs.argmax()), "memory states")
        table[decisions] = tabular.asked(self.policy, at._replace(memory=memory[decisions]), again)
        return table


class _MemorylessPolicyTable(LazyPolicyTable):
    """The probabilities by number of a player whose policy depends on the state alone."""

    def rows(self, ids: Ints, again: bool) -> Floats:
        pairs = cast(StatesWithMemory, self.states)
        states, rows = np.unique(ids // pairs.memories, return_inverse=True)
        table = tabulate(pairs.game, self.policy, pairs.states.codes_at(states), self.player, again)
        return table[rows]


class _ResponseTable(LazyPolicyTable):
    """The probabilities by number of a response to the memory of the other player."""

    def rows(self, ids: Ints, again: bool) -> Floats:
        response: ResponseToMemory = self.policy
        return response.probabilities_at(ids)


class ResponseToMemory(FiniteMemoryAgent):
    """A response to a player with finitely many memory states, which it computes from that player's observations.

    Args:
        pairs: The pairs of a state and a memory state of the other player.
        rows: The action at each pair ``[n]``, the first legal one where there is -1; or probabilities ``[n, actions]``.
        player: The seat it plays.
        seed: Seed of the random numbers that ``predict`` draws.
    """

    def __init__(
        self, pairs: StatesWithMemory, rows: NDArray[np.int8] | Floats, player: int, seed: int | None = None
    ) -> None:
        super().__init__(pairs.game, seed)
        self.pairs, self.player = pairs, player
        self.memory_states = pairs.memories
        # The rows are by the other player's memory state before its observation; here they are by that after it.
        self._rows, self._unseen = np.full_like(rows, -1), False
        for ids, _ in pairs.layers:
            self._unseen |= bool((pairs.turns(ids) == 1 - player).any())
            made = ids[rows[ids] >= 0] if rows.ndim == 1 else ids
            self._rows[self._remembered(made)] = rows[made]

    def remember(self, states: Ints, observations: Features) -> Ints:
        """Returns the other player's memory states after its observation of the state.

        Raises:
            UsageError: the other player moves at states that this player does not observe.
        """
        if self._unseen:
            raise not_seen(self.game)
        return self.pairs.after(self._first_pairs(observations) + states, 1 - self.player)

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        """Returns the probabilities of the response ``[B, actions]``."""
        return self._probabilities(self._first_pairs(observations) + states, masks)

    def responds(self, other: Any, player: int) -> bool:
        """Returns whether in the seat of ``player`` it is a response to another player."""
        return player == self.player and self.pairs.players[1 - player] is other

    def probabilities_at(self, ids: Ints) -> Floats:
        """Returns the probabilities of the response at pairs ``[L, actions]``."""
        return self._probabilities(
            self._remembered(ids), observed(self.game, self.pairs.codes_at(ids), self.player).masks
        )

    def _probabilities(self, ids: Ints, masks: Mask) -> Floats:
        rows: Any = self._rows[ids]
        answers: Floats = rows
        if rows.ndim == 1:
            answers = np.eye(masks.shape[1])[np.where(rows < 0, masks.argmax(axis=1), rows)]
        return answers

    def _remembered(self, ids: Ints) -> Ints:
        """Returns pairs ``[L]`` with the memory state after the observation of the state."""
        return ids - ids % self.pairs.memories + self.pairs.after(ids, 1 - self.player)

    def _first_pairs(self, observations: Features) -> Ints:
        codes, _ = self.states_of(observations)
        if self.game.symmetric and self.player == 1:  # the observer is decoded as player 0
            codes = self.game.swap_players(codes)
        return self.pairs.ids(codes)
