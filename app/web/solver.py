"""Exact solutions and other long work for requests, two computed at a time, so that a short one seldom waits."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from typing import Any, TypeVar

from nashzoo.baselines import Solution, solve
from nashzoo.baselines.certificate.checker import Progress
from nashzoo.baselines.even_solution import evened
from nashzoo.baselines.store import solution_of
from nashzoo.envs import Game
from nashzoo.envs.base.deadlines import unless
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.jit.clock import FIRST_USE, compiling

Result = TypeVar("Result")

KEPT, AT_ONCE = 8, 2
WAITS = "other pages are computing"
PATIENCE = 1.5  # seconds after which a request returns the progress
FORGOTTEN = 30.0  # seconds without a request after which work ends if other work waits


class SolvingError(UsageError):
    """The result is being computed; the message describes the progress."""


class _Work:
    """Work that requests ask for: its result, what it says of itself, and when it was asked for last."""

    def __init__(self) -> None:
        self.future: Future[Any] = Future()
        self.progress, self.last_asked = WAITS, time.monotonic()


class Solver:
    """Solutions of games, and other results of long work; the most recently used ones are kept.

    Args:
        patience: Seconds after which a request returns the progress.
        forgotten: Seconds without a request after which work ends if other work waits.
    """

    def __init__(self, patience: float = PATIENCE, forgotten: float = FORGOTTEN) -> None:
        self.patience, self.forgotten = patience, forgotten
        self._lock, self._free = threading.Lock(), threading.Semaphore(AT_ONCE)
        self._works: OrderedDict[Hashable, _Work] = OrderedDict()

    def solution(self, game: Game, *codes: int) -> Solution:
        """Returns the solution of a game, extended to the states ``codes`` unless a part of the state is hidden.

        Of several perfect mixes it has the most random, see :func:`nashzoo.baselines.even_solution.evened`.

        Raises:
            SolvingError: it is not ready yet; repeat the request.
            UsageError: there is no solution, or no such state.
        """

        def solved(show: Progress) -> Solution:
            return evened(solution_of(game, progress=lambda _, *of: show("solving", *of)))

        solution = self.result((game, ()), solved)
        missing = tuple(code for code in codes if solution.has_values and code not in solution.states)
        if missing and game.indexed_rules is not None:
            raise UsageError(f"{game.name} has no state {game.spell(missing[0])}")
        return self.result((game, missing), lambda _: _extended(game, missing)) if missing else solution

    def result(self, key: Hashable, work: Callable[[Progress], Result]) -> Result:
        """Returns the result of long work, called with what takes its progress; it is done once and kept under its key.

        Raises:
            SolvingError: it is not ready yet; repeat the request.
        """
        with self._lock:
            if key not in self._works:
                self._works[key] = _Work()
                # The end of the program does not wait for a daemon.
                threading.Thread(target=self._run, args=(self._works[key], key, work), daemon=True).start()
                while len(self._works) > KEPT:
                    self._works.popitem(last=False)[1].future.cancel()
            self._works.move_to_end(key)
            asked = self._works[key]
            asked.last_asked = time.monotonic()
        try:
            result: Result = asked.future.result(self.patience)
        except NotYet:
            raise SolvingError(FIRST_USE if compiling() else asked.progress) from None
        return result

    def _run(self, asked: "_Work", key: Hashable, work: Callable[[Progress], Result]) -> None:
        with self._free:
            if not asked.future.set_running_or_notify_cancel():
                return
            asked.progress = "computing"

            def show(what: str, done: int, total: int) -> None:
                asked.progress = what + f", {100 * done // max(total, 1)} %" * (done > 0)

            try:
                done = unless(lambda: self._is_forgotten(asked), lambda: (work(show),))
                if done is None:
                    with self._lock:
                        self._works.pop(key, None)
                    raise SolvingError(WAITS)
                asked.future.set_result(done[0])
            except BaseException as error:  # future.result raises it
                asked.future.set_exception(error)

    def _is_forgotten(self, asked: "_Work") -> bool:
        """Returns whether nobody has asked for work for long, while other work waits."""
        if time.monotonic() - asked.last_asked < self.forgotten:
            return False
        with self._lock:
            return any(not (one.future.running() or one.future.done()) for one in self._works.values())

    def close(self) -> None:
        """Cancels solutions that have not begun."""
        with self._lock:
            for one in self._works.values():
                one.future.cancel()


def _extended(game: Game, codes: tuple[int, ...]) -> Solution:
    """Returns the solution of a game and of further states."""
    try:
        return evened(solve(game, roots=[*game.start_codes, *codes]))
    except ValueError as error:  # rules may fail at unreachable states
        raise UsageError(f"play cannot reach {game.spell(codes[0])}, or a state like it: {error}") from error
