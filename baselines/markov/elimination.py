"""Absorbing Markov chains solved by elimination without subtraction, however small their probabilities.

A chain is given by *rates*: from each state, weights in proportion to the transition probabilities. Eliminating a
state distributes its rates to its predecessors. A pivot is the sum of a state's rates to other states,
never a difference from 1 (Grassmann, Taksar and Heyman 1985), so that there are only sums, products and quotients of
non-negative numbers, and no digit is lost to cancellation.

Bound of the error: by the Markov chain tree theorem the total reward of a chain is a quotient of sums of products in
which each state has one factor, one of its rates. Relative errors of up to ``e`` in the rates of one state
change it by a factor of at most ``(1 + e) / (1 - e)``. Each step of the elimination is exact for rates with errors of a
few roundings at the states that it changes; so the relative error is at most the number of changes, which is counted,
times a few roundings (O'Cinneide 1993, for entrywise accuracy). The range of floating-point numbers is too small for
products of probabilities of 1e-300: numbers have an additional exponent, in steps of 2**512.
"""

from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import SLACK, UNIT
from nashzoo.baselines.markov.ordering import minimum_degree
from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.jit.compiled import Floats, Ints, compiled
from nashzoo.envs.jit.numba import float64, int8, int32, int64, types

OUT = -1  # the target of a transition out of the chain
STEP_UP, STEP_DOWN = 2.0**512, 2.0**-512
HIGH, LOW = 2.0**256, 2.0**-256  # numbers are kept between these
FAR_FROM_LOW = 2.0**-120  # products of two such numbers are

# Numbers of roundings per change of a row, per term of a sum, and per state.
PER_CHANGE, PER_TERM, PER_STATE = 10.0, 3.0, 16.0


@compiled(types.Tuple((float64, int64))(float64, int64))
def _normal(x: float, e: int) -> tuple[float, int]:
    """Returns ``x * 2**(512 e)`` with ``x`` between ``LOW`` and ``HIGH``."""
    if x == 0.0:
        return 0.0, 0
    if x >= HIGH:
        return x * STEP_DOWN, e + 1
    if x < LOW:
        return x * STEP_UP, e - 1
    return x, e


@compiled(types.Tuple((float64, int64))(float64, int64, float64, int64))
def _add(x: float, e: int, y: float, f: int) -> tuple[float, int]:
    """Returns the sum of two numbers; a number smaller by 2**512 is ignored."""
    if e == f:
        x += y
        return (x * STEP_DOWN, e + 1) if x >= HIGH else (x, e)
    if x == 0.0:
        return y, f
    if e > f:
        return (x + y * STEP_DOWN, e) if e == f + 1 else (x, e)
    return (y + x * STEP_DOWN, f) if f == e + 1 else (y, f)


@compiled(float64(float64, int64))
def _plain(x: float, e: int) -> float:
    """Returns a number without an additional exponent; infinite or 0 if it is out of range."""
    while e > 0 and x < np.inf:
        x *= STEP_UP
        e -= 1
    while e < 0 and x > 0.0:
        x *= STEP_DOWN
        e += 1
    return x


class _Factors(NamedTuple):
    """A component after its elimination. States are numbered in the order of elimination.

    Row ``k`` is connected to later states ``connected[begins[k] : begins[k + 1]]``, and to earlier ones
    ``earlier[before[k] : before[k + 1]]``. Numbers whose names end with ``_e`` are the others' exponents.
    """

    done: bool
    order: Ints  # [m], places among the members
    begins: Ints
    connected: Numbers
    before: Ints
    earlier: Numbers
    upper: Floats  # rates to later states, after the elimination of all earlier ones
    upper_e: Ints
    lower: Floats  # rates to earlier states, at their elimination
    lower_e: Ints
    pivots: Floats  # [m], the rates to leave each state, after the elimination of all earlier ones
    pivots_e: Ints
    roundings: float  # number of roundings that can affect the result


