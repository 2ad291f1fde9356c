"""A restricted game, in which each player has only some of the legal actions at every state.

It has the same states, and is solved and measured by the same functions.
"""

from typing import Any

import numpy as np

from nashzoo.baselines.states.space import MASKS, SUCCESSORS, StateSpace, StoredStates, Successors
from nashzoo.envs.core.kernels import list_actions
from nashzoo.envs.core.reachable import OVER
from nashzoo.envs.jit.compiled import Ints, compiled
from nashzoo.envs.jit.numba import int64, void


@compiled(void(SUCCESSORS, MASKS, MASKS, int64))
def _restrict(successors: Successors, allowed0: Ints, allowed1: Ints, num_actions: int) -> None:
    """Keeps the successors of the joint choices of allowed actions."""
    legal0, legal1, following, rewards, _ = successors
    rows, columns = np.empty(num_actions, np.int64), np.empty(num_actions, np.int64)
    for k in range(len(following)):
        if allowed0[k] == legal0[k] and allowed1[k] == legal1[k]:
            continue
        m, n = list_actions(legal0[k], rows), list_actions(legal1[k], columns)
        kept = 0
        for x in range(m):
            for y in range(n):
                if allowed0[k] >> rows[x] & 1 and allowed1[k] >> columns[y] & 1:
                    following[k, kept] = following[k, x * n + y]
                    rewards[k, kept] = rewards[k, x * n + y]
                    kept += 1
        following[k, kept:] = OVER
        rewards[k, kept:] = 0.0


class RestrictedStates(StoredStates):
    """The states of a game in which only some of the legal actions are allowed, with the same numbers.

    Args:
        states: The game's states.
        allowed0: The allowed actions of player 0, bit masks of at least one legal action each ``[n]``; all legal ones
            when None.
        allowed1: The allowed actions of player 1.
    """

    def __init__(self, states: StateSpace, allowed0: Ints | None = None, allowed1: Ints | None = None) -> None:
        everywhere = np.arange(len(states))
        self.unrestricted = states
        successors, allowed = states.successors_at(everywhere), None
        if allowed0 is not None or allowed1 is not None:
            legal0, legal1 = successors.legal0, successors.legal1
            allowed = legal0 if allowed0 is None else allowed0, legal1 if allowed1 is None else allowed1
            _restrict(successors, *allowed, states.game.num_actions)
            successors = successors._replace(legal0=allowed[0], legal1=allowed[1])
        super().__init__(states.game, states.codes_at(everywhere), successors, states.layers, allowed)

    def ids(self, codes: Any) -> Ints:
        """Returns the numbers of codes ``[B]``, see :class:`nashzoo.baselines.states.space.StateSpace`."""
        return self.unrestricted.ids(codes)
