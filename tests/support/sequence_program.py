"""The value of a tree by the linear program of its sequence form, written down without the package's own."""

from typing import Any

import numpy as np
from scipy.optimize import linprog

from nashzoo.envs.imported.explorer import OVER
from nashzoo.envs.imported.trees import ROOT, Tree
from nashzoo.envs.rules.pieces import CHANCE


def value_by_program(tree: Tree) -> float:
    """Returns the value to player 0, by the linear program of the sequence form, written down from the tree."""
    numbers: tuple[dict[Any, int], dict[Any, int]] = {None: 0}, {None: 0}
    parents: tuple[dict[Any, Any], dict[Any, Any]] = {}, {}
    ends, ways = [], {ROOT: ((None, None), 1.0, 0.0)}
    for number, node in enumerate(tree.nodes):
        last, chance, paid = ways[node.parent]
        before = tree.nodes[node.parent]
        if node.parent != ROOT and before.mover == CHANCE:
            chance *= float(before.chances[node.choice])
        elif node.parent != ROOT:
            last = tuple((before.seen, node.choice) if k == before.mover else last[k] for k in range(2))  # type: ignore[assignment]
        ways[number] = last, chance, paid + float(node.payoffs[0])
        if node.mover == OVER:
            ends.append((last, chance * ways[number][2]))
        elif node.mover != CHANCE:
            parents[node.mover][node.seen] = last[node.mover]
            for choice in range(len(node.actions)):
                numbers[node.mover].setdefault((node.seen, choice), len(numbers[node.mover]))
    rewards = np.zeros([len(one) for one in numbers])
    for (one, other), reward in ends:
        rewards[numbers[0][one], numbers[1][other]] += reward
    constraints = []
    for own, sets in zip(numbers, parents, strict=True):
        rows = np.zeros((1 + len(sets), len(own)))
        rows[0, 0] = 1.0
        for row, (seen, parent) in enumerate(sets.items(), 1):
            rows[row, own[parent]] = -1.0
            for key, column in own.items():
                rows[row, column] += key is not None and key[0] == seen
        constraints.append(rows)
    (mine, other), (m, n) = constraints, rewards.shape
    # The largest value[0] with other.T @ value <= rewards.T @ weights (von Stengel 1996, section 4).
    found = linprog(
        np.concatenate([np.zeros(m), -np.eye(len(other))[0]]),
        A_ub=np.hstack([-rewards.T, other.T]),
        b_ub=np.zeros(n),
        A_eq=np.hstack([mine, np.zeros((len(mine), len(other)))]),
        b_eq=np.eye(len(mine))[0],
        bounds=[(0, None)] * m + [(None, None)] * len(other),
    )
    assert found.status == 0
    return -float(found.fun)
