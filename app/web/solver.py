"""Exact solutions for the pages, one computed at a time."""

import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet

from nashzoo.baselines import Solution, solve
from nashzoo.baselines.store import solution_of
from nashzoo.envs import Game
from nashzoo.envs.base.errors import UsageError

KEPT = 8
PATIENCE = 1.5  # seconds after which a request returns the progress


class SolvingError(UsageError):
    """The solution is being computed; the message describes the progress."""


class Solver:
    """Solutions of games; the most recently used ones are kept."""

    def __init__(self) -> None:
        self._lock, self._one = threading.Lock(), threading.Lock()
        self._futures: OrderedDict[tuple[Game, tuple[int, ...]], Future[Solution]] = OrderedDict()
        self._progress: dict[Game, str] = {}

    def solution(self, game: Game, *codes: int) -> Solution:
        """Returns the solution of a game, extended to the states ``codes``.

        Raises:
            SolvingError: it is not ready yet; repeat the request.
            UsageError: there is no solution, or no such state.
        """
        solution = self._result(game, ())
        missing = tuple(code for code in codes if code not in solution.states)
        if missing and game.indexed_rules is not None:
            raise UsageError(f"{game.name} has no state {game.spell(missing[0])}")
        return self._result(game, missing) if missing else solution

    def _result(self, game: Game, codes: tuple[int, ...]) -> Solution:
        key = game, codes
        with self._lock:
            if key not in self._futures:
                self._futures[key] = Future()
                # The end of the program does not wait for a daemon.
                threading.Thread(target=self._work, args=(self._futures[key], game, codes), daemon=True).start()
                while len(self._futures) > KEPT:
                    self._futures.popitem(last=False)[1].cancel()
            self._futures.move_to_end(key)
            future = self._futures[key]
        try:
            return future.result(PATIENCE)
        except NotYet:
            raise SolvingError(self._progress.get(game, "the exact solution is being computed")) from None

    def _work(self, future: "Future[Solution]", game: Game, codes: tuple[int, ...]) -> None:
        with self._one:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(self._solve(game, codes))
                except BaseException as error:  # future.result raises it
                    future.set_exception(error)

    def _solve(self, game: Game, codes: tuple[int, ...]) -> Solution:
        if codes:
            try:
                return solve(game, roots=[*game.start_codes, *codes])
            except ValueError as error:  # rules may fail at unreachable states
                raise UsageError(f"play cannot reach {game.spell(codes[0])}, or a state like it: {error}") from error
        begun = time.monotonic()

        def tell(what: str, done: int, total: int) -> None:
            took = time.monotonic() - begun
            self._progress[game] = f"{what}: {100 * done // max(total, 1)} %, {took:.0f} s so far"

        return solution_of(game, progress=tell)

    def close(self) -> None:
        """Cancels solutions that have not begun."""
        with self._lock:
            for future in self._futures.values():
                future.cancel()
