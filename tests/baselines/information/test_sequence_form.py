"""Games with hidden information that exact measures refuse, and in which words; what they say of histories."""

from typing import ClassVar, NamedTuple

import numpy as np
import pytest

from nashzoo.baselines import exploitability, solve
from nashzoo.baselines.game_problems import game_problems
from nashzoo.baselines.information import sequence_form
from nashzoo.envs import Game, make_game
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.core.agent import FiniteMemoryAgent, NoPolicyError
from nashzoo.envs.core.game import Features, Floats, Ints, Mask
from nashzoo.envs.core.reachable import TooManyStatesError


class Coin(NamedTuple):
    coin: int
    mover: int
    over: int


class Waiting:
    """Player 0 sees a coin; both may wait for ever."""

    NAME, ACTIONS, State = "waiting_v0", ("wait", "stop"), Coin
    SEEN_BY: ClassVar = {"coin": (0,)}

    field_maxima = staticmethod(lambda: Coin(1, 1, 1))
    start = staticmethod(lambda: [(Coin(0, 0, 0), 0.5), (Coin(1, 0, 0), 0.5)])
    turn = staticmethod(lambda state: state.mover)
    step = staticmethod(lambda state, action: Coin(state.coin, 1 - state.mover, action))
    terminal = staticmethod(lambda state: state.over == 1)
    payoff = staticmethod(lambda state: state.over * (2 * state.coin - 1))


def test_states_that_recur_are_refused_with_one_of_them() -> None:
    game = Game(Waiting())
    with pytest.raises(ValueError, match="play can come back to coin="):
        solve(game)
    assert any("do not recur" in problem for problem in game_problems(game))


class Secret(NamedTuple):
    coin: int
    moved: int
    mover: int


class SecretMove(Waiting):
    """Player 1 moves first, unseen, if the coin shows heads: player 0 is told so by whether it moves."""

    NAME, State = "secret_move_v0", Secret
    SEEN_BY: ClassVar = {"coin": (1,), "mover": (1,)}

    field_maxima = staticmethod(lambda: Secret(2, 2, 1))
    start = staticmethod(lambda: [(Secret(1, 0, 1), 0.5), (Secret(2, 0, 0), 0.5)])
    step = staticmethod(lambda state, action: Secret(state.coin, 2 - state.mover, 0))
    terminal = staticmethod(lambda state: state.moved == 2)
    payoff = staticmethod(lambda state: 0)


def test_the_check_says_where_a_turn_betrays_what_is_hidden() -> None:
    problems = game_problems(Game(SecretMove()))
    assert any("whether it moves, of player 0 at coin=1" in problem for problem in problems)


def test_a_forgotten_action_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgetting(Waiting):
        NAME = "forgetting_v0"
        field_maxima = staticmethod(lambda: Coin(1, 1, 2))
        turn = staticmethod(lambda: 0)
        step = staticmethod(lambda state, action: Coin(state.coin, 1, 2 * state.mover))
        terminal = staticmethod(lambda state: state.over == 2)

    with pytest.raises(ValueError, match=r"after stop at coin=.* from .* after wait at coin="):
        solve(Game(Forgetting()))


def test_too_many_histories_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequence_form, "MOST_HISTORIES", 1000)
    with pytest.raises(TooManyStatesError, match="more than 1,000 histories"):
        sequence_form.sequence_form(make_game("examples/games/leduc.py"))


class Remembering(FiniteMemoryAgent):
    """Changes its mind each time."""

    memory_states = 2

    def remember(self, states: Ints, observations: Features) -> Ints:
        return 1 - states

    def memory_probabilities(self, states: Ints, observations: Features, masks: Mask) -> Floats:
        return np.eye(masks.shape[1])[states]


def test_players_who_remember_more_are_refused_with_the_reason() -> None:
    game = make_game("examples/games/kuhn.py")
    with pytest.raises(NoPolicyError, match="what the player sees alone"):
        exploitability(game, Remembering(game))


class TestInformationStates:
    game = Game(module_at("examples/games/kuhn.py"))

    def facing_a_bet(self, card: int) -> int:
        return self.game.information_state(
            self.game.code(dealt=1, card0=card % 3 + 1, card1=card, moves=1, history=1), 1
        )

    def test_what_a_player_believes_of_the_other_card(self) -> None:
        """Who bets has the 3 three times as often as the 1, and never the 2."""
        solution = solve(self.game)
        states, beliefs = solution.beliefs(self.facing_a_bet(2), 1)  # type: ignore[attr-defined]
        cards = {self.game.state(int(code)).card0: float(chance) for code, chance in zip(states, beliefs, strict=True)}
        if solution.reached(self.facing_a_bet(2), 1) > 1e-9:  # type: ignore[attr-defined]
            assert cards[3] == pytest.approx(3 / 4) and cards[1] == pytest.approx(1 / 4)
        assert sum(cards.values()) == pytest.approx(1)

    def test_what_a_player_expects_of_its_actions(self) -> None:
        """With the 3 a call wins 2 chips, and giving in loses 1, whatever the other has."""
        solution = solve(self.game)
        opening = self.game.information_state(self.game.code(dealt=1, card0=1, card1=2), 0)
        values = solution.action_values(opening, 0)  # type: ignore[attr-defined]
        assert values[0] == pytest.approx(-1)  # a 1 that passes loses its ante, by giving in to a bet
        played = solution.strategies(np.array([opening]))[0][0]
        assert played @ values == pytest.approx(values.max(), abs=1e-9)

    def test_what_is_no_information_state_is_refused(self) -> None:
        with pytest.raises(ValueError, match="no information state to which play leads and at which player 0 chooses"):
            solve(self.game).beliefs(self.facing_a_bet(2), 0)  # type: ignore[attr-defined]

    def test_a_state_has_no_value_of_its_own(self) -> None:
        solution = solve(self.game)
        with pytest.raises(ValueError, match="no value of its own"):
            solution.value(int(solution.states.codes_at(np.array([0]))[0]))
        with pytest.raises(ValueError, match="ask for strategies"):
            solution.optimal_actions(solution.states.codes_at(np.array([0])))
