"""A symmetric game with chance, at its start too: the contract, and measures that use the symmetry."""

import numpy as np
import pytest

import staked_rps
from chance_contract import ChanceContract
from nashzoo import agents
from nashzoo.arena.match import play_match
from nashzoo.baselines import best_response, evaluate, exploitability, solve
from nashzoo.baselines.oracles import double_oracle
from nashzoo.envs import Game
from nashzoo.envs.api.module import make_module
from nashzoo.envs.core.game import Features, Floats, Mask
from nashzoo.envs.vector.both_seats import BothSeatsBatch
from staked_rps import HIGH_STAKE

EXACT = 1e-12
ERRORS = 5  # standard errors that a mean may be off


class TestContract(ChanceContract):
    public = make_module(staked_rps)


class Rock:
    """Always throws rock."""

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        return np.eye(3)[np.zeros(len(observations), int)]


def test_the_value_is_nothing_and_mixing_is_optimal() -> None:
    game = Game(staked_rps)
    solution = solve(game)
    assert game.symmetric and not game.turn_based
    assert solution.start_value == pytest.approx(0.0, abs=EXACT) and solution.certificate <= 1e-11
    strategies = solution.strategies(np.array([game.first_decision]))
    assert np.concatenate(strategies) == pytest.approx(np.full((2, 3), 1 / 3), abs=1e-9)


def test_who_throws_the_same_loses_the_high_stake() -> None:
    """For whoever knows it throws the same for the low one, and the throw is repeated."""
    game = Game(staked_rps)
    assert exploitability(game, Rock()) == pytest.approx(HIGH_STAKE, abs=EXACT)
    for player in range(2):
        assert best_response(game, Rock(), player).value == pytest.approx(HIGH_STAKE, abs=EXACT)
    uniform = agents.make("random", game, seed=0)
    assert evaluate(game, Rock(), uniform) == pytest.approx(0.0, abs=EXACT)  # type: ignore[arg-type]
    policy, steps = double_oracle(game, 10)
    assert steps[-1].exploitability <= 1e-9
    assert exploitability(game, policy) == pytest.approx(0.0, abs=1e-9)


def test_matches_and_both_seats_begin_after_the_stake() -> None:
    game = Game(staked_rps)
    nash, uniform = (agents.make(name, game, seed=0) for name in ("nash", "random"))
    points = play_match(game, nash, uniform, 4000, 1).points
    assert set(np.abs(points)) == {1.0, 2.0} and abs((np.abs(points) == 1).mean() - 0.75) < 0.04
    assert abs(points.mean()) < ERRORS * points.std() / np.sqrt(len(points))
    batch = BothSeatsBatch(game, 50)
    batch.seed(3)
    batch.restart()
    rng, won = np.random.default_rng(0), []
    for _ in range(100):
        assert all(game.turn(code) == 2 for code in batch.codes.tolist())
        outcome = batch.step_and_restart(rng.integers(0, 3, 100)).outcome
        assert (outcome.rewards[:50] == -outcome.rewards[50:]).all()
        won += outcome.rewards[:50][outcome.terminated[:50]].tolist()
    assert abs((np.abs(won) == 1).mean() - 0.75) < 0.05
