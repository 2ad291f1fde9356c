"""The table and the picture of the page on self-play."""

import json
from pathlib import Path

import pytest

from nashzoo.app.training.report import MIXED
from nashzoo.envs import footsies_v0
from studies import self_play as study


@pytest.mark.slow
def test_it_prints_the_games_and_draws_the_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "GAMES", {"Footsies": footsies_v0.game()})
    curve = [{"timesteps": 0, MIXED: None, "exploitability": 0.5}, {"timesteps": 9, MIXED: 0.25, "exploitability": 1.0}]
    (tmp_path / "report.json").write_text(json.dumps({"game": "footsies_v0", "opponent": "self", "curve": curve}))
    study.main(study.Options((tmp_path,), iterations=100, out=tmp_path / "picture.png"))
    *_, row, run, picture = capsys.readouterr().out.splitlines()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[0] == "Footsies"
    assert float(cells[2]) < study.ENOUGH < float(cells[4]) < 0.15
    assert run == "footsies, self: mixed 0.2500, last 1.0000"
    assert Path(picture).read_bytes().startswith(b"\x89PNG")
