"""Small random decision processes, and their values by fractions: nothing here uses the algorithms that are tested.

A process has a list of decisions for each state, and a decision a list of transitions ``(target, weight, reward)``; the
target of the last one is -1. A chain is a process with one decision at each state.
"""

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from nashzoo.baselines.markov.transitions import Decisions

Transition = tuple[int, float, float]
Process = list[list[list[Transition]]]
OUT = -1
SIZES = (1.0, 0.5, 1e-3, 1e-9, 1e-30, 1e-300)  # of weights
REWARDS = (-1.0, -0.5, 0.5, 1.0)


def random_process(
    rng: np.random.Generator, states: int, most_decisions: int = 1, sizes: Sequence[float] = SIZES, out: float = 0.2
) -> Process:
    """Returns a process that pays only at its end; it need not end."""

    def transition() -> Transition:
        target = OUT if rng.random() < out else int(rng.integers(states))
        weight = float(rng.choice(sizes) * rng.integers(1, 4))
        return target, weight, float(rng.choice(REWARDS)) if target == OUT else 0.0

    return [
        [[transition() for _ in range(rng.integers(1, 4))] for _ in range(rng.integers(1, most_decisions + 1))]
        for _ in range(states)
    ]


def decisions(process: Process) -> Decisions:
    """Returns a process in the library's arrays."""
    lines = [line for options in process for line in options]
    targets, weights, rewards = np.array([transition for line in lines for transition in line]).T
    exponents = np.where(weights < 2.0**-256, -1, 0).astype(np.int8)
    counts = [len(options) for options in process]
    return Decisions(
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([np.arange(count) for count in counts]),
        np.concatenate([[0], np.cumsum([len(line) for line in lines])]),
        targets.astype(np.int32),
        np.where(exponents < 0, weights * 2.0**512, weights),
        exponents,
        rewards.copy(),
    )


def leaving(chain: Process) -> list[int]:
    """Returns the states from which play may end."""
    found: set[int] = {OUT}
    while more := {k for k, (line,) in enumerate(chain) if k not in found and any(way[0] in found for way in line)}:
        found |= more
    return sorted(found - {OUT})


def solve(rows: list[list[Fraction]]) -> list[Fraction]:
    """Returns the solution of linear equations ``[m, m + 1]``, by elimination."""
    for k in range(len(rows)):
        pivot = next(i for i in range(k, len(rows)) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [entry / rows[k][k] for entry in rows[k]]
        for i in range(len(rows)):
            if i != k and rows[i][k] != 0:
                rows[i] = [entry - rows[i][k] * other for entry, other in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def chain_values(chain: Process) -> list[Fraction]:
    """Returns the total reward of a chain from each state; 0 where play cannot end."""
    live = leaving(chain)
    place = {state: k for k, state in enumerate(live)}
    rows = []
    for state in live:
        row = [Fraction(0)] * (len(live) + 1)
        for target, weight, reward in chain[state][0]:
            row[place[state]] += Fraction(weight)
            row[-1] += Fraction(weight) * Fraction(reward)
            if target in place:
                row[place[target]] -= Fraction(weight)
        rows.append(row)
    values = [Fraction(0)] * len(chain)
    for state, value in zip(live, solve(rows), strict=True):
        values[state] = value
    return values


def policies(process: Process) -> list[tuple[tuple[int, ...], Process]]:
    """Returns the decision of each state, and the chain, of every policy."""
    choices = itertools.product(*(range(len(options)) for options in process))
    return [(choice, [[options[k]] for options, k in zip(process, choice, strict=True)]) for choice in choices]


def best_values(process: Process) -> list[Fraction]:
    """Returns the optimal value of each state, by trying every policy."""
    return [max(values) for values in zip(*(chain_values(chain) for _, chain in policies(process)), strict=True)]
