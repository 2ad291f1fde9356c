"""The table of docs/bring_your_policy.md is what its page says."""

from pathlib import Path

import pytest

from command import Command
from typed import blocks_of, typed

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "bring_your_policy.md").read_text()


def test_the_table_departs_where_the_page_says(
    nashzoo: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (table,), (commands,) = ([block for block, _ in blocks_of(PAGE, kind)] for kind in ("json", "sh"))
    Path("kuhn.json").write_text(table)
    first, second = typed(commands)
    out = nashzoo.prints(" ".join(first[1:]))
    assert "is at '2' it plays pass 0.7, bet 0.3; an equilibrium pass 0.4, bet 0.6" in out
    found = nashzoo.json(" ".join(second[1:-1]))
    at = found["departures"][0]
    assert at["key"] == "2" and at["cost"] == pytest.approx([1 / 30] * 2, abs=1e-9) and at["alone"][0] == 0.0
    assert found["nash_conv"] == pytest.approx(2 * found["exploitability"])
