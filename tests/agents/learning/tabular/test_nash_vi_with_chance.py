"""Nash value iteration with chance: bounds that hold with a probability, and close on the truth."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import chance_game
import nim
import staked_rps
from nashzoo.agents.learning.tabular.nash_vi import NashVI
from nashzoo.baselines import exploitability, solve
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.core.game import Game

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "games"
ROUNDING = 1e-9

# A choice without alternative, then a coin, then another such choice, which pays 1 or nothing.
COIN = Game(chance_game, nodes=(((1,),), {2: 0.5, 3: 0.5}, ((4,),), ((5,),), None, None), pays=(0, 0, 0, 0, 1, 0))
PURSUIT = Game(module_at(str(EXAMPLES / "pursuit.py")), size=2, turns=3)
SOCCER = Game(module_at(str(EXAMPLES / "littman_soccer.py")), draw=0.7)  # short games: bounds are close the sooner
PIG = Game(module_at(str(EXAMPLES / "pig.py")), target=4)


@pytest.mark.parametrize(
    ("game", "settings", "timesteps", "width"),
    [
        (COIN, {"delta": 1e-6}, 20_000, 0.1),
        (PURSUIT, {}, 60_000, 0.5),
        (Game(staked_rps), {"most": 2.0}, 20_000, 0.5),
        (PIG, {"gamma": 1.0}, 40_000, 0.5),
        pytest.param(SOCCER, {}, 150_000, 0.7, marks=pytest.mark.slow),
    ],
    ids=lambda given: getattr(given, "name", None),
)
def test_the_bounds_hold_every_value_and_the_exploitability_and_close(
    game: Game, settings: dict[str, Any], timesteps: int, width: float
) -> None:
    solution = solve(game)
    learner = NashVI(game, seed=0, **settings)
    values = solution.values[solution.states.ids(learner.learned.states.codes)]
    for _ in range(4):
        learner.learn(timesteps // 4)
        assert (learner._bounds.lower_values <= values + ROUNDING).all()
        assert (learner._bounds.upper_values >= values - ROUNDING).all()
        assert exploitability(game, learner) <= learner.exploitability_bound + ROUNDING
    lower, upper = learner.value_bounds
    assert lower - ROUNDING <= solution.start_value <= upper + ROUNDING
    assert upper - lower < width


def test_chance_takes_no_time() -> None:
    learner = NashVI(COIN, seed=1, gamma=0.5)
    learner.learn(5_000)
    lower, upper = learner._bounds.lower_values, learner._bounds.upper_values
    assert lower[1] < 0.5 < upper[1]
    assert lower[0] == pytest.approx(0.5 * lower[1]) and upper[0] == pytest.approx(0.5 * upper[1])
    assert lower[2:4].tolist() == upper[2:4].tolist() == [1.0, 0.0]


def test_the_probability_of_an_error_and_the_factor_set_the_width() -> None:
    def width(**settings: float) -> float:
        learner = NashVI(COIN, seed=1, **settings)
        learner.learn(2_000)
        lower, upper = learner.value_bounds
        return upper - lower

    assert width(delta=1e-6) > width() > width(bonus=0.5) > 0.0


def test_bounds_miss_the_truth_no_more_often_than_they_say() -> None:
    delta, seeds, missed = 0.3, 60, 0
    for seed in range(seeds):
        learner = NashVI(COIN, seed, delta=delta)
        learner.learn(500)
        lower, upper = learner.value_bounds
        missed += not lower <= 0.5 <= upper
    assert 0 < missed <= delta * seeds


def test_rules_with_a_chance_that_never_decides_are_learned_bit_for_bit_as_without() -> None:
    pieces = {name: getattr(nim, name) for name in dir(nim) if not name.startswith("_")}
    learners = [NashVI(game, 3) for game in (Game(nim), Game(SimpleNamespace(**pieces, chance=staked_rps.chance)))]
    for learner in learners:
        learner.learn(200)
    one, other = (learner._bounds._asdict() for learner in learners)
    assert {name: array.tobytes() for name, array in one.items()} == {
        name: array.tobytes() for name, array in other.items()
    }


def test_a_largest_gain_is_needed_where_chance_can_pay_again_and_again() -> None:
    paying = Game(chance_game, nodes=(((1,),), {0: 0.5, 2: 0.5}, None), pays=(1.0, 0.0, 0.0))
    with pytest.raises(UsageError, match=r"can pay without end: give the setting most$"):
        NashVI(paying, gamma=0.9)
    assert np.isfinite(NashVI(paying, gamma=0.9, most=20.0).value_bounds).all()
