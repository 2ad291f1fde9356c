"""The states of a game with a clock, a field that grows with every step: layers in the order of the codes.

Only the codes are stored; successors are computed when needed.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from nashzoo.baselines.states.space import Layer, StateSpace, Successors, roots_of
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.memory import available_memory
from nashzoo.envs.core.code_index import Numbering, Numbers
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.reachable import AT_ONCE, TooManyStatesError, expand
from nashzoo.envs.jit.compiled import Ints

BYTES = 32  # of memory for each state, while all are explored and then solved
MOST = 2**31 - 1  # states, whose numbers have 32 bits


class ClockedStates(StateSpace):
    """The non-terminal states that play can reach from some roots in a game whose rules have a ``CLOCK``.

    Args:
        roots: Codes to start from, of non-terminal states; the game's start states when None.
        progress: Called while they are explored.

    Attributes:
        game: The game.
        codes: The codes, ascending ``[n]``; a state's number is its place here.
        bounds: The number of the first state of each value of the clock, and ``n``.

    Raises:
        UsageError: the clock does not grow with a step, or a root is terminal.
        TooManyStatesError: there is not enough memory.
    """

    recurs = False

    def __init__(
        self,
        game: Game,
        roots: Sequence[int] | Ints | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        assert game.rules.clock_shift is not None
        self.game, self._shift = game, game.rules.clock_shift
        last = int(getattr(game.rules.field_maxima(game.params), game.rules.CLOCK))
        waiting: dict[int, Numbering] = {}
        self._enter(waiting, roots_of(game, roots))
        layers: list[Ints] = []
        count = 0
        while waiting:
            clock = min(waiting)
            codes = np.sort(waiting.pop(clock).codes)
            for first in range(0, len(codes), AT_ONCE):
                part = codes[first : first + AT_ONCE]
                after = expand(game, part)[2]
                back = ((after >= 0) & (after >> self._shift <= clock)).any(axis=1)
                if back.any():
                    where = game.spell(int(part[back.argmax()]))
                    raise UsageError(f"{game.rules.CLOCK}, the CLOCK of {game.name}, does not grow from {where} on")
                self._enter(waiting, after[after >= 0])
            layers.append(codes)
            count += len(codes)
            self._check_memory(count)
            if progress is not None:
                progress(f"exploring {count:,} states; clock", min(clock, last), last)
        self.codes = np.concatenate(layers)
        self.bounds = np.cumsum([0, *map(len, layers)])

    def _enter(self, waiting: dict[int, Numbering], codes: Ints) -> None:
        """Adds codes to those that wait, by their clocks."""
        clocks = codes >> self._shift
        for clock in np.unique(clocks).tolist():
            waiting.setdefault(clock, Numbering()).number(codes[clocks == clock])

    def _check_memory(self, count: int) -> None:
        left = available_memory()
        if count > MOST or (left is not None and BYTES * count > left + 8 * count):
            raise TooManyStatesError(
                f"play of {self.game!r} has more than {count:,} states; each takes {BYTES} bytes of memory, and there "
                "is too little"
            )

    @property
    def layers(self) -> Iterator[Layer]:
        """The order in which to solve, the latest first."""
        for first, last in reversed(list(itertools.pairwise(self.bounds.tolist()))):
            yield Layer(np.arange(first, last), False)

    def successors_at(self, ids: Ints) -> Successors:
        """Returns the successors of states ``[L]``."""
        legal0, legal1, after, rewards, chances = expand(self.game, self.codes[ids])
        return Successors(legal0, legal1, self._numbers(after), rewards, chances)

    def _numbers(self, codes: Ints) -> Numbers:
        """Returns the numbers of codes ``[...]`` of states, and marks as they are."""
        numbers, live = codes.astype(np.int32), codes >= 0
        wanted = codes[live]
        if len(wanted):
            first, last = np.searchsorted(self.codes, (wanted.min(), wanted.max()))
            numbers[live] = first + np.searchsorted(self.codes[first : last + 1], wanted)
        return numbers
