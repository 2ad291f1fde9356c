"""Markov decision processes solved with many digits, for decisions that rounding makes indistinguishable.

Policy iteration (Howard 1960), with elimination without subtraction as in :mod:`nashzoo.baselines.markov.elimination`,
finds values and decisions. A check without rounding proves them, however long play lasts: some transitions of a
decision lead to more than the value of its state, others to less. If the expected gain by the former is at most
``1 + margin`` times the expected loss by the latter, no decision gains after losing transitions are made more probable
by up to this factor. So the values are an upper bound in that process. In another one they are a lower bound, if the
loss by each chosen decision is at most ``1 + margin`` times its gain. By the Markov chain tree theorem, such factors
change what a policy wins, and what it loses, by a factor of at most ``(1 + margin) ** n`` with ``n`` states.
"""

import decimal
from decimal import Decimal, localcontext

import numpy as np

from nashzoo.baselines.certificate.bounds import UNIT
from nashzoo.baselines.markov.ordering import minimum_degree
from nashzoo.baselines.markov.transitions import Decisions
from nashzoo.envs.jit.compiled import Floats, Ints

FEW_STATES = 1_000
DIGITS = 50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800  # tried in turn
MOST_WORK = 1_000_000  # digits times connections at the elimination of all states
MAX_IMPROVEMENTS = 50

Line = list[tuple[int, Decimal, Decimal]]  # target, weight and reward of each transition of a decision


def _context(digits: int) -> decimal.Context:
    """Returns arithmetic with a number of digits, in which no number is too small."""
    traps = [decimal.DivisionByZero, decimal.InvalidOperation]
    return decimal.Context(digits, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=traps)


EXACT = _context(100_000)
EXACT.traps[decimal.Inexact] = True


def precise_optimum(process: Decisions, choices: Ints) -> tuple[Floats, Floats, Ints]:
    """Returns the values of a process that surely ends ``[n]``, bounds of their errors ``[n]``, and the best decisions.

    ``choices`` ``[n]`` are initial decisions; the process has at most ``FEW_STATES`` states.

    Raises:
        ArithmeticError: the optimal return is unbounded, or needs too many digits.
    """
    lines = [_line(process, decision) for decision in range(len(process.actions))]
    largest = float(np.abs(process.rewards).max())
    turnover = Decimal(largest)
    if process.rewards[process.targets >= 0].any():  # play from any state may end within n steps
        with localcontext(_context(10)):
            rarest = min(min(weight for _, weight, _ in line) / _total(line) for line in lines)
            turnover *= len(choices) / rarest ** len(choices)
    for digits in DIGITS:
        with localcontext(_context(digits)):
            factor = 1 + Decimal(10) ** -(digits // 2)
            off = 4 * len(choices) * (factor - 1) * turnover
            solved = _improved(process, lines, choices, factor, MOST_WORK // digits) if off <= UNIT * largest else None
        if solved is not None:
            values = np.array([float(value) for value in solved[0]])
            if not np.isfinite(values).all():
                break
            return values, 2 * UNIT * (np.abs(values) + largest), solved[1]
    raise OverflowError("the values are too large, or need too many digits")


def _improved(
    process: Decisions, lines: list[Line], choices: Ints, factor: Decimal, most: int
) -> tuple[list[Decimal], Ints] | None:
    """Returns values and decisions that pass the check, or None if there are too few digits for it."""
    owners = process.owners().tolist()
    for _ in range(MAX_IMPROVEMENTS):
        values = _solved(process.chosen(choices), [lines[choice] for choice in choices], most)
        with localcontext(EXACT):
            sides = [_sides(line, values, state) for line, state in zip(lines, owners, strict=True)]
            good = [decision for decision, (gain, loss) in enumerate(sides) if gain > factor * loss]
            proven = not good and all(sides[choice][1] <= factor * sides[choice][0] for choice in choices)
        if proven:
            return values, choices
        gains = {decision: (sides[decision][0] - sides[decision][1]) / _total(lines[decision]) for decision in good}
        better = choices.copy()
        for decision in sorted(good, key=gains.__getitem__):  # the best one last
            better[owners[decision]] = decision
        if (better == choices).all():
            return None
        choices = better
    return None


def _line(process: Decisions, decision: int) -> Line:
    """Returns the transitions of a decision."""
    ways = slice(process.offsets[decision], process.offsets[decision + 1])
    exponents = process.exponents[ways].tolist()
    with localcontext(EXACT):
        return [
            (target, Decimal(weight) * (1 << 512 * (exponent - min(exponents))), Decimal(reward))
            for target, weight, exponent, reward in zip(
                process.targets[ways].tolist(),
                process.weights[ways].tolist(),
                exponents,
                process.rewards[ways].tolist(),
                strict=True,
            )
        ]


def _total(line: Line) -> Decimal:
    """Returns the weight of all transitions of a decision."""
    return sum((weight for _, weight, _ in line), Decimal(0))


def _sides(line: Line, values: list[Decimal], state: int) -> tuple[Decimal, Decimal]:
    """Returns the gain and the loss of a decision on the value of its state, weighted."""
    gain = loss = Decimal(0)
    for target, weight, reward in line:
        change = reward - values[state] + (values[target] if target >= 0 else 0)
        if change > 0:
            gain += weight * change
        else:
            loss -= weight * change
    return gain, loss


def _solved(chain: Decisions, lines: list[Line], most: int) -> list[Decimal]:
    """Returns the total reward of a chain from each state, given the transitions there.

    Raises:
        ArithmeticError: play does not end, or eliminated states have more than ``most`` connections in all.
    """
    order = minimum_degree(chain.offsets, chain.targets, most)[0].tolist()
    if len(order) < len(lines):
        raise OverflowError("there are too many connections")
    earned = [sum((weight * reward for _, weight, reward in line), Decimal(0)) for line in lines]
    rows: list[dict[int, Decimal]] = []
    for state, line in enumerate(lines):
        rows.append({})
        for target, weight, _ in line:
            if target != state:  # staying only takes time
                rows[-1][target] = rows[-1].get(target, Decimal(0)) + weight
    for place, state in enumerate(order):
        total = sum(rows[state].values())
        rows[state] = {target: weight / total for target, weight in rows[state].items()}
        earned[state] /= total
        for before in order[place + 1 :]:
            factor = rows[before].pop(state, None)
            if factor is not None:
                earned[before] += factor * earned[state]
                for target, weight in rows[state].items():
                    if target != before:
                        rows[before][target] = rows[before].get(target, Decimal(0)) + factor * weight
    values = earned
    for state in reversed(order):
        values[state] += sum(weight * values[target] for target, weight in rows[state].items() if target >= 0)
    last = max(map(abs, values)).adjusted() - 3 * decimal.getcontext().prec // 4
    return [value.quantize(Decimal(1).scaleb(last)) for value in values]  # equal values become exactly equal
