"""The states of a game as solvers, best responses and evaluations see them: numbered, in layers, with successors.

States are grouped into *layers* such that play never leads from a layer to a later one, so that the layers are
solved in order, each once. States that can be reached from each other share a layer, which then is *cyclic*.
"""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.reachable import turns_of
from nashzoo.envs.jit.compiled import Bools, Floats, Ints
from nashzoo.envs.jit.numba import float64, int32, int64, types

NEVER = -2  # for an illegal joint action

MASKS, FOLLOWING, REWARDS, CHANCES = int64[::1], int32[:, ::1], float64[:, ::1], float64[:, ::1]  # of Successors

NO_CHANCE = np.empty((0, 0))


class Successors(NamedTuple):
    """The successors of each of ``n`` states.

    The joint choices of a state are numbered row by row: if player 1 has ``m`` legal actions, player 0's
    ``i``-th and player 1's ``j``-th together are choice ``m i + j``, all counted from 0. The number of columns is the
    largest number of choices; unused ones are OVER with the reward 0.

    At chance states both players have one action, 0, and the columns are those of the outcomes. Their probabilities
    are divided by their sum.
    """

    legal0: Ints  # [n], bit masks
    legal1: Ints  # [n]
    following: Numbers  # [n, choices], OVER for terminal states
    rewards: Floats  # [n, choices], to player 0
    chances: Floats = NO_CHANCE  # [n, outcomes], 0 at players' decisions; no columns in games without chance

    def at(self, rows: Ints) -> "Successors":
        """Returns some of the rows."""
        chances = self.chances[rows] if self.has_chance else self.chances
        return Successors(self.legal0[rows], self.legal1[rows], self.following[rows], self.rewards[rows], chances)

    @property
    def has_chance(self) -> bool:
        """Whether there may be chance states."""
        return bool(self.chances.shape[1] > 0)

    @property
    def by_chance(self) -> Bools:
        """Whether states are chance states ``[n]``."""
        chance: Bools = self.chances[:, 0] > 0 if self.has_chance else np.zeros(len(self.legal0), np.bool_)
        return chance

    @property
    def deterministic(self) -> bool:
        """Whether every joint choice has one outcome."""
        return not self.by_chance.any()

    @property
    def used(self) -> Bools:
        """Whether columns have a successor ``[n, choices]``."""
        counts = np.bitwise_count(self.legal0).astype(np.int64) * np.bitwise_count(self.legal1)
        used: Bools = np.arange(self.following.shape[1]) < counts[:, None]
        if self.has_chance:
            used[:, : self.chances.shape[1]] |= self.chances > 0.0
        return used

    def by_action(self, num_actions: int) -> tuple[Ints, Floats]:
        """Returns ``following`` and ``rewards`` by joint action ``[n, actions, actions]``; NEVER if illegal.

        Raises:
            UsageError: there are chance states.
        """
        if not self.deterministic:
            raise UsageError("where chance decides nothing follows on a joint action")
        bits = np.arange(num_actions)
        legal0, legal1 = ((legal[:, None] >> bits & 1).astype(np.bool_) for legal in (self.legal0, self.legal1))
        legal = legal0[:, :, None] & legal1[:, None, :]
        following, rewards = np.full(legal.shape, NEVER), np.zeros(legal.shape)
        following[legal], rewards[legal] = self.following[self.used], self.rewards[self.used]
        return following, rewards


SUCCESSORS = types.NamedTuple((MASKS, MASKS, FOLLOWING, REWARDS, CHANCES), Successors)


class Layer(NamedTuple):
    """States that can be solved together once all earlier layers are."""

    ids: Ints
    cyclic: bool  # whether any of its states can recur


class Numbered:
    """States or information states of a game, numbered from 0.

    Attributes:
        game: The game.
        codes: Their codes by number ``[n]``, if they are in memory; where nothing else is said, ascending.
    """

    game: Game
    codes: Ints

    def __len__(self) -> int:
        return len(self.codes)

    def ids(self, codes: Any) -> Ints:
        """Returns the numbers of codes ``[B]``.

        Raises:
            KeyError: a code is not among these states, or is terminal.
        """
        wanted = np.asarray(codes, np.int64)
        ids: Ints = np.minimum(np.searchsorted(self.codes, wanted), len(self.codes) - 1)
        unknown = np.flatnonzero(self.codes[ids] != wanted)
        if len(unknown):
            raise KeyError(f"play does not lead to {self.game.spell(int(wanted.flat[unknown[0]]))}, or is over there")
        return ids

    def codes_at(self, ids: Ints) -> Ints:
        """Returns the codes of states ``[L]``."""
        return self.codes[ids]

    def __contains__(self, code: int) -> bool:
        try:
            self.ids([code])
        except KeyError:
            return False
        return True


class StateSpace(Numbered, ABC):
    """The non-terminal states of a game, numbered from 0."""

    @property
    @abstractmethod
    def layers(self) -> Iterable[Layer]:
        """The order in which to solve."""

    @abstractmethod
    def successors_at(self, ids: Ints) -> Successors:
        """Returns the successors of states ``[L]``."""

    @property
    def recurs(self) -> bool:
        """Whether any state can recur."""
        return any(cyclic for _, cyclic in self.layers)

    def turns(self, ids: Ints) -> Ints:
        """Returns who moves at states ``[L]``: 0, 1, ``BOTH`` or ``CHANCE``."""
        return turns_of(self.game, self.codes_at(ids))


def roots_of(game: Game, roots: Sequence[int] | Ints | None) -> Ints:
    """Returns the codes of the states to list a game from; its start states when None.

    Raises:
        UsageError: a root is terminal, or there are none.
    """
    starts = np.array(game.start_codes if roots is None else roots, np.int64)
    if len(starts) == 0:
        raise UsageError("there must be at least one root")
    for code in starts.tolist():
        if game.terminal(code):
            raise UsageError(f"the game is over at the root {game.spell(code)}")
    return starts


class StoredStates(StateSpace):
    """States whose codes and successors are in memory.

    Attributes:
        codes: The codes, by number ``[n]``.
        successors: The successors of all states, by number.
        layers: The order in which to solve.
        allowed: The allowed actions of each player, bit masks ``[n]``, if not all legal actions are allowed.
    """

    layers: tuple[Layer, ...] = ()

    def __init__(
        self,
        game: Game,
        codes: Ints,
        successors: Successors,
        layers: Iterable[Layer],
        allowed: tuple[Ints, Ints] | None = None,
    ) -> None:
        self.game = game
        self.codes = codes
        self.successors = successors
        self.layers = tuple(layers)
        self.allowed = allowed

    def successors_at(self, ids: Ints) -> Successors:
        """Returns the successors of states ``[L]``."""
        return self.successors.at(ids)

    def in_units(self) -> "tuple[StoredStates, float]":
        """Returns these states with a largest reward from 1 to 2, and what their rewards were divided by.

        It is a power of two, so that tolerances can be absolute and nothing is rounded.
        """
        rewards = self.successors.rewards
        largest = max(float(rewards.max(initial=0.0)), -float(rewards.min(initial=0.0)))
        unit = 2.0 ** (math.frexp(largest)[1] - 1) if 0.0 < largest < math.inf else 1.0
        if unit == 1.0:
            return self, unit
        scaled = copy.copy(self)
        scaled.successors = self.successors._replace(rewards=rewards / unit)
        return scaled, unit
