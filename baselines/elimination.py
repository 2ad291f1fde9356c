"""Absorbing Markov chains solved by elimination without subtraction, however small their probabilities.

A chain is given by *rates*: from each state, weights in proportion to the probabilities of what follows. Eliminating a
state hands its rates on to those from which play comes to it. A pivot is the sum of a state's rates to other states,
never 1 minus something (Grassmann, Taksar and Heyman 1985), so that all there is are sums, products and quotients of
numbers that are not negative, and no digit is lost to cancellation.

How far off the result can be: by the Markov chain tree theorem what a chain earns is a quotient of sums of products in
which each state has one factor, one of its rates. Rates of one state that are off by a factor of up to ``1 + e``
change it by no more than ``(1 + e) / (1 - e)``. Each step of the elimination is exact for rates that are off by a few
roundings at the states that it changes; so the relative error is at most the number of changes times a few roundings
(O'Cinneide 1993, for entrywise accuracy), which is counted. The range of floating-point numbers is too small for
products of probabilities of 1e-300: numbers carry an exponent of their own, in steps of 2**512.
"""

import numpy as np
from numba import boolean, float64, int8, int32, int64, types, uint64

from nashzoo.baselines.bounds import SLACK, UNIT
from nashzoo.baselines.numbers import Numbers
from nashzoo.envs.compiled import Bools, Floats, Ints, compiled

OUT = -1  # the target of a way on which play leaves the chain
STEP_UP, STEP_DOWN = 2.0**512, 2.0**-512
HIGH, LOW = 2.0**256, 2.0**-256  # numbers are kept between these
FAR_FROM_LOW = 2.0**-120  # products of two such numbers are

# How many roundings are counted for each change of a row, for each term of a sum, and for each state.
PER_CHANGE, PER_TERM, PER_STATE = 10.0, 3.0, 16.0


@compiled(types.Tuple((float64, int64))(float64, int64))
def _normal(x: float, e: int) -> tuple[float, int]:
    """Returns ``x * 2**(512 e)`` with ``x`` within the range that is kept."""
    if x == 0.0:
        return 0.0, 0
    if x >= HIGH:
        return x * STEP_DOWN, e + 1
    if x < LOW:
        return x * STEP_UP, e - 1
    return x, e


@compiled(types.Tuple((float64, int64))(float64, int64, float64, int64))
def _add(x: float, e: int, y: float, f: int) -> tuple[float, int]:
    """Returns the sum of two numbers; what is smaller by 2**512 makes no difference."""
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
    """Returns a number without an exponent of its own; infinite or 0 where it is out of range."""
    while e > 0 and x < np.inf:
        x *= STEP_UP
        e -= 1
    while e < 0 and x > 0.0:
        x *= STEP_DOWN
        e += 1
    return x


@compiled(types.Tuple((int64[::1], int64[::1]))(int64[::1], int32[::1]))
def components(first: Ints, targets: Numbers) -> tuple[Ints, Ints]:
    """Returns the strongly connected components of a graph, each after all those that it leads to.

    Args:
        first: Where in ``targets`` those of each node begin, and where the last end ``[n + 1]``.
        targets: Nodes; negative ones are none.

    Returns:
        The nodes in order ``[n]``, and where in it each component begins, and the last ends ``[c + 1]``.

    Source: Tarjan (1972), "Depth-first search and linear graph algorithms", without recursion.
    """
    nodes = len(first) - 1
    order, bounds = np.empty(nodes, np.int64), np.zeros(nodes + 1, np.int64)
    entered, earliest = np.full(nodes, -1), np.empty(nodes, np.int64)
    done = np.zeros(nodes, np.bool_)
    looked_at = first[:-1].copy()
    way, waiting = np.empty(nodes, np.int64), np.empty(nodes, np.int64)  # stacks
    on_way = are_waiting = clock = ordered = found = 0
    for root in range(nodes):
        if entered[root] >= 0:
            continue
        way[0], on_way = root, 1
        while on_way > 0:
            here = way[on_way - 1]
            if entered[here] < 0:
                entered[here] = earliest[here] = clock
                clock += 1
                waiting[are_waiting] = here
                are_waiting += 1
            if looked_at[here] < first[here + 1]:
                after = targets[looked_at[here]]
                looked_at[here] += 1
                if after < 0 or done[after]:
                    continue
                if entered[after] < 0:
                    way[on_way] = after
                    on_way += 1
                else:
                    earliest[here] = min(earliest[here], entered[after])
                continue
            on_way -= 1
            if on_way > 0:
                before = way[on_way - 1]
                earliest[before] = min(earliest[before], earliest[here])
            if earliest[here] < entered[here]:
                continue
            member = -1
            while member != here:
                are_waiting -= 1
                member = waiting[are_waiting]
                done[member] = True
                order[ordered] = member
                ordered += 1
            found += 1
            bounds[found] = ordered
    return order, bounds[: found + 1].copy()


