"""All states of a game that play can reach, listed."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from nashzoo.baselines.states.components import components
from nashzoo.baselines.states.space import FOLLOWING, NO_CHANCE, Layer, StoredStates, Successors, roots_of
from nashzoo.envs.core.code_index import Numbering, Numbers
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.kernels import strategic_state_all
from nashzoo.envs.core.reachable import MAX_STATES, OVER, explore
from nashzoo.envs.jit.compiled import Bools, Ints, compiled
from nashzoo.envs.jit.lazy import brief
from nashzoo.envs.jit.numba import boolean, int64, void


class ListedStates(StoredStates):
    """The non-terminal states of a game that are reachable from some roots.

    Args:
        roots: Codes to start from; the game's start states when None.
        representatives_only: Whether to list only one of the states with the same strategic state: they differ only in
            information without effect on future rewards. For policies that do not depend on it, such as optimal ones.
        most_states: The largest number of states to list.

    Attributes:
        codes: The codes, ascending ``[n]``; a state's number is its place here.
        successors: The successors of each state, by number.
        layers: The order in which to solve.

    Raises:
        TooManyStatesError: there are too many.
        ValueError: a root is no non-terminal state, or a reward of the game is not finite.
    """

    @brief()
    def __init__(
        self,
        game: Game,
        roots: Sequence[int] | Ints | None = None,
        representatives_only: bool = False,
        most_states: int = MAX_STATES,
    ) -> None:
        starts = roots_of(game, roots)
        self.game = game
        self._representatives_only = representatives_only
        codes, successors = self._explored(starts, most_states)
        super().__init__(game, codes, successors, _layers(successors.following))

    def ids(self, codes: Any) -> Ints:
        """Returns the numbers of codes ``[B]``, see :class:`nashzoo.baselines.states.space.StateSpace`."""
        return super().ids(self._representatives(np.asarray(codes, np.int64)))

    def _representatives(self, codes: Ints) -> Ints:
        """Returns the codes of representative states, and leaves marks as they are."""
        if not self._representatives_only:
            return codes
        listed = codes.flatten()
        with brief():
            strategic_state_all(self.game.compiled, listed)
        return listed.reshape(codes.shape)

    def _explored(self, roots: Ints, most_states: int) -> tuple[Ints, Successors]:
        """Returns the codes that play can reach from the roots, ascending, and their successors."""
        numbering = Numbering()
        numbering.number(self._representatives(roots))
        listed = self._representatives if self._representatives_only else None
        parts = list(explore(self.game, numbering, listed, most_states))
        expanded = len(numbering)
        order = np.argsort(numbering.codes)
        ascending = np.empty(expanded + 1, np.int32)
        ascending[order] = np.arange(expanded)
        ascending[OVER] = OVER
        choices, outcomes = (max(part[field].shape[1] for part in parts) for field in (3, 4))
        following, rewards = np.full((expanded, choices), OVER, np.int32), np.zeros((expanded, choices))
        chances = np.zeros((expanded, outcomes)) if outcomes else NO_CHANCE
        first = 0
        for part in parts:
            rows, columns = part.rewards.shape
            following[first : first + rows, :columns] = ascending[part.following]
            rewards[first : first + rows, :columns] = part.rewards
            if outcomes:
                chances[first : first + rows, : part.chances.shape[1]] = part.chances
            first += rows
        legal0, legal1 = (np.concatenate([part[side] for part in parts]) for side in range(2))
        return numbering.codes[order], Successors(legal0, legal1, following, rewards, chances).at(order)


def _layers(following: Numbers) -> list[Layer]:
    """Groups states by the longest path from their strongly connected component in the graph of components."""
    heights, recurrent = _classes(following)
    order = np.argsort(heights, kind="stable")
    bounds = np.searchsorted(heights[order], np.arange(heights.max() + 2))
    groups = (order[first:last] for first, last in itertools.pairwise(bounds))
    return [Layer(ids, bool(recurrent[ids].any())) for ids in groups]


def _classes(following: Numbers) -> tuple[Ints, Bools]:
    """Returns the height of each state's strongly connected component, and whether the state can recur."""
    states, choices = following.shape
    order, bounds = components(choices * np.arange(states + 1), following.reshape(-1))
    heights, recurrent = np.empty(states, np.int64), np.zeros(states, np.bool_)
    _fill_classes(following, order, bounds, heights, recurrent)
    return heights, recurrent


@compiled(void(FOLLOWING, int64[::1], int64[::1], int64[::1], boolean[::1]))
def _fill_classes(following: Numbers, order: Ints, bounds: Ints, heights: Ints, recurrent: Bools) -> None:
    """Fills :func:`_classes`, given the components in an order in which each is after all those that it leads to."""
    heights[:] = -1
    for component in range(len(bounds) - 1):
        height = 0
        for at in range(bounds[component], bounds[component + 1]):
            k = order[at]
            recurrent[k] = bounds[component + 1] - bounds[component] > 1
            for choice in range(following.shape[1]):
                after = following[k, choice]
                if after >= 0:
                    height = max(height, heights[after] + 1)
                    recurrent[k] |= after == k
        for at in range(bounds[component], bounds[component + 1]):
            heights[order[at]] = height
