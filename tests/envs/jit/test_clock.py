"""The clock of time limits: compilation does not count."""

from types import SimpleNamespace

import pytest

from nashzoo.envs.jit import clock
from nashzoo.envs.jit.numba import event


def test_it_stands_still_while_numba_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(clock, "time", SimpleNamespace(monotonic=lambda: now[0], process_time=lambda: now[0]))
    begun = clock.working_time()
    now[0] += 1
    with event.trigger_event("numba:compile", data={"dispatcher": None}):
        now[0] += 5
        with event.trigger_event("numba:compile", data={"dispatcher": None}):  # of a function that the first one calls
            now[0] += 7
            assert clock.working_time() == begun + 1
    assert clock.working_time() == begun + 1
    now[0] += 2
    assert clock.working_time() == begun + 3