@compiled(int64(uint64))
def _count_bits(word: int) -> int:
    x = np.uint64(word)
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))  # type: ignore[return-value]


@compiled(types.Tuple((int64[::1], int64[::1], int32[::1]))(int64[::1], int32[::1], int64))
def minimum_degree(first: Ints, targets: Numbers, most: int) -> tuple[Ints, Ints, Numbers]:
    """Returns an order in which to eliminate the nodes of a graph, and what each is then connected to.

    Args:
        first: Where in ``targets`` those of each node begin, and where the last end ``[m + 1]``.
        targets: Nodes; negative ones are none.
        most: As many connections are looked at; where there are more, the order returned is empty.

    Returns:
        The nodes in order ``[m]``; where in the connections those of each begin, by place in the order, and where the
        last end ``[m + 1]``; and the connections, places in the order, ascending.

    Source: Tinney and Walker (1967), scheme 2.
    """
    nodes = len(first) - 1
    words = (nodes + 63) // 64
    one = np.uint64(1)
    rows = np.zeros((nodes, words), np.uint64)
    for i in range(nodes):
        for way in range(first[i], first[i + 1]):
            j = targets[way]
            if j >= 0 and j != i:
                rows[i, j >> 6] |= one << np.uint64(j & 63)
                rows[j, i >> 6] |= one << np.uint64(i & 63)
    degrees = np.zeros(nodes, np.int64)
    for i in range(nodes):
        for word in range(words):
            degrees[i] += _count_bits(rows[i, word])
    order, place = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    begins = np.zeros(nodes + 1, np.int64)
    connected = np.empty(max(16, 4 * len(targets)), np.int32)
    left = np.arange(nodes)
    for k in range(nodes):
        best = k
        for candidate in range(k + 1, nodes):
            if degrees[left[candidate]] < degrees[left[best]]:
                best = candidate
                if degrees[left[best]] <= 1:
                    break
        here = left[best]
        left[best] = left[k]
        order[k], place[here] = here, k
        count = begins[k]
        if count + degrees[here] > most:
            return order[:0].copy(), begins, connected
        if count + degrees[here] > len(connected):
            larger = np.empty(2 * (count + degrees[here]), np.int32)
            larger[:count] = connected[:count]
            connected = larger
        for word in range(words):
            bits = rows[here, word]
            while bits != 0:
                lowest = bits & (~bits + one)
                connected[count] = 64 * word + _count_bits(lowest - one)
                count += 1
                bits ^= lowest
        begins[k + 1] = count
        for at in range(begins[k], count):
            i = connected[at]
            for word in range(words):
                new = rows[here, word] & ~rows[i, word]
                if new != 0:
                    rows[i, word] |= new
                    degrees[i] += _count_bits(new)
            for gone in (np.int64(i), here):  # no node is connected to itself, or to one that is gone
                if rows[i, gone >> 6] >> np.uint64(gone & 63) & one:
                    rows[i, gone >> 6] ^= one << np.uint64(gone & 63)
                    degrees[i] -= 1
    for at in range(begins[nodes]):
        connected[at] = place[connected[at]]
    for k in range(nodes):
        connected[begins[k] : begins[k + 1]].sort()
    return order, begins, connected[: begins[nodes]].copy()


