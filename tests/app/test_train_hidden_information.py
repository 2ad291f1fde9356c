"""Training in games with hidden information: exact curves and reports, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from nashzoo import agents
from nashzoo.app.training.options import Options
from nashzoo.app.training.train import train
from nashzoo.baselines import exploitability
from nashzoo.envs import make_game
from nashzoo.envs.base.errors import UsageError
from training import SHORT, report_of, trained

GAMES = Path(__file__).resolve().parents[2] / "examples" / "games"
LEDUC, KUHN = str(GAMES / "leduc.py"), str(GAMES / "kuhn.py")
EXACT = 1e-9
VALUE = -0.085606424078  # of Leduc poker


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"opponent": "random"},
        pytest.param({"opponent": "nash", "algorithm": "ppo"}, marks=pytest.mark.slow),
        {"opponent": "psro", "generation": 512},
        {"opponent": "psro", "generation": 512, "observation": "one_hot"},
    ],
    ids=str,
)
def test_models_have_exact_curves(options: dict[str, Any], tmp_path: Path) -> None:
    report = trained(tmp_path, game=LEDUC, **SHORT, **options)
    game = make_game(LEDUC)
    model = agents.as_agent(str(tmp_path / "model.zip"), game)
    assert report["exploitability"] == pytest.approx(exploitability(game, model), abs=EXACT)
    assert all(point["exploitability"] > 0 and point["value"] is not None for point in report["curve"])
    assert set(report["rows"]) >= {"random", "nash"}
    for row in report["rows"].values():
        assert row["exact_value"] == pytest.approx(row["points_per_game"], abs=6 * row["standard_error"])
    if options["opponent"] == "psro":
        assert report["curve"][-1]["mixed_exploitability"] > 0
    assert report["rows"]["nash"]["best_response_value"] == pytest.approx(0, abs=EXACT)  # over both seats
    assert report["deterministic"] is None  # equilibria need chance here


@pytest.mark.parametrize(("opponent", "within"), [("psro", EXACT), ("self", 0.5)])
def test_exact_responses(opponent: str, within: float, tmp_path: Path) -> None:
    report = trained(tmp_path, game=LEDUC, opponent=opponent, oracle="exact", games=20)
    assert report["mixed_exploitability"] <= within
    for point in report["curve"]:
        assert point["lower_bound"] - EXACT <= VALUE <= point["upper_bound"] + EXACT


def test_a_run_of_two_halves_ends_as_one(tmp_path: Path) -> None:
    options = {"game": KUHN, "algorithm": "mccfr", "games": 20, "checkpoint_every": 1_000}
    whole = trained(tmp_path / "whole", **options, timesteps=40_000)
    trained(tmp_path / "half", **options, timesteps=20_000)
    halves = trained(tmp_path / "half", **options, timesteps=40_000, resume=True)
    assert halves["exploitability"] == whole["exploitability"]
    assert halves["timesteps"] == whole["timesteps"]


@pytest.mark.parametrize(
    "algorithm", ["minimax_q", "nash_vi", "regret_matching", "wolf_phc", "value_iteration", "deep_minimax", "distilled"]
)
def test_learners_that_need_the_state_refuse_in_a_sentence(algorithm: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=rf"^{algorithm} needs the whole state: the players of kuhn_v0"):
        train(Options(KUHN, algorithm=algorithm, run_dir=tmp_path / "run", timesteps=1_000))
    assert not (tmp_path / "run" / "report.json").exists()


def test_planners_of_hidden_information_refuse_other_games(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cfr learns games with hidden information, .* learn it with regret_matching"):
        train(Options("footsies_v0", algorithm="cfr", run_dir=tmp_path / "run"))


def test_a_report_names_what_was_learned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(Options(KUHN, algorithm="pcfr_plus", timesteps=100, games=20, run_dir=tmp_path)).show()
    assert "Exploitability of the learned policy (exact): 0.00" in capsys.readouterr().out
    assert report_of(tmp_path)["curve"][0]["timesteps"] == 10
