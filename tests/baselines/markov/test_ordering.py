"""Orders of solving: components of random graphs, and what elimination connects, worked out with sets."""

import numpy as np

from nashzoo.baselines.markov.ordering import minimum_degree
from nashzoo.baselines.states.components import components
from nashzoo.envs.core.game import Ints


def random_graph(rng: np.random.Generator) -> tuple[Ints, Ints, list[set[int]]]:
    """Returns a graph as arrays, and the targets of each node; some targets are none."""
    nodes = int(rng.integers(1, 90))
    counts = rng.integers(0, 4, nodes)
    targets = rng.integers(-1, nodes, counts.sum()).astype(np.int32)
    first = np.concatenate([[0], np.cumsum(counts)])
    return first, targets, [set(targets[first[k] : first[k + 1]].tolist()) - {-1} for k in range(nodes)]


def test_components() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        first, targets, after = random_graph(rng)
        nodes = len(after)
        reaches = np.eye(nodes, dtype=bool)
        for k, some in enumerate(after):
            reaches[k, list(some)] = True
        for k in range(nodes):
            reaches |= reaches[:, k, None] & reaches[k]
        order, bounds = components(first, targets)
        assert sorted(order.tolist()) == list(range(nodes)) and bounds[0] == 0 and bounds[-1] == nodes
        number = np.empty(nodes, np.int64)
        number[order] = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        assert ((number[:, None] == number) == (reaches & reaches.T)).all()
        assert (number[:, None] >= number)[reaches].all()  # none leads to a later one


def test_elimination_connects_the_neighbours_of_what_is_eliminated() -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        first, targets, after = random_graph(rng)
        nodes = len(after)
        near = [{j for j in range(nodes) if j != k and (j in after[k] or k in after[j])} for k in range(nodes)]
        order, begins, connected = minimum_degree(first, targets, 10_000)
        assert sorted(order.tolist()) == list(range(nodes))
        for place, node in enumerate(order.tolist()):
            left = order[place:].tolist()
            assert len(near[node]) <= max(1, min(len(near[k]) for k in left))  # one connection is few enough
            assert connected[begins[place] : begins[place + 1]].tolist() == sorted(
                order.tolist().index(k) for k in near[node]
            )
            for k in near[node]:
                near[k] = (near[k] | near[node]) - {k, node}
        assert begins[nodes] == len(connected)
        assert len(connected) == 0 or len(minimum_degree(first, targets, len(connected) - 1)[0]) == 0
        assert len(minimum_degree(first, targets, len(connected))[0]) == nodes
