"""Long arrays in parts: everything once, whatever goes wrong is told, and nothing is begun after it."""

import threading
import time
from typing import Any

import numpy as np
import pytest

from nashzoo.baselines.solvers import threaded_loops
from nashzoo.baselines.solvers.threaded_loops import PART, in_parts, overlapped
from nashzoo.envs.base.threads import at_most, processors
from processes import PATIENCE

LENGTHS = (0, 1, PART - 1, PART, PART + 1, 2 * PART, 10 * PART + 7)


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("length", LENGTHS)
def test_every_row_is_worked_on_once_and_told_of_once(
    length: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threaded_loops, "processors", lambda: threads)
    times = np.zeros(length, np.int64)
    told: list[int] = []

    def work(rows: slice) -> None:
        assert rows.stop - rows.start <= PART
        times[rows] += 1

    def progress(done: int, total: int) -> None:
        told.append(done)
        assert times.sum() >= done  # no row is told of before it is done
        assert total == length

    in_parts(work, length, progress)
    assert (times == 1).all()
    assert told == sorted(told) and told[-1] == length
    in_parts(work, length)  # nobody need be told
    assert (times == 2).all()


def test_several_threads_work_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threaded_loops, "processors", lambda: 3)
    meeting = threading.Barrier(3, timeout=PATIENCE)
    in_parts(lambda rows: meeting.wait() and None, 3 * PART)  # each waits for the two others


def test_few_rows_stay_in_the_thread_that_asks() -> None:
    threads = []
    in_parts(lambda rows: threads.append(threading.current_thread()), PART)
    assert threads == [threading.current_thread()]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("length", [PART, 1000 * PART])
@pytest.mark.parametrize("where", ["work", "progress"])
def test_an_exception_ends_it(where: str, length: int, error: Any) -> None:
    begun, failed = list[int](), list[bool]()

    def work(rows: slice) -> None:
        begun.append(rows.start)
        time.sleep(0.05 if failed else 0.001)  # so that what begins in between takes longer than to stop
        if where == "work" and (len(begun) >= 5 or length == PART):
            fail()

    def progress(done: int, total: int) -> None:
        if where == "progress" and (len(begun) >= 5 or length == PART):
            fail()

    def fail() -> None:
        failed.append(True)
        raise error("something is wrong")

    with pytest.raises(error, match="something is wrong"):
        in_parts(work, length, progress)
    after = len(begun)
    assert after < 1000
    time.sleep(0.01)
    assert len(begun) == after  # no thread goes on behind our back


def test_processors_are_those_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 3, 5}, raising=False)
    assert processors() == 3
    monkeypatch.delattr("os.sched_getaffinity")  # macOS and Windows have none
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert processors() == 4
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert processors() == 1


def test_fewer_processors_are_used_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 3, 5}, raising=False)
    for most, used in ((2, 2), (9, 3), (None, 3)):
        with at_most(most):
            assert processors() == used
    assert processors() == 3


class TestOverlapped:
    @pytest.mark.parametrize("length", [0, 1, 2, 7])
    def test_every_block_is_prepared_here_and_worked_on_once_in_turn(self, length: int) -> None:
        asked, done = [], []

        def prepare(block: int) -> int:
            assert threading.current_thread() is threading.main_thread()
            asked.append(block)
            return 10 * block

        overlapped(prepare, lambda block, prepared: done.append((block, prepared)), range(length))
        assert asked == list(range(length))
        assert done == [(block, 10 * block) for block in range(length)]

    def test_the_next_block_is_prepared_during_the_work(self) -> None:
        meeting = threading.Barrier(2, timeout=PATIENCE)

        def prepare(block: int) -> None:
            if block > 0:
                meeting.wait()

        overlapped(prepare, lambda block, _: block < 2 and meeting.wait() and None, range(3))

    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
    @pytest.mark.parametrize("where", ["prepare", "work"])
    def test_an_exception_ends_it(self, where: str, error: Any) -> None:
        begun = []

        def fail(block: int) -> None:
            if block == 3:
                raise error("something is wrong")

        def prepare(block: int) -> None:
            if where == "prepare":
                fail(block)

        def work(block: int, prepared: None) -> None:
            begun.append(block)
            if where == "work":
                fail(block)

        with pytest.raises(error, match="something is wrong"):
            overlapped(prepare, work, range(1000))
        assert begun == ([0, 1, 2] if where == "prepare" else [0, 1, 2, 3])
