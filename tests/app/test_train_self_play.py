"""Self-play: past selves are kept, mixed and measured, and a run goes on with those that it had."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stable_baselines3 import A2C, PPO

from nashzoo import agents
from nashzoo.agents.learning.past_policies import PastSelves, SelfPlay
from nashzoo.app.training.options import Options
from nashzoo.app.training.ppo_config import TUNED
from nashzoo.baselines import exploitability
from nashzoo.envs import bodega_brawl_v0, footsies_v0
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Mask
from nashzoo.envs.vector.game_batch import GameBatch
from training import SHORT, report_of, trained

EXACT = 1e-9
FOOTSIES = footsies_v0.game()
TUNED_SELF = TUNED["footsies_v0", "self"]


def run(folder: Path, **options: Any) -> dict[str, Any]:
    short = {"games": 20} if options.get("oracle") == "exact" else {**SHORT, "generation": 1024}  # it learns nothing
    return trained(folder, **{"game": "footsies_v0", "opponent": "self"} | short | options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run."""
    folder = tmp_path_factory.mktemp("whole")
    run(folder)
    return folder


def past_selves(folder: Path) -> list[int]:
    return [int(path.stem) for path in sorted((folder / "past_selves").iterdir())]


class Mean(PolicyAgent):
    """Plays the mean of what others play."""

    def __init__(self, game: Game, players: list[Any]) -> None:
        super().__init__(game)
        self.players = players

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        mean: Floats = np.mean([p.action_probabilities(observations, action_masks) for p in self.players], axis=0)
        return mean


class Always(PolicyAgent):
    """Always plays one action."""

    def __init__(self, game: Game, action: int) -> None:
        super().__init__(game)
        self.action = action

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        rows: Floats = np.eye(self.game.num_actions)[np.full(len(observations), self.action)]
        return rows


