"""All equilibria of a game: at each decision the probabilities that an action can have, and those that it cannot.

In a zero-sum game any two equilibria can be mixed, and every optimal strategy of a player goes with every one of the
other; so each player's are a set of its own, and it is convex (von Neumann and Morgenstern 1944). By state that set is
*local*: the optimal strategies of the state's matrix game, if play is optimal from there on. Where states do not recur,
a strategy is optimal at every state if and only if it is so at each in this sense. Strategies that make up later for
what they give away, or play badly where an opponent's error leads, are not among them; and where states recur, a player
who for ever only keeps the value, as by waiting, need not get it.
"""

import itertools
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, cached_property
from operator import itemgetter
from typing import NamedTuple

from nashzoo.baselines.fraction_solution import FractionSolution
from nashzoo.baselines.policies.keyed import place
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.solvers.face import ALIKE, Strategy, optimal_strategies
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import either
from nashzoo.envs.imported.exact_numbers import simple_fraction

SIMPLE, LONGEST = 20, 20  # the largest denominator of a fraction that is taken for a number near it; letters of one
SHOWN = 12  # decisions in a text, and vertices of one


class Decision(NamedTuple):
    """What a player's optimal strategies do at a state, or at an information state.

    Attributes:
        player: The player.
        code: The state, or information state.
        actions: The player's legal actions ``[k]``.
        lower: The least probability of each ``[k]``; no optimal strategy has less, proven.
        upper: The largest ``[k]``; none has more.
        vertices: Probabilities ``[k]`` whose averages are all optimal ones; None if they are not known as fractions.
        reached: Whether the player's own optimal play leads here; if not, any probability is optimal.
        formulas: The probabilities ``[k]`` in words, if all optimal strategies of the player are a family with one
            parameter ``alpha``; else None.
    """

    player: int
    code: int
    actions: tuple[int, ...]
    lower: Sequence[Fraction | float]
    upper: Sequence[Fraction | float]
    vertices: list[Strategy] | None = None
    reached: bool = True
    formulas: tuple[str, ...] | None = None

    @property
    def unique(self) -> bool:
        """Whether all optimal strategies that lead here play alike, to within 3e-5."""
        return not self.reached or all(b - a <= ALIKE for a, b in zip(self.lower, self.upper, strict=True))

    @property
    def never(self) -> tuple[int, ...]:
        """The actions whose probability is at most 3e-5 in every optimal strategy, proven."""
        return tuple(action for action, most in zip(self.actions, self.upper, strict=True) if most <= ALIKE)

    @property
    def free(self) -> bool:
        """Whether each action that is ever taken can be taken always; then so can any mix of them."""
        return all(most <= ALIKE or most >= 1 - ALIKE for most in self.upper)

    def text(self, names: Sequence[str]) -> str:
        """Returns the actions that are ever taken, with the ranges of their probabilities, by the names of actions."""
        kept = [action for action in self.actions if action not in self.never]
        if len(kept) > 1 and self.free and self.formulas is None:
            return f"any of {either([names[a] for a in kept], 'and')}, and any mix of them"
        told = [range_text(low, high) for low, high in zip(self.lower, self.upper, strict=True)]
        for k, formula in enumerate(self.formulas or ()):
            told[k] = formula if told[k] == formula else f"{formula} ({told[k]})"
        return ", ".join(f"{names[a]} {one}" for a, one in zip(self.actions, told, strict=True) if a in kept)


def number_text(number: Fraction | float) -> str:
    """Returns a probability as a fraction, if it is a simple one to within 3e-5, else with five decimals."""
    if isinstance(number, Fraction) and len(str(number)) <= LONGEST:
        return str(number)
    simple = Fraction(number).limit_denominator(SIMPLE)
    return str(simple) if abs(simple - Fraction(number)) <= ALIKE else f"{float(number):.5f}"


def range_text(low: Fraction | float, high: Fraction | float) -> str:
    """Returns a range of probabilities; its middle if it is narrower than 3e-5.

    >>> range_text(0, 0.3333333), range_text(0.7310001, 0.7310002), range_text(Fraction(2, 31), Fraction(2, 31))
    ('0 to 1/3', '0.73100', '2/31')
    """
    if high - low > ALIKE:
        return f"{number_text(low)} to {number_text(high)}"
    return number_text(low if low == high else (low + high) / 2)


