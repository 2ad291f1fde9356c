"""How much memory is left."""

from pathlib import Path

import pytest

from nashzoo.baselines.information import sequence_form
from nashzoo.envs import make_game
from nashzoo.envs.base import memory
from nashzoo.envs.core.reachable import TooManyStatesError


def test_the_smaller_of_the_machine_and_its_container_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "meminfo").write_text("MemTotal:  9000 kB\nMemAvailable:  4000 kB\n")
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "GROUP", tmp_path)
    assert memory.available_memory() == 4000 * 1024
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("1000\n")
    assert memory.available_memory() == 4000 * 1024
    (tmp_path / "memory.max").write_text("3000\n")
    assert memory.available_memory() == 2000


def test_where_the_system_does_not_say_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "none")
    assert memory.available_memory() is None


def test_what_the_system_says_of_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "status").write_text("Name:\tpython\nVmRSS:\t  2048 kB\n")
    (tmp_path / "self").write_text("7 (py thon) R " + " ".join(map(str, range(4, 22))) + " 300 0\n")
    (tmp_path / "stat").write_text("cpu  1 2 3\nbtime 1000\nprocesses 4\n")
    for name, file in (("STATUS", "status"), ("BEGAN", "self"), ("BOOTED", "stat")):
        monkeypatch.setattr(memory, name, tmp_path / file)
    monkeypatch.setattr(memory.os, "sysconf", lambda name: 100, raising=False)
    assert memory.used_memory() == 2 << 20 and memory.started() == 1003.0
    for name in ("STATUS", "BEGAN"):
        monkeypatch.setattr(memory, name, tmp_path / "none")
    assert memory.used_memory() is None and memory.started() is None


def test_a_game_for_which_there_is_too_little_memory_is_refused_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequence_form, "LITTLE", 0)
    monkeypatch.setattr(sequence_form, "available_memory", lambda: 10_000)
    with pytest.raises(TooManyStatesError, match="GB are left"):
        sequence_form.sequence_form(make_game("examples/games/leduc.py"))
