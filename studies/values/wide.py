"""Elimination for thousands of states: whole blocks at a time, in floating point of 64 bits and a long exponent.

The fill-in is the same for all policies of a game, so the order is found once. As nothing cancels, every weight keeps
its relative precision; the rounding error was measured against 256 bits, see the documentation.
"""

import heapq
from typing import Any

import numpy as np

from nashzoo.envs.core.game import Ints
from studies.values.reference import OVER, Graph, Rows, leaving


class Order:
    """The order of elimination of the states of a game, fewest new transitions first.

    Attributes:
        place: The place of each state in the order.
        steps: For each place, those of the predecessors and of the successors at its elimination.
    """

    def __init__(self, graph: Graph) -> None:
        after = [{o.target for o in outcomes} - {k, OVER} for k, outcomes in enumerate(graph.outcomes)]
        before: list[set[int]] = [set() for _ in after]
        for state, targets in enumerate(after):
            for target in targets:
                before[target].add(state)
        queue = [(len(a) + len(b), state) for state, (a, b) in enumerate(zip(after, before, strict=True))]
        heapq.heapify(queue)
        self.place: dict[int, int] = {}
        while queue:
            size, state = heapq.heappop(queue)
            targets, sources = after[state], before[state]
            if state in self.place or size != len(targets) + len(sources):
                continue
            self.place[state] = len(self.place)
            for target in targets:
                before[target].discard(state)
                before[target] |= sources - {target}
            for source in sources:
                after[source].discard(state)
                after[source] |= targets - {source}
            for other in targets | sources:
                heapq.heappush(queue, (len(after[other]) + len(before[other]), other))
        self.steps = [(self._places(before[state]), self._places(after[state])) for state in self.place]

    def _places(self, states: set[int]) -> Ints:
        return np.array(sorted(self.place[state] for state in states), np.int64)


def solved(order: Order, rows: Rows) -> dict[int, Any]:
    """Returns the value of each state of a chain to player 0, as :func:`studies.values.reference.solved`.

    Raises:
        ArithmeticError: a weight has become too small for the exponent.
    """
    size = len(order.steps)
    ways = np.zeros((size, size), np.longdouble)
    sums = np.zeros((size, 3), np.longdouble)  # ends, won, lost
    pivots = np.ones(size, np.longdouble)  # 1 for states that are not in the chain
    present = np.zeros(size, np.bool_)
    live = leaving(rows)
    for state in live:
        place, line = order.place[state], rows[state]
        inside = {order.place[target]: weight for target, weight in line.ways.items() if target in live}
        lost_for_ever = sum((weight for target, weight in line.ways.items() if target not in live), np.longdouble(0))
        sums[place] = line.ends + lost_for_ever, line.won, line.lost
        ways[place, list(inside)] = list(inside.values())
        present[place] = True
    for place, (sources, targets) in enumerate(order.steps):
        if not present[place]:
            continue
        targets = targets[ways[place, targets] > 0]
        pivot = pivots[place] = ways[place, targets].sum() + sums[place, 0]
        if not pivot > np.finfo(np.longdouble).tiny:
            raise ArithmeticError("a weight has become too small for its exponent")
        sources = sources[ways[sources, place] > 0]
        parts = ways[sources, place] / pivot
        own = ways[sources, sources].copy()
        ways[np.ix_(sources, targets)] += parts[:, None] * ways[place, targets]
        ways[sources, sources] = own  # returns to the same state do not change values
        sums[sources] += parts[:, None] * sums[place]
    worths = sums[:, 1:]
    for place, (_, targets) in reversed(list(enumerate(order.steps))):
        worths[place] = (worths[place] + ways[place, targets] @ worths[targets]) / pivots[place]
    values = worths[:, 0] - worths[:, 1]
    return {state: values[order.place[state]] for state in rows}
