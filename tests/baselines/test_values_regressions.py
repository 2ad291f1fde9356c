"""Values that once were wrong without a word: rare chances, over which play lasts as long as it takes.

The games are small enough for the values to be worked out by hand.
"""

import numpy as np
import pytest

import graph_game
from nashzoo.baselines import ListedStates, TabularPolicy, best_response, evaluate
from nashzoo.envs import Game

EXACT = 1e-9


def seated(
    game: Game, rows0: dict[int, list[float]], rows1: dict[int, list[float]]
) -> tuple[TabularPolicy, TabularPolicy]:
    """Returns two policies: at the nodes given with these chances, elsewhere their first actions."""
    states = ListedStates(game)
    tables = [np.zeros((len(states), game.num_actions)) for _ in range(2)]
    for table, rows in zip(tables, (rows0, rows1), strict=True):
        for row, node in zip(table, states.codes, strict=True):
            chances = rows.get(int(node), [1.0])
            row[: len(chances)] = chances
    return TabularPolicy(states, (tables[0], None)), TabularPolicy(states, (None, tables[1]))


def test_an_end_that_takes_two_rare_chances_at_once() -> None:
    # The only way out; 1e-200 * 1e-200 is less than any float64, and yet it happens.
    game = Game(graph_game, tables=[[[0, 0], [0, 1]], None], pays=[0.0, 1.0])
    rare = {0: [1.0, 1e-200]}
    assert evaluate(game, *seated(game, rare, rare)) == pytest.approx(1.0, abs=EXACT)


@pytest.mark.parametrize("chance", [1e-9, 1e-17, 1e-30, 1e-200])
def test_a_trap_that_is_left_rarely(chance: float) -> None:
    # Half of all play wins at once; the other half goes to and fro between 1 and 2, until it as rarely loses as it
    # comes back to 0: v0 = (1 + v1) / 2, v1 = (v0 - 1) / 2.
    game = Game(graph_game, tables=[[[1], [3]], [[2]], [[1], [4], [0]], None, None], pays=[0.0, 0.0, 0.0, 1.0, -1.0])
    pair = seated(game, {0: [0.5, 0.5], 2: [1.0 - 2 * chance, chance, chance]}, {})
    assert evaluate(game, *pair) == pytest.approx(1 / 3, abs=EXACT)


@pytest.mark.parametrize("chance", [1e-9, 1e-30, 1e-200])
def test_rare_chances_one_after_the_other(chance: float) -> None:
    # Between 0 and 1, rarely on to 2, and from there back or, rarely, to the only end.
    game = Game(graph_game, tables=[[[1]], [[0], [2]], [[0], [3]], None], pays=[0.0, 0.0, 0.0, 1.0])
    rare = [1.0 - chance, chance]
    assert evaluate(game, *seated(game, {1: rare, 2: rare}, {})) == pytest.approx(1.0, abs=EXACT)


@pytest.mark.parametrize("chance", [1e-9, 1e-17, 1e-30, 1e-115])
@pytest.mark.parametrize("player", [0, 1])
def test_waiting_for_a_rare_mistake_is_worth_it(chance: float, player: int) -> None:
    # Take half a point, or ask the other, who rarely gives a whole one and otherwise hands the choice back.
    sign = 1.0 if player == 0 else -1.0
    mine, others = [[2], [1]], [[0, 3]]
    if player == 1:
        mine, others = [[2, 1]], [[0], [3]]
    game = Game(graph_game, tables=[mine, others, None, None], pays=[0.0, 0.0, 0.5 * sign, sign])
    mistaken = {1: [1.0 - chance, chance]}
    pair = seated(game, {}, mistaken) if player == 0 else seated(game, mistaken, {})
    assert best_response(game, pair[1 - player], player).value == pytest.approx(1.0, abs=EXACT)
