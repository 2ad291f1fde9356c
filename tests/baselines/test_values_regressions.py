"""Values that once were wrong without a word: rare chances, over which play lasts as long as it takes.

The games are small enough for the values to be worked out by hand.
"""

from typing import Any

import numpy as np
import pytest

import chance_game
import graph_game
from nashzoo.baselines import Bounds, ListedStates, TabularPolicy, best_response, evaluate
from nashzoo.baselines.markov import decision_process, precise_process
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


class TestLadders:
    """Take a quarter of a point, or climb 52 rungs, where the other lets go of the ladder with a small probability.

    Otherwise the climb starts again. At the top chance gives a point three times out of four, and costs one else: half
    a point on average. Falling often does not matter, as nobody counts the time.
    """

    rungs = 52

    def ladder(self, sign: float) -> Game:
        """Returns the game in which the player on the ladder is player 0 for ``sign`` 1, player 1 for -1."""
        top, quarter, won, lost = self.rungs, self.rungs + 1, self.rungs + 2, self.rungs + 3
        climbs: list[Any] = [np.array([[0, rung + 1]]) for rung in range(self.rungs)]
        climbs[0] = np.array([[quarter, quarter], [0, 1]])
        climbs = [table.tolist() if sign > 0 else table.T.tolist() for table in climbs]
        pays = [0.0] * (top + 1) + [0.25 * sign, sign, -sign]
        return Game(chance_game, nodes=[*climbs, {won: 0.75, lost: 0.25}, None, None, None], pays=pays)

    def bounds(self, player: int, tremble: float) -> Bounds:
        game = self.ladder(1.0 if player == 0 else -1.0)
        lets_go = {rung: [1.0 - tremble, tremble] for rung in range(self.rungs)}
        pair = seated(game, {}, lets_go) if player == 0 else seated(game, lets_go, {})
        return best_response(game, pair[1 - player], player, bounds=True).value

    @pytest.mark.parametrize("tremble", [1e-2, 1e-4, 1e-6])
    @pytest.mark.parametrize("player", [0, 1])
    def test_the_top_is_worth_the_climb(self, player: int, tremble: float) -> None:
        lower, upper = self.bounds(player, tremble)
        assert 0.5 - EXACT <= lower <= 0.5 <= upper <= 0.5 + EXACT

    @pytest.mark.parametrize(("name", "value"), [("DIGITS", (50,)), ("MOST_WORK", 50), ("FEW_STATES", 0)])
    def test_with_too_few_digits_the_bounds_are_far_apart(
        self, monkeypatch: pytest.MonkeyPatch, name: str, value: Any
    ) -> None:
        monkeypatch.setattr(decision_process if name == "FEW_STATES" else precise_process, name, value)
        lower, upper = self.bounds(0, 1e-4)
        assert lower <= 0.25 + EXACT and upper >= 0.5
