"""Games with hidden information: values from the literature, and what the solvers refuse."""

from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.baselines import best_response, evaluate, exploitability, nash_conv, solve
from nashzoo.baselines.game_problems import game_problems
from nashzoo.baselines.information.measures import sequence_form_of
from nashzoo.baselines.information.regret_minimization import RegretMinimizer
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.envs import Game, make_game

# Kuhn (1950); Lanctot et al. and OpenSpiel 2.0.2 for the others.
VALUES = {"kuhn": -1 / 18, "leduc": -0.085606424078, "liars_dice": -0.027131782946}
NASH_CONV_OF_UNIFORM = {"kuhn": 11 / 12, "leduc": 4.747222222222, "liars_dice": 1.561488646384}
INFORMATION_STATES = {"kuhn": (6, 6), "leduc": (468, 468), "liars_dice": (12288, 12288)}


def named(name: str) -> Game:
    return make_game(f"examples/games/{name}.py")


@pytest.mark.parametrize("name", VALUES)
class TestKnownGames:
    def test_the_rules_have_no_problems(self, name: str) -> None:
        assert game_problems(named(name), looked_at=500) == []

    def test_the_value_is_that_of_the_literature_and_proven(self, name: str) -> None:
        solution = solve(named(name))
        assert solution.start_value == pytest.approx(VALUES[name], abs=1e-10)
        assert solution.certificate < 1e-9

    def test_uniform_play_is_measured_as_elsewhere(self, name: str) -> None:
        game = named(name)
        uniform = agents.make("random", game)
        assert nash_conv(game, uniform) == pytest.approx(NASH_CONV_OF_UNIFORM[name], abs=1e-9)
        assert exploitability(game, uniform) == pytest.approx(NASH_CONV_OF_UNIFORM[name] / 2, abs=1e-9)
        assert tuple(len(plex.codes) for plex in sequence_form_of(game).treeplexes) == INFORMATION_STATES[name]

    @pytest.mark.parametrize("player", [0, 1])
    def test_a_best_response_wins_what_it_claims(self, name: str, player: int) -> None:
        game = named(name)
        uniform = agents.make("random", game)
        reply = best_response(game, uniform, player)
        pair = (reply.policy, uniform) if player == 0 else (uniform, reply.policy)
        assert evaluate(game, *pair) == pytest.approx(reply.value if player == 0 else -reply.value, abs=1e-9)

    def test_regret_minimization_comes_to_the_same_value(self, name: str) -> None:
        form = sequence_form_of(named(name))
        learner = RegretMinimizer(form)
        learner.run(1000)
        solution = InformationSolution(form, learner.average())
        assert solution.certificate < 1e-3
        assert abs(solution.start_value - VALUES[name]) <= solution.certificate


def test_the_equilibria_of_kuhn_poker() -> None:
    """Player 0 bets with the 1 in a share up to 1/3, three times as often with the 3, and never with the 2."""
    game = named("kuhn")
    solution = solve(game)
    opening = [game.information_state(game.code(dealt=1, card0=card, card1=card % 3 + 1), 0) for card in (1, 2, 3)]
    bets = solution.strategies(np.array(opening))[0][:, 1]
    assert 0 <= bets[0] <= 1 / 3 + 1e-9 and bets[1] == pytest.approx(0) and bets[2] == pytest.approx(3 * bets[0])


def by_hand(game: Game, codes: list[tuple[int, Fraction]]) -> Fraction:
    """Returns the value of uniform play, history by history."""
    total = Fraction(0)
    for code, chance in codes:
        total += chance * Fraction(game.payoff(code))
        if game.terminal(code):
            continue
        if not game.movers(code):
            after, probabilities = game.outcomes(code)
            pairs = [
                (int(a), chance * Fraction(p).limit_denominator(1000))
                for a, p in zip(after, probabilities, strict=True)
            ]
        else:
            choices = [(a, b) for a in game.legal_actions(code, 0) for b in game.legal_actions(code, 1)]
            pairs = [(game.step(code, *choice), chance / len(choices)) for choice in choices]
        total += by_hand(game, pairs)
    return total


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_evaluation_is_that_of_a_walk_over_histories(name: str) -> None:
    game = named(name)
    uniform = agents.make("random", game)
    expected = by_hand(game, [(int(game.start_codes[0]), Fraction(1))])
    assert evaluate(game, uniform, uniform) == pytest.approx(float(expected), abs=1e-9)


@pytest.mark.parametrize("name", VALUES)
def test_observations_hide_what_a_player_does_not_see(name: str) -> None:
    game = named(name)
    mine, other = ("card0", "card1") if name != "liars_dice" else ("die0", "die1")
    past = {"kuhn": {"dealt": 1}, "leduc": {"paid0": 1, "paid1": 1}, "liars_dice": {"rolls": 0}}[name]
    first, second = (game.code(**past, **{mine: 1, other: value}) for value in (2, 3))
    assert np.array_equal(game.observe(first, 0), game.observe(second, 0))
    assert not np.array_equal(game.observe(first, 1), game.observe(second, 1))


class Forgetful(NamedTuple):
    coin: int
    moves: int
    last: int


class Rules:
    """Player 0 sees a coin that player 1 does not, and moves twice; the state keeps its last move alone."""

    NAME, ACTIONS, State = "forgetful_v0", ("left", "right"), Forgetful
    SEEN_BY: ClassVar = {"coin": (0,)}

    field_maxima = staticmethod(lambda: Forgetful(1, 3, 1))
    start = staticmethod(lambda: [(Forgetful(0, 0, 0), 0.5), (Forgetful(1, 0, 0), 0.5)])
    turn = staticmethod(lambda state: int(state.moves == 2))
    step = staticmethod(lambda state, action: Forgetful(state.coin, state.moves + 1, 0))
    terminal = staticmethod(lambda state: state.moves == 3)
    payoff = staticmethod(lambda state: 0)


def test_a_player_who_cannot_remember_is_refused_in_a_sentence() -> None:
    game = Game(Rules())
    with pytest.raises(ValueError, match="cannot tell"):
        solve(game)
    assert "remembers" in game_problems(game)[0]


class Betraying(Rules):
    NAME = "betraying_v0"
    turn = staticmethod(lambda state: 1 if state.coin else 0)
    step = staticmethod(lambda state, action: Forgetful(state.coin, 3, 0))


def test_a_turn_that_betrays_what_is_hidden_is_refused() -> None:
    with pytest.raises(ValueError, match="does not see"):
        solve(Game(Betraying()))


def test_fields_that_do_not_exist_cannot_be_hidden() -> None:
    class Unknown(Rules):
        NAME, SEEN_BY = "unknown_v0", {"card": (0,)}

    with pytest.raises(ValueError, match="no field"):
        Game(Unknown())


@pytest.mark.parametrize(
    "name", ["mcts", "minimax", "alphabeta", "greedy", "perfect", "minimax_q", "nash_vi", "deep_minimax"]
)
def test_players_that_need_the_state_refuse_in_a_sentence(name: str) -> None:
    with pytest.raises(ValueError, match="see"):
        agents.make(name, named("kuhn"))


def test_players_by_name_are_those_that_see_enough() -> None:
    assert set(agents.names(named("kuhn"))) == {"manual", "random", "nash"}
