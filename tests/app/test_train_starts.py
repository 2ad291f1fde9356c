"""Training with one-hot observations and exploring starts."""

import dataclasses
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.app.training import sb3_training
from nashzoo.app.training.options import Options
from nashzoo.app.training.train import opened
from nashzoo.arena.measurement.checkpoints import content_of
from nashzoo.baselines import exploitability
from nashzoo.envs import footsies_v0, soccer_v0
from nashzoo.envs.core.one_hot import one_hot_encoding
from nashzoo.envs.core.reachable import TooManyStatesError, reachable
from nashzoo.envs.vector.game_batch import GameBatch
from training import SHORT, trained

GAME = footsies_v0.game()
BOTH = {"observation": "one_hot", "starts": "reachable"}
SAME = 1e-6  # points per game, of float32 networks


def run(folder: Path, **options: Any) -> dict[str, Any]:
    return trained(folder, **{**SHORT, "game": "footsies_v0", "timesteps": 512, "games": 2} | options)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> list[GameBatch]:
    """The batches that training makes."""
    made = []

    class Watched(GameBatch):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            made.append(self)

    monkeypatch.setattr(sb3_training, "GameBatch", Watched)
    return made


@pytest.mark.parametrize("chosen", [{}, {"opponent": "psro", "generation": 128}], ids=str)
def test_runs_with_both_go_on(chosen: dict[str, Any], watched: list[GameBatch], tmp_path: Path) -> None:
    report = run(tmp_path, **BOTH, **chosen)
    (batch,) = watched
    assert batch.encoding is one_hot_encoding(GAME)
    begun: set[int] = set()
    for _ in range(40):
        batch.restart(np.arange(16))
        begun.update(batch.codes.tolist())
    assert len(begun) > 60, "games do not start everywhere"
    learned = exploitability(GAME, agents.as_agent(tmp_path / "model.zip", GAME))  # type: ignore[arg-type]
    assert report["exploitability"] == pytest.approx(learned, abs=SAME)
    told = content_of(tmp_path / "run.json")["about"]
    assert {name: told[name] for name in BOTH} == BOTH
    assert run(tmp_path, **BOTH, **chosen, resume=True, timesteps=1024)["timesteps"] == 1024
    with zipfile.ZipFile(tmp_path / "model.zip") as archive:
        assert json.loads(archive.read("data"))["observation_space"]["_shape"] == [one_hot_encoding(GAME).width]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"observation": "compact"}, "observation was 'one_hot', not 'compact'"),
        ({"starts": None}, "starts was 'reachable', not 'game'"),
    ],
)
def test_a_run_goes_on_with_the_same_alone(changed: dict[str, Any], message: str, tmp_path: Path) -> None:
    opened(Options("footsies_v0", num_envs=16, run_dir=tmp_path, **BOTH), "model.zip").save(0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"has other options: {message}$"):
        run(tmp_path, **(BOTH | changed), resume=True)


def test_games_start_where_a_file_says(watched: list[GameBatch], tmp_path: Path) -> None:
    code = int(reachable(GAME)[20])
    (tmp_path / "starts.txt").write_text(f"{code}\n")
    run(tmp_path / "run", starts=str(tmp_path / "starts.txt"))
    watched[0].restart(np.arange(16))
    assert (watched[0].codes == code).all()


def test_games_start_anywhere_where_all_states_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    large = Options("soccer_v0", param=("width=41", "height=19"), num_envs=2)
    assert large.settings().starts == "reachable"
    game = soccer_v0.game(width=41, height=19)
    sb3_training.environments(large, game, agents.make("random", game))
    assert "too many states to draw other starts from" in " ".join(capsys.readouterr().err.split())
    with pytest.raises(TooManyStatesError, match="leads to more than 2,000,000 states, too many to list"):
        sb3_training.environments(dataclasses.replace(large, starts="reachable"), game, agents.make("random", game))
