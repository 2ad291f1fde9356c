"""Threads that stay ready."""

import multiprocessing
import sys
from collections.abc import Callable
from threading import Barrier, get_ident
from typing import Any

import pytest

from nashzoo.envs.base.threads import at_most, side_by_side
from processes import PATIENCE


def test_every_part_is_done_and_the_first_in_this_thread() -> None:
    done: dict[int, int] = {}
    side_by_side(lambda part: done.update({part: get_ident()}), range(5))
    assert sorted(done) == list(range(5)) and done[0] == get_ident() not in [done[part] for part in range(1, 5)]


def test_parts_are_worked_on_at_the_same_time() -> None:
    both = Barrier(2)
    side_by_side(lambda part: (both.wait(PATIENCE), None)[1], range(2))


def _exit_code(method: str, work: Callable[[], None]) -> int | None:
    """Returns the exit code of a process that does some work, or the negative number of what ended it."""
    child: Any = multiprocessing.get_context(method).Process(target=work)  # type: ignore[attr-defined]
    child.start()
    child.join(PATIENCE)
    if child.is_alive():
        child.kill()
        child.join()
    return child.exitcode  # type: ignore[no-any-return]


def _nested() -> None:
    done: list[int] = []
    with at_most(1):
        side_by_side(lambda part: side_by_side(done.append, range(part, part + 3)), (0, 10, 20))
    sys.exit(len(done))


def test_parts_may_have_parts_with_few_processors() -> None:
    assert _exit_code("spawn", _nested) == 9


@pytest.mark.parametrize("wrong", [0, 2])
def test_an_error_waits_for_the_others(wrong: int) -> None:
    done = []

    def work(part: int) -> None:
        if part == wrong:
            raise ValueError(f"part {part}")
        done.append(part)

    with pytest.raises(ValueError, match=f"part {wrong}"):
        side_by_side(work, range(4))
    assert sorted(done) == sorted({0, 1, 2, 3} - {wrong})


def _in_a_fork() -> None:
    done: list[int] = []
    side_by_side(done.append, range(3))
    sys.exit(len(done))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    side_by_side(lambda part: None, range(3))
    assert _exit_code("fork", _in_a_fork) == 3
