"""The order in which the states of a component are eliminated.

The order with the fewest new connections is too hard to find; eliminating the state with the fewest connections next is
a good heuristic.
"""

import numpy as np

from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.jit.compiled import Ints, compiled
from nashzoo.envs.jit.numba import int32, int64, types, uint64

MOST_STATES = 16_384  # of a component that is solved by elimination: its connections are kept as bits


@compiled(int64(uint64))
def _count_bits(word: int) -> int:
    x = np.uint64(word)
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))  # type: ignore[return-value]


@compiled(types.Tuple((int64[::1], int64[::1], int32[::1]))(int64[::1], int32[::1], int64))
def minimum_degree(first: Ints, targets: Numbers, most: int) -> tuple[Ints, Ints, Numbers]:
    """Returns an order in which to eliminate the nodes of a graph, and the connections of each at its elimination.

    Args:
        first: Index in ``targets`` of the first target of each node, and of the end of the last one's ``[m + 1]``.
        targets: Nodes; negative ones are ignored.
        most: The largest number of connections; if there are more, or too many nodes, the returned order is empty.

    Returns:
        The nodes in order ``[m]``; the index of the first connection of each, by place in the order, and of the end
        ``[m + 1]``; and the connections, places in the order, ascending.

    Source: Tinney and Walker (1967), scheme 2.
    """
    nodes = len(first) - 1
    if nodes > MOST_STATES:
        return np.empty(0, np.int64), np.zeros(1, np.int64), np.empty(0, np.int32)
    words = (nodes + 63) // 64
    one = np.uint64(1)
    rows = np.zeros((nodes, words), np.uint64)
    for i in range(nodes):
        for transition in range(first[i], first[i + 1]):
            j = targets[transition]
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
            for gone in (np.int64(i), here):  # no node is connected to itself, or to an eliminated one
                if rows[i, gone >> 6] >> np.uint64(gone & 63) & one:
                    rows[i, gone >> 6] ^= one << np.uint64(gone & 63)
                    degrees[i] -= 1
    for at in range(begins[nodes]):
        connected[at] = place[connected[at]]
    for k in range(nodes):
        connected[begins[k] : begins[k + 1]].sort()
    return order, begins, connected[: begins[nodes]].copy()
