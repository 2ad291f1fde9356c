"""Value iteration: the exact solution after enough sweeps, also with chance, and with a discount factor."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chance_game
import nim
from nashzoo.agents.learning.tabular.value_iteration import ValueIteration
from nashzoo.baselines import exploitability
from nashzoo.envs import bodega_brawl_v0, footsies_v0, make_game, soccer_v0, tictactoe_v0
from nashzoo.envs.core.game import Game

GAMES = Path(__file__).resolve().parents[4] / "examples" / "games"
EXACT = 1e-9
FIELD = soccer_v0.game(width=11, height=3, goal_height=1, random_positions=False)

# A choice without alternative, then chance, then another such choice, which pays 1 or nothing.
BIASED = Game(chance_game, nodes=(((1,),), {2: 0.25, 3: 0.75}, ((4,),), ((5,),), None, None), pays=(0, 0, 0, 0, 1, 0))


def sweep(learner: ValueIteration, times: int = 1) -> None:
    for _ in range(times):
        learner.learn(1)


@pytest.mark.parametrize(
    ("game", "decisions"),
    [
        (Game(nim), 20),
        (tictactoe_v0.game(), 9),
        (footsies_v0.game(), 40),
        (bodega_brawl_v0.game(preset="small"), 40),
    ],
    ids=lambda game: getattr(game, "name", ""),
)
def test_it_is_exact_after_as_many_sweeps_as_a_game_can_have_decisions(game: Game, decisions: int) -> None:
    learner = ValueIteration(game)
    sweep(learner, decisions)
    assert exploitability(game, learner) < EXACT
    assert learner.num_games == 0


def test_a_backup_is_counted_for_every_state_of_a_sweep() -> None:
    learner = ValueIteration(tictactoe_v0.game())
    learner.learn(1)
    states = learner.num_timesteps
    learner.learn(states + 1)
    assert learner.num_timesteps == 3 * states == 3 * len(learner.arrays()["values"])


def test_the_error_falls_by_the_discount_factor() -> None:
    learner = ValueIteration(FIELD, gamma=0.5)
    changes, before = [], np.zeros(len(learner.arrays()["values"]))
    for _ in range(12):
        sweep(learner)
        now = learner.arrays()["values"].copy()
        changes.append(np.abs(now - before).max())
        before = now
    assert changes[0] == 1.0
    assert all(later <= 0.5 * earlier for earlier, later in itertools.pairwise(changes))
    values = set(np.abs(now).tolist())
    assert values <= {0.0, *(0.5**k for k in range(12))}  # a goal after k more moves is worth 0.5^k


def test_recurring_states_are_discounted_in_turn_based_games_and_play_is_then_optimal() -> None:
    learner = ValueIteration(FIELD)
    sweep(learner, 60)
    assert exploitability(FIELD, learner) < EXACT


def test_chance_is_an_expectation_and_takes_no_time() -> None:
    learner = ValueIteration(BIASED, gamma=0.5)
    sweep(learner, 4)
    np.testing.assert_allclose(learner.arrays()["values"], [0.125, 0.25, 1.0, 0.0])


@pytest.mark.parametrize(("name", "params"), [("pig", {"target": 20}), ("pursuit", {})])
def test_it_solves_games_with_chance(name: str, params: dict[str, Any]) -> None:
    game = make_game(str(GAMES / f"{name}.py"), **params)
    learner = ValueIteration(game, gamma=1.0)
    sweep(learner, 300)
    assert exploitability(game, learner) < EXACT
