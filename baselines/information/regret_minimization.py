"""Counterfactual regret minimization in sequence form: equilibria of games with hidden information, step by step.

At each information state a regret minimizer chooses probabilities; what an action gains there is its counterfactual
value, the sequence's gain against the other player's weights plus that of all that follows. The average of the
sequence weights tends to an equilibrium. Regrets below zero are forgotten, players learn in turn, and the average of
iteration ``t`` counts ``t`` times (CFR+).

Sources: Zinkevich et al. (2007), "Regret Minimization in Games with Incomplete Information"; Tammelin (2014), "Solving
Large Imperfect Information Games Using CFR+".
"""

import numpy as np
from numba import float64, int32, int64, void

from nashzoo.baselines.information.sequence_form import SequenceForm
from nashzoo.envs.jit.compiled import Floats, Ints, compiled


class RegretMinimizer:
    """CFR+ on a game in sequence form.

    Args:
        form: The game.

    Attributes:
        iterations: The number of iterations so far.
    """

    def __init__(self, form: SequenceForm) -> None:
        self.form = form
        self.iterations = 0
        self._regrets = tuple(np.zeros(plex.num_sequences) for plex in form.treeplexes)
        self._weights = tuple(plex.weights(plex.uniform()) for plex in form.treeplexes)
        self._sums = tuple(np.zeros(plex.num_sequences) for plex in form.treeplexes)

    def run(self, iterations: int) -> None:
        """Runs iterations."""
        (plex0, plex1), matrices = self.form.treeplexes, (self.form.matrix, self.form.transposed)
        sparse = [(each.indptr.astype(np.int64), each.indices.astype(np.int32), each.data) for each in matrices]
        _cfr_plus(
            self.iterations, iterations,
            plex0.parents, plex0.first, *sparse[0], self._regrets[0], self._weights[0], self._sums[0],
            plex1.parents, plex1.first, *sparse[1], self._regrets[1], self._weights[1], self._sums[1],
        )  # fmt: skip
        self.iterations += iterations

    def average(self) -> tuple[Floats, Floats]:
        """Returns both players' average sequence weights ``[S]``."""
        total = self.iterations * (self.iterations + 1) / 2
        return self._sums[0] / total, self._sums[1] / total


@compiled(inline=True)
def _multiply(starts: Ints, columns: Ints, entries: Floats, weights: Floats, sign: float, gains: Floats) -> None:
    for row in range(len(gains)):
        total = 0.0
        for k in range(starts[row], starts[row + 1]):
            total += entries[k] * weights[columns[k]]
        gains[row] = sign * total


@compiled(inline=True)
def _update(
    parents: Ints, first: Ints, gains: Floats, regrets: Floats, weights: Floats, sums: Floats, count: float
) -> None:
    """Adds regrets at every information state, last ones first; then makes the next weights, first ones first."""
    for k in range(len(parents) - 1, -1, -1):
        begin, end = first[k], first[k + 1]
        total = 0.0
        for sequence in range(begin, end):
            total += regrets[sequence]
        value = 0.0
        for sequence in range(begin, end):
            share = regrets[sequence] / total if total > 0.0 else 1.0 / (end - begin)
            value += share * gains[sequence]
        for sequence in range(begin, end):
            regrets[sequence] = max(regrets[sequence] + gains[sequence] - value, 0.0)
        gains[parents[k]] += value
    sums[0] += count
    for k in range(len(parents)):
        begin, end = first[k], first[k + 1]
        total = 0.0
        for sequence in range(begin, end):
            total += regrets[sequence]
        above = weights[parents[k]]
        for sequence in range(begin, end):
            share = regrets[sequence] / total if total > 0.0 else 1.0 / (end - begin)
            weights[sequence] = above * share
            sums[sequence] += count * weights[sequence]


_ARRAYS = (int64[::1], int64[::1], int64[::1], int32[::1], float64[::1], float64[::1], float64[::1], float64[::1])


@compiled(void(int64, int64, *_ARRAYS, *_ARRAYS))
def _cfr_plus(
    before: int, iterations: int,
    parents0: Ints, first0: Ints, starts0: Ints, columns0: Ints, entries0: Floats,
    regrets0: Floats, weights0: Floats, sums0: Floats,
    parents1: Ints, first1: Ints, starts1: Ints, columns1: Ints, entries1: Floats,
    regrets1: Floats, weights1: Floats, sums1: Floats,
) -> None:  # fmt: skip
    """Runs CFR+: each iteration updates player 0 against player 1's weights, then player 1 against the new ones."""
    gains0, gains1 = np.empty(len(regrets0)), np.empty(len(regrets1))
    for iteration in range(before + 1, before + iterations + 1):
        _multiply(starts0, columns0, entries0, weights1, 1.0, gains0)
        _update(parents0, first0, gains0, regrets0, weights0, sums0, float(iteration))
        _multiply(starts1, columns1, entries1, weights0, -1.0, gains1)
        _update(parents1, first1, gains1, regrets1, weights1, sums1, float(iteration))
