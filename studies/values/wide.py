"""Elimination for thousands of states: whole blocks at a time, in floating point of 64 bits and a long exponent.

The fill-in is the same for all policies of a game, so the order is found once. As nothing cancels, every weight keeps
its relative precision; the rounding error was measured against 256 bits, see the documentation.
"""

import heapq
from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.core.game import Ints
from studies.values.reference import OVER, Graph, Rows, leaving


class Step(NamedTuple):
    """One elimination: a state, its predecessors and its successors."""

    place: int
    sources: Ints
    targets: Ints


class Order:
    """The order of elimination of the states of a game, fewest new transitions first.

    Args:
        graph: The states.
    """

    def __init__(self, graph: Graph) -> None:
        after = [{o.target for o in outcomes} - {k, OVER} for k, outcomes in enumerate(graph.outcomes)]
        before: list[set[int]] = [set() for _ in after]
        for state, targets in enumerate(after):
            for target in targets:
                before[target].add(state)
        queue = [(len(a) + len(b), state) for state, (a, b) in enumerate(zip(after, before, strict=True))]
        heapq.heapify(queue)
        found: list[tuple[int, set[int], set[int]]] = []
        done: set[int] = set()
        while queue:
            size, state = heapq.heappop(queue)
            targets, sources = after[state], before[state]
            if state in done or size != len(targets) + len(sources):
                continue
            done.add(state)
            for target in targets:
                before[target].discard(state)
                before[target] |= sources - {target}
            for source in sources:
                after[source].discard(state)
                after[source] |= targets - {source}
            for other in targets | sources:
                heapq.heappush(queue, (len(after[other]) + len(before[other]), other))
            found.append((state, sources, targets))
        self.place = {state: place for place, (state, _, _) in enumerate(found)}
        self.steps = [Step(self.place[state], self._places(b), self._places(a)) for state, b, a in found]

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
    live = leaving(rows)
    for state in live:
        place, line = order.place[state], rows[state]
        inside = {target: weight for target, weight in line.ways.items() if target in live}
        lost_for_ever = sum((weight for target, weight in line.ways.items() if target not in live), np.longdouble(0))
        sums[place] = line.ends + lost_for_ever, line.won, line.lost
        ways[place, [order.place[target] for target in inside]] = list(inside.values())
    pivots = _eliminated(order, ways, sums, [order.place[state] for state in live])
    return {
        state: worth
        for state, worth in zip(order.place, _substituted(order, ways, sums, pivots), strict=True)
        if state in rows
    }


def _eliminated(order: Order, ways: Any, sums: Any, live: list[int]) -> Any:
    """Eliminates all states, in place; returns the pivots, 1 for states that are not in the chain."""
    pivots = np.ones(len(ways), np.longdouble)
    present = np.zeros(len(ways), np.bool_)
    present[live] = True
    for place, sources, targets in order.steps:
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
    return pivots


def _substituted(order: Order, ways: Any, sums: Any, pivots: Any) -> list[Any]:
    """Returns the values of the states, in the order of elimination."""
    worths = sums[:, 1:].copy()
    for place, _, targets in reversed(order.steps):
        worths[place] = (worths[place] + ways[place, targets] @ worths[targets]) / pivots[place]
    return list(worths[:, 0] - worths[:, 1])
