"""Players whose memory has finitely many states, measured exactly on pairs of a state and memory states.

The memory of such a player is a function of its observations, and both players observe the whole state; so the pair of
a state and the players' memory states after they observed it is a state of a larger game, in which their policies
depend on the state alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from nashzoo.baselines.policies import tabular
from nashzoo.baselines.policies.tabular import LazyPolicyTable, Model, Module, Policy, Rows, as_policy, tabulate
from nashzoo.baselines.states.indexed import numbering
from nashzoo.baselines.states.space import Layer, StateSpace, Successors
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import Agent, FiniteMemoryAgent, NoPolicyError
from nashzoo.envs.core.checks import check_plays, name_of
from nashzoo.envs.core.game import BOTH, CHANCE, Bools, Floats, Game, Ints
from nashzoo.envs.core.reachable import TooManyStatesError

# Players to measure, see :mod:`nashzoo.baselines.policies.adapters`; an agent without a policy raises a NoPolicyError.
PolicyLike = Policy | Agent | Module | Model | Callable[..., Any] | Mapping[Any, Any] | tuple[Any, Any] | list[Any]
FEW = 20_000  # with at most so many states a policy is evaluated at all in one call, reachable or not
MAX_PAIRS = 20_000_000  # of states and memory states; the number of values in memory
UNKNOWN = -1


class StatesWithMemory(StateSpace):
    """Pairs of a state of a game and the memory states of its players after their observations of it.

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
        self._after = np.full(len(self), UNKNOWN, np.int32)  # of pairs with memories before observations
        self._reached = np.zeros(len(self), np.bool_)

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
        """Returns the numbers of codes ``[B]`` at the start of a game.

        Raises:
            KeyError: a code is no state of the game, or is terminal.
        """
        return self.enter(codes, np.zeros(len(codes), np.int64))

    def enter(self, codes: Any, before: Ints) -> Ints:
        """Returns the numbers of codes ``[B]`` that follow other pairs ``[B]``, 0 for none."""
        return self._observed(self.nodes(codes, before % self.memories))

    def nodes(self, codes: Any, memories: Ints) -> Ints:
        """Returns the numbers of codes ``[B]`` with memory states ``[B]``."""
        nodes: Ints = self.states.ids(codes) * self.memories + memories
        return nodes

    def codes_at(self, ids: Ints) -> Ints:
        """Returns the codes of the states of pairs ``[L]``."""
        return self.states.codes_at(ids // self.memories)

    def successors_at(self, ids: Ints) -> Successors:
        """Returns the successors of pairs ``[L]``: the players update their memory by their observations."""
        after = self.states.successors_at(ids // self.memories)
        following = after.following.copy()
        before = (ids % self.memories).reshape(-1, *[1] * (following.ndim - 1))
        pairs = (following * np.int64(self.memories) + before)[following >= 0]
        following[following >= 0] = self._observed(pairs)
        return after._replace(following=following)

    def memory(self, ids: Ints, player: int) -> Ints:
        """Returns a player's memory states in pairs ``[L]``."""
        return np.divmod(ids % self.memories, self.memory_sizes[1])[player]

    def reached(self, ids: Ints) -> Bools:
        """Returns whether players can have these memory states after their observations ``[L]``."""
        unknown = np.unique(ids[~self._reached[ids]] // self.memories)
        self._observed((unknown[:, None] * self.memories + np.arange(self.memories)).ravel())
        reached: Bools = self._reached[ids]
        return reached

    def after(self, pairs: Ints) -> Ints:
        """Returns the pairs ``[L]`` after the players' observations, where they choose, of pairs before."""
        codes, turns, memories = self.codes_at(pairs), self.turns(pairs), np.zeros(len(pairs), np.int64)
        for player, agent in enumerate(self.players):
            memory = self.memory(pairs, player)
            memory = memory if agent is None else remembered(agent, player, codes, turns, memory)
            memories = memories * self.memory_sizes[player] + memory
        return pairs - pairs % self.memories + memories

    def changes(self, pairs: Ints, player: int) -> Bools:
        """Returns whether a player has other memory states after its observations if it is asked again ``[L]``."""
        before, again = self._observed(pairs), self.after(pairs[::-1])[::-1]
        changed: Bools = self.memory(again, player) != self.memory(before, player)
        return changed

    def _observed(self, pairs: Ints) -> Ints:
        """Returns the same, asking the players once for each."""
        new = np.unique(pairs[self._after[pairs] == UNKNOWN])
        if len(new):
            after = self.after(new)
            self._after[new], self._reached[after] = after, True
        return self._after[pairs].astype(np.int64)


def remembered(agent: FiniteMemoryAgent, player: int, codes: Ints, turns: Ints, memory: Ints) -> Ints:
    """Returns a player's memory states ``[n]`` after its observation of states ``[n]``, where it chooses.

    Raises:
        UsageError: it has no such memory states.
    """
    chooses, after = np.isin(turns, (player, BOTH)), memory.copy()
    observations = tabular.observed(agent.game, codes[chooses], player).observations
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
        decisions = np.flatnonzero(pairs.turns(ids) != CHANCE)
        at = tabular.observed(pairs.game, pairs.codes_at(ids[decisions]), self.player)
        if again and (differs := pairs.changes(ids, self.player)[decisions]).any():
            raise tabular.changed(self.policy, at, int(differs.argmax()), "memory states")
        table = np.eye(pairs.game.num_actions)[np.zeros(len(ids), np.int64)]
        table[decisions] = np.eye(pairs.game.num_actions)[at.masks.argmax(axis=1)]
        asked = np.flatnonzero(pairs.reached(ids[decisions]))
        at = at._replace(memory=pairs.memory(ids[decisions], self.player)).at(asked)
        table[decisions[asked]] = tabular.asked(self.policy, at, again)
        return table


class _MemorylessPolicyTable(LazyPolicyTable):
    """The probabilities by number of a player whose policy depends on the state alone."""

    def rows(self, ids: Ints, again: bool) -> Floats:
        pairs = cast(StatesWithMemory, self.states)
        states, rows = np.unique(ids // pairs.memories, return_inverse=True)
        table = tabulate(pairs.game, self.policy, pairs.states.codes_at(states), self.player, again)
        return table[rows]
