"""Training in a repeated game: opponents with small memories, networks that remember, and populations."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from nashzoo.agents import as_agent
from nashzoo.agents.registry import scripted
from nashzoo.app.commands import train as command
from nashzoo.app.training.options import Options
from nashzoo.baselines import exploitability
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs import roshambo_v0
from training import SHORT, report_of, trained

ROUNDS = 30
EXACT = 1e-9
SINGLE = 1e-6  # of a network in single precision, whose last bits depend on how many observations it gets at once
ROSHAMBO: dict[str, Any] = {**SHORT, "game": "roshambo_v0", "param": (f"rounds={ROUNDS}",), "timesteps": 1024}


def run(folder: Path, **options: Any) -> dict[str, Any]:
    return trained(folder, **ROSHAMBO | options)


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["rotating", "copy"])
def test_ppo_learns_to_foresee(opponent: str, tmp_path: Path) -> None:
    longer = {"timesteps": 20_000, "num_envs": 64, "gamma": 0.5, "measure_every": 10_000, "checkpoint_every": 20_000}
    row = run(tmp_path, opponent=opponent, **longer)["rows"][opponent]
    assert row["best_response_value"] == pytest.approx(ROUNDS - (opponent == "copy"), abs=EXACT)
    assert row["exact_value"] > 0.8 * ROUNDS  # random throws win nothing


def test_the_optimum_is_known_where_the_memory_is_small(tmp_path: Path) -> None:
    report = run(tmp_path, opponent="recent", param=("rounds=10",), timesteps=512, games=2)
    row = report["rows"]["recent"]
    assert row["exact_value"] + row["regret"] == pytest.approx(row["best_response_value"], abs=EXACT)
    assert report["optimum"] == row["best_response_value"]
    for name in ("roll", "markov_k", "history", "iocaine", "hedge"):
        assert report["rows"][name]["best_response_value"] is None


@pytest.mark.slow
def test_a_network_that_remembers_is_measured_by_playing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = {"opponent": "copy", "algorithm": "recurrent_ppo", "param": ("rounds=8",)}
    report = run(tmp_path, picture=True, **few)
    assert report["algorithm"] == "recurrent_ppo"
    assert report["exploitability"] is None
    assert report["optimum"] == pytest.approx(7, abs=EXACT)
    assert all(row["exact_value"] is None for row in report["rows"].values())
    assert [point["exploitability"] for point in report["curve"]] == [None] * len(report["curve"])
    assert (tmp_path / "report.png").exists()
    resumed = run(tmp_path, **few, resume=True, timesteps=2048)
    assert resumed["timesteps"] == 2048


@pytest.mark.slow
def test_a_network_that_remembers_learns(tmp_path: Path) -> None:
    longer = {"timesteps": 16_000, "num_envs": 64, "gamma": 0.5, "checkpoint_every": 16_000, "measure_every": 16_000}
    report = run(tmp_path, opponent="rotating", algorithm="recurrent_ppo", param=("rounds=10",), **longer)
    assert report["rows"]["rotating"]["points_per_game"] > 0.8 * 10


@pytest.mark.slow
def test_too_many_states_leave_the_games_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 100  # and not two million, which are listed for seconds
    monkeypatch.setattr("nashzoo.baselines.states.indexed.FEW", most)
    monkeypatch.setattr("nashzoo.baselines.states.indexed.ListedStates", partial(ListedStates, most_states=most))
    report = run(tmp_path, opponent="rotating", param=("rounds=12", "recall=2"))
    assert report["optimum"] is None and report["rows"]["rotating"]["games"] == SHORT["games"]
    monkeypatch.undo()
    game, found = roshambo_v0.game(rounds=12, recall=2), report["exploitability"]
    lower, upper = report["bounds"] or (found, found)  # by a search
    exact = exploitability(game, as_agent(str(tmp_path / "model.zip"), game))
    assert lower - SINGLE <= exact <= upper + SINGLE


class TestPopulation:
    @pytest.mark.slow
    def test_everyone_is_met_but_those_held_out(self, tmp_path: Path) -> None:
        report = run(tmp_path, opponent="population", param=("rounds=5",), timesteps=512)
        members = scripted(roshambo_v0.game())
        held_out = [name for name, row in report["rows"].items() if row["trained"] is False]
        met = [name for name, row in report["rows"].items() if row["trained"]]
        assert sorted(held_out) == sorted(members[3::4])
        assert sorted(met + held_out) == sorted(members)
        assert report["rows"]["nash"]["trained"] is None
        assert report["rows"]["population"]["trained"] is None
        assert report["rows"]["population"]["best_response_value"] is None

    @pytest.mark.slow
    def test_who_is_held_out_is_reported(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        few = {"param": ("rounds=5",), "timesteps": 512, "games": 2, "run_dir": tmp_path}
        command.told(Options(**ROSHAMBO | few, opponent="population", held_out=("copy", "pi")))
        out = " ".join(capsys.readouterr().out.split())
        members = scripted(roshambo_v0.game())
        assert f"Mean over the {len(members) - 2} players met in training: " in out
        assert "Mean over the 2 players held out: " in out
        rows = report_of(tmp_path)["rows"]
        assert [name for name, row in rows.items() if row["trained"] is False] == ["copy", "pi"]
