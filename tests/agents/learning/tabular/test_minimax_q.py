"""Minimax-Q: the values that other algorithms compute, and what it refuses."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nim
from nashzoo import agents
from nashzoo.agents.learning.tabular.minimax_q import MinimaxQ
from nashzoo.baselines import exploitability, solve
from nashzoo.envs import bodega_brawl_v0, footsies_v0, soccer_v0
from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.core.game import Game

EXACT = 1e-9
NIM = Game(nim)
FOOTSIES = footsies_v0.game()
SOCCER = soccer_v0.game(width=11, height=5)


@pytest.mark.parametrize(
    "settings",
    [
        {"replay": 0},
        {"exploring_starts": 1.0},
        {"exploring_starts": 0.0, "exploration": 0.9, "final_exploration": 0.4},
        {"learning_rate": 0.5, "final_learning_rate": 0.5},
    ],
)
def test_other_settings_reach_it_too(settings: dict[str, Any]) -> None:
    learner = MinimaxQ(FOOTSIES, seed=0, total_timesteps=100_000, **settings)
    learner.learn(100_000)
    assert exploitability(FOOTSIES, learner) < 1e-6


def test_what_it_learns_are_the_values_of_the_solution() -> None:
    learner = MinimaxQ(FOOTSIES, seed=0)
    learner.learn(30_000)
    solution = solve(FOOTSIES)
    codes = learner.learned.states.codes
    np.testing.assert_allclose(learner._table.values, [solution.value(int(code)) for code in codes], atol=EXACT)


def test_where_no_play_leads_it_plays_uniformly_at_random() -> None:
    game = Game(nim, heap=7, most=3, first=0)
    learner = MinimaxQ(game)
    strategies = learner.learned.strategies(
        np.array([game.code(heap=7, mover=1)]), np.array([1]), np.ones((1, 3), np.int8), (learner._table.q,) * 2
    )
    np.testing.assert_allclose(strategies, [[1 / 3, 1 / 3, 1 / 3]])


def arrays(learner: Any) -> dict[str, np.ndarray[Any, Any]]:
    return {name: array.copy() for name, array in learner.arrays().items()}


def test_seeds_learn_differently_and_equal_ones_the_same() -> None:
    learners = [MinimaxQ(SOCCER, seed=seed) for seed in (0, 0, 1)]
    for learner in learners:
        learner.learn(2_000)
    first, same, other = (arrays(learner)["q"] for learner in learners)
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()


class TestRefusals:
    def test_unknown_settings(self) -> None:
        with pytest.raises(UsageTypeError, match=r"minimax_q has no setting alpha; it has total_timesteps, gamma, .*"):
            MinimaxQ(NIM, alpha=1.0)

    def test_games_that_do_not_fit_a_table(self) -> None:
        game = bodega_brawl_v0.game(preset="large")
        with pytest.raises(UsageError, match=r"bodega_brawl_v0 has [\d,]{9,}: learn it with deep_minimax, or"):
            MinimaxQ(game)

    def test_files_of_others(self, tmp_path: Path) -> None:
        path = tmp_path / "nim.safetensors"
        MinimaxQ(NIM).save(path)
        with pytest.raises(UsageError, match=r"nim\.safetensors was learned in nim_v0\(.*\), not in footsies_v0\("):
            MinimaxQ.load(path, FOOTSIES)
        with pytest.raises(UsageError, match=r"was learned in nim_v0\(heap=7.*\), not in nim_v0\(heap=9"):
            MinimaxQ.load(path, Game(nim, heap=9))
        with pytest.raises(UsageError, match=r"was learned by minimax_q, not by nash_vi"):
            agents.make("nash_vi", NIM, file=path)
        with pytest.raises(UsageTypeError, match=r"a learner from a file has the file's settings; leave out replay"):
            agents.make("minimax_q", NIM, file=path, replay=0)
        with pytest.raises(FileNotFoundError, match="there is no file"):
            MinimaxQ.load(tmp_path / "none.safetensors", NIM)

    @pytest.mark.parametrize(
        ("name", "change", "message"),
        [
            ("ends", lambda ends: ends + 100, "its queue of 12 states begins at"),
            ("is_waiting", lambda marks: ~marks, "its queue holds others than the states that are marked as waiting"),
            ("codes", lambda codes: codes + 1, "its states are others than those of the game"),
            ("q", lambda q: q[:-1], r"q has the shape \(11, 3\), not \(12, 3\)"),
        ],
    )
    def test_arrays_that_compiled_code_could_not_use(
        self, tmp_path: Path, name: str, change: Any, message: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        learner = MinimaxQ(NIM)
        content = learner.arrays()
        monkeypatch.setattr(learner, "arrays", lambda: content | {name: change(content[name])})
        learner.save(tmp_path / "changed.safetensors")
        with pytest.raises(UsageError, match=f"changed.safetensors is damaged: {message}"):
            MinimaxQ.load(tmp_path / "changed.safetensors", NIM)
