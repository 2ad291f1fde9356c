"""The runtime of exported players of Roshambo: this source is copied into every script, see ``export.py``.

It replaces the part of NumPy that players' compiled functions use, and draws the random numbers of players. It needs
only Python's standard library.
"""

import math
import random
from collections import namedtuple  # noqa: F401  # for what the script defines
from typing import Any

WORD = (1 << 64) - 1
GOLDEN_RATIO = 0x9E3779B97F4A7C15


class Row(list[Any]):
    """Numbers that can be set all at once, ``row[:] = 0``."""

    def __setitem__(self, at: Any, value: Any) -> None:
        """Sets one number, or a slice of them to one number."""
        if isinstance(at, slice):
            value = [value] * len(range(*at.indices(len(self))))
        list.__setitem__(self, at, value)


class Rows(list[Any]):
    """Rows of numbers, addressed as ``rows[i, k]``."""

    def __getitem__(self, at: Any) -> Any:
        """Returns a number, or a row."""
        if isinstance(at, tuple):
            return list.__getitem__(self, at[0])[at[1]]
        return list.__getitem__(self, at)

    def __setitem__(self, at: Any, value: Any) -> None:
        """Sets a number."""
        list.__getitem__(self, at[0])[at[1]] = value


class np:
    """The little of NumPy that is needed."""

    inf = math.inf
    rint = staticmethod(round)
    exp = staticmethod(math.exp)
    log = staticmethod(math.log)
    sqrt = staticmethod(math.sqrt)
    int64 = staticmethod(int)

    @staticmethod
    def zeros(length: int, kind: Any = float) -> Row:
        """Returns zeros."""
        return Row([0.0 if kind is float else 0] * length)

    empty = zeros


class Stream:
    """The numbers that a game draws: SplitMix64 (Steele, Lea and Flood 2014)."""

    def __init__(self, state: int) -> None:
        self.state = state

    def draw(self) -> float:
        """Returns the next number in [0, 1)."""
        self.state = (self.state + GOLDEN_RATIO) & WORD
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
        return ((z ^ (z >> 31)) >> 11) * (1.0 / 9007199254740992.0)


def drawn(probabilities: list[float], uniform: float) -> int:
    """Returns an action drawn by its probability, with a number in [0, 1)."""
    total = 0.0
    sums = []
    for probability in probabilities:
        total += probability
        sums.append(total)
    return sum(passed <= uniform * total for passed in sums)


class Match:
    """One match, throw by throw.

    Args:
        rules: The functions ``step`` and ``observe`` of the game.
        decide: Takes a state, an observation, the memory and random numbers; returns a throw.
        sizes: The numbers of features, of numbers in the memory, and of random numbers for a decision.
        state: The start state.
        seed: The state of the random stream; a random one when None.
    """

    def __init__(self, rules: Any, decide: Any, sizes: tuple[int, int, int], state: Any, seed: int | None) -> None:
        self.step, self.observe = rules
        self.decide = decide
        self.features, memory, self.draws = sizes
        self.memory = Rows([Row([0.0] * memory)])
        self.state = state
        self.stream = Stream(random.getrandbits(64) if seed is None else seed)
        self.own = 0

    def throw(self, other: int | None) -> int:
        """Returns the next throw; ``other`` is the other's last one, None at first."""
        if other is not None:
            self.state = self.step(self.state, self.own, other)
        observation = Row([0.0] * self.features)
        self.observe(self.state, 0, observation)
        uniforms = Row([self.stream.draw() for _ in range(self.draws)])
        self.own = int(self.decide(self.state, observation, self.memory, uniforms))
        return self.own
