"""All states that play can reach, numbered, and the order in which to solve them.

States are grouped into *layers* such that play never leads from a layer to a later one, so that the layers are
solved in order, each once. States that can follow on each other share a layer, which then is *cyclic*.
"""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int32, int64, void

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.code_index import Numbering, Numbers
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.kernels import strategic_state_all
from nashzoo.envs.core.reachable import MAX_STATES, OVER, TooManyStatesError, expand, explore
from nashzoo.envs.jit.compiled import Bools, Floats, Ints, compiled

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

    def by_action(self, num_actions: int) -> tuple[Ints, Floats]:
        """Returns ``following`` and ``rewards`` by joint action ``[n, actions, actions]``; NEVER if illegal.

        Raises:
            UsageError: there are chance states.
        """
        if self.by_chance.any():
            raise UsageError("where chance decides nothing follows on a joint action")
        bits = np.arange(num_actions)
        legal0, legal1 = ((legal[:, None] >> bits & 1).astype(np.bool_) for legal in (self.legal0, self.legal1))
        legal = legal0[:, :, None] & legal1[:, None, :]
        used = np.arange(self.following.shape[1]) < legal.sum(axis=(1, 2))[:, None]
        following, rewards = np.full(legal.shape, NEVER), np.zeros(legal.shape)
        following[legal], rewards[legal] = self.following[used], self.rewards[used]
        return following, rewards


class Layer(NamedTuple):
    """States that can be solved together once all earlier layers are."""

    ids: Ints
    cyclic: bool  # whether its states can recur


class ListedStates:
    """The non-terminal states of a game that are reachable from some roots.

    Args:
        game: The game.
        roots: Codes to start from; the game's start states when None.
        essential: Whether to list only one of the states with the same strategic state: they differ only in
            information without effect on future rewards. For policies that do not depend on it, such as optimal ones.
        most_states: The largest number of states to list.

    Attributes:
        codes: The codes, ascending ``[n]``; a state's number is its place here.
        successors: The successors of each state, by number.
        layers: The order in which to solve.
        allowed: The allowed actions of each player, bit masks ``[n]``, if not all legal actions are allowed.

    Raises:
        TooManyStatesError: there are too many.
        ValueError: a root is no non-terminal state, or a reward of the game is not finite.
    """

    def __init__(
        self,
        game: Game,
        roots: Sequence[int] | Ints | None = None,
        essential: bool = False,
        most_states: int = MAX_STATES,
    ) -> None:
        self.game = game
        self.allowed: tuple[Ints, Ints] | None = None
        self._essential = essential
        self._most_states = most_states
        starts = np.array(game.start_codes if roots is None else roots, np.int64)
        if len(starts) == 0:
            raise UsageError("there must be at least one root")
        for code in starts.tolist():
            if game.terminal(code):
                raise UsageError(f"the game is over at the root {game.spell(code)}")
        self.codes, self.successors = self._explored(starts)
        self.layers = _layers(self.successors.following)

    def __len__(self) -> int:
        return len(self.codes)

    def ids(self, codes: Any) -> Ints:
        """Returns the numbers of codes ``[B]``.

        Raises:
            KeyError: a code is not among these states.
        """
        wanted = self._listed(np.asarray(codes, np.int64))
        places: Ints = np.minimum(np.searchsorted(self.codes, wanted), len(self.codes) - 1)
        strange = self.codes[places] != wanted
        if strange.any():
            state = self.game.spell(int(np.atleast_1d(wanted)[np.atleast_1d(strange)][0]))
            raise KeyError(f"play does not lead to {state}, or is over there")
        return places

    def __contains__(self, code: int) -> bool:
        listed = int(self._listed(np.array(code)))
        place = int(np.searchsorted(self.codes, listed))
        return place < len(self.codes) and int(self.codes[place]) == listed

    def _listed(self, codes: Ints) -> Ints:
        """Returns the codes of representative states, and leaves marks as they are."""
        if not self._essential:
            return codes
        listed = codes.flatten()
        strategic_state_all(self.game.compiled, listed)
        return listed.reshape(codes.shape)

    def _explored(self, roots: Ints) -> tuple[Ints, Successors]:
        """Returns the codes that play can reach from the roots, ascending, and their successors."""
        found = Numbering()
        found.number(self._listed(roots))
        parts = list(explore(self.game, found, self._listed, self._most_states))
        expanded = len(found)
        choices = max(part.rewards.shape[1] for part in parts)
        outcomes = max(part.chances.shape[1] for part in parts)
        legal0, legal1 = (np.concatenate([part[side] for part in parts]) for side in range(2))
        following, rewards = np.full((expanded, choices), OVER, np.int32), np.zeros((expanded, choices))
        chances = np.zeros((expanded, outcomes)) if outcomes else NO_CHANCE
        first = 0
        order = np.argsort(found.codes)
        ascending = np.empty(expanded + 1, np.int32)
        ascending[order] = np.arange(expanded)
        ascending[OVER] = OVER
        for part in parts:
            rows, columns = part.rewards.shape
            following[first : first + rows, :columns] = ascending[part.following]
            rewards[first : first + rows, :columns] = part.rewards
            if outcomes:
                chances[first : first + rows, : part.chances.shape[1]] = part.chances
            first += rows
        return found.codes[order], Successors(legal0, legal1, following, rewards, chances).at(order)


