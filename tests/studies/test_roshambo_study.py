"""The tables of Roshambo's theory page."""

from pathlib import Path

import pytest

from nashzoo import agents
from nashzoo.envs import roshambo_v0
from studies import roshambo as study

ROOT = Path(study.__file__).parents[1]


def test_regret_by_hand() -> None:
    # Rock against R P S R P gets 0 -1 1 0 -1. The best single throw after each: P 1; P 1; R, P, S 0; P 1; P 1.
    game = roshambo_v0.game(rounds=5)
    course = study.course(game, agents.make("constant", game), agents.make("rotating", game), 3, seed=0)
    assert course.regret.tolist() == [[1, 2, 0, 1, 2]] * 3
    assert course.mean.tolist() == [1, 2, 0, 1, 2]
    assert course.error == 0


def test_what_was_won_is_what_is_played() -> None:
    game = roshambo_v0.game(rounds=50)
    headings, *rows = study.what_can_be_won(game, 2, seed=0)
    assert headings[:2] == ["from", "best response, exact"]
    table = {row[0]: dict(zip(headings, row, strict=True)) for row in rows}
    assert table["`constant`"]["best response, exact"] == "50.0"
    assert table["`biased`"]["best response, exact"] == "12.5"  # 50 times 0.5 - 0.25
    assert table["`copy`"]["best response, exact"] == "49.0"
    assert float(table["`rotating`"]["`antirotation`"]) >= 46  # all but the throws before it has seen a rotation


def test_everything_is_printed_and_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study.roshambo_v0, "game", lambda: GAME)
    study.main(study.Options(matches=2, out=tmp_path / "regret.png"))
    out = capsys.readouterr().out
    assert "| regret of | `hedge` |" in out
    assert "| against `iocaine` |" in out
    assert (tmp_path / "regret.png").read_bytes().startswith(b"\x89PNG")


GAME = roshambo_v0.game(rounds=20)


def test_the_page_has_the_tables_columns() -> None:
    page = (ROOT / "docs" / "roshambo_theory.md").read_text()
    for name in (*study.KNOWN, *study.RIVALS):
        assert f"`{name}`" in page
    assert f"{agents.make('hedge', roshambo_v0.game()).bound():.1f}" in page  # type: ignore[attr-defined]
