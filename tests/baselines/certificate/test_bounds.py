"""Bounds of values hold, by every way in which they are computed, and what they do not prove is refused."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import graph_game
from nashzoo.agents.basic.random_agent import RandomAgent
from nashzoo.baselines import (
    Bounds,
    ListedStates,
    TabularPolicy,
    UnprovenValueError,
    best_response,
    evaluate,
    exploitability,
    nash_conv,
    state_values,
)
from nashzoo.baselines.certificate.bounds import Estimate
from nashzoo.baselines.markov import likely_play, markov_chain
from nashzoo.envs import footsies_v0, soccer_v0
from nashzoo.envs.core.game import Game

PROMISED = 1e-9


def sharp(game: Game, deviation: float, seed: int) -> TabularPolicy:
    """Returns the softmax of random logits of a standard deviation."""
    states = ListedStates(game)
    logits = np.random.default_rng(seed).normal(0, deviation, (2, len(states), game.num_actions))
    legal = np.stack([states.successors.legal0, states.successors.legal1])[..., None] >> np.arange(game.num_actions) & 1
    chances = np.where(legal, np.exp(logits - np.where(legal, logits, -np.inf).max(axis=2, keepdims=True)), 0.0)
    chances /= chances.sum(axis=2, keepdims=True)
    return TabularPolicy(states, (chances[0], chances[1]))


def test_a_value_next_to_the_largest_payoff_needs_half_the_precision() -> None:
    estimate = Estimate(1 - 1e-11, 1 - 1.5e-9, 1 + 1.5e-9)
    assert not estimate.close
    assert estimate.within(-1.0, 1.0).close
    assert estimate.within(-1.0, 1.0).bounds == (1 - 1.5e-9, 1.0)


@pytest.fixture(scope="module")
def soccer() -> Game:
    return soccer_v0.game(width=11, height=3, goal_height=1, random_positions=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "deviation", [pytest.param(1.0, marks=pytest.mark.slow), 4.0, pytest.param(30.0, marks=pytest.mark.slow)]
)
def test_iteration_and_elimination_and_likely_play_agree(
    soccer: Game, monkeypatch: pytest.MonkeyPatch, deviation: float
) -> None:
    pair = sharp(soccer, deviation, 0), sharp(soccer, deviation, 1)
    value = evaluate(soccer, *pair)
    with monkeypatch.context() as patch:
        patch.setattr(markov_chain, "LARGE", 0)
        patch.setattr(markov_chain, "MOST_STATES", 0)
        iterated = evaluate(soccer, *pair, bounds=True)
    assert iterated.lower - PROMISED <= value <= iterated.upper + PROMISED
    assert deviation > 4 or iterated.upper - iterated.lower <= PROMISED
    for rounds in (1, 100):
        with monkeypatch.context() as patch:
            patch.setattr(state_values, "MOST_STATES", 0)
            patch.setattr(likely_play, "MAX_ROUNDS", rounds)
            patch.setattr(state_values, "chain_values", None)  # not asked
            patch.setattr(likely_play, "LIKELY", 1e-2)
            try:
                likely = evaluate(soccer, *pair, bounds=True)
            except TypeError:
                assert rounds == 1  # one round is not enough
            else:
                assert likely.lower - PROMISED <= value <= likely.upper + PROMISED


def test_bounds_of_every_figure_hold_and_are_close() -> None:
    game = footsies_v0.game()
    policy, other = sharp(game, 3.0, 0), RandomAgent(game)
    figures: list[tuple[float, Bounds]] = [
        (evaluate(game, policy, other), evaluate(game, policy, other, bounds=True)),
        (best_response(game, policy, 0).value, best_response(game, policy, 0, bounds=True).value),
        (nash_conv(game, policy, other), nash_conv(game, policy, other, bounds=True)),
        (exploitability(game, policy), exploitability(game, policy, bounds=True)),
        (exploitability(game, policy, player=1), exploitability(game, policy, player=1, bounds=True)),
    ]
    for value, (lower, upper) in figures:
        assert lower <= value <= upper <= lower + PROMISED


def test_bounds_count_products_that_underflow() -> None:
    """Uniform play of games without recurring states that pay a few of the smallest numbers, against fractions."""
    rng, least = np.random.default_rng(0), Fraction(2) ** -1074
    for _ in range(50):
        tables = [rng.integers(node + 1, 9, (3, 3)).tolist() for node in range(6)] + [None] * 3
        paid = rng.integers(-9, 10, 9).tolist()
        game = Game(graph_game, tables=tables, pays=[float(pay * least) for pay in paid])
        values = [Fraction(0)] * 9
        for node in range(5, -1, -1):
            after = [k for row in tables[node] for k in row]
            values[node] = sum((paid[k] * least + values[k] for k in after), Fraction(0)) / 9
        lower, upper = evaluate(game, RandomAgent(game), RandomAgent(game), bounds=True)
        assert Fraction(lower) <= values[0] <= Fraction(upper)


@pytest.mark.parametrize("size", [2.0**-1074, 1e-310, 1e-308, 1e-300])
def test_half_of_a_bound_is_still_one(size: float) -> None:
    half = Estimate(-size, -size, size).times(0.5)
    assert Fraction(half.lower) <= -Fraction(size) / 2 and Fraction(size) / 2 <= Fraction(half.upper)


class TestRefusal:
    """Points that are earned again and again, without end, have no value."""

    game = Game(graph_game, tables=[[[1]], [[0]]], pays=[1.0, 1.0])

    @pytest.mark.parametrize(
        "measure",
        [
            lambda game, **bounds: evaluate(game, RandomAgent(game), RandomAgent(game), **bounds),
            lambda game, **bounds: best_response(game, RandomAgent(game), 0, **bounds).value,
            lambda game, **bounds: nash_conv(game, RandomAgent(game), **bounds),
        ],
    )
    def test_what_is_not_proven_is_refused_with_its_bounds(self, measure: Any) -> None:
        with pytest.raises(UnprovenValueError, match="cannot be computed to within 1e-09, because play"):
            measure(self.game)
        assert not np.isfinite(measure(self.game, bounds=True)).any()
        with pytest.raises(ArithmeticError) as caught:
            measure(self.game)
        assert caught.value.bounds == measure(self.game, bounds=True)  # type: ignore[attr-defined]

    def test_values_beyond_floating_point_numbers_are_refused(self) -> None:
        # Each visit to 1 earns a point; the only way out is from there, with a probability of 1e-310.
        game = Game(graph_game, tables=[[[1]], [[0, 2]], None], pays=[0.0, 1.0, 0.0])
        states = ListedStates(game)
        table = np.zeros((len(states), game.num_actions))
        table[:, 0] = 1.0
        table[states.codes == 1, 1] = 1e-310
        with pytest.raises(UnprovenValueError):
            best_response(game, TabularPolicy(states, (None, table)), 0)