def _layers(following: Numbers) -> tuple[Layer, ...]:
    """Groups states by the longest path from their strongly connected component in the graph of components."""
    heights, recurrent = np.empty((2, len(following)), np.int64)
    _classes(following, heights, recurrent)
    order = np.argsort(heights, kind="stable")
    bounds = np.searchsorted(heights[order], np.arange(heights.max() + 2))
    return tuple(
        Layer(order[first:last], bool(recurrent[order[first:last]].any())) for first, last in itertools.pairwise(bounds)
    )


@compiled(void(FOLLOWING, int64[::1], int64[::1]))
def _classes(following: Numbers, heights: Ints, recurrent: Ints) -> None:
    """Fills the height of each state's strongly connected component, and 1 if the state can recur, else 0.

    Components are found after all those that they lead to, so that a component's height is known when it is found.

    Source: Tarjan (1972), "Depth-first search and linear graph algorithms", without recursion.
    """
    states, choices = following.shape
    entered = np.empty(states, np.int64)  # time of entry, from 0
    earliest = np.empty(states, np.int64)  # smallest time of entry of a reachable state on the stack
    looked_at = np.empty(states, np.int64)  # choices
    path, waiting = np.empty(states, np.int64), np.empty(states, np.int64)  # stacks
    for k in range(states):
        heights[k] = entered[k] = -1  # until the component is found, and until the state is entered
        recurrent[k] = looked_at[k] = 0
    on_path = are_waiting = clock = 0
    for root in range(states):
        if entered[root] >= 0:
            continue
        path[0], on_path = root, 1
        while on_path > 0:
            here = path[on_path - 1]
            if entered[here] < 0:
                entered[here] = earliest[here] = clock
                clock += 1
                waiting[are_waiting] = here
                are_waiting += 1
            if looked_at[here] < choices:
                after = following[here, looked_at[here]]
                looked_at[here] += 1
                if after < 0 or heights[after] >= 0:
                    continue
                if entered[after] < 0:
                    path[on_path] = after
                    on_path += 1
                else:
                    earliest[here] = min(earliest[here], entered[after])
                    recurrent[here] |= after == here
                continue
            on_path -= 1
            if on_path > 0:
                before = path[on_path - 1]
                earliest[before] = min(earliest[before], earliest[here])
            if earliest[here] < entered[here]:
                continue
            last = are_waiting
            while waiting[are_waiting - 1] != here:
                are_waiting -= 1
            are_waiting -= 1
            height = 0
            for k in range(are_waiting, last):
                for choice in range(choices):
                    after = following[waiting[k], choice]
                    if after >= 0 and heights[after] >= 0:
                        height = max(height, heights[after] + 1)
            for k in range(are_waiting, last):
                heights[waiting[k]] = height
                if last - are_waiting > 1:
                    recurrent[waiting[k]] = 1


__all__ = [
    "CHANCES",
    "FOLLOWING",
    "MASKS",
    "MAX_STATES",
    "NEVER",
    "NO_CHANCE",
    "OVER",
    "REWARDS",
    "Layer",
    "ListedStates",
    "Successors",
    "TooManyStatesError",
    "expand",
]
