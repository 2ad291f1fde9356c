"""Large components of Markov chains, solved by iteration, with values of twice the precision and a proven error.

Values are sums of two floating-point numbers, and their residual in the equations is computed with both (Dekker
1971); so it becomes small enough even when play lasts very long.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import SLACK, UNIT
from nashzoo.baselines.markov.transitions import Decisions
from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.jit.compiled import Floats, Ints, compiled
from nashzoo.envs.jit.numba import float64, int32, int64, types, void

MAX_ITERATIONS = 120
REFINEMENTS = 12
CLOSE = 1e-11  # aimed error, relative to the largest reward
PER_REFINEMENT = 1e-7  # tolerance of a refinement, relative to the error before
ENOUGH = 1e-2, 1e-4  # relative tolerances of the bound on the length of play, tried in turn
SPLIT = 2.0**27 + 1

Moves = tuple[Ints, Numbers, Floats]  # of a chain: the offsets, targets and probabilities of its transitions


@compiled(types.UniTuple(float64, 2)(float64, float64))
def _two_sum(x: float, y: float) -> tuple[float, float]:
    """Returns the sum of two numbers, and its rounding error, exactly. Source: Knuth, TAOCP 2, 4.2.2."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


@compiled(types.UniTuple(float64, 2)(float64, float64))
def _two_product(x: float, y: float) -> tuple[float, float]:
    """Returns the product of two numbers, and its rounding error, exactly. Source: Dekker (1971)."""
    product = x * y
    x_high, y_high = SPLIT * x, SPLIT * y
    x_high, y_high = x_high - (x_high - x), y_high - (y_high - y)
    x_low, y_low = x - x_high, y - y_high
    return product, ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


@compiled(void(int64[::1], int32[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1]))
def _residuals(
    offsets: Ints, targets: Numbers, weights: Floats, pays: Floats, high: Floats, low: Floats, left: Floats
) -> None:
    """Fills the residual of the values ``high + low`` at each state."""
    for k in range(len(high)):
        total = lost = outflow = 0.0
        for transition in range(offsets[k], offsets[k + 1]):
            target = targets[transition]
            gain, rest = _two_sum(pays[transition], -high[k])
            rest -= low[k]
            if target >= 0:
                gain, error = _two_sum(gain, high[target])
                rest += error + low[target]
            product, error = _two_product(weights[transition], gain)
            total, carried = _two_sum(total, product)
            lost += carried + error + weights[transition] * rest
            outflow += weights[transition]
        left[k] = (total + lost) / outflow


@compiled(void(int64[::1], int32[::1], float64[::1], float64[::1], float64[::1]))
def _relax(offsets: Ints, targets: Numbers, weights: Floats, earned: Floats, values: Floats) -> None:
    """Backs up every state of a chain in place, once in order and once in reverse."""
    length = len(values)
    for step in range(2 * length):
        k = step if step < length else 2 * length - 1 - step
        value = earned[k]
        for transition in range(offsets[k], offsets[k + 1]):
            value += weights[transition] * values[targets[transition]]
        values[k] = value


@compiled(float64[::1](int64[::1], int32[::1], float64[::1], float64[::1]))
def _drop(offsets: Ints, targets: Numbers, weights: Floats, values: Floats) -> Floats:
    """Returns how much values decrease when every state is backed up twice in place, without rewards."""
    after = values.copy()
    _relax(offsets, targets, weights, np.zeros(len(values)), after)
    return values - after


@compiled(float64(float64[::1], float64[::1]))
def _dot(x: Floats, y: Floats) -> float:
    """Returns a scalar product; the threads of BLAS would wait for each other longer than this takes."""
    total = 0.0
    for k in range(len(x)):
        total += x[k] * y[k]
    return total


@compiled(float64[::1](int64[::1], int32[::1], float64[::1], float64[::1], float64, int64))
def _solved(
    offsets: Ints, targets: Numbers, weights: Floats, earned: Floats, tolerance: float, iterations: int
) -> Floats:
    """Returns an approximate solution of ``values = earned + moves @ values``, which need not be finite.

    BiCGSTAB (van der Vorst 1992) solves the equations preconditioned by sweeps in place.
    """
    values, rest = np.zeros(len(earned)), np.zeros(len(earned))
    _relax(offsets, targets, weights, earned, rest)
    shadow, direction = rest.copy(), rest.copy()
    product = _dot(shadow, rest)
    enough = tolerance * tolerance * product
    for _ in range(iterations):
        drop = _drop(offsets, targets, weights, direction)
        along = _dot(shadow, drop)
        if along == 0.0:
            break
        length = product / along
        rest -= length * drop
        again = _drop(offsets, targets, weights, rest)
        size = _dot(again, again)
        damping = _dot(again, rest) / size if size != 0.0 else 0.0
        values += length * direction + damping * rest
        rest -= damping * again
        before, product = product, _dot(shadow, rest)
        if _dot(rest, rest) <= enough or product == 0.0 or damping == 0.0:
            break
        direction = rest + (product / before) * (length / damping) * (direction - damping * drop)
    return values


