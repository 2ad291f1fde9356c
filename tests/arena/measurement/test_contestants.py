"""A learner is a name, a class, a function or a script, and is measured alike by all commands."""

import sys
from pathlib import Path
from typing import Any

import pytest

from command import Command
from nashzoo import agents
from nashzoo.agents.learning.own_class import learner_of, untrained
from nashzoo.app.results.entrants import entrants, rows_of
from nashzoo.app.results.results import EntrantTask
from nashzoo.app.web.folders import shown
from nashzoo.arena.measure import rivals_in, worst_of
from nashzoo.arena.measurement.checkpoints import Run, content_of
from nashzoo.arena.measurement.contestants import Taught, contestant
from nashzoo.arena.measurement.games import MeasuredGame
from nashzoo.arena.measurement.learning import Learning
from nashzoo.arena.measurement.pacer import usual
from nashzoo.arena.measurement.points import Points
from nashzoo.baselines import exploitability
from nashzoo.envs import footsies_v0, make_game, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from processes import PATIENCE

EXACT = 1e-9  # points
NAME, GAME = "footsies_v0:blocks=1", footsies_v0.game(blocks=1)
PLACE = MeasuredGame("", "footsies_v0", ("blocks=1",))

LEARNERS = '''
from pathlib import Path

import numpy as np


class Sloping:
    """Prefers actions with smaller numbers, the more it has learned."""

    def __init__(self, game, seed, learner="", total=0.5):
        self.num_timesteps, self.by = 0, total

    def learn(self, num_timesteps):
        self.num_timesteps += num_timesteps

    def action_probabilities(self, observations, action_masks):
        weights = self.by ** (np.arange(action_masks.shape[1]) * self.num_timesteps / 1000) * (action_masks != 0)
        return weights / weights.sum(axis=1, keepdims=True)


class Interrupted(Sloping):
    """Once."""

    def learn(self, num_timesteps):
        super().learn(num_timesteps)
        if self.num_timesteps > 100 and not Path("interrupted").exists():
            Path("interrupted").touch()
            raise KeyboardInterrupt


def train(game, decisions, seed):
    made = Sloping(game, seed)
    made.learn(decisions)
    return made


def untaught(game):
    return Sloping(game, 0)
'''

SCRIPT = """
import sys
from pathlib import Path

from nashzoo.agents.registry import self_play_learner
from nashzoo.envs import make_game

folder = Path(sys.argv[sys.argv.index("--run-dir") + 1])
learner = self_play_learner("nash_vi")(make_game(sys.argv[1], blocks=1), 0)
for decisions in (50, 200, 1_000, 3_000):
    learner.learn(decisions - learner.num_timesteps)
    learner.save(folder / f"model_{decisions}.safetensors")
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The present folder, which has a class, a function and a script; reports are not drawn, which takes a second."""
    monkeypatch.setattr("nashzoo.app.training.train.write_picture", lambda report, path: None)
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(LEARNERS)
    Path("script.py").write_text(SCRIPT)
    return tmp_path


def sloping(decisions: int) -> Any:
    learner = untrained(learner_of(agents.registry.class_at("./mine.py:Sloping")), GAME, 0, 0)
    learner.learn(decisions)
    return learner


def trained(nashzoo: Command, learner: str, decisions: int = 1_000) -> dict[str, Any]:
    line = f"train footsies_v0 --param blocks=1 --algorithm {learner} --timesteps {decisions} --games 2 --out run"
    return dict(nashzoo.json(f"{line} --report-seconds {PATIENCE}"))


def tabled(learner: str, timesteps: int | None, seconds: float | None = None) -> dict[str, Any]:
    (row,) = rows_of([NAME])
    (entrant,) = (one for one in entrants(row, others=[learner]) if one.named)
    return EntrantTask(row, entrant, 0, timesteps, None, seconds)()


def test_a_function_is_measured_as_the_class_that_it_makes(here: Path, nashzoo: Command) -> None:
    expected = pytest.approx(exploitability(GAME, sloping(1_000)), abs=EXACT)
    assert trained(nashzoo, "./mine.py:train")["exploitability"] == expected
    for place in ("./mine.py:train", "./mine.py:Sloping"):
        assert tabled(place, 1_000)["players"][place.rpartition(":")[2]]["exploitability"] == expected


