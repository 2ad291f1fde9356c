"""The information states of one player in order, and the two passes over them.

A *sequence* is an information state and an action there; sequence 0 is that of no action yet. With perfect recall an
information state fixes the player's own earlier actions, so it has one parent sequence, and parents come before
children. A policy in this *sequence form* is a weight for each sequence: the parent's weight times the action's
probability. The expected reward is linear in it, unlike in probabilities.

Source: von Stengel (1996), "Efficient Computation of Behavior Strategies"; Shoham and Leyton-Brown (2009), section
5.2.3.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nashzoo.baselines.policies.tabular import SUM_TOLERANCE
from nashzoo.envs.jit.compiled import Floats, Ints, compiled
from nashzoo.envs.jit.numba import float64, int64, void


@dataclass(frozen=True, eq=False)
class Treeplex:
    """The information states of one player, parents before children."""

    codes: Ints  # what the player sees, as the code of a state with hidden fields 0 [I]
    parents: Ints  # the player's sequence before it [I]
    first: Ints  # the sequence of its first legal action; those of the others follow [I + 1], the last is their number
    legal: Ints  # its legal actions as bit masks [I]

    @property
    def num_sequences(self) -> int:
        """The number of sequences, the empty one included."""
        return int(self.first[-1])

    def uniform(self) -> Floats:
        """Returns the probabilities of uniform play by sequence ``[S]``; 1 for the empty one."""
        counts = np.diff(self.first)
        return np.concatenate([[1.0], np.repeat(1.0 / counts, counts)])

    def by_sequence(self, numbers: Ints, empty: int) -> Ints:
        """Returns the numbers of information states ``[I]`` by sequence ``[S]``, and ``empty`` for the empty one."""
        return np.concatenate([[empty], np.repeat(numbers, np.diff(self.first))])

    @cached_property
    def lengths(self) -> Ints:
        """The number of actions of each sequence ``[S]``."""
        lengths = np.zeros(self.num_sequences, np.int64)
        for state, parent in enumerate(self.parents):
            lengths[self.first[state] : self.first[state + 1]] = lengths[parent] + 1
        return lengths

    def restricted(self, sequences: Ints, entries: int = 0) -> "Treeplex":
        """Returns the information states that have some sequences ``[s]``, which are numbered in this order from 1 on.

        Sequences before them are the empty one. The first ``entries`` are of an information state of their own, with
        the code 0 and no actions, which comes before all others.
        """
        numbers, kept = np.zeros((2, self.num_sequences), np.int64)
        numbers[sequences], kept[sequences[entries:]] = np.arange(1, 1 + len(sequences)), 1
        counts = np.add.reduceat(kept[1:], self.first[:-1] - 1)
        states = counts > 0
        columns = [self.codes[states], numbers[self.parents[states]], counts[states], self.legal[states]]
        if entries:
            columns = [np.r_[one, column] for one, column in zip((0, 0, entries, 0), columns, strict=True)]
        codes, parents, counts, legal = columns
        return Treeplex(codes, parents, np.cumsum(np.r_[1, counts]), legal)

    def weights(self, probabilities: Floats) -> Floats:
        """Returns the sequence weights ``[S]`` of a policy, probabilities by sequence ``[S]``."""
        weights = np.ones(self.num_sequences)
        _weights(self.parents, self.first, probabilities, weights)
        return weights

    def table_weights(self, table: Floats, rows: Ints) -> tuple[Floats, int]:
        """Returns the sequence weights ``[S]`` of a table ``[n, actions]``, each row divided by its sum.

        ``rows`` has the row of each information state ``[I]``.

        Returns:
            The weights, and the first information state whose row is no distribution over its legal actions, or -1.
        """
        weights = np.ones(self.num_sequences)
        return weights, _table_weights(self.parents, self.first, self.legal, table, rows, weights)

    def probabilities(self, weights: Floats) -> Floats:
        """Returns the probabilities by sequence ``[S]`` of sequence weights ``[S]``; uniform where play never leads."""
        shares = np.maximum(weights, 0.0)
        first = self.first[:-1] - 1
        totals = np.repeat(np.add.reduceat(shares[1:], first), np.diff(self.first))
        uniform = self.uniform()
        probabilities = np.where(totals > 0.0, shares[1:] / np.where(totals > 0.0, totals, 1.0), uniform[1:])
        return np.concatenate([[1.0], probabilities])

    def best_response(self, gains: Floats) -> tuple[Floats, Floats]:
        """Returns the most that can be gained from each sequence on ``[S]``, and a pure policy that gains it ``[S]``.

        Args:
            gains: The reward of each sequence per unit of its weight ``[S]``, to this player.
        """
        totals, policy = gains.copy(), np.zeros(self.num_sequences)
        policy[0] = 1.0
        _best_response(self.parents, self.first, totals, policy)
        return totals, policy


@compiled(void(int64[::1], int64[::1], float64[::1], float64[::1]))
def _weights(parents: Ints, first: Ints, probabilities: Floats, weights: Floats) -> None:
    """Fills ``weights`` ``[S]``, except that of the empty sequence, which it reads."""
    for k in range(len(parents)):
        for sequence in range(first[k], first[k + 1]):
            weights[sequence] = weights[parents[k]] * probabilities[sequence]


@compiled(int64(int64[::1], int64[::1], int64[::1], float64[:, ::1], int64[::1], float64[::1]))
def _table_weights(parents: Ints, first: Ints, legal: Ints, table: Floats, rows: Ints, weights: Floats) -> int:
    """Fills ``weights`` ``[S]`` as :meth:`Treeplex.table_weights` returns them."""
    for k in range(len(parents)):
        row, sequence, total = rows[k], first[k], 0.0
        for action in range(table.shape[1]):
            probability = table[row, action]
            if not 0.0 <= probability <= 1.0 + SUM_TOLERANCE:
                return k
            if legal[k] >> action & 1:
                weights[sequence] = probability
                sequence += 1
                total += probability
            elif probability > 0.0:
                return k
        if not abs(total - 1.0) <= SUM_TOLERANCE:
            return k
        share = weights[parents[k]] / total
        for each in range(first[k], sequence):
            weights[each] *= share
    return -1


@compiled(void(int64[::1], int64[::1], float64[::1], float64[::1]))
def _best_response(parents: Ints, first: Ints, gains: Floats, policy: Floats) -> None:
    """Adds to each parent's gain the highest of its information states' gains, and marks the actions that have them."""
    for k in range(len(parents) - 1, -1, -1):
        best = first[k]
        for sequence in range(first[k] + 1, first[k + 1]):
            if gains[sequence] > gains[best]:
                best = sequence
        policy[best] = 1.0
        gains[parents[k]] += gains[best]
