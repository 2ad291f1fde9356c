"""Positions among which play can recur, when at most one player still decides: what each decision leads to.

With both policies fixed play moves as an absorbing Markov chain, whose worth is the solution of linear equations.
Play that never leaves the positions earns nothing more.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float64, int32, int64, types, void

from nashzoo.baselines.numbers import Numbers
from nashzoo.baselines.positions import FOLLOWING, MASKS, REWARDS, Successors
from nashzoo.baselines.retrograde import ELSEWHERE
from nashzoo.envs.batch import count_actions, nth_action
from nashzoo.envs.compiled import Bools, Floats, Ints, compiled
from nashzoo.envs.game import BOTH

LARGE = 5_000  # as many positions at once are solved for iteratively
TOO_LARGE = 50_000  # as many cannot be solved for otherwise: the factors would fill the memory
MAX_ITERATIONS = 500
EXACT = 1e-9  # what the solution of the equations may be off by, for values around 1
AIM = 1e-12  # what it is solved to where rounding allows
REFINEMENTS = 4
PER_REFINEMENT = 1e-7  # relative, of what the solution before was off by
ENOUGH = 1e-2, 1e-4, 1e-6  # relative, of the bound on how long play lasts, until it is one


class TooLongError(ArithmeticError):
    """Play lasts so long that what it is worth cannot be computed exactly: players nearly stand still for ever."""


class Decisions(NamedTuple):
    """What each decision at each of ``L`` positions leads to, in expectation.

    Attributes:
        first: Where the decisions at each position begin, and where the last ends ``[L + 1]``.
        actions: The action that each decision is ``[d]``.
        earned: What it earns with the next step, what follows outside the positions included ``[d]``, to player 0.
        leaving: The probability that it leads out of the positions ``[d]``.
        stays: Whether play then surely goes on among the positions, and pays nothing ``[d]``.
        ways: Where in ``targets`` those of each decision begin, and where the last end ``[d + 1]``.
        targets: Places, 0 to ``L - 1``.
        weights: Their probabilities.
    """

    first: Ints
    actions: Ints
    earned: Floats
    leaving: Floats
    stays: Bools
    ways: Ints
    targets: Numbers
    weights: Floats

    def owners(self) -> Ints:
        """Returns the position of each decision ``[d]``."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    def owners_of_ways(self) -> Ints:
        """Returns the decision of each way."""
        return np.repeat(np.arange(len(self.ways) - 1), np.diff(self.ways))

    def chosen(self, choices: Ints) -> "Decisions":
        """Returns the decisions with these numbers alone, one at each position."""
        begin, count = self.ways[choices], self.ways[choices + 1] - self.ways[choices]
        ways = np.concatenate([[0], np.cumsum(count)])
        taken = np.arange(ways[-1]) + np.repeat(begin - ways[:-1], count)
        return Decisions(
            np.arange(len(choices) + 1),
            self.actions[choices],
            self.earned[choices],
            self.leaving[choices],
            self.stays[choices],
            ways,
            self.targets[taken],
            self.weights[taken],
        )


@compiled(
    types.Tuple(
        (int64[::1], int64[::1], float64[::1], float64[::1], boolean[::1], int64[::1], int32[::1], float64[::1])
    )(
        MASKS, MASKS, FOLLOWING, REWARDS, int32[::1], float64[::1], float64[:, ::1], float64[:, ::1], int64
    )
)  # fmt: skip
def _decisions(
    legal0: Ints,
    legal1: Ints,
    following: Numbers,
    rewards: Floats,
    place: Numbers,
    values: Floats,
    policy0: Floats,
    policy1: Floats,
    decides: int,
) -> tuple[Ints, Ints, Floats, Floats, Bools, Ints, Numbers, Floats]:
    length = len(following)
    first = np.zeros(length + 1, np.int64)
    most = 0
    for k in range(length):
        count0, count1 = count_actions(legal0[k]), count_actions(legal1[k])
        first[k + 1] = first[k] + (1 if decides == BOTH else count0 if decides == 0 else count1)
        most += count0 * count1
    number = first[length]
    actions, stays = np.zeros(number, np.int64), np.ones(number, np.bool_)
    earned, leaving = np.zeros(number), np.zeros(number)
    ways, targets, weights = np.zeros(number + 1, np.int64), np.empty(most, np.int32), np.empty(most)
    found = 0
    for k in range(length):
        count0, count1 = count_actions(legal0[k]), count_actions(legal1[k])
        for own in range(first[k + 1] - first[k]):
            decision = first[k] + own
            for choice in range(count0 * count1):
                row, column = choice // count1, choice % count1
                if (decides == 0 and row != own) or (decides == 1 and column != own):
                    continue
                i, j = nth_action(legal0[k], row), nth_action(legal1[k], column)
                weight = 1.0
                if decides != 0:
                    weight *= policy0[k, i]
                if decides != 1:
                    weight *= policy1[k, j]
                actions[decision] = j if decides == 1 else i
                if weight == 0.0:
                    continue
                after = following[k, choice]
                inside = after >= 0 and place[after] >= 0
                if not inside or rewards[k, choice] != 0.0:
                    stays[decision] = False
                earned[decision] += weight * rewards[k, choice]
                if inside:
                    targets[found], weights[found] = place[after], weight
                    found += 1
                else:
                    leaving[decision] += weight
                    earned[decision] += weight * (values[after] if after >= 0 else 0.0)
            ways[decision + 1] = found
    return first, actions, earned, leaving, stays, ways, targets[:found].copy(), weights[:found].copy()


