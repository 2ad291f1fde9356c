"""All optimal strategies of a player with hidden information: the range of each action's probability over them.

Sequence weights ``x`` are optimal if they secure the value ``v``, which is a set of linear inequalities, see
:mod:`nashzoo.baselines.information.program`; a probability is the ratio of a sequence's weight to its parent's. Its
largest and smallest are a linear program in multiples of ``x`` whose parent's weight is 1 (Charnes and Cooper 1962).
It is made smaller by what a known equilibrium says of all others: sequences that lose against it have no weight, and
its own secure no more than the value (Shapley and Snow 1950).

HiGHS is not trusted. Its dual solution has sequence weights ``y`` of the other player, times a factor ``k``. Whatever
these are, ``x @ M @ y`` is at least ``v`` for every optimal ``x``, so that a weight, less a share of its parent's, is
at most what a best response to ``k y`` wins if it is paid the same beside, less ``k v``. All rounding is counted.
"""

import math
from functools import cache, cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import LEAST, SLACK, UNIT
from nashzoo.baselines.information.measures import best_response
from nashzoo.baselines.information.program import constraints, unit_vector
from nashzoo.baselines.information.sequence_form import SequenceForm
from nashzoo.baselines.solvers.face import NEAR
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.jit.compiled import Floats

REACHED = 1e-3  # least weight of a player's own choices with which its strategy counts as one that leads somewhere
CLOSE = 1e-7  # difference of probabilities that needs no linear program
MIXED = 1e-5  # weight of a sequence that is certainly part of an equilibrium
MOST_LOST = 1e-7  # points, in proportion to the largest reward: what strategies that have a probability may lose
FACTORS = (0.0, 1.0, 10.0, 100.0, 1e3, 1e4)  # of the known equilibrium, added to a dual solution


Ends = tuple[Floats, Floats]  # bounds of probabilities [k] over all optimal strategies


class Family(NamedTuple):
    """Sequence weights as functions ``constants + slopes * alpha`` ``[S]`` of a number, to within 2e-5."""

    low: float  # from which to which alpha goes
    high: float
    constants: Floats
    slopes: Floats


