"""The exact solution of a game with too many states to list: only values, in one array that can be in a file.

Every state is solved as a matrix game from the values of the layer before, backwards from the end. Strategies are not
stored; those of a state are computed from its own small matrix game. In a symmetric game the value of a mirror image
is the negative, so only half of the values are stored.

At every state the checker of :mod:`nashzoo.baselines.certificate.checker` computes the one-step loss of each strategy
against the value, given the values of the successors. The loss of a strategy in a whole game is at most the sum of
these on the way, one for each layer. The certificate is twice the sum of the largest loss of each layer, once for each
player, and holds for every state of the table.
"""

import itertools
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from nashzoo.baselines.certificate.checker import ROUNDING, CertificateError, Progress, shortfall
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.solvers.backup import backup_equilibrium, certified_equilibrium
from nashzoo.baselines.solvers.threaded_loops import in_parts
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.envs.core.game import Floats, Ints

CHECKED_AT_ONCE = 16_384  # states


class SymmetricValues:
    """The values of a table by number; only those of even numbers are stored, the others are their negatives.

    Args:
        half: The values of the even numbers ``[n / 2]``.
    """

    def __init__(self, half: Floats) -> None:
        self.half = half

    def __len__(self) -> int:
        return 2 * len(self.half)

    def __getitem__(self, ids: Any) -> Floats:
        values: Floats = np.where(ids & 1, -1.0, 1.0) * self.half[ids >> 1]
        return values


class IndexedSolution(Solution):
    """The exact solution of a game whose rules have a closed-form index of states.

    Args:
        states: The game's states.
        half: The values of the states of even numbers to player 0 ``[n / 2]``; those of odd numbers are the negatives.
        certificate: An upper bound of the gap, at every state, between what player 0's strategy guarantees and what
            player 1's concedes.
    """

    def __init__(self, states: IndexedStates, half: Floats, certificate: float) -> None:
        self.game = states.game
        self.states: IndexedStates = states
        self._values = SymmetricValues(half)
        self.certificate = certificate

    def verify(self, progress: Progress | None = None) -> float:
        """Proves the solution by the rules of the game alone, see :class:`nashzoo.baselines.solution.Solution`."""
        table, worst = self.states, []
        for layer, (first, last) in enumerate(itertools.pairwise(table.bounds.tolist()), 1):
            short = np.zeros(last - first)
            advance = None if progress is None else _counter(progress, _name(table, layer), last - first)

            def check_part(rows: slice, first: int = first, short: Floats = short) -> None:
                here = np.arange(first + rows.start, first + rows.stop)
                values_of, strategies = _earlier(table, self.values, first), self._strategies_at(here)
                codes, values = table.codes_at(here), self.values[here]
                short[rows] = shortfall(self.game, codes, values, strategies, values_of)

            in_parts(check_part, last - first, advance, CHECKED_AT_ONCE)
            worst.append(float(short.max()))
        return _lost_in_all(worst)

    @property
    def values(self) -> SymmetricValues:
        """The value of each state to player 0, by number, points."""
        return self._values

    @property
    def optimal(self) -> bool:
        """Whether the policies are optimal but for rounding, as the proof of each step shows."""
        return True

    @property
    def num_states(self) -> int:
        """The number of non-terminal states."""
        assert self.game.indexed_rules is not None
        return self.game.indexed_rules.num_states(self.game.params)

    def strategies(self, codes: Ints) -> tuple[Floats, Floats]:
        """Returns equilibrium probabilities of both players, see :class:`nashzoo.baselines.solution.Solution`."""
        ids = self.states.ids(codes)
        both = np.empty((2, len(ids), self.game.num_actions))

        def solve_part(rows: slice) -> None:
            both[:, rows] = self._strategies_at(ids[rows])

        in_parts(solve_part, len(ids))
        return both[0], both[1]

    def _strategies_at(self, ids: Ints) -> tuple[Floats, Floats]:
        mirrored = (ids & 1 == 1)[:, None]
        successors = self.states.successors_at(ids & ~1)  # the states as solved, for which the certificate holds
        numbered = successors.following >= 0
        values = self.values[successors.following[numbered]]
        successors.following[numbered] = np.arange(len(values))
        _, own, other = backup_equilibrium(successors, values, self.game.num_actions)
        return np.where(mirrored, other, own), np.where(mirrored, own, other)


def solve_indexed(states: IndexedStates, progress: Progress | None = None) -> IndexedSolution:
    """Solves every state of a table.

    Args:
        states: The table, of a symmetric game.
        progress: Called during the work, from several threads, but once at a time.

    Raises:
        ValueError: a reward of the game is not finite.
    """
    values = np.zeros(len(states))
    worst, num_actions = [], states.game.num_actions
    for layer, (both, _) in enumerate(states.layers, 1):
        ids = both[::2]
        short = np.zeros(len(ids))
        values_of = _earlier(states, SymmetricValues(values[::2]), int(both[0]))
        advance = None if progress is None else _counter(progress, _name(states, layer), len(ids))

        def solve_part(
            rows: slice, ids: Ints = ids, short: Floats = short, values_of: Callable[[Ints], Floats] = values_of
        ) -> None:
            here = ids[rows]
            codes = states.codes_at(here)
            solved, *strategies, _ = certified_equilibrium(states.successors_of(codes), values, num_actions)
            solved[states.codes_at(here + 1) == codes] = 0.0  # its own mirror image
            values[here], values[here + 1] = solved, -solved
            short[rows] = shortfall(states.game, codes, solved, (strategies[0], strategies[1]), values_of)

        in_parts(solve_part, len(ids), advance)
        worst.append(float(short.max()))
    return IndexedSolution(states, values[::2].copy(), _lost_in_all(worst))


def _name(table: IndexedStates, layer: int) -> str:
    return f"layer {layer} of {len(table.bounds) - 1}"


def _lost_in_all(worst: list[float]) -> float:
    """Returns a bound of both players' losses in a whole game, from the largest loss of each layer."""
    return 2 * math.fsum(worst) * (1 + ROUNDING)


def _earlier(table: IndexedStates, values: SymmetricValues, first: int) -> Callable[[Ints], Floats]:
    """Returns a function that returns the values of codes ``[...]``, 0 where they are OVER.

    It raises an error for codes whose numbers are not below the first of a layer.
    """

    def values_of(codes: Ints) -> Floats:
        flat = codes.reshape(-1)
        live = np.flatnonzero(flat >= 0)
        wanted = flat[live]
        numbers = table.numbers(wanted).astype(np.int64)
        unknown = (numbers < 0) | (numbers >= first)
        unknown |= table.codes_at(np.where(unknown, 0, numbers)) != wanted
        if unknown.any():
            state = table.game.spell(int(wanted[unknown][0]))
            raise CertificateError(f"{table.game.name}: play leads to {state}, no state of an earlier layer")
        after = np.zeros(len(flat))
        after[live] = values[numbers]
        return after.reshape(codes.shape)

    return values_of


def _counter(progress: Progress, what: str, total: int) -> Callable[[int], None]:
    """Returns a function that sums the progress of several threads, and reports it, once at a time and in order."""
    done = 0
    lock = threading.Lock()

    def advance(count: int) -> None:
        nonlocal done
        with lock:
            done += count
            progress(what, done, total)

    return advance