@compiled(
    boolean(
        int64[::1], int64[::1], int32[::1], float64[::1], int8[::1], float64[:, ::1], int32[::1], int64,
        float64[:, ::1], float64[::1],
    )
)  # fmt: skip
def _solve_component(
    members: Ints,
    ways: Ints,
    targets: Numbers,
    weights: Floats,
    exponents: Ints,
    earned: Floats,
    place: Numbers,
    most: int,
    values: Floats,
    errors: Floats,
) -> bool:
    """Fills the values of the states of one component; returns whether it could be done, see :func:`solve_chain`."""
    size, kinds = len(members), earned.shape[1]
    for k in range(size):
        place[members[k]] = k
    inner = np.zeros(size + 1, np.int64)
    for k in range(size):
        inner[k + 1] = inner[k] + ways[members[k] + 1] - ways[members[k]]
    inside = np.empty(inner[size], np.int32)
    for k in range(size):
        for way in range(ways[members[k]], ways[members[k] + 1]):
            target = targets[way]
            at = inner[k] + way - ways[members[k]]
            inside[at] = place[target] if target >= 0 else OUT
    order, begins, connected = minimum_degree(inner, inside, most)
    for k in range(size):
        place[members[k]] = OUT
    if len(order) < size:
        return False
    at_place = np.empty(size, np.int64)
    for k in range(size):
        at_place[order[k]] = k

    # Which states are eliminated before each and connected to it, ascending: the connections, the other way round.
    before = np.zeros(size + 1, np.int64)
    for at in range(len(connected)):
        before[connected[at] + 1] += 1
    for k in range(size):
        before[k + 1] += before[k]
    earlier, filled = np.empty(len(connected), np.int32), before[:-1].copy()
    for k in range(size):
        for at in range(begins[k], begins[k + 1]):
            earlier[filled[connected[at]]] = k
            filled[connected[at]] += 1

    upper, upper_e = np.empty(len(connected)), np.empty(len(connected), np.int64)
    plain = np.empty(size, np.bool_)  # whether no number of a row needs an exponent, or is small
    row, row_e = np.zeros(size), np.zeros(size, np.int64)
    pivots, pivots_e = np.empty(size), np.empty(size, np.int64)
    rights, rights_e = np.zeros((size, kinds)), np.zeros((size, kinds), np.int64)
    leave, leave_e = np.zeros(size), np.zeros(size, np.int64)
    counted, beyond = 0.0, 0.0
    for k in range(size):
        state = members[order[k]]
        simple = True
        for way in range(ways[state], ways[state + 1]):
            weight, weight_e = weights[way], np.int64(exponents[way])
            target = targets[way]
            local = inside[inner[order[k]] + way - ways[state]]
            if local == OUT:
                leave[k], leave_e[k] = _add(leave[k], leave_e[k], weight, weight_e)
                if target >= 0:
                    beyond = max(beyond, errors[target])
            elif local != order[k]:
                j = at_place[local]
                row[j], row_e[j] = _add(row[j], row_e[j], weight, weight_e)
                simple &= row_e[j] == 0
            for kind in range(kinds):
                gain = earned[way, kind]
                if local == OUT and target >= 0:
                    gain += values[target, kind]
                if gain > 0.0:
                    x, e = _normal(gain, 0)
                    x, e = _normal(weight * x, weight_e + e)
                    rights[k, kind], rights_e[k, kind] = _add(rights[k, kind], rights_e[k, kind], x, e)
        counted += 2.0 * PER_TERM * (ways[state + 1] - ways[state]) + PER_STATE

        for at in range(before[k], before[k + 1]):
            past = earlier[at]
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
            for kind in range(kinds):
                if rights[past, kind] > 0.0:
                    x, e = _normal(factor * rights[past, kind], factor_e + rights_e[past, kind])
                    rights[k, kind], rights_e[k, kind] = _add(rights[k, kind], rights_e[k, kind], x, e)
            counted += PER_CHANGE
        row[k], row_e[k] = 0.0, 0  # staying takes time and changes nothing

        # The pivot, with the rounding of each addition made up for (Neumaier 1974), since all that follows rests on it.
        highest = leave_e[k] if leave[k] > 0.0 else -(2**30)
        plain[k] = simple
        for entry in range(begins[k], begins[k + 1]):
            j = connected[entry]
            if row[j] > 0.0:
                highest = max(highest, row_e[j])
                plain[k] &= row[j] >= FAR_FROM_LOW
        total, lost = 0.0, 0.0
        for entry in range(begins[k] - 1, begins[k + 1]):
            if entry < begins[k]:
                x, e = leave[k], leave_e[k]
            else:
                j = connected[entry]
                x, e = row[j], row_e[j]
                upper[entry], upper_e[entry] = x, e
                row[j], row_e[j] = 0.0, 0
            if x > 0.0 and e < highest:
                x = x * STEP_DOWN if e == highest - 1 else 0.0
            both = total + x
            lost += (total - both) + x if total >= x else (x - both) + total
            total = both
        pivots[k], pivots_e[k] = _normal(total + lost, highest)

    for k in range(size - 1, -1, -1):
        state = members[order[k]]
        for kind in range(kinds):
            x, e = rights[k, kind], rights_e[k, kind]
            if pivots[k] == 0.0:  # play never leaves; what it earns has no bound, or is nothing
                rights[k, kind], rights_e[k, kind] = (np.inf if x > 0.0 else 0.0), 0
                values[state, kind] = rights[k, kind]
                continue
            for entry in range(begins[k], begins[k + 1]):
                j = connected[entry]
                if upper[entry] > 0.0 and rights[j, kind] > 0.0:
                    y, f = _normal(upper[entry] * rights[j, kind], upper_e[entry] + rights_e[j, kind])
                    x, e = _add(x, e, y, f)
            if x > 0.0:
                x, e = _normal(x / pivots[k], e - pivots_e[k])
            rights[k, kind], rights_e[k, kind] = x, e
            values[state, kind] = _plain(x, e)
        counted += begins[k + 1] - begins[k]
    for k in range(size):
        errors[members[k]] = beyond + counted * UNIT * SLACK
    return True