class OptimalFace:
    """The optimal strategies of player 0.

    Args:
        form: The game in sequence form.
        value: A lower bound of its value, points.
        weights: Sequence weights of an equilibrium, both players' ``[S]``.

    Attributes:
        known: The sequence weights of the equilibrium ``[S]``.
        lost: The most that a strategy loses of those that have the probabilities found, points.
        apart: The largest distance of a bound from the probability found.
    """

    def __init__(self, form: SequenceForm, value: float, weights: tuple[Floats, Floats]) -> None:
        self.form, self.value, (self.plex, self.other) = form, value, form.treeplexes
        self._unit = partial(unit_vector, length=self.plex.num_sequences)
        self.unit = 2.0 ** (math.frexp(float(np.abs(form.matrix.data).max(initial=1e-300)))[1] - 1)
        self.known, self._reply = weights
        self._bounds, self._reach, self._floors = np.ones(self.plex.num_sequences), weights[0].copy(), weights[0] * 0.0
        self._floors[0] = 1.0  # weights that every optimal strategy has, as _bounds are those that none exceeds
        self._smallest, self._largest = np.ones(len(self._reach)), np.zeros(len(self._reach))
        self.lost = self.apart = 0.0
        self.ends = cache(self._ends)
        self._use_point(weights[0])
        self._use_reply(weights[1])

    def largest(self, goal: Floats) -> tuple[Floats, float]:
        """Returns an optimal strategy with the largest sum of weights times ``goal`` ``[S]``, and a bound of it."""
        scale = float(np.abs(goal).max(initial=0.0)) or 1.0
        _, proven = self._solved(goal / scale, 0)
        return self._last, proven * scale

    def family(self, sequence: int) -> Family | None:
        """Returns all optimal strategies as functions of the weight of a sequence; None if that does not fix them."""
        units = self._unit(sequence)
        high, most = self._solved(units, 0)[0], self._last
        low, least = -self._solved(-units, 0)[0], self._last
        if not high - low > NEAR:
            return None
        slopes = (most - least) / (high - low)
        constants = least - low * slopes
        tested = self._bounds > NEAR
        tested[self.plex.first - 1] = False  # the last action of each state, as probabilities have the sum 1
        for other in np.flatnonzero(tested).tolist():
            for sign in (1.0, -1.0):
                goal = sign * (self._unit(other) - slopes[other] * units)
                if self._solved(goal, 0)[1] > sign * constants[other] + NEAR:
                    return None
        return Family(low, high, constants, slopes)

    def _ends(self, state: int) -> Ends | None:
        """Returns the ends of the probabilities at an information state; None if no optimal strategy leads there."""
        own, parent = np.arange(*self.plex.first[state : state + 2]), int(self.plex.parents[state])
        if parent:
            self.ends(int(np.searchsorted(self.plex.first, parent, side="right")) - 1)
        if self._reach[parent] < REACHED <= self._bounds[parent]:
            self._bounds[parent] = min(self._bounds[parent], self._solved(self._unit(parent), 0)[1])
        self._bounds[own] = np.minimum(self._bounds[own], self._bounds[parent])
        if self._bounds[parent] < REACHED:
            return None
        reach = max(REACHED, float(self._floors[parent]))
        lower, upper = np.zeros(len(own)), np.minimum(self._bounds[own] / reach, 1.0)
        for k, sequence in enumerate(own.tolist()):
            if upper[k] - self._largest[sequence] > CLOSE:
                upper[k] = min(upper[k], self._solved(self._unit(sequence), parent)[1])
        for k, sequence in enumerate(own.tolist()):
            lower[k] = max(0.0, 1.0 - 2 * UNIT * len(own) - (upper.sum() - upper[k]))
            if self._smallest[sequence] - lower[k] > CLOSE:
                lower[k] = max(lower[k], -self._solved(-self._unit(sequence), parent)[1])
        if self._floors[parent] >= REACHED:
            self._floors[own] = lower * self._floors[parent] * (1 - 2 * UNIT)
        self.apart = max(self.apart, *(upper - self._largest[own]), *(self._smallest[own] - lower))
        return lower, upper

    def _solved(self, goal: Floats, parent: int) -> tuple[float, float]:
        """Returns the largest sum of weights times ``goal`` ``[S]``, divided by a sequence's weight; and a bound.

        The bound counts for all optimal strategies that give this sequence, the parent, at least ``REACHED``.
        """
        from scipy import optimize, sparse  # whose import takes long

        check_time()
        below, equal, ends, columns, rows = self._program
        row, fixed, rest = self._unit(parent), np.zeros(equal.shape[0] + 1), np.zeros(len(ends) - len(columns))
        fixed[-1] = 1.0
        costs: Any = -np.append(goal[columns], rest)
        last: Any = sparse.csr_array(np.append(row[columns], rest)[None])
        result: Any = optimize.linprog(
            costs, A_ub=below, b_ub=np.zeros(below.shape[0]), A_eq=sparse.vstack([equal, last], format="csr"),
            b_eq=fixed, bounds=ends, method="highs",
        )  # fmt: skip
        if result.status != 0:
            return -math.inf, math.inf
        weights, marginals = np.zeros(self.plex.num_sequences), np.empty(len(rows))
        weights[columns] = result.x[: len(columns)]
        self._use_point(weights)
        marginals[~rows], marginals[rows] = result.ineqlin.marginals, result.eqlin.marginals[: rows.sum()]
        share = -float(result.eqlin.marginals[-1])
        left = self._left(goal - share * row, -marginals / self.unit) / max(REACHED, float(self._floors[parent]))
        return -float(result.fun), share + left + 4 * UNIT * (1.0 + abs(share))

    def _left(self, goal: Floats, dual: Floats) -> float:
        """Returns a bound, not below 0, of weights times ``goal`` ``[S]``, by a dual solution of the program."""
        replies, factor = dual[:-1], float(dual[-1])
        played = self._reply > MIXED
        least = max(0.0, -float((replies[played] / self._reply[played]).min()))
        left = math.inf
        for more in (least + one / self.unit for one in FACTORS):
            total = factor + more
            reply = self.other.weights(self.other.probabilities(replies + more * self._reply))
            gains = total * self.form.gains(0, reply) + goal
            largest = abs(total) * (self.form.most + abs(self.value)) + float(np.abs(goal).sum())
            rounding = 2 * SLACK * (self.form.roundings + 8) * (UNIT * largest + LEAST)
            if total >= 0.0:
                left = min(left, float(self.plex.best_response(gains)[0][0]) - total * self.value + rounding)
        return max(left, 0.0)

    @cached_property
    def _program(self) -> tuple[Any, ...]:
        """The program of multiples of optimal strategies, but for the equality that the parent's weight is 1.

        Its inequalities, its equalities, the bounds of its variables, the sequences with a variable, and which of the
        inequalities of replies and of the value ``[S + 1]`` are equalities.
        """
        from scipy import sparse

        own, other = (constraints(plex) for plex in self.form.treeplexes)
        columns = np.flatnonzero(self._bounds >= CLOSE)
        rows = np.append(self._reply > MIXED, True)
        begins, counts = np.zeros((own.shape[0], 1)), np.zeros((1, other.shape[0]))
        begins[0], counts[0, 0] = -1.0, -1.0
        replies: Any = [-self.form.transposed.tocsc()[:, columns] / self.unit, other.T, None]
        secured: Any = [None, counts, np.array([[self.value / self.unit]])]
        below: Any = sparse.block_array([replies, secured], format="csr")
        parts: Any = [own.tocsc()[:, columns], sparse.csr_array((own.shape[0], other.shape[0])), begins]
        equal: Any = sparse.hstack(parts)
        ends = [(0, None)] * len(columns) + [(None, None)] * other.shape[0] + [(0, 1 / REACHED)]
        return below[~rows], sparse.vstack([below[rows], equal], format="csr"), ends, columns, rows

    def _use_point(self, weights: Floats) -> None:
        """Widens what is known to be optimal by a multiple of sequence weights ``[S]``, if these lose little."""
        probabilities = self.plex.probabilities(weights)
        weights = self._last = self.plex.weights(probabilities)
        lost = self.value + best_response(self.form, weights, 1)[0].upper
        if lost <= MOST_LOST * self.unit:
            self.lost = max(self.lost, lost)
            self._reach = np.maximum(self._reach, weights)
            here = weights[self.plex.by_sequence(self.plex.parents, 0)] >= REACHED
            self._smallest[here] = np.minimum(self._smallest, probabilities)[here]
            self._largest[here] = np.maximum(self._largest, probabilities)[here]

    def _use_reply(self, weights: Floats) -> None:
        """Bounds the weights of sequences that lose against sequence weights ``[S]`` of the other player."""
        totals, _ = self.plex.best_response(self.form.gains(0, weights))
        first, counts = self.plex.first[:-1] - 1, np.diff(self.plex.first)
        losses = np.repeat(np.maximum.reduceat(totals[1:], first), counts) - totals[1:]
        rounding = 4 * SLACK * self.form.roundings * (UNIT * self.form.most + LEAST)
        left = float(totals[0]) - self.value + rounding
        self._bounds[1:] = np.where(losses > 2 * rounding, left / np.maximum(losses - rounding, rounding), 1.0)
        for k, parent in enumerate(self.plex.parents.tolist()):
            own = slice(self.plex.first[k], self.plex.first[k + 1])
            self._bounds[own] = np.minimum(self._bounds[own], self._bounds[parent])
