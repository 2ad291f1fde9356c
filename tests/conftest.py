"""What all tests share: failures in the inheritable contract are explained like others; no window opens."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nashzoo.envs.jit.lazy import notice

if TYPE_CHECKING:
    from command import Command

pytest.register_assert_rewrite(
    "chance_contract", "command", "contract", "ecosystem_contract", "rules_contract", "traces"
)

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
notice.said = True  # that something is compiled is no part of what a command prints


@pytest.fixture
def nashzoo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> "Command":
    """Returns the ``nashzoo`` command, run in an empty folder."""
    from command import Command

    monkeypatch.chdir(tmp_path)
    return Command(monkeypatch, capsys)