def decisions(
    successors: Successors, ids: Ints, values: Floats, policy0: Floats, policy1: Floats, decides: int
) -> Decisions:
    """Returns the decisions of a player against a policy, or the one way in which two policies play.

    Args:
        successors: What follows on the positions.
        ids: Their numbers ``[L]``.
        values: What all numbered positions are worth ``[n]``; those of the positions themselves do not matter.
        policy0: Player 0's probabilities ``[L, actions]``; not looked at where player 0 decides.
        policy1: Player 1's.
        decides: The player who decides, ``BOTH`` for two policies, which leave one decision each.
    """
    place = np.full(len(values), ELSEWHERE, np.int32)
    place[ids] = np.arange(len(ids))
    policies = np.ascontiguousarray(policy0), np.ascontiguousarray(policy1)
    return Decisions(*_decisions(*successors, place, values, *policies, decides))


@compiled(
    float64(
        int64[::1], float64[::1], int64[::1], int32[::1], float64[::1], float64, float64, int64[::1], float64[::1]
    )
)  # fmt: skip
def _sweep(
    first: Ints,
    earned: Floats,
    ways: Ints,
    targets: Numbers,
    weights: Floats,
    sign: float,
    noise: float,
    choices: Ints,
    values: Floats,
) -> float:
    """Backs up every position once there and once back, in place; returns the largest change."""
    length = len(choices)
    largest = 0.0
    for step in range(2 * length):
        k = step if step < length else 2 * length - 1 - step
        best, best_decision, kept = -np.inf, -1, 0.0
        for decision in range(first[k], first[k + 1]):
            worth = earned[decision]
            for way in range(ways[decision], ways[decision + 1]):
                worth += weights[way] * values[targets[way]]
            worth *= sign
            if worth > best:
                best, best_decision = worth, decision
            if decision == choices[k]:
                kept = worth
        if best > kept + noise:
            choices[k] = best_decision
        largest = max(largest, abs(sign * best - values[k]))
        values[k] = sign * best
    return largest


def sweep(decided: Decisions, sign: float, noise: float, choices: Ints, values: Floats) -> float:
    """Backs up every position once there and once back, in place; returns the largest change.

    Args:
        decided: The decisions.
        sign: 1 where player 0 decides, -1 where player 1 does.
        noise: What a choice must gain at least, to be taken in place of another.
        choices: Numbers of decisions ``[L]``.
        values: To player 0 ``[L]``.
    """
    return _sweep(decided.first, decided.earned, *decided[-3:], sign, noise, choices, values)


def improved(decided: Decisions, sign: float, noise: float, choices: Ints, values: Floats) -> Ints:
    """Returns the choices ``[L]`` that gain most, and more than noise, when play then goes on to ``values``."""
    from scipy.sparse import csr_array

    steps = csr_array((decided.weights, decided.targets, decided.ways), shape=(len(decided.earned), len(values)))
    worths = sign * (decided.earned + steps @ values)
    best = np.maximum.reduceat(worths, decided.first[:-1])
    reached = np.flatnonzero(worths == np.repeat(best, np.diff(decided.first)))
    better = best > worths[choices] + noise * np.abs(best)
    return np.where(better, reached[np.searchsorted(reached, decided.first[:-1])], choices)


