"""Training of learners that play both seats: reports, files, interruptions, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from rich.progress import Progress
from safetensors.numpy import load_file

from nashzoo import agents
from nashzoo.agents.learning.tabular.minimax_q import MinimaxQ
from nashzoo.app.training import self_play_training, train
from nashzoo.app.training.options import Options
from nashzoo.baselines import exploitability
from nashzoo.envs import footsies_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError, UsageTypeError

ROOT = Path(__file__).resolve().parents[2]
EXACT = 1e-9
TIMESTEPS = 30_000


def run(folder: Path, algorithm: str = "minimax_q", game: str = "footsies_v0", **options: Any) -> dict[str, Any]:
    """Trains in this process; returns the contents of ``report.json``."""
    chosen = {"timesteps": TIMESTEPS, "games": 20} | options
    train.train(Options(game, algorithm=algorithm, run_dir=folder, **chosen))  # type: ignore[arg-type]
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report


@pytest.mark.parametrize("algorithm", agents.registry.self_play_learners())
def test_every_learner_leaves_a_report_and_a_file_that_plays(algorithm: str, tmp_path: Path) -> None:
    small = ("total_timesteps=30000", "hidden=32") if algorithm in ("deep_minimax", "distilled") else ()
    report = run(tmp_path, algorithm, setting=small)
    assert (report["algorithm"], report["opponent"]) == (algorithm, "self")
    assert report["timesteps"] >= TIMESTEPS
    assert report["exploitability"] == report["curve"][-1]["exploitability"]
    assert set(report["rows"]) == set(agents.names(footsies_v0.game())) - {"manual"}
    assert (tmp_path / "report.png").stat().st_size > 10_000
    learner = agents.as_agent(str(tmp_path / "learner.safetensors"), footsies_v0.game())
    assert exploitability(footsies_v0.game(), learner) == pytest.approx(report["exploitability"], abs=EXACT)


def test_the_curve_is_exact_and_ever_less_dense(tmp_path: Path) -> None:
    report = run(tmp_path, "nash_vi")
    moments = [point["timesteps"] for point in report["curve"]]
    assert moments == sorted(set(moments))
    assert moments[0] < 1_100
    for point in report["curve"]:
        assert point["upper_bound"] - point["lower_bound"] == pytest.approx(2 * point["exploitability"], abs=EXACT)
        assert point["learned_lower_bound"] <= point["lower_bound"] + EXACT
        assert point["learned_upper_bound"] >= -EXACT  # the value is 0
    seconds = [point["seconds"] for point in report["curve"]]
    assert seconds == sorted(seconds)
    assert report["exploitability"] < EXACT


def test_measuring_can_be_asked_for(tmp_path: Path) -> None:
    report = run(tmp_path, "minimax_q", measure_every=10_000, timesteps=25_000)
    assert [round(point["timesteps"], -3) for point in report["curve"]] == [10_000, 20_000, 25_000]


@pytest.mark.parametrize("algorithm", [pytest.param("minimax_q", marks=pytest.mark.slow), "nash_vi"])
def test_interrupted_runs_end_alike(algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path / "whole", algorithm, "tictactoe_v0")
    go_on, calls = self_play_training.SelfPlayTraining.go_on, iter(range(1_000))

    def interrupted(self: Any) -> None:
        if next(calls) == 25:
            raise KeyboardInterrupt
        go_on(self)

    monkeypatch.setattr(self_play_training.SelfPlayTraining, "go_on", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "parts", algorithm, "tictactoe_v0")
    monkeypatch.undo()
    half = agents.as_agent(str(tmp_path / "parts" / "learner.safetensors"), tictactoe_v0.game())
    assert 0 < half.num_timesteps < TIMESTEPS  # type: ignore[attr-defined]
    report = run(tmp_path / "parts", algorithm, "tictactoe_v0", resume=True)
    whole, parts = (load_file(tmp_path / name / "learner.safetensors") for name in ("whole", "parts"))
    assert whole.keys() == parts.keys()
    for name, array in whole.items():
        assert (array == parts[name]).all(), name
    assert report["curve"][-1]["games"] == json.loads((tmp_path / "whole" / "report.json").read_text())["games"]


def test_a_finished_run_can_be_made_longer_and_is_not_overwritten(tmp_path: Path) -> None:
    run(tmp_path)
    with pytest.raises(UsageError, match="holds a run: go on with --resume"):
        run(tmp_path)
    assert run(tmp_path, timesteps=2 * TIMESTEPS, resume=True)["timesteps"] >= 2 * TIMESTEPS


def test_checkpoints_can_be_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[int] = []
    save = MinimaxQ.save
    monkeypatch.setattr(MinimaxQ, "save", lambda self, path: (saved.append(self.num_timesteps), save(self, path)))
    options = Options("footsies_v0", algorithm="minimax_q", timesteps=5_000, checkpoint_every=1_000, run_dir=tmp_path)
    train.learn(options, Progress(disable=True))
    assert len(saved) >= 5


def test_settings_reach_the_learner(tmp_path: Path) -> None:
    options = Options(
        "footsies_v0", algorithm="minimax_q", setting=("replay=0", "exploring_starts=0.25"), gamma=0.5,
        learning_rate=0.5, timesteps=1_000, run_dir=tmp_path,
    )  # fmt: skip
    settings = train.learn(options, Progress(disable=True)).policy.settings  # type: ignore[attr-defined]
    told = settings.replay, settings.exploring_starts, settings.gamma, settings.learning_rate, settings.total_timesteps
    assert told == (0, 0.25, 0.5, 0.5, 1_000)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponent": "counter"}, "minimax_q has no opponent"),
        ({"player": "0"}, "against self the learner plays both seats, not 0 alone"),
        ({"ent_coef": 0.1}, "minimax_q does without --ent-coef; leave it out"),
        ({"num_envs": 8}, "minimax_q does without --num-envs; leave it out"),
        ({"selves": 3}, "minimax_q does without --selves; leave it out"),
        ({"oracle": "exact"}, "minimax_q does without --oracle; leave it out"),
        ({"setting": ("replay",)}, "'replay' should have the form name=value"),
        ({"gamma": 2.0}, "gamma must be"),
        ({"algorithm": "ppo", "setting": ("replay=0",)}, "settings are for minimax_q, .*; leave out --setting"),
        ({"game": "bodega_brawl_v0", "param": ("preset=large",)}, "learn it with deep_minimax"),
    ],
)
def test_what_is_refused_leaves_no_folder(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        run(tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()


def test_unknown_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageTypeError, match="nash_vi has no setting alpha; it has gamma, tolerance, exploration"):
        run(tmp_path / "run", "nash_vi", setting=("alpha=1",))
    with pytest.raises(UsageTypeError, match="nash_vi has no setting learning_rate; it has"):
        run(tmp_path / "run", "nash_vi", learning_rate=0.1)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("game", ["examples/games/pig.py", "/somewhere/pig.py", "pig.csv", "pig.nfg"])
def test_the_folder_is_named_after_the_file_of_a_game(game: str) -> None:
    assert Options(game, algorithm="minimax_q").folder() == Path("runs/pig-minimax_q-self-0")


@pytest.mark.parametrize(
    ("algorithm", "unit"),
    [("nash_vi", "joint actions"), ("value_iteration", "backups"), ("deep_minimax", "fitted states")],
)
def test_units_of_reports(algorithm: str, unit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = ("total_timesteps=5000", "hidden=8") if algorithm == "deep_minimax" else ()
    options = Options("footsies_v0", algorithm=algorithm, timesteps=5_000, games=20, run_dir=tmp_path, setting=settings)
    report = train.train(options)
    assert (report.unit, report.learned) == (unit, "learned policy")
    report.show()
    told = " ".join(capsys.readouterr().out.split())
    assert f"{report.timesteps:,} {unit} in self-play" in told
    bounds = "The learner's bounds of the value, with its discount factor: -"
    assert (bounds in told) is (algorithm == "nash_vi")


@pytest.mark.parametrize("algorithm", ["minimax_q", "ppo"])
def test_a_run_need_not_be_measured(algorithm: str, tmp_path: Path) -> None:
    options = Options("footsies_v0", algorithm=algorithm, opponent="self", timesteps=2_000, run_dir=tmp_path)
    learned = train.learn(options, Progress(disable=True), measure=False)
    assert learned.curve == []
    assert learned.timesteps >= 2_000
    assert learned.seconds > 0.0


def test_bounds_with_chance_are_told_with_their_probability(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = Options(
        str(ROOT / "examples" / "games" / "pig.py"),
        param=("target=3",), algorithm="nash_vi", timesteps=500, games=5, run_dir=tmp_path, setting=("gamma=1",),
    )  # fmt: skip
    train.train(options).show()
    assert "They hold with probability 1 - delta if bonus is 1" in " ".join(capsys.readouterr().out.split())