@compiled()
def _eliminated(
    members: Ints, offsets: Ints, targets: Numbers, weights: Floats, exponents: Any, place: Numbers, most: int
) -> _Factors:
    """Eliminates the states of one component; ``place`` is working space ``[n]``, filled with ``OUT``."""
    size = len(members)
    for k in range(size):
        place[members[k]] = k
    first = np.zeros(size + 1, np.int64)
    for k in range(size):
        first[k + 1] = first[k] + offsets[members[k] + 1] - offsets[members[k]]
    inside = np.empty(first[size], np.int32)
    for k in range(size):
        for at in range(first[k], first[k + 1]):
            target = targets[offsets[members[k]] + at - first[k]]
            inside[at] = place[target] if target >= 0 else OUT
    order, begins, connected = minimum_degree(first, inside, most)
    for k in range(size):
        place[members[k]] = OUT
    done = len(order) == size
    size = len(order)
    at_place = np.empty(size, np.int64)
    for k in range(size):
        at_place[order[k]] = k

    before = np.zeros(size + 1, np.int64)
    earlier = np.empty(len(connected) if done else 0, np.int32)
    for at in range(len(earlier)):
        before[connected[at] + 1] += 1
    for k in range(size):
        before[k + 1] += before[k]
    filled = before[:-1].copy()
    for k in range(size):
        for at in range(begins[k], begins[k + 1]):
            earlier[filled[connected[at]]] = k
            filled[connected[at]] += 1

    upper, upper_e = np.empty(len(earlier)), np.empty(len(earlier), np.int64)
    lower, lower_e = np.empty(len(earlier)), np.empty(len(earlier), np.int64)
    pivots, pivots_e = np.empty(size), np.empty(size, np.int64)
    leave, leave_e = np.zeros(size), np.zeros(size, np.int64)
    row, row_e = np.zeros(size), np.zeros(size, np.int64)
    plain = np.empty(size, np.bool_)  # whether no number of a row has an exponent, or is small
    roundings = 0.0
    for k in range(size):
        simple = True
        begin = offsets[members[order[k]]]
        for at in range(first[order[k]], first[order[k] + 1]):
            transition = begin + at - first[order[k]]
            weight, weight_e = weights[transition], int(exponents[transition])
            if inside[at] == OUT:
                leave[k], leave_e[k] = _add(leave[k], leave_e[k], weight, weight_e)
            elif inside[at] != order[k]:
                j = at_place[inside[at]]
                row[j], row_e[j] = _add(row[j], row_e[j], weight, weight_e)
                simple &= row_e[j] == 0
            roundings += 2.0 * PER_TERM
        roundings += PER_STATE

        for at in range(before[k], before[k + 1]):
            past = earlier[at]
            lower[at], lower_e[at] = row[past], row_e[past]
            if row[past] == 0.0:
                continue
            factor, factor_e = _normal(row[past] / pivots[past], row_e[past] - pivots_e[past])
            row[past], row_e[past] = 0.0, 0
            if simple and plain[past] and factor_e == 0 and factor >= FAR_FROM_LOW:
                for entry in range(begins[past], begins[past + 1]):
                    row[connected[entry]] += factor * upper[entry]
            else:
                for entry in range(begins[past], begins[past + 1]):
                    j = connected[entry]
                    if upper[entry] > 0.0:
                        x, e = _normal(factor * upper[entry], factor_e + upper_e[entry])
                        row[j], row_e[j] = _add(row[j], row_e[j], x, e)
                        simple &= row_e[j] == 0
            if leave[past] > 0.0:
                x, e = _normal(factor * leave[past], factor_e + leave_e[past])
                leave[k], leave_e[k] = _add(leave[k], leave_e[k], x, e)
            roundings += PER_CHANGE
        row[k], row_e[k] = 0.0, 0  # a transition to the same state only takes time

        highest = leave_e[k] if leave[k] > 0.0 else -(2**30)
        plain[k] = simple
        for entry in range(begins[k], begins[k + 1]):
            j = connected[entry]
            upper[entry], upper_e[entry] = row[j], row_e[j]
            row[j], row_e[j] = 0.0, 0
            if upper[entry] > 0.0:
                highest = max(highest, upper_e[entry])
                plain[k] &= upper[entry] >= FAR_FROM_LOW
        # All later steps depend on the pivot: it is a compensated sum (Neumaier 1974).
        total, lost = 0.0, 0.0
        for entry in range(begins[k] - 1, begins[k + 1]):
            x, e = (upper[entry], upper_e[entry]) if entry >= begins[k] else (leave[k], leave_e[k])
            if x > 0.0 and e < highest:
                x = x * STEP_DOWN if e == highest - 1 else 0.0
            both = total + x
            lost += (total - both) + x if total >= x else (x - both) + total
            total = both
        pivots[k], pivots_e[k] = _normal(total + lost, highest)
        roundings += 2.0 * (begins[k + 1] - begins[k])
    return _Factors(
        done, order, begins, connected, before, earlier, upper, upper_e, lower, lower_e, pivots, pivots_e, roundings
    )  # fmt: skip


