"""Perfect play, and the person who plays the best move with a probability."""

from typing import Any

import numpy as np
import pytest

import graph_game
import nim
from nashzoo import agents
from nashzoo.agents.basic.perfect import NoisyOptimalAgent, PerfectAgent
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.baselines import evaluate, exploitability, solve
from nashzoo.envs import footsies_v0, tictactoe_v0
from nashzoo.envs.core.game import Floats, Game
from playing import play_from

TICTACTOE = tictactoe_v0.game()
NIM = Game(nim, heap=23, first="random")
# Player 0 can keep the token going round 0, 1, 2 or win at 4 by way of 3, at once or, by way of 5 and 6, later.
ROUND = Game(
    graph_game,
    tables=(((1,), (3,), (5,)), ((2,),), ((0,),), ((4, 4),), None, ((6,),), ((3,),)),
    pays=(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0),
)


def probabilities(agent: Any, code: int, player: int) -> list[float]:
    observations = agent.game.observe(code, player)[None]
    found: Floats = agent.action_probabilities(observations, agent.legal(observations))[0]
    return found.round(12).tolist()


@pytest.mark.parametrize("game", [TICTACTOE, NIM, ROUND])
@pytest.mark.parametrize("defence", ["perfect", "random", "human"])
def test_every_won_state_is_won_in_its_distance(game: Game, defence: str) -> None:
    """In exactly so many moves against perfect defence, and in no more against any other."""
    solution = solve(game)
    perfect = PerfectAgent(game, seed=0, solution=solution)
    other = perfect if defence == "perfect" else agents.make(defence, game, seed=1)
    for winner in (0, 1):
        codes = solution.states.codes[solution.values == 1 - 2 * winner]
        distances = np.array([solution.distance(code) for code in codes])
        players = (perfect, other) if winner == 0 else (other, perfect)
        points, moves = play_from(game, codes, *players, most=30)
        assert (points == 1 - 2 * winner).all()
        assert (moves == distances).all() if defence == "perfect" else (moves <= distances).all()
        assert len(codes) > 0 or game is ROUND


@pytest.mark.parametrize(
    ("board", "player", "optimal"),
    [
        ("x........", 1, [4]),  # an opening in the corner is answered in the centre
        ("x...o...x", 1, [1, 3, 5, 7]),  # opposite corners: an edge
        ("xx.oo....", 0, [2]),  # win, rather than prevent
        ("xx..o....", 1, [2]),
        ("xo..x....", 1, [8]),  # lost, but not at once
    ],
)
def test_optimal_moves_of_tic_tac_toe(board: str, player: int, optimal: list[int]) -> None:
    code = TICTACTOE.code(board=board)
    found = probabilities(PerfectAgent(TICTACTOE), code, player)
    assert [action for action in range(9) if found[action] > 0] == optimal
    assert sum(found) == pytest.approx(1)
    assert len({share for share in found if share > 0}) == 1


@pytest.mark.parametrize("name", ["perfect", "human"])
def test_who_is_not_to_move_waits(name: str) -> None:
    agent = agents.make(name, TICTACTOE)
    assert probabilities(agent, int(TICTACTOE.start_codes[0]), 1) == [1] + [0] * 8


def test_a_person_mixes_perfect_and_random_play() -> None:
    """Of nine, eight and seven cells; after the corner the centre alone is optimal."""
    start, corner = int(TICTACTOE.start_codes[0]), TICTACTOE.code(board="x........")
    agent = NoisyOptimalAgent(TICTACTOE, probability=0.6)
    assert probabilities(agent, start, 0) == [round(1 / 9, 12)] * 9
    expected = [0.0] + [0.4 / 8] * 8
    expected[4] += 0.6
    assert probabilities(agent, corner, 1) == pytest.approx(expected)


def test_a_person_without_and_with_all_skill() -> None:
    random, perfect = RandomAgent(TICTACTOE), PerfectAgent(TICTACTOE)
    for probability, same in ((0.0, random), (1.0, perfect)):
        person = NoisyOptimalAgent(TICTACTOE, probability=probability)
        for rival in (random, perfect):
            assert evaluate(TICTACTOE, person, rival) == pytest.approx(evaluate(TICTACTOE, same, rival))


def test_more_skill_loses_less() -> None:
    skills = (0.0, 0.5, 0.7, 0.9, 1.0)
    measured = [exploitability(TICTACTOE, NoisyOptimalAgent(TICTACTOE, probability=skill)) for skill in skills]
    assert measured == sorted(measured, reverse=True)
    assert measured[0] == pytest.approx(1.919659391534391 / 2)  # OpenSpiel: NashConv of uniform random play
    assert measured[-1] == 0


def test_players_of_turn_based_games_are_offered_there_alone() -> None:
    footsies = footsies_v0.game()
    for name, kind in (("perfect", PerfectAgent), ("human", NoisyOptimalAgent)):
        assert name in agents.names(TICTACTOE)
        assert name not in agents.names(footsies)
        with pytest.raises(ValueError, match=f"{name} plays turn-based games, not footsies_v0; its players are manual"):
            agents.make(name, footsies)
        with pytest.raises(ValueError, match=f"{kind.__name__} plays turn-based games; in footsies_v0 both players"):
            kind(footsies)
