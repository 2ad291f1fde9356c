"""The reference values of policies: elimination in exact or very precise numbers.

Play under two policies is a Markov chain. A state is eliminated by connecting its predecessors directly to its
successors. This needs only sums, products and quotients of non-negative numbers, so that nothing cancels: in floating
point every probability, however small, keeps its relative precision; the rounding error of 64 bits was measured against
256 bits, see the documentation. Gains and losses are summed separately.

Nothing here uses the library's solvers: the states are listed again from the rules, and a policy is a table of numbers.
Rows need not sum to 1: the equations of a state hold for any multiple of its row, so each row is its weights divided by
their exact sum.

Sources: Grassmann, Taksar and Heyman (1985), "Regenerative analysis and steady state distributions for Markov chains";
O'Cinneide (1993), "Entrywise perturbation theory and error analysis for Markov chains".
"""

import heapq
import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
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
    """The reachable states, numbered in the order of discovery, with their codes and their transitions ``[n]``."""

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

        starts = zip(game.start_codes, game.start_probabilities, strict=True)
        self.starts = [(number(int(code)), float(probability)) for code, probability in starts]
        for code in self.codes:  # which grows
            if game.turn(code) == CHANCE:
                columns = (column.tolist() for column in game.outcomes(code))
                after = [(0, 0, *outcome) for outcome in zip(*columns, strict=True)]
            else:
                pairs = itertools.product(game.legal_actions(code, 0), game.legal_actions(code, 1))
                after = [(i, j, game.rules.step(game.params, code, i, j), 1.0) for i, j in pairs]
            self.outcomes.append([Outcome(i, j, number(end), game.payoff(end), chance) for i, j, end, chance in after])

    @cached_property
    def order(self) -> "Order":
        """An order of elimination for all chains of the game; it is slow to find in a large one."""
        return Order({k: {o.target for o in outcomes} - {k, OVER} for k, outcomes in enumerate(self.outcomes)})


def starting(game: Game, codes: Ints) -> Game:
    """Returns the same game with a uniformly random start among these states ``[S]``."""
    rules: Any = SimpleNamespace(**vars(game.rules.written))
    rules.start = lambda params: [(game.state(code), 1 / len(codes)) for code in codes.tolist()]
    return Game(rules, **game.options)


class Row(NamedTuple):
    """The transitions of a state, as non-negative weights."""

    ways: dict[int, Any]  # by the next state, without the state itself
    ends: Any  # the weight of the end of the game
    won: Any  # player 0's positive rewards in the next step, times their weights
    lost: Any  # the absolute values of its negative rewards, likewise


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


class Order:
    """An order of elimination, fewest new transitions first.

    It has the place of each state, and for each place those of the predecessors and successors at its elimination.

    Args:
        successors: The successors of each state, among the same states and without itself. Chains may have fewer.
    """

    def __init__(self, successors: Mapping[int, Collection[int]]) -> None:
        after = {state: sum(1 << target for target in set(targets)) for state, targets in successors.items()}  # as bits
        before = dict.fromkeys(after, 0)
        for state, targets in successors.items():
            for target in targets:
                before[target] |= 1 << state
        queue = [(after[state].bit_count() + before[state].bit_count(), state) for state in after]
        heapq.heapify(queue)
        self.place: dict[int, int] = {}
        while queue:
            size, state = heapq.heappop(queue)
            following, leading = after[state], before[state]
            if state in self.place or size != following.bit_count() + leading.bit_count():
                continue
            if size == 2 * (len(after) - len(self.place) - 1):  # the least: all that are left lead to each other
                left = sorted(after.keys() - self.place.keys())
                others = following | 1 << state
                for one in left:
                    self.place[one] = len(self.place)
                    others ^= 1 << one
                    before[one] = after[one] = others
                break
            self.place[state] = len(self.place)
            for target in _numbers(following):
                before[target] = (before[target] | leading) & ~(1 << state | 1 << target)
            for source in _numbers(leading):
                after[source] = (after[source] | following) & ~(1 << state | 1 << source)
            for other in _numbers(following | leading):
                heapq.heappush(queue, (after[other].bit_count() + before[other].bit_count(), other))
        self.steps = [(self._places(before[state]), self._places(after[state])) for state in self.place]

    def _places(self, states: int) -> Ints:
        return np.array(sorted(self.place[state] for state in _numbers(states)), np.int64)


