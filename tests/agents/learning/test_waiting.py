"""Games in which both players may wait for ever: a policy must not postpone a win that its values promise."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graph_game
import oshi_zumo
from nashzoo.agents.learning.deep.deep_minimax import DeepMinimax
from nashzoo.agents.learning.deep.distilled import Distilled
from nashzoo.agents.learning.tabular.nash_vi import NashVI
from nashzoo.agents.registry import self_play_learner
from nashzoo.baselines import exploitability, solve
from nashzoo.envs.core.game import Bools, Floats, Game

NEAR = 1e-6  # points
OSHI_ZUMO = Game(oshi_zumo)
PLANNERS = "value_iteration", "minimax_q"
TABULAR = *PLANNERS, "nash_vi"
# Of the numbers below 100 those of games with optimal strategies and a value other than 0.
GAMES = (2, 6, 12, 17, 18, 19, 25, 26, 28, 44, 47, 53, 56, 58, 61, 68, 71, 75, 76, 81, 91, 93)
OPEN = (17, 18, 26, 28, 47, 56, 76)  # of these the ones whose bounds are still apart after 20 joint actions


def waiting_game(number: int, nodes: int = 8) -> Game:
    """Returns a random game in which the first actions of both stay; most of the others lead on, some back."""
    rng = np.random.default_rng(number)
    tables = []
    for node in range(nodes):
        shape = tuple(rng.integers(1, 4, 2))
        least = np.where(rng.random(shape) < 0.25, 0, node + 1)
        table = rng.integers(least, nodes + 3)
        table[0, 0] = node
        tables.append([[node, node + 1]] if table.size == 1 else table.tolist())
    return Game(graph_game, tables=[*tables, None, None, None], pays=[0.0] * nodes + [1.0, -1.0, 0.5])


@pytest.mark.parametrize("algorithm", PLANNERS)
def test_the_policy_pushes_where_bidding_nothing_preserves_the_value(algorithm: str) -> None:
    learner = self_play_learner(algorithm)(OSHI_ZUMO, 0)
    learner.learn(133_000)
    assert exploitability(OSHI_ZUMO, learner) < NEAR


@pytest.mark.slow
def test_bounds_prove_a_policy_that_pushes() -> None:
    game = Game(oshi_zumo, coins=4, size=1)
    learner = NashVI(game, 0)
    learner.learn(50_000)
    lower, upper = learner.value_bounds
    assert lower <= 0.0 <= upper  # the game is symmetric
    assert exploitability(game, learner) <= learner.exploitability_bound + NEAR < 3 * NEAR


@pytest.mark.slow
def test_bounds_hold_at_every_moment_where_play_can_stand_still() -> None:
    for number in OPEN:
        game = waiting_game(number)
        value = solve(game).start_value
        learner = NashVI(game, 0)
        for moment in range(4):
            lower, upper = learner.value_bounds
            assert lower - NEAR <= value <= upper + NEAR, (number, moment)
            assert exploitability(game, learner) <= learner.exploitability_bound + NEAR, (number, moment)
            assert moment != 1 or lower < upper - NEAR, number
            learner.learn(20)


@pytest.mark.slow
def test_what_is_known_is_planned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    learner, planned = NashVI(Game(oshi_zumo, coins=3, size=1), 0), []
    secured = learner.learned.secured

    def count(tried: Bools, otherwise: Floats, player: int) -> Any:
        planned.append(np.count_nonzero(tried))
        return secured(tried, otherwise, player)

    monkeypatch.setattr(learner.learned, "secured", count)
    for timesteps in (20, 20_000, 100, 100):
        learner.learn(timesteps)
        bound = learner.exploitability_bound
    few, _, every, _ = planned  # for each player, after two of the four measurements
    assert few < every
    del learner._secured
    assert learner.exploitability_bound == bound


@pytest.mark.slow
def test_a_network_keeps_no_value_that_waiting_preserves_and_its_student_waits_for_no_rare_mistakes() -> None:
    game = Game(oshi_zumo, coins=4, size=1)
    learner = DeepMinimax(game, 0, total_timesteps=400_000)
    learner.learn(400_000)
    assert exploitability(game, learner) < 0.05  # 0.267 if neither training nor play discounts
    student = Distilled.of(learner, 400_000, 0)
    student.learn(400_000)
    assert exploitability(game, student) < 0.05  # 0.385 if it plays all probabilities


@pytest.mark.parametrize("numbers", [GAMES[::3], pytest.param(GAMES, marks=pytest.mark.slow)], ids=len)
@pytest.mark.parametrize("algorithm", TABULAR)
def test_no_policy_waits_for_ever_where_it_is_ahead(algorithm: str, numbers: tuple[int, ...]) -> None:
    for number in numbers:
        game = waiting_game(number)
        solution = solve(game)
        assert solution.certificate < NEAR and abs(solution.start_value) > 0.1
        learner = self_play_learner(algorithm)(game, 0)
        learner.learn(20_000)
        assert exploitability(game, learner) < NEAR, number


def test_the_policy_is_decided_anew_after_learning_and_from_a_file(tmp_path: Path) -> None:
    kind = self_play_learner("minimax_q")
    learner = kind(OSHI_ZUMO, 0)
    assert exploitability(OSHI_ZUMO, learner) > 0.1
    learner.learn(133_000)
    learner.save(tmp_path / "learner.safetensors")
    loaded = kind.load(tmp_path / "learner.safetensors", OSHI_ZUMO)
    assert exploitability(OSHI_ZUMO, loaded) == exploitability(OSHI_ZUMO, learner) < NEAR