@compiled()
def _add_product(x: float, e: int, y: float, f: int, z: float, g: int) -> tuple[float, int]:
    """Returns ``x + y z``."""
    if y == 0.0 or z == 0.0:
        return x, e
    product, h = _normal(y * z, f + g)
    return _add(x, e, product, h)


@compiled(
    int64(
        int64[::1], int64[::1], int64[::1], int32[::1], float64[::1], int8[::1], float64[:, ::1], int64,
        float64[:, ::1], float64[::1],
    )
)  # fmt: skip
def solve_chain(
    order: Ints,
    bounds: Ints,
    offsets: Ints,
    targets: Numbers,
    weights: Floats,
    exponents: Any,
    earned: Floats,
    most: int,
    values: Floats,
    errors: Floats,
) -> int:
    """Fills the total reward of a chain from each state, one component after the other.

    States from which play cannot leave have the value 0, or infinity if they have rewards.

    Args:
        order: The states, those of each component together, each component after those that it leads to ``[n]``.
        bounds: Index in ``order`` of the first state of each component to solve, and of the last one's end ``[c + 1]``.
        offsets: Index of the first transition of each state, and of the end of the last one's ``[n + 1]``.
        targets: The target of each transition ``[w]``, ``OUT`` if play leaves.
        weights: In proportion to the probability of each transition, between ``LOW`` and ``HIGH`` ``[w]``.
        exponents: The weights' additional exponents, in steps of 2**512 ``[w]``.
        earned: Rewards of each transition, not negative, of several kinds ``[w, kinds]``.
        most: The largest number of connections of a component to solve, see :func:`minimum_degree`.
        values: Filled ``[n, kinds]``.
        errors: Filled with bounds of the relative error of the values ``[n]``.

    Returns:
        The number of solved components, which is all of them or those before one with too many connections.
    """
    kinds = earned.shape[1]
    place = np.full(len(offsets) - 1, OUT, np.int32)
    member_of = np.full(len(offsets) - 1, -1)
    for component in range(len(bounds) - 1):
        members = order[bounds[component] : bounds[component + 1]]
        factors = _eliminated(members, offsets, targets, weights, exponents, place, most)
        if not factors.done:
            return component
        size = len(members)
        for k in range(size):
            member_of[members[k]] = component
        beyond = 0.0
        rights, rights_e = np.zeros((size, kinds)), np.zeros((size, kinds), np.int64)
        for k in range(size):
            state = members[factors.order[k]]
            for transition in range(offsets[state], offsets[state + 1]):
                target = targets[transition]
                leads_on = target >= 0 and member_of[target] != component
                if leads_on:
                    beyond = max(beyond, errors[target])
                for kind in range(kinds):
                    x, e = _normal(earned[transition, kind] + (values[target, kind] if leads_on else 0.0), 0)
                    rights[k, kind], rights_e[k, kind] = _add_product(
                        rights[k, kind], rights_e[k, kind], x, e, weights[transition], int(exponents[transition])
                    )
            for at in range(factors.before[k], factors.before[k + 1]):
                past = factors.earlier[at]
                if factors.lower[at] > 0.0:
                    x, e = _normal(
                        factors.lower[at] / factors.pivots[past], factors.lower_e[at] - factors.pivots_e[past]
                    )
                    for kind in range(kinds):
                        rights[k, kind], rights_e[k, kind] = _add_product(
                            rights[k, kind], rights_e[k, kind], x, e, rights[past, kind], rights_e[past, kind]
                        )
        for k in range(size - 1, -1, -1):
            for kind in range(kinds):
                x, e = rights[k, kind], rights_e[k, kind]
                if factors.pivots[k] == 0.0:  # play never leaves; its total reward is unbounded, or 0
                    x, e = np.inf if x > 0.0 else 0.0, 0
                else:
                    for at in range(factors.begins[k], factors.begins[k + 1]):
                        j = factors.connected[at]
                        x, e = _add_product(
                            x, e, factors.upper[at], factors.upper_e[at], rights[j, kind], rights_e[j, kind]
                        )
                    x, e = _normal(x / factors.pivots[k], e - factors.pivots_e[k])
                rights[k, kind], rights_e[k, kind] = x, e
                values[members[factors.order[k]], kind] = _plain(x, e)
        for k in range(size):
            errors[members[k]] = beyond + factors.roundings * UNIT * SLACK
    return len(bounds) - 1


