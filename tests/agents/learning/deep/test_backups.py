"""States and their mirror images, looking ahead, and what is remembered."""

import numpy as np

from nashzoo.agents.learning.deep.backups import LookAhead, Remembered, back_up
from nashzoo.agents.learning.deep.successors import as_played, represented
from nashzoo.baselines import solve
from nashzoo.baselines.solvers.backup import action_values
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.envs import bodega_brawl_v0, tictactoe_v0
from nashzoo.envs.core.game import Game
from nashzoo.envs.jit.compiled import Floats, Ints

ROUNDING = 1e-9


def exact(game: Game, states: ListedStates) -> Floats:
    """Returns the values of the exact solution ``[n]``."""
    solution = solve(game)
    return solution.values[solution.states.ids(states.codes)]


def test_a_state_and_its_mirror_image_are_represented_by_one() -> None:
    game = bodega_brawl_v0.game(preset="small")
    codes = ListedStates(game).codes
    mirror_images = game.swap_players(codes)
    found, signs = represented(game, codes)
    assert (found == np.minimum(codes, mirror_images)).all()
    assert (signs == np.sign(mirror_images - codes)).all()
    assert set(signs.tolist()) == {-1.0, 0.0, 1.0}


def test_strategies_at_representatives_are_equilibria_at_their_mirror_images_with_the_players_swapped() -> None:
    game = bodega_brawl_v0.game(preset="small")
    states = ListedStates(game)
    values = exact(game, states)
    codes, signs = represented(game, states.codes)
    found = back_up(game, codes, lambda codes: values[states.ids(codes)], 1.0)
    strategies = as_played(found.strategies, signs)
    for player, value in enumerate((values, -values)):
        worth = action_values(states.successors, values, strategies[1 - player], player)
        assert np.abs(worth.max(axis=1) - value).max() < ROUNDING


def test_looking_ahead_to_the_end_of_a_game_gives_its_value() -> None:
    game = tictactoe_v0.game()
    states = ListedStates(game)
    anything = LookAhead(game, lambda codes: np.full(len(codes), 0.5), 1.0, 9, len(states))
    assert np.abs(anything(states.codes).values - exact(game, states)).max() < ROUNDING


def test_values_are_asked_for_once_and_again_when_forgotten() -> None:
    asked: list[int] = []

    def values_of(codes: Ints) -> Floats:
        asked.extend(codes.tolist())
        return codes / 4

    remembered = Remembered(values_of, 5)
    assert remembered(np.array([8, 4, 8])).tolist() == [2.0, 1.0, 2.0]
    assert remembered(np.array([4, 12])).tolist() == [1.0, 3.0]
    assert asked == [8, 4, 12]
    assert remembered(np.array([1, 2, 3])).tolist() == [0.25, 0.5, 0.75]  # more than five: all is forgotten
    assert remembered(np.array([8])).tolist() == [2.0]
    remembered.forget()
    remembered(np.array([8]))
    assert asked == [8, 4, 12, 1, 2, 3, 8, 8]
