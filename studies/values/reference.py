"""The reference values of policies: elimination in exact or very precise numbers.

Play under two policies is a Markov chain. A state is eliminated by connecting its predecessors directly to its
successors. This needs only sums, products and quotients of non-negative numbers, so that nothing cancels: in floating
point with many digits every probability, however small, keeps its relative precision. Gains and losses are summed
separately.

Nothing here uses the library's solvers: the states are listed again from the rules, and a policy is a table of numbers.
Rows need not sum to 1: the equations of a state hold for any multiple of its row, so each row is its weights divided by
their exact sum.

Sources: Grassmann, Taksar and Heyman (1985), "Regenerative analysis and steady state distributions for Markov chains";
O'Cinneide (1993), "Entrywise perturbation theory and error analysis for Markov chains"; the order of elimination is
that of Markowitz (1957), smallest products of degrees first.
"""

import heapq
import itertools
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.core.game import CHANCE, Game, Ints

try:
    import gmpy2
except ImportError:  # several times as slow
    exact: Any = Fraction
else:
    exact = gmpy2.mpq

Number = Callable[[float], Any]  # makes an exact or very precise number: fractions.Fraction, gmpy2.mpq, gmpy2.mpfr

OVER = -1  # the successor at the end of the game


def wide(number: float) -> Any:
    """Returns a number with 64 bits and a long exponent, for products of a few hundred probabilities.

    Raises:
        RuntimeError: this processor has no such numbers.
    """
    if np.finfo(np.longdouble).maxexp < 16_000:
        raise RuntimeError("this processor has no floating point numbers with long exponents")
    return np.longdouble(number)


class Interval(NamedTuple):
    """An interval that contains the true value."""

    lower: Fraction
    upper: Fraction

    @classmethod
    def of(cls, number: Any, error: float = 0.0) -> "Interval":
        """Returns a number as an interval, ``error`` to either side."""
        pair = (
            number.as_integer_ratio() if isinstance(number, np.longdouble) else (number.numerator, number.denominator)
        )
        middle = Fraction(*map(int, pair))
        return cls(middle - Fraction(error), middle + Fraction(error))

    def half_above(self, other: "Interval") -> "Interval":
        """Returns the interval of half of the difference of two numbers, as exploitability is of two responses."""
        return Interval((self.lower - other.upper) / 2, (self.upper - other.lower) / 2)


class EndlessRewardsError(ValueError):
    """Play that never ends has rewards other than 0, so that its value is undefined."""


class Outcome(NamedTuple):
    """A transition of a joint action; where chance decides, both actions are 0."""

    action0: int
    action1: int
    target: int  # the number of a state, or OVER
    reward: float  # to player 0
    chance: float = 1.0  # its probability after the joint action


