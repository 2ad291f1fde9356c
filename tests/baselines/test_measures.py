"""Exact figures over seats, and None where there are none."""

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.arena.measure import measure
from nashzoo.baselines import best_response, evaluate, evaluation, exploitability
from nashzoo.baselines.measures import best_or_none, tabulated, value_or_none
from nashzoo.baselines.policies.tabular import SAMPLE
from nashzoo.envs import bodega_brawl_v0, footsies_v0, tictactoe_v0
from nashzoo.envs.core.agent import PolicyAgent
from nashzoo.envs.core.game import Features, Floats, Game, Mask

EXACT = 1e-12
TICTACTOE = tictactoe_v0.game()


class Leftmost(PolicyAgent):
    """Plays the first legal action, and counts how often it is asked."""

    asked = 0

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        self.asked += 1
        chosen: Floats = np.eye(action_masks.shape[1])[action_masks.argmax(axis=1)]
        return chosen


def test_figures_are_means_over_seats() -> None:
    one, other = Leftmost(TICTACTOE), agents.make("random", TICTACTOE)
    first, second = evaluate(TICTACTOE, one, other), -evaluate(TICTACTOE, other, one)
    assert first != pytest.approx(second)
    assert value_or_none(TICTACTOE, one, other) == pytest.approx((first + second) / 2, abs=EXACT)
    assert value_or_none(TICTACTOE, one, other, (1,)) == pytest.approx(second, abs=EXACT)
    best = [best_response(TICTACTOE, one, seat).value for seat in (0, 1)]
    assert best_or_none(TICTACTOE, one) == pytest.approx(sum(best) / 2, abs=EXACT)
    assert measure(TICTACTOE, other).exploitability.value == pytest.approx(exploitability(TICTACTOE, other), abs=EXACT)


def test_a_table_is_asked_in_the_place_of_the_player() -> None:
    player = Leftmost(TICTACTOE)
    table = tabulated(TICTACTOE, player)
    asked = player.asked
    expected = exploitability(TICTACTOE, Leftmost(TICTACTOE))
    assert measure(TICTACTOE, table).exploitability.value == pytest.approx(expected, abs=EXACT)
    assert value_or_none(TICTACTOE, table, table) is not None
    assert player.asked == asked > 0


def test_nobody_is_asked_where_they_wait() -> None:
    class Asked(Leftmost):
        seen: list[Features] = []  # noqa: RUF012

        def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
            self.seen.append(observations)
            return super().action_probabilities(observations, action_masks)

    player = Asked(TICTACTOE)
    tabulated(TICTACTOE, player)
    seats = [TICTACTOE.movers(int(code))[0] for seen in player.seen for code in player.states_of(seen)[0]]
    assert set(seats[:2423]) == {0}  # states in which crosses move, then some of them again
    assert (seats.count(0), seats.count(1)) == (2423 + SAMPLE, 2097 + SAMPLE)


def test_in_a_symmetric_game_either_seat_is_worth_the_same() -> None:
    game = footsies_v0.game()
    counter = agents.make("counter", game)
    assert best_or_none(game, tabulated(game, counter)) == pytest.approx(0.5, abs=EXACT)  # by hand, see test_app.py
    assert best_or_none(game, counter, (1,)) == pytest.approx(0.5, abs=EXACT)


def test_who_has_no_policy_by_state_has_no_figures() -> None:
    game = tictactoe_v0.game()
    search = agents.make("mcts", game)  # it finds another strategy each time
    assert tabulated(game, search) is search
    assert value_or_none(game, search, agents.make("random", game)) is None
    assert best_or_none(game, search) is None
    assert measure(game, search).exploitability.value is None


def test_in_games_too_large_for_tables_players_are_asked_as_they_are() -> None:
    game = bodega_brawl_v0.game()
    player = agents.make("random", game)
    assert tabulated(game, player) is player


def test_wrong_probabilities_are_told() -> None:
    class Wrong(PolicyAgent):
        def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
            return np.zeros(action_masks.shape)

    with pytest.raises(ValueError, match="they must be a distribution over the legal actions"):
        tabulated(TICTACTOE, Wrong(TICTACTOE))


def test_a_player_of_both_seats_is_measured_without_the_games_value(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(game: Game) -> None:
        raise AssertionError("the game was solved")

    monkeypatch.setattr(evaluation, "solve", refuse)
    player = agents.make("random", TICTACTOE)
    assert measure(TICTACTOE, player).exploitability.value == pytest.approx(
        exploitability(TICTACTOE, player), abs=EXACT
    )
    with pytest.raises(AssertionError, match="the game was solved"):
        measure(TICTACTOE, player, seats=(0,))