class TestTraining:
    def test_against_itself_the_average_is_measured_and_the_last(self, whole: Path) -> None:
        report = report_of(whole)
        assert past_selves(whole) == [1024, 2048]
        curve = report["curve"]
        assert [point["timesteps"] for point in curve] == [0, 512, 1024, 1536, 2048]
        assert [point["mixed_exploitability"] is None for point in curve] == [True, True, False, False, False]
        assert curve[2]["mixed_exploitability"] == pytest.approx(curve[2]["exploitability"], abs=EXACT)  # one self
        last = agents.as_agent(str(whole / "model.zip"), FOOTSIES)
        assert report["exploitability"] == pytest.approx(exploitability(FOOTSIES, last), abs=EXACT)  # type: ignore[arg-type]
        mean = Mean(FOOTSIES, [agents.as_agent(path, FOOTSIES) for path in (whole / "past_selves").iterdir()])
        assert report["mixed_exploitability"] == pytest.approx(exploitability(FOOTSIES, mean), abs=EXACT)
        assert report["mixed_exploitability"] == curve[-1]["mixed_exploitability"]
        against = report["rows"]["self"]
        assert against["title"] == "the average of past policies"
        assert against["best_response_value"] == pytest.approx(report["mixed_exploitability"], abs=EXACT)

    @pytest.mark.slow
    def test_against_the_equilibrium_of_its_past(self, tmp_path: Path) -> None:
        report = run(tmp_path, opponent="psro")
        assert past_selves(tmp_path) == [1024, 2048]
        against = report["rows"]["psro"]
        assert against["title"] == "the equilibrium of past policies"
        assert against["best_response_value"] == pytest.approx(report["mixed_exploitability"], abs=EXACT)
        assert 0 < report["mixed_exploitability"] <= 1

    def test_it_plays_against_what_it_is_now(self, whole: Path, tmp_path: Path) -> None:
        model = PPO.load(whole / "model.zip")
        self_play = SelfPlay("self", FOOTSIES, tmp_path, every=100, keep=0)
        self_play.begin(model)
        seen = FOOTSIES.observe(int(FOOTSIES.start_codes[0]), 0)[None], np.ones((1, 4), np.int8)
        for _ in range(2):
            assert isinstance(self_play.opponent, PolicyAgent)
            now = self_play.opponent.action_probabilities(*seen)
            assert (now == agents.as_agent(model, FOOTSIES).action_probabilities(*seen)).all()  # type: ignore[attr-defined]
            model.policy.action_net.bias.data[0] += 5
        assert now[0, 0] > 0.9

    @pytest.mark.slow
    def test_it_comes_to_rest_near_the_equilibrium(self, tmp_path: Path) -> None:
        brief = {"timesteps": 30_000, "num_envs": 64, "generation": 2_000, "measure_every": 30_000}
        now = run(tmp_path / "now", **brief | {"timesteps": 150_000})
        pool = run(tmp_path / "pool", **brief, selves=50, ent_coef=0.005, learning_rate=3e-4)
        assert now["exploitability"] < 0.5 < 0.7 < pool["exploitability"]
        assert now["mixed_exploitability"] < 0.2 < 0.35 < pool["mixed_exploitability"]

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("options", "ent_coef", "first", "end"),
        [
            ({}, TUNED_SELF.ent_coef, TUNED_SELF.learning_rate, 0.0),
            ({"algorithm": "a2c"}, 0.2, 0.001, 0.0),
            ({"ent_coef": 0.1, "learning_rate": 0.01}, 0.1, 0.01, 0.0),
            ({"opponent": "psro"}, 0.005, 0.0003, 0.0003),
        ],
    )
    def test_entropy_and_learning_rate(
        self, tmp_path: Path, options: dict[str, Any], ent_coef: float, first: float, end: float
    ) -> None:
        run(tmp_path, **options)
        model = (A2C if options.get("algorithm") == "a2c" else PPO).load(tmp_path / "model.zip")
        assert model.ent_coef == ent_coef
        assert [model.lr_schedule(left) for left in (1.0, 0.5, 0.0)] == pytest.approx([first, (first + end) / 2, end])

    @pytest.mark.slow
    @pytest.mark.parametrize(("opponent", "selves"), [("self", 0), ("self", 5), ("psro", 0)])
    def test_it_goes_on_with_the_past_selves_it_had(self, tmp_path: Path, opponent: str, selves: int) -> None:
        before = run(tmp_path, opponent=opponent, selves=selves)
        folder = tmp_path / "past_selves"
        shutil.copy(folder / "000000002048.zip", folder / "000000003072.zip")  # after the checkpoint, before a kill
        again = run(tmp_path, opponent=opponent, selves=selves, resume=True)
        assert past_selves(tmp_path) == [1024, 2048]
        assert again == before
        longer = run(tmp_path, opponent=opponent, selves=selves, resume=True, timesteps=4096)
        assert past_selves(tmp_path) == [1024, 2048, 3072, 4096]
        assert longer["curve"][: len(before["curve"])] == before["curve"]

    @pytest.mark.slow
    def test_games_are_counted_once(self, tmp_path: Path) -> None:
        rarely = {"games": 2, "measure_every": 2048}
        in_turn = run(tmp_path / "in_turn", game="tictactoe_v0", **rarely)["games"]
        at_once = run(tmp_path / "at_once", game="roshambo_v0", param=("rounds=8",), **rarely)["games"]
        assert 2048 / 9 <= in_turn + 16 <= 2048 / 5 + 16  # five to nine marks; each of 16 environments is at a game
        assert at_once == 2048 / (2 * 8)

    @pytest.mark.slow
    def test_where_states_are_too_many_games_tell(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("nashzoo.baselines.policy_average.MAX_STATES", 10)
        report = run(tmp_path)
        assert report["mixed_exploitability"] is None
        assert report["exploitability"] > 0
        assert report["rows"]["self"]["exact_value"] is None
        with pytest.raises(ValueError, match="policies are mixed in games of up to 10"):
            run(tmp_path / "psro", opponent="psro")
        for opponent in ("self", "psro"):
            with pytest.raises(ValueError, match="policies are mixed in games of up to 10"):
                run(tmp_path / "exact", opponent=opponent, oracle="exact")
        assert not (tmp_path / "psro").exists() and not (tmp_path / "exact").exists()  # nothing was begun


class TestExactResponses:
    @pytest.mark.slow
    def test_policy_space_response_oracles_reach_the_value(self, tmp_path: Path) -> None:
        report = run(tmp_path, picture=True, opponent="psro", oracle="exact")
        assert report["mixed_exploitability"] <= EXACT
        assert report["exploitability"] == 1  # the last response alone is no good
        assert report["unit"] == "iterations"
        assert report["timesteps"] == len(report["curve"]) < 20
        for point in report["curve"]:
            assert point["lower_bound"] - EXACT <= 0 <= point["upper_bound"] + EXACT
        assert report["rows"]["psro"]["exact_value"] == pytest.approx(0, abs=EXACT)
        assert report["rows"]["nash"]["regret"] == pytest.approx(0, abs=EXACT)
        assert (tmp_path / "report.png").exists()
        assert run(tmp_path, opponent="psro", oracle="exact", resume=True) == report

    def test_against_itself_it_is_fictitious_play(self, tmp_path: Path) -> None:
        report = run(tmp_path, oracle="exact", iterations=100)
        assert [point["timesteps"] for point in report["curve"]] == list(range(1, 101))
        assert report["mixed_exploitability"] < 0.15 < report["curve"][9]["mixed_exploitability"]
        assert Options(game="footsies_v0", opponent="self", oracle="exact").folder().name == "footsies_v0-exact-self-0"


class TestPastSelves:
    def test_games_go_on_against_whom_they_began_with(self) -> None:
        players = PastSelves(FOOTSIES)
        batch, rng = 300, np.random.default_rng(0)
        seen = np.tile(FOOTSIES.observe(int(FOOTSIES.start_codes[0]), 0), (batch, 1))
        masks = np.ones((batch, 4), np.int8)
        actions, memory = players.act(seen, np.zeros((batch, 1)), masks, rng.random((batch, 2)))
        assert sorted(set(actions.tolist())) == [0, 1, 2, 3]  # uniformly random as yet
        for action in range(3):
            players.add(Always(FOOTSIES, action), keep=2)
        begun = np.zeros((batch, 1))
        begun[:100] = memory[:100]
        actions, memory = players.act(seen, begun, masks, rng.random((batch, 2)))
        assert set(actions[:100].tolist()) == {0, 1, 2, 3}
        assert set(actions[100:].tolist()) == {1, 2}  # the latest two
        again, _ = players.act(seen, memory, masks, rng.random((batch, 2)))
        assert (again[100:] == actions[100:]).all()
        assert 60 < (actions[100:] == 1).sum() < 140  # half of 200, within six standard deviations

    def test_before_there_are_any_the_opponent_is_random(self, tmp_path: Path) -> None:
        game = bodega_brawl_v0.game(preset="tiny")
        for kind in ("self", "psro"):
            self_play = SelfPlay(kind, game, tmp_path, every=100, keep=5)
            assert self_play.exploitability is None
            assert not self_play.due(99)
            assert self_play.due(100)
            random = exploitability(game, agents.make("random", game))  # type: ignore[arg-type]
            assert exploitability(game, self_play.mixed) == pytest.approx(random, abs=EXACT)  # type: ignore[arg-type]
            batch = GameBatch(game, 4, self_play.opponent)
            batch.restart(np.arange(4))
            batch.step(batch.masks().argmax(axis=1))
