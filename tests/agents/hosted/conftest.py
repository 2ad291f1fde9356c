"""Hosted players are waited for as long as a slow machine takes; tests of waiting set limits of their own."""

import pytest

from nashzoo.agents.hosted import script_process
from processes import PATIENCE


@pytest.fixture(autouse=True)
def slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_process, "WALL_SECONDS_PER_CPU_SECOND", 100 * PATIENCE)
    monkeypatch.setattr(script_process, "START_SECONDS", PATIENCE)
