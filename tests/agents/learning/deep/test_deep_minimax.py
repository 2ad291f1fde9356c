"""Deep minimax: how well it learns, measured exactly; that it goes on where it was; what it refuses."""

import dataclasses
import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import repeated_rps
from nashzoo.agents.learning import deep
from nashzoo.agents.learning.deep import networks
from nashzoo.agents.learning.deep.deep_minimax import DEFAULTS, RECURRENT, WAITING, DeepMinimax
from nashzoo.agents.learning.deep.states import observed
from nashzoo.baselines import exploitability, solve
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs import bodega_brawl_v0, footsies_v0, soccer_v0, tictactoe_v0
from nashzoo.envs.base.errors import MissingPackageError, UsageError, UsageTypeError
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.one_hot import OneHotPlaces

SMALL = bodega_brawl_v0.game(preset="small")
SOCCER = soccer_v0.game(width=11, height=5, goal_height=3)
QUICK: dict[str, Any] = {"hidden": 16, "batch_size": 64, "states": 256, "total_timesteps": 4000}


def arrays_of(learner: DeepMinimax) -> dict[str, list[Any]]:
    return {name: array.tolist() for name, array in learner.arrays().items()}


@pytest.mark.parametrize(
    ("game", "settings", "enough"),
    [
        (footsies_v0.game(), {"total_timesteps": 60_000, "hidden": 64}, 0.01),
        pytest.param(tictactoe_v0.game(), {"total_timesteps": 600_000}, 0.001, marks=pytest.mark.slow),
    ],
    ids=lambda given: getattr(given, "name", None),
)
def test_it_comes_near_the_equilibrium(game: Game, settings: dict[str, Any], enough: float) -> None:
    learner = DeepMinimax(game, 0, **settings)
    learner.learn(settings["total_timesteps"])
    assert exploitability(game, learner) < enough


@pytest.mark.slow
def test_it_comes_near_the_equilibrium_and_its_values_near_the_exact_ones() -> None:
    learner = DeepMinimax(SMALL, 0, total_timesteps=400_000)
    codes = ListedStates(SMALL).codes
    solution = solve(SMALL)
    exact = solution.values[solution.states.ids(codes)]
    before = np.abs(learner.state_values(codes) - exact).mean()
    learner.learn(400_000)
    assert exploitability(SMALL, learner) < 0.05
    assert np.abs(learner.state_values(codes) - exact).mean() < 0.02 < before
    assert np.abs(learner.state_values(SMALL.swap_players(codes)) + learner.state_values(codes)).max() < 1e-6


def test_an_untaught_network_that_looks_to_the_end_plays_optimally() -> None:
    game = tictactoe_v0.game()
    learner = DeepMinimax(game, 0)
    assert exploitability(game, learner) > 0.5
    learner.depth = 9
    assert exploitability(game, learner) == pytest.approx(0.0, abs=1e-9)


def test_another_seed_learns_something_else() -> None:
    one, other = (DeepMinimax(SMALL, seed, **QUICK) for seed in (0, 1))
    one.learn(500)
    other.learn(500)
    assert arrays_of(one)["network_0"] != arrays_of(other)["network_0"]


def test_what_it_has_learned_is_played_at_once() -> None:
    learner = DeepMinimax(SMALL, 0, passes=1, **QUICK)
    observation = SMALL.observe(int(SMALL.start_codes[0]), 0)[None]
    masks = learner.legal(observation)
    before = learner.action_probabilities(observation, masks)
    learner.learn(2000)
    assert (learner.action_probabilities(observation, masks) != before).any()


def test_settings_that_are_left_out_are_chosen_by_the_game() -> None:
    def chosen(game: Game, **settings: Any) -> dict[str, Any]:
        found = dataclasses.asdict(DeepMinimax(game, **settings).settings)
        return {name: found[name] for name in DEFAULTS}

    assert chosen(SOCCER) == RECURRENT
    assert chosen(SOCCER, gamma=0.5, play=0.25) == {**RECURRENT, "gamma": 0.5, "play": 0.25}
    assert chosen(footsies_v0.game()) == WAITING
    assert chosen(tictactoe_v0.game()) == chosen(bodega_brawl_v0.game()) == DEFAULTS


def test_settings_chosen_by_the_game_are_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "small.safetensors"
    DeepMinimax(SMALL, 0, **QUICK).save(path)
    monkeypatch.setitem(DEFAULTS, "passes", 7)
    assert DeepMinimax(SMALL, 0, **QUICK).settings.passes == 7
    assert DeepMinimax.load(path, SMALL).settings.passes != 7


def test_the_first_layer_is_a_linear_layer_of_one_hot_observations() -> None:
    learner = DeepMinimax(SMALL, 0, **QUICK)
    learner.learn(500)
    codes = ListedStates(SMALL).codes
    observations = observed(SMALL, codes, np.zeros(len(codes), np.int64))
    places, first = OneHotPlaces(SMALL), learner._network.layers[0]
    one_hot = np.zeros((len(codes), places.end + 1), np.float32)
    np.put_along_axis(one_hot, places.places(observations), 1.0, axis=1)
    one_hot[:, -1] = 0.0
    weights = first.weight.detach().clone().requires_grad_()
    expected = torch.from_numpy(one_hot) @ weights + first.bias
    outputs = first(torch.from_numpy(places.places(observations)))
    assert np.allclose(outputs.detach(), expected.detach(), atol=1e-5)
    for layer in (outputs, expected):
        layer.square().mean().backward()
    assert np.allclose(first.weight.grad, weights.grad, atol=1e-5)
    assert np.allclose(learner._network.evaluated(observations), learner._network(observations).detach(), atol=1e-5)


def test_values_do_not_depend_on_the_number_of_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = DeepMinimax(SMALL, 0, **QUICK)
    learner.learn(500)
    monkeypatch.setattr(networks, "CHUNK", 64)
    found = []
    for number in (1, 2, 5, 1000):
        monkeypatch.setattr(networks, "processors", lambda number=number: number)
        found.append(learner.state_values(learner._pool.codes).tobytes())
    assert len(set(found)) == 1


def test_games_without_one_hot_observations_are_learned_too() -> None:
    game = Game(repeated_rps, rounds=2)
    learner = DeepMinimax(game, 0, **QUICK)
    learner.learn(4000)
    assert exploitability(game, learner) < 0.1


def test_the_pool_finds_all_that_play_reaches() -> None:
    game = tictactoe_v0.game()
    learner = DeepMinimax(game, 0, hidden=16, states=4096, passes=1, play=0.0)
    learner.learn(100_000)
    assert sorted(arrays_of(learner)["pool"]) == ListedStates(game).codes.tolist()


def test_other_misuse_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageTypeError, match="deep_minimax has no setting width"):
        DeepMinimax(SMALL, width=3)
    learner = DeepMinimax(SMALL, 0, **QUICK)
    with pytest.raises(UsageError, match="depth must be a whole number of at least 1, not 0"):
        learner.depth = 0
    path = tmp_path / "small.safetensors"
    learner.save(path)
    with pytest.raises(UsageError, match="was learned in bodega_brawl_v0"):
        DeepMinimax.load(path, tictactoe_v0.game())


@pytest.mark.slow
def test_small_soccer_is_learned() -> None:
    learner = DeepMinimax(SOCCER, 0, total_timesteps=600_000, growth=0.0, states=1024)
    learner.learn(600_000)
    learner.depth = 3
    assert exploitability(SOCCER, learner) < 0.02


def test_without_pytorch_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPackageError, match=r"deep learners need PyTorch: pip install '\.\[train\]'"):
        importlib.reload(deep)