@compiled(
    float64(int64[::1], int64[::1], int64[::1], int32[::1], float64[::1], int8[::1], int64, float64[::1], float64[::1])
)
def visit_chain(
    order: Ints,
    bounds: Ints,
    offsets: Ints,
    targets: Numbers,
    weights: Floats,
    exponents: Any,
    most: int,
    inflow: Floats,
    flows: Floats,
) -> float:
    """Fills the expected number of times of each transition, given the expected number of starts at each state.

    Components that play does not reach are left out, and so are those with too many connections: they count as
    absorbing. ``flows`` ``[w]`` is filled; ``inflow`` ``[n]`` is the expected number of starts at each state, to which
    entries from other components are added. It remains for components with too many connections, and is 0 for others
    afterwards. The other arguments are those of :func:`solve_chain`.

    Returns:
        A bound of the relative error of the flows.
    """
    place = np.full(len(offsets) - 1, OUT, np.int32)
    errors = np.zeros(len(offsets) - 1)
    largest = 0.0
    flows[:] = 0.0
    for component in range(len(bounds) - 2, -1, -1):
        members = order[bounds[component] : bounds[component + 1]]
        comes, error = 0.0, 0.0
        for k in range(len(members)):
            comes += inflow[members[k]]
            error = max(error, errors[members[k]])
        if comes == 0.0:
            continue
        factors = _eliminated(members, offsets, targets, weights, exponents, place, most)
        if not factors.done:
            continue
        error += factors.roundings * UNIT * SLACK
        largest = max(largest, error)
        size = len(members)
        visits, visits_e = np.zeros(size), np.zeros(size, np.int64)
        for k in range(size):
            visits[k], visits_e[k] = _normal(inflow[members[factors.order[k]]], 0)
            inflow[members[factors.order[k]]] = 0.0
        for k in range(size):
            if visits[k] > 0.0 and factors.pivots[k] > 0.0:
                x, e = _normal(visits[k] / factors.pivots[k], visits_e[k] - factors.pivots_e[k])
                for at in range(factors.begins[k], factors.begins[k + 1]):
                    j = factors.connected[at]
                    visits[j], visits_e[j] = _add_product(
                        visits[j], visits_e[j], x, e, factors.upper[at], factors.upper_e[at]
                    )
        for k in range(size - 1, -1, -1):
            if factors.pivots[k] > 0.0:
                visits[k], visits_e[k] = _normal(visits[k] / factors.pivots[k], visits_e[k] - factors.pivots_e[k])
            else:
                visits[k] = 0.0  # play never ends
            for at in range(factors.before[k], factors.before[k + 1]):
                i = factors.earlier[at]
                visits[i], visits_e[i] = _add_product(
                    visits[i], visits_e[i], visits[k], visits_e[k], factors.lower[at], factors.lower_e[at]
                )
        for k in range(size):
            state = members[factors.order[k]]
            for transition in range(offsets[state], offsets[state + 1]):
                x, e = _add_product(0.0, 0, visits[k], visits_e[k], weights[transition], int(exponents[transition]))
                flows[transition] = _plain(x, e)
                target = targets[transition]
                if target >= 0:
                    inflow[target] += flows[transition]
                    errors[target] = max(errors[target], error) + UNIT * SLACK  # of the sum
        for k in range(size):
            inflow[members[k]] = 0.0
    return largest
