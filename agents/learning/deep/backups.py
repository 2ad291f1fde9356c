"""Backups of states given by their codes: their successors, and their matrix games of the successors' values.

States are not listed beforehand. In a symmetric game a state and its mirror image share the value of one of them, the
*representative*: the one with the smaller code.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64, void
from numpy.typing import NDArray

from nashzoo.baselines.solvers.backup import backup_equilibrium
from nashzoo.baselines.states.listed import Successors, expand
from nashzoo.envs.compilation.compiled import GAME, Floats, Ints, compiled
from nashzoo.envs.core.game import Game
from nashzoo.envs.states.code_index import Numbering

ValuesOf = Callable[[Ints], Floats]  # from codes of representatives [n] to their values to player 0 [n], in points


@compiled(void(GAME, int64[::1], float64[::1]))
def _represent(game: Any, codes: Ints, signs: Floats) -> None:
    """Replaces codes by those of their representatives; negative marks stay."""
    swap_players, params = game.swap_players, game.params
    for i in range(len(codes)):
        if codes[i] >= 0:
            other = swap_players(params, codes[i])
            if other < codes[i]:
                codes[i], signs[i] = other, -1.0
            elif other == codes[i]:
                signs[i] = 0.0


def represented(game: Game, codes: Ints) -> tuple[Ints, Floats]:
    """Returns the codes ``[n]`` of the representatives of states ``[n]``, and the signs of the states' values ``[n]``.

    The sign is -1 if the state is the mirror image of its representative, and 0 if it is its own mirror image: its
    value is 0. In a game that is not symmetric every state is its own representative.
    """
    found, signs = codes.copy(), np.ones(len(codes))
    if game.symmetric:
        _represent(game.compiled, found, signs)
    return found, signs


class Followed(NamedTuple):
    """The successors of ``B`` states.

    State ``k`` of ``codes`` has the number ``2 k`` in ``successors``, and its mirror image ``2 k + 1``.
    """

    successors: Successors  # of the states [B]
    codes: Ints  # of the representatives of all successors [n], each once

    def numbered(self, values: Floats) -> Floats:
        """Returns the values ``[2 n]`` by number, from those of the representatives ``[n]``."""
        return np.stack([values, -values], axis=1).reshape(-1)


def followed(game: Game, codes: Ints) -> Followed:
    """Returns the successors of states ``[B]``, which are not terminal."""
    legal0, legal1, after, rewards, _ = expand(game, codes)  # the learners refuse games with chance
    found, signs = represented(game, after.reshape(-1))
    numbering = Numbering()
    numbers = numbering.number(found)
    numbers = np.where(numbers >= 0, 2 * numbers + (signs < 0.0), numbers).astype(np.int32)
    return Followed(Successors(legal0, legal1, numbers.reshape(after.shape), rewards), numbering.codes)


class BackedUp(NamedTuple):
    """The equilibria of the matrix games at ``B`` states."""

    values: Floats  # [B], to player 0, in points
    strategies: tuple[Floats, Floats]  # [B, actions], of the players
    after: Followed
    after_values: Floats  # [2 n], to player 0, discounted; of all successors, by number


def back_up(game: Game, codes: Ints, values_of: ValuesOf, gamma: float) -> BackedUp:
    """Solves the matrix game at each state: rewards plus discounted values of successors.

    Args:
        game: The game.
        codes: States ``[B]``, not terminal.
        values_of: The values of states.
        gamma: The discount factor.
    """
    after = followed(game, codes)
    after_values = after.numbered(gamma * values_of(after.codes))
    found, *strategies = backup_equilibrium(after.successors, after_values, game.num_actions)
    return BackedUp(found, (strategies[0], strategies[1]), after, after_values)


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
        game: The game.
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
