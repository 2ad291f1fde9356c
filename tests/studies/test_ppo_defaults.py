"""The search for settings of PPO: what is trained is kept, and not trained again."""

import json
from pathlib import Path
from typing import Any

import pytest

from studies import ppo_defaults as study

SMALL = {"num_envs": 16, "n_steps": 16, "batch_size": 256, "n_epochs": 1}


@pytest.mark.parametrize("opponent", ["self", "population"])
def test_results_are_kept_and_gone_on_with(
    opponent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = study.Problem("Footsies", "footsies_v0", opponent, (), (SMALL,))
    monkeypatch.setattr(study, "PROBLEMS", (problem, study.Problem("other", "no_game", opponent)))
    monkeypatch.setattr(study, "GAMES_PLAYED", 20)
    results = tmp_path / "results.json"
    search = study.Search(only="Foot", timesteps=512, results=results)
    study.main(search)
    found: dict[str, Any] = json.loads(results.read_text())
    (key,) = found
    assert key == f"Footsies {opponent} [batch_size=256,n_epochs=1,n_steps=16,num_envs=16] 512 0"
    assert found[key]["timesteps"] == 512
    assert 0 < found[key]["exploitability"] <= 1
    assert ("values" in found[key]) == (opponent == "population")
    before = results.read_bytes()
    capsys.readouterr()
    study.main(search)
    assert results.read_bytes() == before
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"| {key} |")
