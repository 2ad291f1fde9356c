"""Littman's soccer, against a second implementation."""

import itertools
from typing import Any

import littman_soccer
import numpy as np
import pytest
from littman_soccer import A_SCORED, B_SCORED, DRAWN, State

from brute_force import matrix_value
from chance_contract import ChanceContract
from nashzoo import agents
from nashzoo.arena.match import play_match
from nashzoo.baselines import Solution, evaluate, exploitability, solve
from nashzoo.envs import Game
from nashzoo.envs.api.module import make_module
from nashzoo.envs.core.game import Floats

RULES = Game(littman_soccer).rules
NORTH, SOUTH, EAST, WEST, STAND = range(5)  # actions
VALUE = 0.21848444044  # of having the ball at the start, with draw=0.1
ERRORS = 5  # standard errors that a mean may be off

MOVES = {NORTH: (-1, 0), SOUTH: (1, 0), EAST: (0, 1), WEST: (0, -1), STAND: (0, 0)}

Board = tuple[tuple[int, int], tuple[int, int], int]  # where A and B stand (row, column), and who has the ball


@pytest.mark.slow
class TestContract(ChanceContract):
    public = make_module(littman_soccer)

    @pytest.fixture(params=[{}, {"draw": 0.5}], ids=str)
    def options(self, request: pytest.FixtureRequest) -> Any:
        return request.param


def after_one(board: Board, player: int, move: int) -> Board | int:
    """Returns the board after a player's move, or who has scored."""
    places, ball = board[:2], board[2]
    row, column = (at + by for at, by in zip(places[player], MOVES[move], strict=True))
    if ball == player and row in (1, 2) and column == (-1, 5)[player]:
        return player
    if not (0 <= row <= 3 and 0 <= column <= 4):
        return board
    if (row, column) == places[1 - player]:
        return (*places, 1 - player)
    moved = list(places)
    moved[player] = (row, column)
    return (moved[0], moved[1], ball)


def after_both(board: Board, moves: tuple[int, int]) -> list[Board | int]:
    """Returns what either order of two moves leads to."""
    found = []
    for first in (0, 1):
        halfway = after_one(board, first, moves[first])
        found.append(halfway if isinstance(halfway, int) else after_one(halfway, 1 - first, moves[1 - first]))
    return found


def boards() -> list[Board]:
    cells = list(itertools.product(range(4), range(5)))
    return [(a, b, ball) for a in cells for b in cells if a != b for ball in (0, 1)]


@pytest.fixture(scope="module")
def solution() -> Solution:
    return solve(Game(littman_soccer))


def code_of(board: Board) -> int:
    cells = (5 * row + column for row, column in board[:2])
    return RULES.encode(State(*cells, board[2], 0, 0))


def backup(board: Board, values: dict[Board, float], gamma: float) -> Floats:
    """Returns the matrix game at a board."""

    def worth(after: Board | int) -> float:
        return float(1 - 2 * after) if isinstance(after, int) else gamma * values[after]

    return np.array([[sum(map(worth, after_both(board, (a, b)))) / 2 for b in range(5)] for a in range(5)])


@pytest.mark.slow
def test_the_rules_against_a_second_implementation() -> None:
    game = Game(littman_soccer, draw=0.25)
    for board in boards():
        for moves in itertools.product(range(5), repeat=2):
            middle = game.step(code_of(board), *moves)
            found: dict[int, float] = {}
            for code, likely in zip(*game.outcomes(middle), strict=True):
                found[int(code)] = found.get(int(code), 0.0) + float(likely)
            goals = {0: 0.0, 1: 0.0}
            wanted: dict[int, float] = {}
            for after in after_both(board, moves):
                if isinstance(after, int):
                    goals[after] += 0.5
                else:
                    wanted[code_of(after)] = wanted.get(code_of(after), 0.0) + 0.375
            running = {code: likely for code, likely in found.items() if not game.terminal(code)}
            assert running == wanted
            results = {result: 0.0 for result in (A_SCORED, B_SCORED, DRAWN)}
            for code, likely in found.items():
                if game.terminal(code):
                    results[RULES.decode(code).result] += likely
            assert (results[A_SCORED], results[B_SCORED]) == (goals[0], goals[1])
            assert results[DRAWN] == pytest.approx((1 - goals[0] - goals[1]) * 0.25, abs=1e-15)


@pytest.mark.slow
def test_the_values_are_the_fixed_point(solution: Solution) -> None:
    """The only one: a backup with a discount factor of 0.9 is a contraction (Shapley 1953).

    Where it moves no value by more than ``off``, all are those of Littman's discounted game up to ``off`` / (1 - 0.9).
    """
    values = {board: solution.value(code_of(board)) for board in boards()}
    for board, value in values.items():
        assert matrix_value(backup(board, values, 0.9)) == pytest.approx(value, abs=1e-9)


@pytest.mark.slow
def test_the_value(solution: Solution) -> None:
    with_ball, without = (solution.value(int(code)) for code in solution.game.start_codes)
    assert with_ball == pytest.approx(VALUE, abs=1e-10) and without == pytest.approx(-VALUE, abs=1e-10)
    assert solution.start_value == pytest.approx(0.0, abs=1e-12) and solution.certificate <= 1e-10


def test_who_turns_the_board_round_finds_the_opposite(solution: Solution) -> None:
    for (a, b, ball), value in ((board, solution.value(code_of(board))) for board in boards()):
        turned = tuple((3 - row, 4 - column) for row, column in (b, a))
        assert solution.value(code_of((turned[0], turned[1], 1 - ball))) == pytest.approx(-value, abs=1e-9)


def test_players(solution: Solution) -> None:
    game = solution.game
    nash = agents.make("nash", game, seed=0, solution=solution)
    uniform = agents.make("random", game, seed=0)
    assert exploitability(game, nash) == pytest.approx(0.0, abs=1e-9)  # type: ignore[arg-type]
    exact = evaluate(game, nash, uniform)  # type: ignore[arg-type]
    points = play_match(game, nash, uniform, 10_000, 1).points
    assert exact > 0.3 and abs(points.mean() - exact) < ERRORS * points.std() / np.sqrt(len(points))


@pytest.mark.slow
def test_tree_search_is_better_than_random_play(solution: Solution) -> None:
    game = solution.game
    mcts = agents.make("mcts", game, seed=0, simulations=200)
    points = play_match(game, mcts, agents.make("random", game, seed=1), 200, 1).points
    assert points.mean() > ERRORS * points.std() / np.sqrt(len(points))