def _numbers(bits: int) -> list[int]:
    """Returns the numbers of the bits that are 1."""
    packed = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), np.uint8)
    numbers: list[int] = np.flatnonzero(np.unpackbits(packed, bitorder="little")).tolist()
    return numbers


def solved(rows: Rows, number: Number, order: Order | None = None) -> dict[int, Any]:
    """Returns the value of each state of a chain to player 0; endless play has the value 0.

    Args:
        rows: The chain.
        number: Makes the numbers to compute with.
        order: The order of elimination, if it is known for all chains of the game.

    Raises:
        EndlessRewardsError: endless play has rewards.
        ArithmeticError: a weight has become too small for the exponent.
    """
    live = leaving(rows)
    if any(line.won != 0 or line.lost != 0 for state, line in rows.items() if state not in live):
        raise EndlessRewardsError("play that cannot end has rewards: its value is not defined")
    if order is None:
        order = Order({state: rows[state].ways.keys() & live for state in live})
    size = len(order.steps)
    ways, sums = np.full((size, size), number(0)), np.full((size, 3), number(0))  # ends, won, lost
    present = np.zeros(size, np.bool_)
    for state in live:
        place, line = order.place[state], rows[state]
        for_ever = sum((weight for target, weight in line.ways.items() if target not in live), number(0))
        sums[place] = line.ends + for_ever, line.won, line.lost
        for target in line.ways.keys() & live:
            ways[place, order.place[target]] = line.ways[target]
        present[place] = True
    pivots = np.full(size, number(1))
    for place in np.flatnonzero(present):
        sources, targets = order.steps[place]
        targets = targets[ways[place, targets] > 0]
        pivot = pivots[place] = ways[place, targets].sum() + sums[place, 0]
        if number is wide and not pivot > np.finfo(np.longdouble).tiny:
            raise ArithmeticError("a weight has become too small for its exponent")
        sources = sources[ways[sources, place] > 0]
        parts = ways[sources, place] / pivot
        own = ways[sources, sources].copy()
        ways[np.ix_(sources, targets)] += parts[:, None] * ways[place, targets]
        ways[sources, sources] = own  # returns to the same state do not change values
        sums[sources] += parts[:, None] * sums[place]
    worths = sums[:, 1:]
    for place in np.flatnonzero(present)[::-1]:
        targets = order.steps[place][1]
        worths[place] = (worths[place] + (ways[place, targets][:, None] * worths[targets]).sum(axis=0)) / pivots[place]
    return {state: np.subtract(*worths[order.place[state]]) if state in live else number(0) for state in rows}


def at_start(graph: Graph, values: dict[int, Any], number: Number) -> Any:
    """Returns the mean of values over the start states."""
    chances = [(number(chance), start) for start, chance in graph.starts]
    total = sum((chance for chance, _ in chances), number(0))
    return sum((chance * values.get(start, number(0)) for chance, start in chances), number(0)) / total


def value(graph: Graph, table0: Table, table1: Table, number: Number, order: Order | None = None) -> Any:
    """Returns the value of two policies ``[n, actions]`` to player 0 at the start."""
    return at_start(graph, solved(chain(graph, table0, table1, number), number, order), number)


def turnover(graph: Graph, table0: Table, table1: Table, number: Number) -> Any:
    """Returns the expected sum of absolute rewards under two policies ``[n, actions]``."""
    rows = {
        state: Row(ways, ends, won + lost, number(0))
        for state, (ways, ends, won, lost) in chain(graph, table0, table1, number).items()
    }
    return at_start(graph, solved(rows, number), number)
