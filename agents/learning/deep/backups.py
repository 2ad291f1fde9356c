"""Backups of states given by their codes: their matrix games of the successors' values."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.agents.learning.deep.successors import Followed, followed, numbered
from nashzoo.baselines.solvers.backup import backup_equilibrium
from nashzoo.envs.core.code_index import Numbering
from nashzoo.envs.core.game import Game
from nashzoo.envs.jit.compiled import Floats, Ints

# From codes of representatives [n], at which a player moves, to their values to player 0 [n], in points.
ValuesOf = Callable[[Ints], Floats]


class BackedUp(NamedTuple):
    """The equilibria of the matrix games at ``B`` states."""

    values: Floats  # [B], to player 0, in points
    strategies: tuple[Floats, Floats]  # [B, actions], of the players
    after: Followed
    after_values: Floats  # [2 m], to player 0, discounted; of all successors, by number


def back_up(game: Game, codes: Ints, values_of: ValuesOf, gamma: float) -> BackedUp:
    """Solves the matrix game at each state ``[B]`` where a player moves: rewards plus discounted values of successors.

    Raises:
        UsageError: the outcomes of chance at a successor are no distribution, or chance goes on without end.
    """
    after = followed(game, codes)
    after_values = gamma * numbered(game, after, values_of(after.codes))
    values, *strategies = backup_equilibrium(after.successors, after_values, game.num_actions)
    return BackedUp(values, (strategies[0], strategies[1]), after, after_values)


def _backed_up_values(game: Game, values_of: ValuesOf, gamma: float, codes: Ints) -> Floats:
    return back_up(game, codes, values_of, gamma).values


class Remembered:
    """A cache of the values of states.

    Args:
        values_of: Computes values.
        most: Largest number of states in the cache; it is emptied before it exceeds this.
    """

    def __init__(self, values_of: ValuesOf, most: int) -> None:
        self._values_of = values_of
        self._most = most
        self.forget()

    def forget(self) -> None:
        """Empties the cache, as needed when values have changed."""
        self._numbering = Numbering()
        self._values: NDArray[np.float32] = np.empty(0, np.float32)

    def __call__(self, codes: Ints) -> Floats:
        """Returns the values ``[n]`` of states."""
        if len(self._numbering) + len(codes) > self._most:
            self.forget()
        known = len(self._numbering)
        numbers = self._numbering.number(codes)
        new = self._numbering.codes[known:].copy()
        if len(new) > 0:
            if len(self._numbering) > len(self._values):
                room = np.empty(2 * len(self._numbering) - known, np.float32)
                self._values = np.concatenate([self._values[:known], room])
            self._values[known : known + len(new)] = self._values_of(new)
        return self._values[numbers].astype(np.float64)


class LookAhead:
    """Values of states by looking some joint actions ahead, to states with given values.

    This is backward induction of limited depth; every state is backed up once for each distance.

    Args:
        values_of: The values of states at the horizon.
        gamma: The discount factor.
        depth: Joint actions to look ahead, at least 1.
        most: Largest number of states in the cache, for each distance.
    """

    def __init__(self, game: Game, values_of: ValuesOf, gamma: float, depth: int, most: int) -> None:
        self.game, self.gamma = game, gamma
        self._levels = [Remembered(values_of, most)]
        for _ in range(depth - 1):
            self._levels.append(Remembered(partial(_backed_up_values, game, self._levels[-1], gamma), most))

    def forget(self) -> None:
        """Empties the caches, as needed when values have changed."""
        for level in self._levels:
            level.forget()

    def __call__(self, codes: Ints) -> BackedUp:
        """Returns the equilibria at states ``[B]``."""
        return back_up(self.game, codes, self._levels[-1], self.gamma)
