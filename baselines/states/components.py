"""Strongly connected components of graphs."""

import numpy as np

from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.jit.compiled import Ints, compiled
from nashzoo.envs.jit.numba import int32, int64, types


@compiled(types.Tuple((int64[::1], int64[::1]))(int64[::1], int32[::1]))
def components(first: Ints, targets: Numbers) -> tuple[Ints, Ints]:
    """Returns the strongly connected components of a graph, each after all those that it leads to.

    Args:
        first: Index in ``targets`` of the first target of each node, and of the end of the last one's ``[n + 1]``.
        targets: Nodes; negative ones are ignored.

    Returns:
        The nodes in order ``[n]``, and the index in it of the start of each component and of the end ``[c + 1]``.

    Source: Tarjan (1972), "Depth-first search and linear graph algorithms", without recursion.
    """
    nodes = len(first) - 1
    order, bounds = np.empty(nodes, np.int64), np.zeros(nodes + 1, np.int64)
    entered, earliest = np.full(nodes, -1), np.empty(nodes, np.int64)
    done = np.zeros(nodes, np.bool_)
    looked_at = first[:-1].copy()
    path, waiting = np.empty(nodes, np.int64), np.empty(nodes, np.int64)  # stacks
    on_path = are_waiting = clock = ordered = closed = 0
    for root in range(nodes):
        if entered[root] >= 0:
            continue
        path[0], on_path = root, 1
        while on_path > 0:
            here = path[on_path - 1]
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
                    path[on_path] = after
                    on_path += 1
                else:
                    earliest[here] = min(earliest[here], entered[after])
                continue
            on_path -= 1
            if on_path > 0:
                before = path[on_path - 1]
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
            closed += 1
            bounds[closed] = ordered
    return order, bounds[: closed + 1].copy()
