"""The distance to the end: a search by hand that knows nothing of sweeps, and what has none."""

import functools

import numpy as np
import pytest

import nim
import repeated_rps
from made_games import graph
from nashzoo.baselines import ListedStates, solve
from nashzoo.baselines.solvers.distance import distances
from nashzoo.envs import tictactoe_v0
from nashzoo.envs.core.game import Game

HORIZON = 12  # moves, more than play between perfect players lasts in the games below


@functools.cache
def forced(game: Game, code: int, winner: int, moves: int) -> bool:
    """Returns whether ``winner`` can force a gain within so many moves."""
    if game.terminal(code):
        return game.payoff(code) == (1 if winner == 0 else -1)
    if moves == 0:
        return False
    ways = [
        forced(game, game.step(code, i, j), winner, moves - 1)
        for i in game.legal_actions(code, 0)
        for j in game.legal_actions(code, 1)
    ]
    return any(ways) if game.turn(code) == winner else all(ways)


def with_loops(rng: np.random.Generator, choices: int) -> Game:
    """Returns a turn-based game with as many choices at each of six nodes."""
    shapes = [(choices, 1) if rng.random() < 0.5 else (1, choices) for _ in range(6)]
    tables = [rng.integers(0, 8, shape).tolist() for shape in shapes]
    return graph([*tables, None, None], {6: 1.0, 7: -1.0})


@pytest.mark.slow
def test_random_turn_based_games_with_loops() -> None:
    rng = np.random.default_rng(11)
    won = drawn = 0
    for _ in range(60):
        game = with_loops(rng, 2)
        solution = solve(game)
        assert solution.certificate == 0
        for code in map(int, solution.states.codes):
            value, distance = solution.value(code), solution.distance(code)
            if value == 0:
                assert distance is None
                assert not forced(game, code, 0, HORIZON)
                assert not forced(game, code, 1, HORIZON)
                drawn += 1
            else:
                winner = 0 if value > 0 else 1
                assert distance is not None
                assert forced(game, code, winner, distance)
                assert not forced(game, code, winner, distance - 1)
                won += 1
    assert min(won, drawn) > 30


def good_moves(game: Game, code: int, value: float, distance: int | None) -> list[int]:
    """Returns the moves after which the same player can force a gain in one move less, or nobody can, by a search."""
    mover = game.turn(code)
    winner = 0 if value > 0 else 1
    good = []
    for action in game.legal_actions(code, mover):
        after = game.step(code, *((action, 0) if mover == 0 else (0, action)))
        if distance is None:
            keeps = not forced(game, after, 1 - mover, HORIZON)
        elif mover == winner:
            keeps = forced(game, after, winner, distance - 1)
        else:
            keeps = distance == 1 or not forced(game, after, winner, distance - 2)
        if keeps:
            good.append(action)
    return good


@pytest.mark.slow
def test_optimal_actions_of_random_games() -> None:
    rng = np.random.default_rng(12)
    choices = 0
    for _ in range(40):
        game = with_loops(rng, 3)
        solution = solve(game)
        codes = solution.states.codes
        for code, optimal in zip(map(int, codes), solution.optimal_actions(codes), strict=True):
            good = good_moves(game, code, solution.value(code), solution.distance(code))
            assert np.flatnonzero(optimal).tolist() == good
            choices += len(good)
    assert choices > 200


def test_optimal_actions_are_of_the_player_to_move() -> None:
    game = Game(nim, heap=6, most=2, first="random")
    solution = solve(game)
    for code in map(int, solution.states.codes):
        state = game.state(code)
        (optimal,) = solution.optimal_actions(np.array([code]))
        wins = [state.heap % 3 - 1] if state.heap % 3 else [0, 1]
        assert np.flatnonzero(optimal).tolist() == wins
    tictactoe = tictactoe_v0.game()
    last = tictactoe.code(board="o.oxoxxox")  # one cell is left
    (optimal,) = solve(tictactoe, roots=[last]).optimal_actions(np.array([last]))
    assert np.flatnonzero(optimal).tolist() == [1]


def test_no_optimal_actions_where_players_move_at_once() -> None:
    solution = solve(Game(repeated_rps))
    with pytest.raises(ValueError, match="players of repeated_rps_v0 move at once; ask for their strategies"):
        solution.optimal_actions(solution.states.codes)


def test_one_simultaneous_state_is_enough() -> None:
    states = ListedStates(graph([[[1]], [[2, 2], [2, 2]], None], {2: 1.0}))
    assert distances(states, np.ones(2)) is None


def test_values_that_nothing_brings_about() -> None:
    # Staying for ever keeps any value, but wins nothing.
    states = ListedStates(graph([[[0], [1]], None], {}))
    with pytest.raises(ArithmeticError, match="graph_game_v0: 1 states are won, but not in any number of moves"):
        distances(states, np.ones(1))
