"""Values of policies in games without recurring states: backward induction in whole numbers, rounded outward.

Probabilities are exact. Values are multiples of 2**-256, one rounded down and one rounded up, so that the true value is
between them. The only divisions are by the sums of rows.
"""

from collections.abc import Callable
from fractions import Fraction

from studies.values.reference import OVER, Graph, Interval, Outcome, Table

ONE = 1 << 256
LEAST = 1 << 1074  # every float64 is a multiple of 1 / LEAST

Pair = tuple[int, int]  # lower and upper value, in units of 1 / ONE


def _whole(number: float, unit: int) -> int:
    numerator, denominator = number.as_integer_ratio()
    return numerator * unit // denominator


def _mean(outcomes: list[tuple[int, Outcome]], values: dict[int, Pair]) -> Pair:
    """Returns the mean over weighted outcomes."""
    total = lower = upper = 0
    for weight, (_, _, target, reward, chance) in outcomes:
        low, high = values[target]
        paid = _whole(reward, ONE)
        weight *= _whole(chance, LEAST)
        total += weight
        lower += weight * (paid + low)
        upper += weight * (paid + high)
    return lower // total, -(-upper // total)


def _backward(graph: Graph, back_up: Callable[[int, dict[int, Pair]], Pair]) -> Interval:
    """Returns the value at the start.

    Raises:
        ValueError: a state can recur.
    """
    values: dict[int, Pair] = {OVER: (0, 0)}
    waiting: set[int] = set()
    todo = [start for start, _ in graph.starts]
    while todo:
        state = todo[-1]
        missing = [] if state in values else {o.target for o in graph.outcomes[state]} - values.keys()
        if missing:
            if state in waiting:
                raise ValueError(f"{graph.game.state(graph.codes[state])} can recur: play has no layers")
            waiting.add(state)
            todo.extend(missing)
            continue
        todo.pop()
        if state not in values:
            values[state] = back_up(state, values)
    starts = [(_whole(chance, LEAST), Outcome(0, 0, start, 0.0)) for start, chance in graph.starts]
    lower, upper = _mean(starts, values)
    return Interval(Fraction(lower, ONE), Fraction(upper, ONE))


def value(graph: Graph, table0: Table, table1: Table) -> Interval:
    """Returns the value of two policies ``[n, actions]`` to player 0 at the start."""

    def back_up(state: int, values: dict[int, Pair]) -> Pair:
        first, second = ([_whole(chance, LEAST) for chance in table[state]] for table in (table0, table1))
        return _mean([(first[o.action0] * second[o.action1], o) for o in graph.outcomes[state]], values)

    return _backward(graph, back_up)


def best_response(graph: Graph, table: Table, player: int) -> Interval:
    """Returns the value of the best response of ``player`` to a policy ``[n, actions]``, to player 0 at the start."""
    best = max if player == 0 else min

    def back_up(state: int, values: dict[int, Pair]) -> Pair:
        chances = [_whole(chance, LEAST) for chance in table[state]]
        by_action: dict[int, list[tuple[int, Outcome]]] = {}
        for outcome in graph.outcomes[state]:
            own, other = outcome[:2] if player == 0 else outcome[1::-1]
            by_action.setdefault(own, []).append((chances[other], outcome))
        means = [_mean(outcomes, values) for outcomes in by_action.values()]
        return best(low for low, _ in means), best(high for _, high in means)

    return _backward(graph, back_up)
