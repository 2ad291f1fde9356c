"""What all tests share: failures in the inheritable contract are explained like others; no window opens."""

import gc
import os
import re
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nashzoo.envs import registry
from nashzoo.envs.jit.lazy import notice

if TYPE_CHECKING:
    from command import Command

pytest.register_assert_rewrite(
    "chance_contract", "command", "contract", "ecosystem_contract", "rules_contract", "traces"
)

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # PyTorch's threads wait in loops for each other, beside other tests
WITH_TORCH = re.compile(
    r"No module named '(torch|stable_baselines3|sb3_contrib|tensorboard)\b|deep learners need PyTorch"
)
notice.said = True  # that something is compiled is no part of what a command prints


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Spares garbage collection what is imported, which stays until the end; it took a tenth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


Report = pytest.CollectReport | pytest.TestReport


def _without_torch(report: Report, path: Path) -> Report:
    """Skips what fails since PyTorch, and what needs it, is not installed, as in ``make python``."""
    if report.failed and find_spec("torch") is None and WITH_TORCH.search(str(report.longrepr)):
        report.outcome = "skipped"
        report.longrepr = (str(path), 0, "Skipped: needs PyTorch")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Report, Report]:
    return _without_torch((yield), collector.path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Report, Report]:
    return _without_torch((yield), item.path)


@pytest.fixture(autouse=True)
def no_game_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forgets the games that a test registers, as the end of a process does."""
    monkeypatch.setattr(registry, "_entries", registry._entries.copy())


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves out the trial of rules at their first use, for what must be noticed at states that it does not look at."""
    monkeypatch.setattr("nashzoo.envs.core.game.first_use", lambda game: {})


@pytest.fixture
def nashzoo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> "Command":
    """Returns the ``nashzoo`` command, run in an empty folder."""
    from command import Command

    monkeypatch.chdir(tmp_path)
    return Command(monkeypatch, capsys)
