"""The solution that pages show: of several perfect mixes the most random."""

import numpy as np
import pytest

from nashzoo.baselines import equilibria, select, solve
from nashzoo.baselines.even_solution import as_found, evened
from nashzoo.baselines.solution import listed
from nashzoo.baselines.stage_game import stage_game
from nashzoo.envs import Game, bodega_brawl_v0, make_game, matrix_game

EXACT = 1e-8


@pytest.fixture(scope="module", name="tiny")
def tiny_game() -> Game:
    return bodega_brawl_v0.game(preset="tiny")


def test_head_body_and_legs_are_alike() -> None:
    game = bodega_brawl_v0.game(preset="small")
    stage = stage_game(evened(solve(game)), int(game.start_codes[0]))
    place = [game.actions[action] for action in stage.actions[0]].index
    for player in (0, 1):
        mix, losses = stage.strategies[player], stage.losses(player)
        np.testing.assert_allclose(mix[[place(f"{part} Dual Attack") for part in ("Head", "Body", "Legs")]], 1 / 3)
        np.testing.assert_allclose(
            np.ptp(losses[[place(f"{part} Counter") for part in ("Head", "Body", "Legs")]]), 0, atol=EXACT
        )


def test_it_is_the_selected_equilibrium_and_proven(tiny: Game) -> None:
    solution = evened(solve(tiny))
    chosen = listed(select(equilibria(tiny, as_found(solution)), "uniform").solution)
    both = [code for code in chosen.states.codes.tolist() if len(tiny.movers(code)) == 2]
    for ours, theirs in zip(solution.strategies(np.array(both)), chosen.strategies(np.array(both)), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
    assert listed(solution).certificate <= EXACT
    assert solution.start_estimate == as_found(solution).start_estimate


def test_one_of_many_in_a_matrix() -> None:
    game = matrix_game([[1, 1], [0, 2], [2, 0]])
    first, second = evened(solve(game)).strategies(game.start_codes)
    np.testing.assert_allclose(first[0], 1 / 3, atol=EXACT)
    np.testing.assert_allclose(second[0], [0.5, 0.5, 0.0], atol=EXACT)


@pytest.mark.parametrize("name", ["footsies_v0", "tictactoe_v0", "nashzoo.examples.kuhn"])
def test_others_stay_as_they_are_found(name: str) -> None:
    """Where states recur such play could put off the end; in turn each choice is pure; hidden hands are mixed apart."""
    solution = solve(make_game(name))
    assert evened(solution) is solution
