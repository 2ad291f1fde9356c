"""Training of learners that play both seats: reports, files, interruptions, and what is refused."""

from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file

from nashzoo import agents
from nashzoo.agents.learning.tabular.minimax_q import MinimaxQ
from nashzoo.app.training import train
from nashzoo.app.training.options import Options
from nashzoo.baselines import ExploitabilitySearch, exploitability
from nashzoo.envs import make_game
from nashzoo.envs.base.errors import UsageError
from training import report_of, trained

ROOT = Path(__file__).resolve().parents[2]
LEDUC = str(ROOT / "examples" / "games" / "leduc.py")
EXACT = 1e-9
TIMESTEPS = 30_000
UNITS = {"value_iteration": "backups", "deep_minimax": "fitted states", "distilled": "fitted states"}
UNITS |= {"policy_gradient": "decisions", "deep_hedge": "decisions"}
DRAWN = ("nash_vi", "distilled", "mccfr")  # one with bounds, one with a network, one for hidden information
UNITS |= dict.fromkeys(("cfr", "cfr_plus", "dcfr", "pcfr_plus"), "iterations")


def run(folder: Path, algorithm: str = "minimax_q", game: str = "footsies_v0", **options: Any) -> dict[str, Any]:
    return trained(folder, algorithm=algorithm, game=game, **{"timesteps": TIMESTEPS, "games": 20} | options)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", agents.registry.self_play_learners())
def test_every_learner_leaves_a_report_and_a_file_that_plays(
    algorithm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = algorithm in DRAWN
    if not drawn:
        monkeypatch.setattr(train, "write_picture", lambda report, path: None)
    deep, hidden = algorithm in ("deep_minimax", "distilled"), agents.registry.self_play_learner(algorithm).HIDDEN
    timesteps, name = 5_000 if deep or hidden else TIMESTEPS, LEDUC if hidden else "footsies_v0"
    small = ("total_timesteps=5000", "hidden=8") if deep else ()
    game = make_game(name)
    options = Options(name, algorithm=algorithm, timesteps=timesteps, games=20, run_dir=tmp_path, setting=small)
    train.train(options).show()
    report = report_of(tmp_path)
    assert (report["algorithm"], report["opponent"]) == (algorithm, "self")
    assert report["timesteps"] >= timesteps
    assert report["exploitability"] == report["curve"][-1]["exploitability"]
    assert set(report["rows"]) == set(agents.names(game)) - {"manual"}
    assert not drawn or (tmp_path / "report.png").stat().st_size > 10_000
    learner = agents.as_agent(str(tmp_path / "learner.safetensors"), game)
    assert exploitability(game, learner) == pytest.approx(report["exploitability"], abs=EXACT)
    out = " ".join(capsys.readouterr().out.split())
    assert f"{report['timesteps']:,} {UNITS.get(algorithm, 'joint actions')} in self-play" in out
    assert "Exploitability of the learned policy" in out
    assert ("The learner's bounds of the value, with its discount factor: -" in out) is (algorithm == "nash_vi")


def test_bounds_where_states_are_too_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    improve = ExploitabilitySearch.improve
    monkeypatch.setattr(ExploitabilitySearch, "improve", lambda self, _: improve(self, 0.0))  # one round
    game, large = str(ROOT / "examples" / "games" / "connect_four.py"), {"param": ("width=7", "height=6")}
    options = Options(game, algorithm="policy_gradient", timesteps=2_000, games=20, run_dir=tmp_path, **large)
    train.train(options).show()
    report = report_of(tmp_path)
    lower, upper = report["bounds"]
    assert 0.0 <= lower < upper <= 1.0 and report["exploitability"] is None
    assert [report["curve"][-1][f"exploitability_{end}"] for end in ("lower", "upper")] == [lower, upper]
    assert report["unmet"] == ["nash", "perfect", "human"] and not set(report["unmet"]) & set(report["rows"])
    out = " ".join(capsys.readouterr().out.split())
    assert "Not met, for they need the exact solution: nash, perfect, human." in out
    assert "points per game, proven bounds." in out and "is not known yet" in report["headline"]


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


@pytest.mark.parametrize(
    ("algorithm", "game"),
    [
        pytest.param("minimax_q", "tictactoe_v0", marks=pytest.mark.slow),
        ("nash_vi", "tictactoe_v0"),
        ("mccfr", LEDUC),
        pytest.param("pcfr_plus", LEDUC, marks=pytest.mark.slow),
    ],
)
def test_interrupted_runs_end_alike(algorithm: str, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path / "whole", algorithm, game)
    kind, calls = agents.registry.self_play_learner(algorithm), iter(range(1_000))
    learn = kind.learn

    def interrupted(self: Any, timesteps: int) -> None:
        if next(calls) == 26:
            raise KeyboardInterrupt
        learn(self, timesteps)

    monkeypatch.setattr(kind, "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "parts", algorithm, game)
    monkeypatch.undo()
    half = agents.as_agent(str(tmp_path / "parts" / "learner.safetensors"), make_game(game))
    assert 0 < half.num_timesteps < TIMESTEPS  # type: ignore[attr-defined]
    report = run(tmp_path / "parts", algorithm, game, resume=True)
    whole, parts = (load_file(tmp_path / name / "learner.safetensors") for name in ("whole", "parts"))
    assert whole.keys() == parts.keys()
    for name, array in whole.items():
        assert (array == parts[name]).all(), name
    assert report["curve"][-1]["games"] == report_of(tmp_path / "whole")["games"]


def test_a_finished_run_can_be_made_longer_and_is_not_overwritten(tmp_path: Path) -> None:
    run(tmp_path, timesteps=1_000, games=2)
    with pytest.raises(UsageError, match="holds a run: go on with --resume"):
        run(tmp_path)
    assert run(tmp_path, timesteps=2_000, games=2, resume=True)["timesteps"] >= 2_000


def test_checkpoints_can_be_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[int] = []
    save = MinimaxQ.save
    monkeypatch.setattr(MinimaxQ, "save", lambda self, path: (saved.append(self.num_timesteps), save(self, path)))
    options = Options("footsies_v0", algorithm="minimax_q", timesteps=5_000, checkpoint_every=1_000, run_dir=tmp_path)
    train.learn(options)
    assert len(saved) >= 5


def test_settings_reach_the_learner(tmp_path: Path) -> None:
    options = Options(
        "footsies_v0", algorithm="minimax_q", setting=("replay=0", "exploring_starts=0.25"), gamma=0.5,
        learning_rate=0.5, timesteps=1_000, run_dir=tmp_path,
    )  # fmt: skip
    settings = train.learn(options).policy.settings  # type: ignore[attr-defined]
    told = settings.replay, settings.exploring_starts, settings.gamma, settings.learning_rate, settings.total_timesteps
    assert told == (0, 0.25, 0.5, 0.5, 1_000)


@pytest.mark.parametrize("game", ["examples/games/pig.py", "/somewhere/pig.py", "pig.csv", "pig.nfg"])
def test_the_folder_is_named_after_the_file_of_a_game(game: str) -> None:
    assert Options(game, algorithm="minimax_q").folder() == Path("runs/pig-minimax_q-self-0")


@pytest.mark.slow
def test_bounds_with_chance_are_told_with_their_probability(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = Options(
        str(ROOT / "examples" / "games" / "pig.py"),
        param=("target=3",), algorithm="nash_vi", timesteps=500, games=5, run_dir=tmp_path, setting=("gamma=1",),
    )  # fmt: skip
    train.train(options).show()
    assert "They hold with probability 1 - delta if bonus is 1" in " ".join(capsys.readouterr().out.split())