@compiled(
    int64(
        int64[::1], int64[::1], int64[::1], int32[::1], float64[::1], int8[::1], float64[:, ::1], int64,
        float64[:, ::1], float64[::1],
    )
)  # fmt: skip
def solve_chain(
    order: Ints,
    bounds: Ints,
    ways: Ints,
    targets: Numbers,
    weights: Floats,
    exponents: Ints,
    earned: Floats,
    most: int,
    values: Floats,
    errors: Floats,
) -> int:
    """Fills what a chain earns in all, from each state, one component after the other.

    States from which play cannot leave are worth 0, or infinitely much where they earn something on the way.

    Args:
        order: The states, those of each component together, see :func:`components` ``[n]``.
        bounds: Where in ``order`` each component that is to be solved begins, and the last ends ``[c + 1]``.
        ways: Where the ways from each state begin, and the last end ``[n + 1]``.
        targets: Where each way leads to ``[w]``, ``OUT`` where play leaves.
        weights: In proportion to the probability of each way, between ``LOW`` and ``HIGH`` ``[w]``.
        exponents: The weights' own, in steps of 2**512 ``[w]``.
        earned: On each way, not negative, several kinds at once ``[w, kinds]``.
        most: No component is solved that takes more connections, see :func:`minimum_degree`.
        values: Filled ``[n, kinds]``.
        errors: Filled with bounds of the relative error of the values ``[n]``.

    Returns:
        How many components are solved: all, or those before one that takes too many connections.
    """
    place = np.full(len(ways) - 1, OUT, np.int32)
    for component in range(len(bounds) - 1):
        members = order[bounds[component] : bounds[component + 1]]
        if not _solve_component(
            members, ways, targets, weights, exponents, earned, place, most, values, errors
        ):  # fmt: skip
            return component
    return len(bounds) - 1


__all__ = ["OUT", "Bools", "components", "minimum_degree", "solve_chain"]