class Graph:
    """The reachable states, numbered in the order of discovery, and their transitions.

    Attributes:
        game: The game.
        codes: Their codes ``[n]``.
        outcomes: The transitions of each ``[n]``.
        starts: The numbers of the start states, with their probabilities.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        numbers: dict[int, int] = {}
        self.codes: list[int] = []
        self.outcomes: list[list[Outcome]] = []

        def number(code: int) -> int:
            if game.terminal(code):
                return OVER
            if code not in numbers:
                numbers[code] = len(self.codes)
                self.codes.append(code)
            return numbers[code]

        self.starts = [
            (number(int(code)), float(probability))
            for code, probability in zip(game.start_codes, game.start_probabilities, strict=True)
        ]
        for code in self.codes:  # which grows
            if game.turn(code) == CHANCE:
                columns = (column.tolist() for column in game.outcomes(code))
                after = [(0, 0, *outcome) for outcome in zip(*columns, strict=True)]
            else:
                pairs = itertools.product(game.legal_actions(code, 0), game.legal_actions(code, 1))
                after = [(i, j, game.rules.step(game.params, code, i, j), 1.0) for i, j in pairs]
            self.outcomes.append([Outcome(i, j, number(end), game.payoff(end), chance) for i, j, end, chance in after])


def starting(game: Game, codes: Ints) -> Game:
    """Returns the same game with a uniformly random start among these states ``[S]``."""
    rules: Any = SimpleNamespace(**vars(game.rules.written))
    rules.start = lambda params: [(game.state(code), 1 / len(codes)) for code in codes.tolist()]
    return Game(rules, **game.options)


class Row(NamedTuple):
    """The transitions of a state, as non-negative weights.

    Attributes:
        ways: Weights by the next state, without the state itself.
        ends: The weight of the end of the game.
        won: Player 0's positive rewards in the next step, times their weights.
        lost: The absolute values of its negative rewards, likewise.
    """

    ways: dict[int, Any]
    ends: Any
    won: Any
    lost: Any


Rows = dict[int, Row]
Table = Sequence[Sequence[float]]


def row(outcomes: Iterable[tuple[Any, int, float]], state: int, number: Number) -> Row:
    """Returns the row of a state with these ``(weight, target, reward)``."""
    ways: dict[int, Any] = {}
    ends = won = lost = number(0)
    for weight, target, reward in outcomes:
        if reward > 0:
            won += weight * number(reward)
        elif reward < 0:
            lost += weight * number(-reward)
        if target == OVER:
            ends += weight
        elif target != state:
            ways[target] = ways.get(target, 0) + weight
    return Row(ways, ends, won, lost)


def chain(graph: Graph, table0: Table, table1: Table, number: Number) -> Rows:
    """Returns the rows of the states that two policies ``[n, actions]`` reach from the start."""
    rows: Rows = {}
    todo = [start for start, probability in graph.starts if probability > 0 and start != OVER]
    while todo:
        state = todo.pop()
        if state in rows:
            continue
        first, second = table0[state], table1[state]
        rows[state] = row(
            (
                (number(first[i]) * number(second[j]) * number(chance), target, reward)
                for i, j, target, reward, chance in graph.outcomes[state]
                if first[i] > 0 and second[j] > 0
            ),
            state,
            number,
        )
        todo.extend(rows[state].ways)
    return rows


def leaving(rows: Rows) -> set[int]:
    """Returns the states from which the game can end."""
    before: dict[int, list[int]] = {state: [] for state in rows}
    for state, (ways, *_) in rows.items():
        for target in ways:
            before[target].append(state)
    todo, leave = [state for state, (_, ends, _, _) in rows.items() if ends > 0], set[int]()
    while todo:
        if (state := todo.pop()) not in leave:
            leave.add(state)
            todo += before[state]
    return leave


def solved(rows: Rows, number: Number) -> dict[int, Any]:
    """Returns the value of each state of a chain to player 0; endless play has the value 0.

    Raises:
        EndlessRewardsError: endless play has rewards.
    """
    live = leaving(rows)
    if any(won != 0 or lost != 0 for state, (_, _, won, lost) in rows.items() if state not in live):
        raise EndlessRewardsError("play that cannot end has rewards: its value is not defined")
    ways: dict[int, dict[int, Any]] = {}
    ends: dict[int, Any] = {state: rows[state].ends for state in live}
    won: dict[int, Any] = {state: rows[state].won for state in live}
    lost: dict[int, Any] = {state: rows[state].lost for state in live}
    before: dict[int, set[int]] = {state: set() for state in live}
    for state in live:
        ways[state] = {target: weight for target, weight in rows[state].ways.items() if target in live}
        ends[state] += sum((weight for target, weight in rows[state].ways.items() if target not in live), number(0))
        for target in ways[state]:
            before[target].add(state)

    order: list[tuple[int, dict[int, Any], Any]] = []
    queue = [(len(ways[state]) * len(before[state]), state) for state in live]
    heapq.heapify(queue)
    while queue:
        size, state = heapq.heappop(queue)
        if state not in before or size != (now := len(ways[state]) * len(before[state])):
            if state in before:
                heapq.heappush(queue, (now, state))
            continue
        after, sources = ways.pop(state), before.pop(state)
        for target in after:
            before[target].discard(state)
        pivot = sum(after.values(), ends[state])
        order.append((state, after, pivot))
        for source in sources:
            line = ways[source]
            part = line.pop(state) / pivot
            for target, weight in after.items():
                if target != source:
                    line[target] = line.get(target, 0) + part * weight
                    before[target].add(source)
            ends[source] += part * ends[state]
            won[source] += part * won[state]
            lost[source] += part * lost[state]
    for state, after, pivot in reversed(order):
        for sums in (won, lost):
            sums[state] = sum((weight * sums[target] for target, weight in after.items()), sums[state]) / pivot
    return {state: won[state] - lost[state] if state in live else number(0) for state in rows}


def at_start(graph: Graph, values: dict[int, Any], number: Number) -> Any:
    """Returns the mean of values over the start states."""
    chances = [(number(chance), start) for start, chance in graph.starts]
    total = sum((chance for chance, _ in chances), number(0))
    return sum((chance * values.get(start, number(0)) for chance, start in chances), number(0)) / total


def value(graph: Graph, table0: Table, table1: Table, number: Number) -> Any:
    """Returns the value of two policies ``[n, actions]`` to player 0 at the start."""
    return at_start(graph, solved(chain(graph, table0, table1, number), number), number)


def turnover(graph: Graph, table0: Table, table1: Table, number: Number) -> Any:
    """Returns the expected sum of absolute rewards under two policies ``[n, actions]``."""
    rows = {
        state: Row(ways, ends, won + lost, number(0))
        for state, (ways, ends, won, lost) in chain(graph, table0, table1, number).items()
    }
    return at_start(graph, solved(rows, number), number)