def _longest(moves: Moves, terms: int, iterations: int) -> float:
    """Returns a proven bound on the number of steps of play from any state; infinite if none is found.

    If ``steps - moves @ steps`` is at least 1/2 everywhere, play lasts no longer than twice ``steps``.
    """
    offsets, targets, weights = moves
    for tolerance in ENOUGH:
        steps = _solved(*moves, np.ones(len(offsets) - 1), tolerance, iterations)
        if not np.isfinite(steps).all():
            continue
        after, size = (np.add.reduceat(weights * each[targets], offsets[:-1]) for each in (steps, np.abs(steps)))
        rounding = (terms + 4) * UNIT * SLACK * (np.abs(steps) + size)
        if (steps - after - rounding).min() >= 0.5:
            return 2 * float(steps.max())
    return np.inf


class ComponentValues(NamedTuple):
    """The values of the states of one component."""

    values: Floats  # to player 0 [m]
    error: float  # a bound of their error, if the values outside of the component are exact
    largest: float  # the largest reward, or value outside of the component


def iterated_values(
    chain: Decisions, members: Ints, values: Floats, iterations: int = MAX_ITERATIONS, close: float = CLOSE
) -> ComponentValues:
    """Returns the values of the states of one component.

    Args:
        chain: The chain that they belong to.
        members: The component's states ``[m]``.
        values: The values of all states ``[n]``; those of the members are ignored.
        iterations: The largest number of iterations; below the default, the search ends if no bound on the steps is
            found.
        close: The aimed error, relative to the largest reward.
    """
    size, whole = len(members), chain.chosen(members)
    own = whole.within(members, values)
    targets, pays, row = own.targets, own.rewards, own.transition_owners()
    moving = targets != row
    weights = own.plain_weights(~moving)  # staying only takes time
    outflow = np.bincount(row, weights, size)
    if not outflow.min() > 0.0 or pays[~moving].any():
        return ComponentValues(np.zeros(size), np.inf, 0.0)
    inside = targets >= 0
    moves = own.offsets, np.where(inside, targets, np.int32(0)), np.where(inside, weights, 0.0) / outflow[row]
    terms = int(np.diff(own.offsets).max())
    largest = float(np.abs(pays).max())
    longest = _longest(moves, terms, iterations)
    if longest == np.inf and iterations < MAX_ITERATIONS:
        return ComponentValues(np.zeros(size), np.inf, largest)
    high, low, left = np.zeros(size), np.zeros(size), np.empty(size)
    best, off = high, np.inf
    for _ in range(REFINEMENTS if longest < np.inf else 2):  # without a bound on the steps there is no proof anyway
        _residuals(own.offsets, targets, weights, pays, high, low, left)
        noise = 16 * (terms + 8) * UNIT * UNIT * (largest + 2 * float(np.abs(high).max()))
        now = float(np.abs(left).max()) + noise
        if not now < off:
            break
        best, off = high, now
        if longest * off <= close * largest:
            break
        high, low = _added(high, low, _solved(*moves, left, PER_REFINEMENT, iterations))
    # A weight may be a rounded product; by the Markov chain tree theorem, see elimination.py, that changes little.
    turnover = largest
    if whole.rewards[inside].any():
        turnover += longest * float(np.abs(whole.rewards).max())
    error = longest * off * SLACK + (2 * size + 8) * UNIT * SLACK * 2 * turnover
    return ComponentValues(best, float(error) if np.isfinite(error) else np.inf, largest)


def _added(high: Floats, low: Floats, change: Floats) -> tuple[Floats, Floats]:
    """Returns ``high + low + change`` as such a sum."""
    total = high + change
    part = total - high
    rest = (high - (total - part)) + (change - part) + low
    rounded = total + rest
    return rounded, rest - (rounded - total)
