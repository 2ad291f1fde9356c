"""Time limits: work ends where it looks at the clock, and no signal is used."""

import math
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from nashzoo import agents
from nashzoo.arena.match import play_match
from nashzoo.baselines import evaluate, exploitability, solve
from nashzoo.envs import footsies_v0, soccer_v0
from nashzoo.envs.base.deadlines import check_time, within
from nashzoo.envs.base.threads import side_by_side
from nashzoo.envs.core.game import Game
from nashzoo.examples import kuhn

MOMENT = 1e-9  # seconds, which are over when the clock is looked at


def endless() -> None:
    while True:
        check_time()


def stubborn() -> None:
    while True:
        try:
            endless()
        except Exception:
            continue


@pytest.mark.parametrize("work", [endless, stubborn])
def test_work_that_takes_longer_ends_where_it_looks_at_the_clock(work: Callable[[], None]) -> None:
    assert within(0.01, work) is None
    check_time()  # there is no limit any more


@pytest.mark.parametrize("seconds", [1e300, math.inf])
def test_work_that_ends_before_has_its_result_and_its_errors(seconds: float) -> None:
    assert within(seconds, max, 1, 2) == 2
    with pytest.raises(ZeroDivisionError):
        within(seconds, lambda: 1 // 0)


def test_without_time_there_is_no_work() -> None:
    assert within(0.0, endless) is None
    assert within(-1.0, endless) is None


def test_a_part_of_the_work_has_no_more_time_than_the_whole() -> None:
    ends: list[None] = []

    def work() -> str:
        ends.append(within(math.inf, endless))
        check_time()
        return "not in time"

    assert within(MOMENT, work) is None and ends == [None]


def test_it_holds_in_any_thread_and_in_that_thread_alone() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(within, 0.01, endless).result() is None
        assert within(MOMENT, lambda: pool.submit(check_time).result() or "ended") == "ended"


@pytest.mark.parametrize("number", [signal.SIGINT, getattr(signal, "SIGALRM", signal.SIGINT)])
def test_no_handler_of_a_signal_is_changed(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    assert within(math.inf, lambda: signal.getsignal(number)) == before


def of(game: Game, name: str) -> Any:
    return agents.make(name, game)


LONG = {
    "values in layers": lambda: evaluate(footsies_v0.game(), *[of(footsies_v0.game(), "counter")] * 2),
    "best responses in layers": lambda: exploitability(footsies_v0.game(), of(footsies_v0.game(), "counter")),
    "best responses where states recur": lambda: exploitability(FIELD, of(FIELD, "random")),
    "a solution": lambda: solve(FIELD),
    "with hidden information": lambda: exploitability(Game(kuhn), of(Game(kuhn), "random")),
    "games": lambda: play_match(FIELD, of(FIELD, "random"), of(FIELD, "random"), 1, 0),
    "threads": lambda: side_by_side(print, [1, 2]),
}
FIELD = soccer_v0.game(width=11, height=3, goal_height=1)


@pytest.mark.parametrize("work", LONG)
def test_long_work_looks_at_the_clock(work: str) -> None:
    assert within(MOMENT, lambda: (LONG[work](), "done")) is None
