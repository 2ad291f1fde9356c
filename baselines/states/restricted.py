"""A restricted game, in which each player has only some of the legal actions at every state.

It has the same states, and is solved and measured by the same functions.
"""

import numpy as np
from numba import int64, void

from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.baselines.states.listed import FOLLOWING, MASKS, OVER, REWARDS, ListedStates, Successors
from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.core.kernels import list_actions
from nashzoo.envs.jit.compiled import Floats, Ints, compiled


@compiled(void(MASKS, MASKS, FOLLOWING, REWARDS, MASKS, MASKS, int64, FOLLOWING, REWARDS))
def _restrict(
    legal0: Ints,
    legal1: Ints,
    following: Numbers,
    rewards: Floats,
    allowed0: Ints,
    allowed1: Ints,
    num_actions: int,
    new_following: Numbers,
    new_rewards: Floats,
) -> None:
    """Fills the successors of the joint choices of allowed actions."""
    rows, columns = np.empty(num_actions, np.int64), np.empty(num_actions, np.int64)
    for k in range(len(following)):
        m, n = list_actions(legal0[k], rows), list_actions(legal1[k], columns)
        kept = 0
        for x in range(m):
            for y in range(n):
                if allowed0[k] >> rows[x] & 1 and allowed1[k] >> columns[y] & 1:
                    new_following[k, kept] = following[k, x * n + y]
                    new_rewards[k, kept] = rewards[k, x * n + y]
                    kept += 1


class RestrictedStates(ListedStates):
    """The states of a game in which only some of the legal actions are allowed.

    Args:
        states: The game's states, listed or with the index of its rules.
        allowed0: The allowed actions of player 0, bit masks of at least one legal action each ``[n]``; all legal ones
            when None.
        allowed1: The allowed actions of player 1.
    """

    def __init__(
        self, states: ListedStates | IndexedStates, allowed0: Ints | None = None, allowed1: Ints | None = None
    ) -> None:
        everywhere = np.arange(len(states))
        self.game = states.game
        self.unrestricted = states
        self.codes = states.codes[everywhere]
        self.layers = tuple(states.layers)
        self.successors = states.successors.at(everywhere)
        self.allowed = None
        if allowed0 is not None or allowed1 is not None:
            legal0, legal1, following, rewards, chances = self.successors
            masks = legal0 if allowed0 is None else allowed0, legal1 if allowed1 is None else allowed1
            kept = Successors(*masks, np.full_like(following, OVER), np.zeros_like(rewards), chances)
            num_actions = self.game.num_actions
            _restrict(legal0, legal1, following, rewards, *masks, num_actions, kept.following, kept.rewards)
            chance = self.successors.by_chance
            kept.following[chance], kept.rewards[chance] = following[chance], rewards[chance]
            self.successors, self.allowed = kept, masks

    def ids(self, codes: Ints) -> Ints:
        """Returns the numbers of codes ``[B]``.

        Raises:
            KeyError: a code is not among these states.
        """
        return self.unrestricted.ids(codes)

    def __contains__(self, code: int) -> bool:
        return code in self.unrestricted
