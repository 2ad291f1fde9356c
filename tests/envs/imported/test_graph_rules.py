"""What can still be lost in a game of arrays, by backward induction and by all plays."""

import numpy as np
import pytest

from nashzoo.envs import Game
from nashzoo.envs.imported.graph_rules import NO_LIMIT, Graph, GraphRules, Horizon
from nashzoo.envs.imported.openspiel import from_openspiel
from nashzoo.envs.rules.build import MAX_CYCLES
from nashzoo.envs.rules.pieces import BOTH, CHANCE

EXACT = 1e-12


def game_of(turns: list[int], following: list[list[int]], payoffs: list[float], horizon: Horizon = NO_LIMIT) -> Game:
    """Returns a game in which a mover, or player 0 of two, has an action for each state that follows."""
    counts = [len(row) for row in following]
    chosen = [1 if turn == CHANCE else (1 << count) - 1 for turn, count in zip(turns, counts, strict=True)]
    graph = Graph(
        turns=np.array(turns),
        legal0=np.array([1 if turn == 1 else mask for turn, mask in zip(turns, chosen, strict=True)]),
        legal1=np.array([mask if turn == 1 else int(mask > 0) for turn, mask in zip(turns, chosen, strict=True)]),
        first=np.cumsum([0, *counts]),
        following=np.concatenate(following).astype(np.int64),
        probabilities=np.array(
            [(turn == CHANCE) / len(row) for turn, row in zip(turns, following, strict=True) for _ in row]
        ),
        payoffs=np.array(payoffs),
        starts=np.array([0]),
        start_probabilities=np.array([1.0]),
        seen=np.empty((len(turns), 2, 0), np.bool_),
    )
    return Game(GraphRules("made", ["left", "right"], graph, horizon=horizon))


def all_sums(game: Game, code: int) -> set[float]:
    """Returns the points of each play from a state on."""
    if game.terminal(code):
        return {0.0}
    if game.movers(code):
        pairs = [(one, other) for one in game.legal_actions(code, 0) for other in game.legal_actions(code, 1)]
        after = {game.step(code, *pair) for pair in pairs}
    else:
        after = set(map(int, game.outcomes(code)[0]))
    return {game.payoff(one) + rest for one in after for rest in all_sums(game, one)}


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("repeated_game(stage_game=matrix_rps(),num_repetitions=2)", 2.0),
        ("goofspiel(num_cards=3,returns_type=point_difference)", 2.0),
        ("kuhn_poker", 2.0),
    ],
)
def test_all_that_play_can_pay_on_the_way_is_at_stake(name: str, most: float) -> None:
    game = from_openspiel(name)
    assert game.at_stake(int(game.start_codes[0])) == most
    for code in range(0, len(game.rules.written.graph.turns), 7):
        assert game.at_stake(code) == pytest.approx(max(map(abs, all_sums(game, code))), abs=EXACT)


@pytest.mark.parametrize("pays", [True, False])
@pytest.mark.parametrize("moves", [1, 2, 5])
def test_with_a_horizon_play_in_a_circle_is_paid_so_often(moves: int, pays: bool) -> None:
    turns, following = [0, CHANCE, 1, BOTH, 0], [[1, 3], [2, 3], [0, 4], [1, 2], []]
    game = game_of(turns, following, [0.5, -3.0, 1.0, 2.0, -8.0], Horizon(moves, pays))
    start = int(game.start_codes[0])
    assert game.at_stake(start) == pytest.approx(max(map(abs, all_sums(game, start))), abs=EXACT)


def test_without_a_horizon_it_is_paid_until_a_match_is_cut_off() -> None:
    assert game_of([0, 1], [[0, 1], []], [-0.5, 3.0]).at_stake(0) == 0.5 * MAX_CYCLES
    assert game_of([0, 1], [[0, 1], []], [0.0, 3.0]).at_stake(0) == 3.0
