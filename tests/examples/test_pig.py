"""Pig, against a second implementation and the published value."""

from typing import Any

import numpy as np
import pig
import pytest

from chance_contract import ChanceContract
from nashzoo import agents
from nashzoo.arena.match import play_match
from nashzoo.baselines import evaluate, exploitability, solve
from nashzoo.envs import Game
from nashzoo.envs.api.module import make_module
from nashzoo.envs.vector.both_seats import BothSeatsBatch

RULES = Game(pig).rules
ERRORS = 5  # standard errors that a mean may be off


class TestContract(ChanceContract):
    public = make_module(pig)

    @pytest.fixture(params=[{"target": 4}, pytest.param({"target": 12}, marks=pytest.mark.slow)], ids=str)
    def options(self, request: pytest.FixtureRequest) -> Any:
        return request.param


def winning_chances(target: int, settled: float = 1e-13) -> Any:
    """Returns with what probability the player wins who has i points, the other j, and is to move with a total of k.

    Value iteration after Neller and Presser (2004): P(i, j, k) is the larger of 1 - P(j, i + k, 0) for holding, and for
    rolling (1 - P(j, i, 0) + the sum of P(i, j, k + r) over r = 2..6) / 6.
    """
    chances = np.zeros((target, target, target + 6))  # 1 where the total is enough to win, above the target too
    own, other, total = np.indices(chances.shape)
    won = own + total >= target
    chances[won] = 1.0
    below = np.s_[:, :, :target]
    held = np.minimum(own + total, target - 1)[below]
    for _ in range(2000):
        fresh = chances[:, :, 0].copy()
        rolls = (chances[:, :, side : side + target] for side in range(2, 7))
        roll = sum(rolls, (1.0 - fresh.T)[:, :, None]) / 6
        new = np.where(won[below], 1.0, np.maximum(1.0 - fresh[other[below], held], roll))
        change = np.abs(new - chances[below]).max()
        chances[below] = new
        if change < settled:
            break
    return chances


@pytest.mark.parametrize("target", [2, 7, 20])
def test_every_state_is_worth_what_value_iteration_says(target: int) -> None:
    solution = solve(Game(pig, target=target))
    chances = winning_chances(target)
    assert solution.certificate <= 1e-11
    for code in solution.states.codes[:].tolist():
        state = RULES.decode(code)
        if state.rolls:
            continue
        scores = (state.score0, state.score1)
        chance = chances[scores[state.mover], scores[1 - state.mover], state.total]
        value = (2 * chance - 1) * (1 - 2 * state.mover)
        assert solution.value(code) == pytest.approx(value, abs=1e-10), state


@pytest.mark.parametrize(
    ("target", "chance"),
    [
        (2, 6 / 7),  # every side but 1 wins: p = 5/6 + (1 - p)/6
        pytest.param(30, None, marks=pytest.mark.slow),
    ],
)
def test_the_chance_of_who_begins(target: int, chance: float | None) -> None:
    solution = solve(Game(pig, target=target))
    wanted = winning_chances(target)[0, 0, 0] if chance is None else chance
    assert (1 + solution.start_value) / 2 == pytest.approx(wanted, abs=1e-11)
    assert solution.certificate <= 1e-10


@pytest.mark.slow
def test_value_iteration_says_what_is_published() -> None:
    """To four places, by Neller and Presser (2004); to solve the game with 100 points takes minutes."""
    assert winning_chances(100, 1e-7)[0, 0, 0] == pytest.approx(0.5306, abs=5e-5)


def test_players() -> None:
    game = Game(pig, target=15)
    solution = solve(game)
    nash = agents.make("nash", game, seed=0, solution=solution)
    uniform = agents.make("random", game, seed=0)
    assert exploitability(game, nash) == pytest.approx(0.0, abs=1e-9)  # type: ignore[arg-type]
    exact = evaluate(game, nash, uniform)  # type: ignore[arg-type]
    assert exact >= solution.start_value
    points = play_match(game, nash, uniform, 20_000, 1).points
    assert abs(points.mean() - exact) < ERRORS * points.std() / np.sqrt(len(points))


def test_search_finds_what_to_do() -> None:
    """Whoever has 13 of 15 points in hand needs to hold 2 of them, and rolls at the start of a turn."""
    game = Game(pig, target=15)
    solution = solve(game)
    mcts = agents.make("mcts", game, seed=0, simulations=3000, search_seed=1)
    states = [(0, 0, 0, 0, 0), (0, 13, 9, 0, 0), (10, 10, 0, 1, 0)]
    for state in states:
        code = RULES.encode(pig.State(*state))
        mover = state[3]
        observation = game.observe(code, mover)[None]
        (found,) = mcts.action_probabilities(observation, np.ones((1, 2), np.int8))  # type: ignore[attr-defined]
        best = solution.strategies(np.array([code]))[mover][0]
        assert found.argmax() == best.argmax()


def test_both_seats_play_in_turn() -> None:
    game = Game(pig, target=6)
    uniform = agents.make("random", game, seed=0)
    exact = evaluate(game, uniform, uniform)  # type: ignore[arg-type]
    batch, rng, points = BothSeatsBatch(game, 200), np.random.default_rng(0), []
    batch.seed(1)
    batch.restart()
    for _ in range(300):
        seats = batch.seats.copy()
        assert seats.tolist() == [game.turn(code) for code in batch.codes.tolist()]
        outcome = batch.step_and_restart(rng.integers(0, 2, 200)).outcome
        points += (outcome.rewards * (1 - 2 * seats))[outcome.terminated].tolist()
    assert abs(np.mean(points) - exact) < ERRORS * np.std(points) / np.sqrt(len(points))
