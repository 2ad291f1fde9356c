"""Past policies are kept, mixed and measured, and a run goes on with those that it had; and exact responses."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stable_baselines3 import PPO

from nashzoo import agents
from nashzoo.agents.learning.past_policies import SelfPlay
from nashzoo.app.training.options import Options
from nashzoo.baselines import exploitability
from nashzoo.baselines.forms import form_of
from nashzoo.envs import bodega_brawl_v0, footsies_v0
from nashzoo.envs.vector.game_batch import GameBatch
from training import SHORT, report_of, trained

EXACT = 1e-9
FOOTSIES = footsies_v0.game()


def run(folder: Path, **options: Any) -> dict[str, Any]:
    short = {"games": 20} if options.get("oracle") == "exact" else {**SHORT, "generation": 1024}  # it learns nothing
    return trained(folder, **{"game": "footsies_v0", "opponent": "psro"} | short | options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run."""
    folder = tmp_path_factory.mktemp("whole")
    run(folder)
    return folder


def past_selves(folder: Path) -> list[int]:
    return [int(path.stem) for path in sorted((folder / "past_selves").iterdir())]


class TestTraining:
    def test_against_the_equilibrium_of_its_past_that_is_measured_and_the_last(self, whole: Path) -> None:
        report = report_of(whole)
        assert past_selves(whole) == [1024, 2048]
        curve = report["curve"]
        assert [point["timesteps"] for point in curve] == [0, 512, 1024, 1536, 2048]
        assert [point["mixed_exploitability"] is None for point in curve] == [True, True, False, False, False]
        last = agents.as_agent(str(whole / "model.zip"), FOOTSIES)
        assert report["exploitability"] == pytest.approx(exploitability(FOOTSIES, last), abs=EXACT)  # type: ignore[arg-type]
        mix = form_of(FOOTSIES).population()
        for path in (whole / "past_selves").iterdir():
            mix.add(mix.tables(agents.as_agent(path, FOOTSIES)))
        assert report["mixed_exploitability"] == pytest.approx(exploitability(FOOTSIES, mix.policy()), abs=EXACT)
        assert report["mixed_exploitability"] == curve[-1]["mixed_exploitability"]
        against = report["rows"]["psro"]
        assert against["title"] == "the equilibrium of past policies"
        assert against["best_response_value"] == pytest.approx(report["mixed_exploitability"], abs=EXACT)

    @pytest.mark.slow
    def test_the_equilibrium_of_its_past_comes_near_that_of_the_game(self, tmp_path: Path) -> None:
        brief = {"timesteps": 60_000, "num_envs": 64, "generation": 2_000, "measure_every": 60_000}
        assert run(tmp_path, **brief, ent_coef=0.1)["mixed_exploitability"] < 0.1

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("options", "ent_coef", "rate"),
        [({}, 0.005, 0.0003), ({"ent_coef": 0.1, "learning_rate": 0.01}, 0.1, 0.01)],
    )
    def test_entropy_and_learning_rate(
        self, tmp_path: Path, options: dict[str, Any], ent_coef: float, rate: float
    ) -> None:
        run(tmp_path, **options)
        model = PPO.load(tmp_path / "model.zip")
        assert model.ent_coef == ent_coef
        assert [model.lr_schedule(left) for left in (1.0, 0.5, 0.0)] == [rate] * 3

    @pytest.mark.slow
    def test_it_goes_on_with_the_past_selves_it_had(self, tmp_path: Path) -> None:
        before = run(tmp_path)
        folder = tmp_path / "past_selves"
        shutil.copy(folder / "000000002048.zip", folder / "000000003072.zip")  # after the checkpoint, before a kill
        again = run(tmp_path, resume=True)
        assert past_selves(tmp_path) == [1024, 2048]
        assert again == before
        longer = run(tmp_path, resume=True, timesteps=4096)
        assert past_selves(tmp_path) == [1024, 2048, 3072, 4096]
        assert longer["curve"][: len(before["curve"])] == before["curve"]

    @pytest.mark.slow
    @pytest.mark.parametrize("algorithm", ["a2c", "dqn"])
    def test_others_learn_against_their_past_too(self, algorithm: str, tmp_path: Path) -> None:
        assert 0 < run(tmp_path, algorithm=algorithm)["mixed_exploitability"] <= 1

    def test_where_states_are_too_many_nothing_is_begun(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("nashzoo.baselines.state_mixes.MAX_STATES", 10)
        for options in ({}, {"oracle": "exact"}, {"oracle": "exact", "opponent": "self"}):
            with pytest.raises(ValueError, match="policies are mixed in games of up to 10"):
                run(tmp_path / "run", **options)
            assert not (tmp_path / "run").exists()

    def test_before_there_is_a_past_the_opponent_is_random(self, tmp_path: Path) -> None:
        game = bodega_brawl_v0.game(preset="tiny")
        self_play = SelfPlay(game, tmp_path, every=100)
        assert self_play.exploitability is None
        assert not self_play.due(99)
        assert self_play.due(100)
        random = exploitability(game, agents.make("random", game))  # type: ignore[arg-type]
        assert exploitability(game, self_play.mixed) == pytest.approx(random, abs=EXACT)
        batch = GameBatch(game, 4, self_play.mixed)
        batch.restart(np.arange(4))
        batch.step(batch.masks().argmax(axis=1))


class TestExactResponses:
    @pytest.mark.slow
    def test_policy_space_response_oracles_reach_the_value(self, tmp_path: Path) -> None:
        report = run(tmp_path, picture=True, oracle="exact")
        assert report["mixed_exploitability"] <= EXACT
        assert report["exploitability"] == 1  # the last response alone is no good
        assert report["unit"] == "iterations"
        assert report["timesteps"] == len(report["curve"]) < 20
        for point in report["curve"]:
            assert point["lower_bound"] - EXACT <= 0 <= point["upper_bound"] + EXACT
        assert report["rows"]["psro"]["exact_value"] == pytest.approx(0, abs=EXACT)
        assert report["rows"]["nash"]["regret"] == pytest.approx(0, abs=EXACT)
        assert (tmp_path / "report.png").exists()
        assert run(tmp_path, oracle="exact", resume=True) == report

    def test_against_itself_it_is_fictitious_play(self, tmp_path: Path) -> None:
        report = run(tmp_path, opponent="self", oracle="exact", iterations=100)
        assert [point["timesteps"] for point in report["curve"]] == list(range(1, 101))
        assert report["mixed_exploitability"] < 0.15 < report["curve"][9]["mixed_exploitability"]
        assert Options(game="footsies_v0", opponent="self", oracle="exact").folder().name == "footsies_v0-exact-self-0"