def test_a_function_is_called_with_all_decisions_for_each_point(here: Path) -> None:
    run = Run(here / "run", {})
    plan = usual(100, 1, 400)
    Learning(run, Points(GAME)).learn(contestant("./mine.py:train"), PLACE, 0, plan)
    found = {point["timesteps"]: point["exploitability"] for point in run.curve}
    assert list(found) == [100, 133, 178, 237, 316, 400]
    assert found == {n: pytest.approx(exploitability(GAME, sloping(n)), abs=EXACT) for n in found}


def test_functions_that_cannot_train_are_refused(here: Path, nashzoo: Command) -> None:
    for line in ("train footsies_v0 --algorithm", "results footsies_v0 --learner", "bench", "check-trainer"):
        told = nashzoo.refused(f"{line} ./mine.py:untaught")
        assert "the training function cannot be called as train(game, decisions, seed)" in told


@pytest.mark.skipif(sys.platform == "win32", reason="scripts are ended by signals")
@pytest.mark.slow
def test_a_script_learns_from_so_many_decisions(here: Path, nashzoo: Command) -> None:
    (here / "run").mkdir()
    (here / "run" / "notes.txt").write_text("mine")  # what else is in the folder stays
    report = trained(nashzoo, "./script.py", 900)
    file = str(here / "run" / "policies" / "model_1000.safetensors")
    expected = pytest.approx(exploitability(GAME, agents.as_agent(file, GAME)), abs=EXACT)
    assert (report["algorithm"], report["timesteps"], report["exploitability"]) == ("script", 1_000, expected)
    assert (here / "run" / "notes.txt").exists()
    assert content_of(here / "run" / "run.json")["curve"] == report["curve"]
    made = tabled("./script.py", 900)
    assert (made["timesteps"], made["players"]["script"]["exploitability"]) == (1_000, expected)


def test_a_setting_can_have_any_name(here: Path, nashzoo: Command) -> None:
    report = trained(nashzoo, "./mine.py:Sloping --setting learner=mine total=1.0")
    assert report["exploitability"] == pytest.approx(exploitability(GAME, agents.make("random", GAME)), abs=EXACT)


def test_who_saves_nothing_begins_anew_after_an_interruption(here: Path) -> None:
    (row,) = rows_of([NAME])
    (entrant,) = (one for one in entrants(row, others=["./mine.py:Interrupted"]) if one.named)
    task = EntrantTask(row, entrant, 0, 400, here / "runs")
    with pytest.raises(KeyboardInterrupt):
        task()
    made = task()
    assert (made["timesteps"], [point["timesteps"] for point in made["curve"]]) == (400, [400])


def test_a_run_of_the_table_is_shown_as_one_of_training(here: Path) -> None:
    (row,) = rows_of([NAME])
    (entrant,) = (one for one in entrants(row, others=["./mine.py:Sloping"]) if one.named)
    made = EntrantTask(row, entrant, 0, 400, here / "runs")()
    (folder,) = (here / "runs").iterdir()
    page = shown(folder)
    assert page["title"] == f"Sloping in self-play in {NAME}"
    (chart,) = (one for one in page["charts"] if one["title"].startswith("exploitability"))
    assert chart["x"][-1] == made["timesteps"] == 400


def test_menace_plays_its_games_against_all_scripts() -> None:
    game = tictactoe_v0.game()
    learned = Taught(game, 3)
    learned.learn(1)
    teachers = {agents.as_agent(rival, game): 1 for rival in rivals_in(game, 3).values()}
    alone = agents.untaught("menace", game, agents.as_agent(teachers, game), "random", 3)
    assert (learned.num_timesteps, learned.num_games) == (alone.learn(1_000), 1_000)
    assert exploitability(game, learned.policy) == pytest.approx(exploitability(game, alone), abs=EXACT)


def test_states_without_values_are_refused_before_a_policy_is_asked() -> None:
    class Silent:
        def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
            raise AssertionError("it was asked")

    assert worst_of(make_game("nashzoo.examples.kuhn"), Silent(), 3, 1.0) == []


def test_what_is_no_learner_is_told_alike(here: Path, nashzoo: Command) -> None:
    for line in ("train footsies_v0 --algorithm", "results footsies_v0 --learner", "bench", "check-trainer"):
        assert "there is no learner 'nash_iv' (did you mean nash_vi?)" in nashzoo.refused(f"{line} nash_iv")
    with pytest.raises(UsageError, match=r"there is no file \./nothing\.py"):
        contestant("./nothing.py")