class Equilibria(ABC):
    """All equilibria of a solved game; iteration yields the decisions that they lead to, in the order of play.

    They are computed when they are asked for.

    Attributes:
        game: The game.
        solution: One of the equilibria.
    """

    def __init__(self, solution: Solution) -> None:
        self.game, self.solution = solution.game, solution
        if not solution.optimal:
            raise UsageError(f"{self.game.name} may have no optimal strategies (Everett 1957), and so no set of them")

    @property
    @abstractmethod
    def lost(self) -> float:
        """The most that a strategy at the end of a range so far loses, points."""

    @abstractmethod
    def at(self, code: int, player: int) -> Decision:
        """Returns what a player's optimal strategies do at a state; with hidden information, at what it sees of it.

        Raises:
            UsageError: the player does not choose there, or play never comes there.
            KeyError: the state is not part of the solution.
        """

    @abstractmethod
    def __iter__(self) -> Iterator[Decision]:
        """Yields the decisions to which equilibria lead."""

    @cached_property
    def unique(self) -> bool:
        """Whether all equilibria play alike wherever they lead, to within 3e-5 in each probability."""
        return all(decision.unique for decision in self)

    def choices(self) -> Iterator[Decision]:
        """Yields the decisions at which equilibria differ."""
        return (decision for decision in self if not decision.unique)

    def place(self, decision: Decision) -> str:
        """Returns where a decision is taken, in words."""
        return place(self.game, decision.player, decision.code)

    def text(self, decisions: Iterable[Decision]) -> str:
        """Returns decisions in words, with the vertices of mixed strategies that say more than the ranges."""
        lines, names = [], self.game.actions
        for one in decisions:
            lines.append(f"player {one.player} at {self.place(one).replace(',', ', ')}:")
            lines.append(f"  {one.text(names)}" + "; its optimal play never leads here" * (not one.reached))
            if len(vertices := one.vertices or []) > 1 and not one.free:
                mixes = (filter(itemgetter(1), zip(one.actions, each, strict=True)) for each in vertices[:SHOWN])
                lines += ["  vertex: " + ", ".join(f"{names[a]} {number_text(p)}" for a, p in mix) for mix in mixes]
                lines += ["  and more"] * (len(vertices) > SHOWN)
        return "\n".join(lines)

    def __str__(self) -> str:
        differ = list(itertools.islice(self.choices(), SHOWN + 1))
        if not differ:
            told = f"{self.game} has one equilibrium: all play alike wherever they lead, to within {ALIKE:.5f}, proven."
            return f"{told}\n{self.text(itertools.islice(self, 2))}"
        of = "over all equilibria that lead there" if self.game.hides else "of play that is optimal from there on"
        rounded = self.lost and any(one.vertices is None for one in differ)
        near = f", and strategies that lose at most {self.lost:.0e} points come to its ends" if rounded else ""
        told = (
            f"{self.game} has several equilibria. They differ at these decisions, the first in the order of play. A "
            f"range is {of}{near}; actions that are left out are never taken."
        )
        return f"{told}\n{self.text(differ[:SHOWN])}" + "\nand more" * (len(differ) > SHOWN)


class StateEquilibria(Equilibria):
    """All equilibria of a game whose players see the whole state."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(solution)
        self._decisions = cache(self._found)

    @property
    def lost(self) -> float:
        """The most that a strategy loses at any one state, points: values are within the certificate."""
        return 4 * self.solution.certificate

    def at(self, code: int, player: int) -> Decision:
        """Returns what a player's optimal strategies do at a state, see :class:`Equilibria`."""
        if player not in self.game.movers(code):
            raise UsageError(f"player {player} does not choose at {self.game.spell(code)}")
        return self._decisions(code)[player]

    def __iter__(self) -> Iterator[Decision]:
        game, ahead = self.game, deque(self.game.start_codes.tolist())
        seen = set(ahead)
        while ahead:
            code = ahead.popleft()
            if here := self._decisions(code):
                yield from here.values()
                own = [[a for a in here[p].actions if a not in here[p].never] if p in here else [0] for p in (0, 1)]
                after = [game.rules.step(game.params, code, a, b) for a in own[0] for b in own[1]]
            else:
                after = game.outcomes(code)[0].tolist()
            fresh = [one for one in dict.fromkeys(after) if one not in seen and not game.terminal(one)]
            seen.update(fresh)
            ahead.extend(fresh)

    def strategies(self, code: int) -> tuple[list[Strategy], list[Strategy], bool]:
        """Returns the vertices of both players' sets at a state: probabilities of legal actions, as fractions.

        The third is whether they are exact; else their averages lose at most the certificate, and have all optimal
        strategies among them.
        """
        game, step = self.game, self.game.rules.step
        actions = [game.legal_actions(code, player) for player in (0, 1)]
        after = [[step(game.params, code, a, b) for b in actions[1]] for a in actions[0]]
        last = all(game.terminal(one) for row in after for one in row)
        exact = last or isinstance(self.solution, FractionSolution) or self.solution.certificate == 0
        # Values are within the certificate of the true ones, so that no optimal strategy secures less than this.
        slack = Fraction(0) if exact else 2 * Fraction(self.solution.certificate)
        return *optimal_strategies([[self._worth(one, last) for one in row] for row in after], slack), exact

    def _found(self, code: int) -> dict[int, Decision]:
        """Returns the decisions of those who choose at a state."""
        movers, found = self.game.movers(code), dict[int, Decision]()
        if movers:
            *sets, exact = self.strategies(code)
        for player in movers:
            actions = self.game.legal_actions(code, player)
            lower, upper = ([end(column) for column in zip(*sets[player], strict=True)] for end in (min, max))
            found[player] = Decision(player, code, actions, lower, upper, sets[player] if exact else None)
        return found

    def _worth(self, code: int, last: bool) -> Fraction:
        """Returns the reward on entering a state plus its value; in the ``last`` state rewards are simple fractions."""
        reward = self.game.payoff(code)
        if self.game.terminal(code):
            return simple_fraction(reward) if last else Fraction(reward)
        if isinstance(self.solution, FractionSolution):
            return Fraction(reward) + self.solution.exact_values[int(self.solution.states.ids(code))]
        return Fraction(reward) + Fraction(self.solution.value(code))
