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

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from nashzoo.envs.imported.exact_numbers import simple_fraction
from nashzoo.envs.rules.pieces import BOTH, CHANCE

NOTHING_YET = 0  # the number of the past in which a player saw and did nothing


class Explored(Protocol):
    """A game whose states are histories, see :class:`nashzoo.envs.imported.explorer.Explored`."""

    start: int
    turns: list[int]
    legal: list[tuple[Sequence[Any], Sequence[Any]]]
    following: list[list[int]]
    probabilities: list[list[float]]
    payoffs: list[float]

    def sight(self, number: int, player: int) -> Hashable:
        """Returns what tells apart what a player sees and remembers in a history."""


class Pasts(NamedTuple):
    """What players saw and did before, by history.

    Attributes:
        numbers: The numbers of both players' pasts, ``[2][n]``.
        forgotten: By player, the information sets that hold several.
        loses: Two histories in one of these sets where play goes on differently; empty if nobody loses by forgetting.
    """

    numbers: list[list[int]]
    forgotten: tuple[list[Hashable], list[Hashable]]
    loses: tuple[int, ...]

    @property
    def harmless(self) -> bool:
        """Whether somebody forgets, and nobody loses by it."""
        return any(self.forgotten) and not self.loses


def pasts_of(explored: Explored) -> Pasts:
    """Returns the pasts of both players in a game whose states are histories."""
    tree = _Histories(explored)
    forgotten: tuple[list[Hashable], list[Hashable]] = [], []
    loses: tuple[int, ...] = ()
    for (player, seen), parts in tree.sets.items():
        if len(parts) == 1:
            continue
        forgotten[player].append(seen)
        (past, first), *others = parts.items()
        for other, histories in others if not loses else ():
            if any(tree.comes_in((player, seen), one) for one in (past, other)) or (
                tree.future(player, first) != tree.future(player, histories)
            ):
                loses = first[0], histories[0]
                break
    return Pasts(tree.pasts, forgotten, loses)


class _Histories:
    """The histories of a game, with the pasts of both players.

    Args:
        explored: The game.
    """

    def __init__(self, explored: Explored) -> None:
        self.explored = explored
        count = len(explored.turns)
        self.pasts = [[NOTHING_YET] * count, [NOTHING_YET] * count]
        self.sets: dict[tuple[int, Hashable], dict[int, list[int]]] = {}  # histories by player, sight and past
        self._parents = [(-1, 0.0)] * count  # the history before, and the probability where chance decided
        self._numbers: dict[Hashable, int] = {}
        self._before: list[Any] = [None]  # of each past: the information set, and the past there
        todo = [explored.start]
        while todo:
            at = todo.pop()
            turn = explored.turns[at]
            for player in range(2):
                if turn in (player, BOTH):
                    key = player, explored.sight(at, player)
                    self.sets.setdefault(key, {}).setdefault(self.pasts[player][at], []).append(at)
            for after, pair, chance in reversed(list(self.steps(at))):
                self._parents[after] = at, chance
                for player in range(2):
                    past = self.pasts[player][at]
                    if turn in (player, BOTH):
                        past = self._number((player, explored.sight(at, player)), past, pair[player])
                    self.pasts[player][after] = past
                todo.append(after)

    def steps(self, at: int) -> Iterator[tuple[int, Any, float]]:
        """Yields what follows, with the pair of actions that leads to it, or its probability."""
        one, other = self.explored.legal[at]
        pairs = [(mine, theirs) for mine in one for theirs in other] or [None] * len(self.explored.following[at])
        yield from zip(self.explored.following[at], pairs, self.explored.probabilities[at], strict=True)

    def _number(self, key: tuple[int, Hashable], past: int, action: Any) -> int:
        number = self._numbers.setdefault((key, past, action), len(self._before))
        if number == len(self._before):
            self._before.append((key, past))
        return number

    def comes_in(self, key: tuple[int, Hashable], past: int) -> bool:
        """Returns whether a player has chosen at an information set already."""
        while self._before[past] is not None:
            before, past = self._before[past]
            if before == key:
                return True
        return False

    def reach(self, at: int) -> Fraction:
        """Returns the probability of chance on the way to a history."""
        found = Fraction(1)
        while at != self.explored.start:
            at, chance = self._parents[at]
            if self.explored.turns[at] == CHANCE:
                found *= simple_fraction(chance)
        return found

    def future(self, player: int, histories: list[int]) -> dict[tuple[int, int], tuple[Fraction, Fraction]]:
        """Returns by pairs of courses of play, see above, their shares of chance and how far their payoffs differ."""
        found: dict[tuple[int, int], list[Fraction]] = {}
        todo = [(at, self.reach(at), NOTHING_YET, Fraction(0)) for at in histories]
        while todo:
            at, chance, own, paid = todo.pop()
            turn = self.explored.turns[at]
            following = list(self.steps(at))
            if not following:
                sums = found.setdefault((self.pasts[1 - player][at], own), [Fraction(0), Fraction(0)])
                sums[0] += chance
                sums[1] += chance * paid
            for after, pair, given in following:
                course, part = own, chance
                if turn in (player, BOTH):
                    course = self._number((player, self.explored.sight(at, player)), own, pair[player])
                elif turn == CHANCE:
                    part *= simple_fraction(given)
                todo.append((after, part, course, paid + simple_fraction(self.explored.payoffs[after])))
        total, base = sum(chance for chance, _ in found.values()), found[min(found)]
        return {key: (chance / total, paid / chance - base[1] / base[0]) for key, (chance, paid) in found.items()}
