"""Distilled policy networks: how well they play, without a simulator; that learning goes on; what is refused."""

from typing import Any

import numpy as np
import pytest

from nashzoo.agents.learning.deep.deep_minimax import DeepMinimax
from nashzoo.agents.learning.deep.distilled import Distilled
from nashzoo.baselines import exploitability
from nashzoo.envs import bodega_brawl_v0, footsies_v0, tictactoe_v0
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game

SMALL = bodega_brawl_v0.game(preset="small")
TEACHER: dict[str, Any] = {"hidden": 16, "batch_size": 64, "states": 256}
QUICK: dict[str, Any] = {"teacher": TEACHER, "total_timesteps": 4000, "hidden": 16, "batch_size": 64, "states": 256}


def arrays_of(learner: Distilled) -> dict[str, list[Any]]:
    return {name: array.tolist() for name, array in learner.arrays().items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "timesteps", "enough"),
    [(footsies_v0.game(), 150_000, 0.03), (tictactoe_v0.game(), 1_200_000, 0.001)],
    ids=lambda given: getattr(given, "name", None),
)
def test_it_comes_near_the_equilibrium(game: Game, timesteps: int, enough: float) -> None:
    learner = Distilled(game, 0, total_timesteps=timesteps)
    learner.learn(timesteps)
    assert exploitability(game, learner) < enough


@pytest.mark.slow
def test_a_student_plays_what_its_teacher_plays() -> None:
    teacher = DeepMinimax(SMALL, 0, total_timesteps=100_000, hidden=64)
    teacher.learn(100_000)
    student = Distilled.of(teacher, 300_000, 0)
    codes = np.sort(np.array(teacher.arrays()["pool"]))[:500]
    observations = np.stack([SMALL.observe(int(code), 0) for code in codes])
    masks = teacher.legal(observations)
    wanted = teacher.action_probabilities(observations, masks)
    before = np.abs(student.action_probabilities(observations, masks) - wanted).sum(axis=1).mean()
    assert student.num_timesteps == teacher.num_timesteps
    student.learn(300_000)
    found = student.action_probabilities(observations, masks)
    assert np.abs(found - wanted).sum(axis=1).mean() < 0.2 < before
    assert (found[masks == 0] == 0.0).all()
    assert (teacher.action_probabilities(observations, masks) == wanted).all()


@pytest.mark.slow
def test_every_part_of_the_loss_leads_to_an_equilibrium() -> None:
    game, timesteps = footsies_v0.game(), 40_000
    teacher = DeepMinimax(game, 0, total_timesteps=2 * timesteps)
    teacher.learn(2 * timesteps)
    for worst_case in (0.0, 1.0):  # the default, 0.75, is tested above
        student = Distilled.of(teacher, 3 * timesteps, 0, worst_case=worst_case)
        student.learn(3 * timesteps)
        assert exploitability(game, student) < 0.1, worst_case


def test_it_needs_no_simulator_to_play(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = Distilled(SMALL, 0, **QUICK)
    observation = SMALL.observe(int(SMALL.start_codes[0]), 0)[None]
    masks = learner.legal(observation)
    monkeypatch.delattr(learner, "game")
    monkeypatch.delattr(learner, "teacher")
    with pytest.raises(AttributeError):
        learner.states_of(observation)
    assert learner.action_probabilities(observation, masks).sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"teacher": 3}, "teacher must be settings of deep_minimax by name, as {'gamma': 1}, not 3"),
        ({"teacher": {"depth": 0}}, "depth must be a whole number of at least 1, not 0"),
        ({"teaching": 1.0, "total_timesteps": 500}, "must be more than the teacher's, which are 500, not 500"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        Distilled(SMALL, 0, **settings)