def chain_values(chain: Decisions, guess: Floats | None = None, sure: bool = True) -> Floats:
    """Returns what positions ``[L]`` with one decision each are worth to player 0.

    Positions from which play cannot leave are worth nothing.

    Args:
        chain: The decisions.
        guess: Values to start from where they are solved for iteratively ``[L]``.
        sure: Whether values that may be off by more than ``EXACT`` are refused.

    Raises:
        TooLongError: the positions are many, play lasts too long, and the values must be sure.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    length = len(chain.earned)
    row, target, weight = chain.owners_of_ways(), chain.targets, chain.weights
    out = np.flatnonzero(chain.leaving > 0)
    backward = csr_array(
        (np.ones(len(row) + len(out)), (np.r_[target, np.full(len(out), length)], np.r_[row, out])),
        shape=(length + 1, length + 1),
    )
    can_leave = breadth_first_order(backward, length, return_predecessors=False)
    live = np.sort(can_leave[can_leave < length])
    result = np.zeros(length)
    if len(live) == 0:
        return result

    # Number the live positions alone. Staying in place only takes time: left out, it leaves weights that are sums
    # of probabilities, not what remains of 1, so that small ones keep their precision.
    number = np.full(length, len(live))
    number[live] = np.arange(len(live))
    moving = (number[row] < len(live)) & (row != target)
    row, target, weight = number[row[moving]], number[target[moving]], weight[moving]
    outflow = np.bincount(row, weight, minlength=len(live)) + chain.leaving[live]
    ends = target == len(live)  # where nothing more is earned
    leaving = np.bincount(row[ends], weight[ends], minlength=len(live)) + chain.leaving[live]
    row, target, weight = row[~ends], target[~ends], weight[~ends]
    shape = len(live), len(live)
    moves = csr_array((weight / outflow[row], (row.astype(np.int32), target.astype(np.int32))), shape=shape)
    result[live] = _until_it_leaves(
        moves, chain.earned[live] / outflow, leaving / outflow, None if guess is None else guess[live], sure
    )
    return result


@compiled(void(int32[::1], int32[::1], float64[::1], float64[::1], float64[::1]))
def _relax(ways: Numbers, targets: Numbers, weights: Floats, earned: Floats, values: Floats) -> None:
    """Backs up every position of a chain once there and once back, in place."""
    length = len(values)
    for step in range(2 * length):
        k = step if step < length else 2 * length - 1 - step
        worth = earned[k]
        for way in range(ways[k], ways[k + 1]):
            worth += weights[way] * values[targets[way]]
        values[k] = worth


def _iterated(moves: Any, earned: Floats, tolerance: float) -> Floats:
    """Returns an approximate solution of ``values = earned + moves @ values``.

    Sweeps in place come near it; what BiCGSTAB (van der Vorst 1992) is given are the equations that they make true.
    """
    from scipy.sparse.linalg import LinearOperator, bicgstab

    nothing = np.zeros(len(earned))

    def left(values: Floats) -> Floats:
        swept = np.array(values, np.float64)
        _relax(moves.indptr, moves.indices, moves.data, nothing, swept)
        return values - swept

    once = np.zeros(len(earned))
    _relax(moves.indptr, moves.indices, moves.data, earned, once)
    equations = LinearOperator((len(earned), len(earned)), left, dtype=np.float64)
    with np.errstate(all="ignore"):  # where it breaks down, the result tells
        found, _ = bicgstab(equations, once, rtol=tolerance, atol=0.0, maxiter=MAX_ITERATIONS)
    return np.asarray(found)


def _refined(moves: Any, earned: Floats, guess: Floats | None) -> tuple[Floats, bool]:
    """Returns the solution of ``values = earned + moves @ values``, and whether it is sure to be ``EXACT``.

    Where all ``lasts - moves @ lasts`` are at least 1/2, values that are off by ``r`` in the equations are off by no
    more than ``2 r lasts``: play lasts no longer than twice that.
    """
    longest = np.inf
    for tolerance in ENOUGH:
        lasts = _iterated(moves, np.ones(len(earned)), tolerance)
        if (lasts - moves @ lasts).min() >= 0.5:
            longest = 2 * lasts.max()
            break

    def left_over(values: Floats) -> tuple[Floats, float]:
        left = earned + moves @ values - values
        return left, float(np.abs(left).max() / max(1.0, np.abs(values).max()))

    values = np.zeros(len(earned)) if guess is None else guess
    left, off = left_over(values)
    for _ in range(REFINEMENTS):
        if longest * off <= AIM:
            break
        refined = values + _iterated(moves, left, PER_REFINEMENT)
        left, still_off = left_over(refined)
        if not still_off < off:
            break
        values, off = refined, still_off
    return values, bool(longest * off <= EXACT)


def _until_it_leaves(moves: Any, earned: Floats, leaving: Floats, guess: Floats | None, sure: bool) -> Floats:
    """Returns what a Markov chain earns in all from each position ``[L]``, before it leaves, which is certain.

    Args:
        moves: Sparse, ``[L, L]``, the probabilities to move from row to column.
        earned: In one step from each position ``[L]``.
        leaving: The probabilities to leave ``[L]``, what the rows of ``moves`` lack to 1.
        guess: Values to start from.
        sure: Whether values that may be off by more than ``EXACT`` are refused.

    Raises:
        TooLongError: the positions are many, play lasts too long, and the values must be sure.
    """
    from scipy.sparse import identity
    from scipy.sparse.linalg import splu

    if len(earned) > LARGE:
        refined, exact = _refined(moves, earned, guess)
        if exact or not sure:
            return refined
        if len(earned) > TOO_LARGE:
            raise TooLongError(
                f"play among {len(earned):,} positions lasts too long for what it is worth to be computed exactly"
            )
    system = identity(len(earned), format="csr") - moves
    # That the chain leaves for certain tells how far rounding has spoilt the factors, and makes up for it. Where it
    # stays so long that nothing is left of them, a hair of a chance to be stopped at every step restores them.
    for stopped in (0.0, 1e-13):
        try:
            # Pivots on the diagonal keep every small chance free of cancellation.
            factors = splu((system + stopped * moves).tocsc(), diag_pivot_thresh=0.0)
        except RuntimeError:  # singular
            continue
        found, certain = (factors.solve(right) for right in (earned, leaving))
        if stopped or np.abs(certain - 1).max() < 0.1:
            break
    result = np.zeros(len(earned))
    np.divide(found, certain, out=result, where=certain > 0)
    return result
