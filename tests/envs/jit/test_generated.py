"""Functions that are generated from a rules file."""

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from nashzoo.envs.jit.generated import Place, function_of
from nashzoo.envs.jit.numba import njit

PLACE = Place(__name__, __file__, 1)
SOURCE = "def total(number):\n" + "    number += abs(number - (number + 1) * 2)\n" * 100 + "    return number\n"


class Circle:
    """Garbage whose end runs Python code, during which another thread may go on."""

    def __init__(self) -> None:
        self.myself = self

    def __del__(self) -> None:
        sum(range(10))


@pytest.fixture
def impatient_threads() -> Iterator[None]:
    """Has threads take turns at every chance, and garbage collected all the time."""
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(10)
    yield
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("impatient_threads")
def test_threads_can_make_functions_at_once() -> None:
    def make(_: int) -> int:
        Circle()
        result: int = function_of(SOURCE, {}, PLACE)(0)
        return result

    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(make, range(30)))) == 1


def test_functions_that_differ_in_what_they_call_have_other_names_at_any_depth() -> None:
    """Compiled code of the same name is one: the second game in a process would be played by the rules of the first."""
    names = set()
    for bits in (1, 5):
        inner = function_of(f"def packed(number):\n    return number >> {bits}\n", {}, PLACE)
        middle = function_of("def checked(number):\n    return packed(number)\n", {"packed": inner}, PLACE)
        outer = function_of("def joint(number):\n    return checked(number)\n", {"checked": middle}, PLACE)
        names.add(outer.__name__)
        assert outer(32) == 32 >> bits
    assert len(names) == 2


def test_functions_that_call_others_of_a_user_have_other_names() -> None:
    """Also if these have the same text, and differ in what they enclose; in each process it is the same name."""

    def paying(points: Any) -> Any:
        def payoff(code: int) -> Any:
            return points

        return payoff

    def recursive(number: int) -> int:
        return number and recursive(number - 1)

    table = np.arange(3)
    others = [paying(0.0), paying(np.nan), paying(paying(1)), paying(paying(2)), paying(table), paying(table + 1)]
    others += [recursive, lambda code: 1, lambda code: 2, njit()(lambda code: 3)]
    others += [lambda code, points=1: points, lambda code, points=2: points]
    calls = "def paid(code):\n    return payoff(code)\n"
    names = [function_of(calls, {"payoff": each}, PLACE).__name__ for each in others]
    assert len({*names}) == len(others)
    assert names[0] == function_of(calls, {"payoff": paying(0.0)}, PLACE).__name__
