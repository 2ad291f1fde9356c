"""The contract of learners: this package's learners keep it, and learners with a fault do not."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nim
import staked_rps
from nashzoo.agents.learning.registry import LEARNERS
from nashzoo.agents.learning.self_play_learner import Arrays, SelfPlayLearner
from nashzoo.agents.registry import self_play_learners
from nashzoo.arena.contract import LearnerContract
from nashzoo.envs import bodega_brawl_v0, soccer_v0
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.core.game import Features, Floats, Game, Mask

SMALL = {"hidden": 16, "batch_size": 64, "states": 256, "total_timesteps": 4_000}
SETTINGS: dict[str, dict[str, Any]] = {
    "policy_gradient": {"num_envs": 16, "hidden": 16, "batch_size": 64, "total_timesteps": 4_000},
    "deep_hedge": {
        "num_envs": 16, "n_steps": 4, "hidden": 16, "layers": 1, "batch_size": 16, "memory": 500, "states": 64,
    },
    "deep_minimax": SMALL,
    "distilled": {**SMALL, "teacher": {"hidden": 16, "batch_size": 64, "states": 256}},
}  # fmt: skip
REFUSED: dict[str, dict[str, Any]] = {
    "minimax_q": {
        "total_timesteps": 0, "replay": -1, "exploring_length": 0, "learning_rate": 1.5, "final_learning_rate": -0.1,
        "exploration": 2.0, "final_exploration": -1.0, "exploring_starts": 1.1, "gamma": 1.1,
    },
    "nash_vi": {
        "replay": -1, "tolerance": 0.0, "exploration": 1.5, "gamma": -0.5, "most": 0.0, "delta": 1.5, "bonus": 0.0,
    },
    "regret_matching": {"exploring_length": 0, "exploring_starts": 2.0, "gamma": 1.5},
    "wolf_phc": {
        "total_timesteps": 0, "winning_step": -0.1, "learning_rate": 1.1, "gamma": 1.5, "exploration": None,
        "average": 3,
    },
    "value_iteration": {"gamma": 1.5},
    "deep_minimax": {
        "hidden": 0, "batch_size": 1.5, "learning_rate": 0.0, "polyak": 1.5, "gamma": -1.0, "depth": 0,
    },
    "distilled": {"temperature": 0, "teaching": 2, "worst_case": -1, "layers": None},
    "policy_gradient": {
        "total_timesteps": 0, "num_envs": 0, "n_steps": 0, "batch_size": 0, "hidden": 0, "layers": 0, "averaged": 2.0,
        "learning_rate": 0.0, "magnet": 0.0, "final_magnet": -1.0, "step_size": 0.0, "gamma": 1.5, "gae_lambda": -0.1,
        "exploring_starts": 2,
    },
    "deep_hedge": {
        "num_envs": 0, "n_steps": 0, "batch_size": 0, "learning_rate": 0.0, "temperature": 0.0, "prior": 0.0,
        "states": 0, "memory": 0, "hidden": 0, "layers": 0,
    },
    "mccfr": {"sampling": "both", "exploration": 1.5},
}  # fmt: skip
GAMES = [Game(staked_rps), bodega_brawl_v0.game(preset="small"), soccer_v0.game(width=11, height=3, goal_height=1)]
EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "games"
KUHN, LEDUC = (Game(module_at(str(EXAMPLES / f"{name}.py"))) for name in ("kuhn", "leduc"))
SYMMETRIC = Game(module_at(str(EXAMPLES / "hidden_goofspiel.py")), cards=3)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
class TestOurs(LearnerContract):
    @pytest.fixture(params=self_play_learners(GAMES[0]))
    def learner(self, request: pytest.FixtureRequest) -> type[SelfPlayLearner]:
        if request.param in SETTINGS:
            pytest.importorskip("torch")
        return LEARNERS[request.param].load()

    @pytest.fixture
    def settings(self, learner: type[SelfPlayLearner]) -> Mapping[str, Any]:
        return SETTINGS.get(learner.NAME, {})

    @pytest.fixture(autouse=True)
    def refused(self, learner: type[SelfPlayLearner], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(type(self), "REFUSED", REFUSED.get(learner.NAME, {}))


@pytest.mark.parametrize("game", [KUHN, LEDUC, SYMMETRIC], ids=lambda game: game.name)
class TestOursOfHiddenInformation(LearnerContract):
    @pytest.fixture(params=[*((name, {}) for name in self_play_learners(KUHN)), ("mccfr", {"sampling": "outcome"})])
    def chosen(self, request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
        chosen: tuple[str, dict[str, Any]] = request.param
        return chosen

    @pytest.fixture
    def learner(self, chosen: tuple[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> type[SelfPlayLearner]:
        monkeypatch.setattr(type(self), "REFUSED", REFUSED.get(chosen[0], {}))
        return LEARNERS[chosen[0]].load()

    @pytest.fixture
    def settings(self, chosen: tuple[str, dict[str, Any]]) -> Mapping[str, Any]:
        return chosen[1] or SETTINGS.get(chosen[0], {})


class Counting(SelfPlayLearner):
    """Plays uniformly, and counts its calls."""

    def begin(self, seed: int) -> None:
        self.calls = np.zeros(1)

    def learn(self, timesteps: int) -> None:
        self.num_timesteps += timesteps

    def arrays(self) -> Arrays:
        return {"calls": self.calls}

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        policy: Floats = action_masks / action_masks.sum(axis=1, keepdims=True)
        return policy


class Forgetful(Counting):
    def arrays(self) -> Arrays:
        return {"calls": self.calls.copy()}  # a file's array is copied into the copy

    def learn(self, timesteps: int) -> None:
        super().learn(timesteps)
        self.calls += timesteps


class Divided(Counting):
    def learn(self, timesteps: int) -> None:
        super().learn(timesteps)
        self.calls += 1


class Careless(Counting):
    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        return np.full(action_masks.shape, 1 / action_masks.shape[1])


def test_it_finds_faults(tmp_path: Path) -> None:
    game, contract = Game(nim), LearnerContract()

    def check(kind: type[SelfPlayLearner]) -> None:
        untrained = partial(kind, game, 3)
        learned = untrained()
        learned.learn(contract.TIMESTEPS)
        contract.test_a_policy_is_a_distribution_over_legal_actions(learned, untrained)
        contract.test_calls_and_a_file_change_nothing(learned, untrained, tmp_path)

    check(Counting)
    for kind in (Forgetful, Divided, Careless):
        with pytest.raises(AssertionError):
            check(kind)
