"""``python -m benchmarks``: rows are kept as they are measured, and missed targets are named."""

import json
import sys

import pytest

from benchmarks import __main__ as command
from benchmarks import report
from benchmarks.report import Row
from benchmarks.topic import rows_of

SLOW, FAST = Row("slow", 2.0, "s", most=1.0), Row("fast", 3e6, "steps/s", "peer", 1e6, 3.0, least_ratio=2.0)


def run(monkeypatch, tmp_path, rows):
    """Runs the command with a topic that yields rows."""
    monkeypatch.setattr(command, "rows_of", lambda topic, repetitions: iter(rows))
    monkeypatch.setattr(sys, "argv", ["benchmarks", "menace", "--out", str(tmp_path)])
    command.main()


def test_missed_targets_are_named(monkeypatch, tmp_path, capsys):
    run(monkeypatch, tmp_path, [SLOW, FAST, None])
    missed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("target missed")]
    assert missed == ["target missed: slow: 2 s; target below 1 s: NO"]
    kept = json.loads((tmp_path / "benchmark.json").read_text())
    assert [(row["measure"], row["met"]) for row in kept["rows"]] == [("slow", False), ("fast", True)]


def test_rows_are_kept_when_it_is_stopped(monkeypatch, tmp_path):
    def stopped():
        yield FAST
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(monkeypatch, tmp_path, stopped())
    assert [row["measure"] for row in json.loads((tmp_path / "benchmark.json").read_text())["rows"]] == ["fast"]


def test_a_topic_that_fails_is_named(monkeypatch, tmp_path):
    with pytest.raises(SystemExit, match="not measured to the end: menace"):
        run(monkeypatch, tmp_path, [FAST])


@pytest.mark.slow
def test_a_topic_has_a_process_of_its_own():
    *rows, end = rows_of("matrix_game", 1)
    assert end is None
    assert all(isinstance(row, report.Row) and row.ratio > 0 for row in rows)
    assert "benchmarks.matrix_game" not in sys.modules
