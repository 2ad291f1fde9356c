"""Players who forget without loss: their information sets are split by what they saw and did before.

A player whose information set holds several of its own pasts has imperfect recall. Split by the past, the sets are
those of a player who remembers: the *refinement* of the game, which is solved. It has the same value if the game is
*well formed*, as is checked here. For two parts of a set there must be a factor, so that each pair of

- the other player's whole course of play, its information sets and actions from the start on, and
- the player's own course from the set on

has the same probability of chance in both parts up to the factor, with the same mean of the payoffs from the set on, up
to a constant for all pairs. A bijection of ends with equal courses, proportional chances and equal payoffs, as in the
source, is a special case. The numbers are fractions, and compared exactly.

Proof. Let both players play by the sets as they are. At two parts of a set the counterfactual values of the actions are
sums over these pairs, where the chances of both courses of play are the same; so they are proportional, but for a
constant that is the same for all actions, and the same mixes are best. Let each set be an agent who wants what is best
at its parts. As no set comes twice in a play, its values do not depend on its own mix, so the best mixes are a convex
set, and Kakutani's theorem gives a point at which all agents play best. There every part of every set plays best given
the player's later choices, which by backward induction is a best response of a player who remembers. So it is an
equilibrium of the refinement in which nobody uses what the sets do not tell. In the same way there is a best response
by the sets as they are to a policy by the sets as they are: such a policy's exploitability is the same in both games.

Source: Lanctot, Gibson, Burch, Zinkevich and Bowling (2012), "No-regret learning in extensive-form games with imperfect
recall", definition 1.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

from nashzoo.envs.imported.exact_numbers import simple_fraction
from nashzoo.envs.rules.pieces import BOTH, CHANCE


class Pasts:
    """What players saw and did before.

    Args:
        explored: A game whose states are histories, see :class:`nashzoo.envs.imported.explorer.Explored`.

    Attributes:
        numbers: The numbers of both players' pasts, ``[2][n]``; 0 of the one in which a player did nothing.
        forgotten: By player, the number of information sets that hold several.
        loses: Two histories in one of these sets where play goes on differently; empty if nobody loses by forgetting.
        harmless: Whether somebody forgets, and nobody loses by it.
    """

    def __init__(self, explored: Any) -> None:
        self._explored = explored
        count, exact = len(explored.turns), cache(simple_fraction)
        self.numbers, self.forgotten = [[0] * count, [0] * count], [0, 0]
        self.loses: tuple[int, ...] = ()
        self._reach, self._paid = [Fraction(1)] * count, [Fraction(0)] * count  # the probability of chance, and points
        self._known: dict[Hashable, int] = {}
        self._before: list[Any] = [None]  # of each past: the information set, and the past there
        sets: dict[Any, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))  # histories by player and sight
        todo = [explored.start]
        while todo:
            at = todo.pop()
            turn, following = explored.turns[at], list(self._steps(at))
            for player in range(2):
                if turn in (player, BOTH):
                    sets[player, explored.sight(at, player)][self.numbers[player][at]].append(at)
                for after, pair, _ in following:
                    self.numbers[player][after] = self._then(player, at, self.numbers[player][at], pair)
            for after, _, chance in following:
                self._reach[after] = self._reach[at] * exact(chance) if turn == CHANCE else self._reach[at]
                self._paid[after] = self._paid[at] + exact(explored.payoffs[after])
            todo += [after for after, *_ in following[::-1]]
        for key, parts in sets.items():
            self.forgotten[key[0]] += len(parts) > 1
            first, *others = parts if len(parts) > 1 and not self.loses else (0,)
            for other in others:
                again = self._comes(key, first) or self._comes(key, other)
                if again or self._future(key[0], parts[first]) != self._future(key[0], parts[other]):
                    self.loses = parts[first][0], parts[other][0]
                    break
        self.harmless = any(self.forgotten) and not self.loses

    def _steps(self, at: int) -> Iterator[tuple[int, Any, float]]:
        """Yields what follows, with the pair of actions that leads to it, or its probability."""
        one, other = self._explored.legal[at]
        pairs: list[Any] = [(a, b) for a in one for b in other] or [None] * len(self._explored.following[at])
        yield from zip(self._explored.following[at], pairs, self._explored.probabilities[at], strict=True)

    def _then(self, player: int, at: int, past: int, pair: Any) -> int:
        """Returns the number of a player's past after a pair of actions, or after chance."""
        if self._explored.turns[at] not in (player, BOTH):
            return past
        key = player, self._explored.sight(at, player)
        number = self._known.setdefault((key, past, pair[player]), len(self._before))
        self._before += [(key, past)] * (number == len(self._before))
        return number

    def _comes(self, key: Any, past: int) -> bool:
        """Returns whether a player chose at an information set in a past."""
        while past and self._before[past][0] != key:
            past = self._before[past][1]
        return past > 0

    def _future(self, player: int, histories: list[int]) -> dict[tuple[int, int], tuple[Fraction, Fraction]]:
        """Returns by pairs of courses of play, see above, their shares of chance and how far their payoffs differ."""
        found: dict[tuple[int, int], list[Fraction]] = defaultdict(lambda: [Fraction(0), Fraction(0)])
        todo = [(at, at, 0) for at in histories]
        while todo:
            first, at, own = todo.pop()
            if not self._explored.following[at]:
                sums = found[self.numbers[1 - player][at], own]
                sums[0] += self._reach[at]
                sums[1] += self._reach[at] * (self._paid[at] - self._paid[first])
            todo += [(first, after, self._then(player, at, own, pair)) for after, pair, _ in self._steps(at)]
        total, base = sum(chance for chance, _ in found.values()), found[min(found)]
        return {key: (chance / total, paid / chance - base[1] / base[0]) for key, (chance, paid) in found.items()}
