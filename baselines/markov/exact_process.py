"""Small Markov decision processes solved in rational numbers, for decisions that rounding makes indistinguishable.

Policy iteration (Howard 1960) ends with an optimal policy in exact arithmetic.
"""

from fractions import Fraction

import numpy as np

from nashzoo.baselines.markov.transitions import Decisions
from nashzoo.envs.compilation.compiled import Floats, Ints

FEW_STATES = 48  # the fractions grow with the number of states

Row = dict[int, Fraction]


def exact_optimum(process: Decisions, choices: Ints) -> tuple[Floats, Ints]:
    """Returns the values of a process that surely ends ``[n]``, rounded once, and the best decisions ``[n]``.

    Args:
        process: The decisions; not many states, see ``FEW_STATES``.
        choices: Initial decisions ``[n]``.

    Raises:
        ZeroDivisionError: the optimal return is unbounded.
        OverflowError: a value is too large for a floating-point number.
    """
    rows = [_row(process, decision) for decision in range(len(process.actions))]
    owners = process.owners()
    choices = choices.copy()
    while True:
        values = _solved([rows[choice] for choice in choices])
        best, before = [Fraction(0)] * len(values), choices.copy()
        for decision, (row, earned) in enumerate(rows):
            here = values[owners[decision]]
            gain = earned + sum((weight * (values[target] - here) for target, weight in row.items() if target >= 0))
            gain = (gain - row.get(-1, 0) * here) / max(sum(row.values()), Fraction(1, 2**1074))
            if gain > best[owners[decision]]:
                best[owners[decision]], choices[owners[decision]] = gain, decision
        if (choices == before).all():
            return np.array([float(value) for value in values]), choices


def _row(process: Decisions, decision: int) -> tuple[Row, Fraction]:
    """Returns the weights of the successors of a decision, -1 for the end, and its rewards weighted by these."""
    state = int(np.searchsorted(process.first, decision, "right")) - 1
    row: Row = {}
    earned = Fraction(0)
    for transition in range(process.offsets[decision], process.offsets[decision + 1]):
        weight = Fraction(float(process.weights[transition])) * Fraction(2) ** (
            512 * int(process.exponents[transition])
        )
        earned += weight * Fraction(float(process.rewards[transition]))
        target = int(process.targets[transition])
        if target != state:  # staying only takes time
            row[target] = row.get(target, Fraction(0)) + weight
    return row, earned


def _solved(rows: list[tuple[Row, Fraction]]) -> list[Fraction]:
    """Returns the total reward of a chain from each state, given a row of :func:`_row` for each."""
    left = [(dict(row), earned) for row, earned in rows]
    for k in range(len(left) - 1, 0, -1):
        row, earned = left[k]
        total = sum(row.values(), Fraction(0))
        for i in range(k):
            factor = left[i][0].pop(k, Fraction(0)) / total
            if factor:
                for target, weight in row.items():
                    if target != i:
                        left[i][0][target] = left[i][0].get(target, Fraction(0)) + factor * weight
                left[i] = left[i][0], left[i][1] + factor * earned
    values: list[Fraction] = []
    for k, (row, earned) in enumerate(left):
        known = sum((weight * values[target] for target, weight in row.items() if 0 <= target < k), Fraction(0))
        values.append((earned + known) / sum(row.values(), Fraction(0)))
    return values
