"""The exact solution of Roshambo, and exact measures of policies that look at the throws recalled."""

from typing import Any

import numpy as np
import pytest

from nashzoo import agents
from nashzoo.app.commands.exploitability import main
from nashzoo.baselines import ListedStates, best_response, evaluate, exploitability, solve
from nashzoo.envs import roshambo_v0
from nashzoo.envs.core.agent import PolicyAgent, uniform_over
from nashzoo.envs.core.game import Features, Floats, Mask
from nashzoo.envs.games.roshambo import rules as roshambo

EXACT = 1e-9

# With [[0, -a, b], [a, 0, -c], [-b, c, 0]] each throw must win as much as it loses: the mix is as c, b, a.
WEIGHTED = [[0, -2, 0.5], [2, 0, -1], [-0.5, 1, 0]]


class Shifted(PolicyAgent):
    """Plays the other's last throw, shifted; at the first throw anything."""

    def __init__(self, game: Any, shift: int) -> None:
        super().__init__(game)
        self.shift = shift

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        size = self.game.num_actions
        last = observations[:, size : 2 * size]
        shifted = np.roll(last, self.shift, axis=1).astype(np.float64)
        return np.where(last.sum(axis=1, keepdims=True) > 0, shifted, uniform_over(action_masks))


@pytest.mark.parametrize(
    ("payoff", "mix"),
    [
        ("rps", [1 / 3] * 3),
        ("rpsls", [1 / 5] * 5),  # Kass and Bryla's game is a tournament in which every throw beats two of the others
        (WEIGHTED, [1 / 3.5, 0.5 / 3.5, 2 / 3.5]),
    ],
    ids=str,
)
def test_the_stage_game_is_solved_at_every_state(payoff: Any, mix: list[float]) -> None:
    game = roshambo_v0.game(rounds=50, recall=2, payoff=payoff)
    solution = solve(game)
    assert solution.certificate < EXACT
    rng = np.random.default_rng(0)
    code = int(game.start_codes[0])
    for _ in range(50):
        assert solution.value(code) == pytest.approx(0, abs=EXACT)
        for strategy in solution.strategies(np.array([code])):
            assert strategy[0] == pytest.approx(mix)
        code = game.step(code, *rng.integers(0, game.num_actions, 2).tolist())


def test_what_was_thrown_is_not_solved_for() -> None:
    assert solve(roshambo_v0.game(rounds=50, recall=13)).num_states == 50


def test_a_solution_without_the_past_is_that_of_all_states() -> None:
    game = roshambo_v0.game(rounds=4, recall=2, payoff=WEIGHTED)
    everything, solution = ListedStates(game), solve(game)
    for code in everything.codes.tolist():
        assert code in solution.states
    assert exploitability(game, agents.make("nash", game)) == pytest.approx(0, abs=EXACT)  # over all states


@pytest.mark.parametrize("recall", [1, 13])
def test_the_solution_can_be_played_however_much_is_recalled(recall: int) -> None:
    game = roshambo_v0.game(rounds=20, recall=recall)
    nash = agents.make("nash", game, seed=0)
    code = int(game.start_codes[0])
    while not game.terminal(code):
        code = game.step(code, int(nash.predict(game.observe(code, 0))[0]), 0)


def test_a_state_that_is_over_has_no_value() -> None:
    game = roshambo_v0.game(rounds=3)
    with pytest.raises(KeyError, match="or is over there"):
        solve(game).value(game.code(played=3))


@pytest.mark.parametrize("recall", [1, 2])
def test_who_can_be_foreseen_loses_every_throw_but_the_first(recall: int) -> None:
    game = roshambo_v0.game(recall=recall)
    for shift in range(3):
        assert exploitability(game, Shifted(game, shift)) == pytest.approx(999, abs=EXACT)


def test_best_response_to_who_copies_beats_its_own_last_throw() -> None:
    game = roshambo_v0.game(rounds=30)
    response = best_response(game, Shifted(game, 0), 0)
    assert evaluate(game, response.policy, Shifted(game, 0)) == pytest.approx(response.value) == pytest.approx(29)
    seen = game.observe(game.code(played=5, recalled=3 * roshambo.ROCK + roshambo.SCISSORS), 0)
    assert response.policy.action_probabilities(seen[None], np.ones((1, 3), np.int8))[0, roshambo.PAPER] == 1


@pytest.mark.slow
def test_too_many_states_are_refused() -> None:
    game = roshambo_v0.game(recall=5)
    with pytest.raises(ValueError, match="leads to more than 2,000,000 states, too many to list"):
        exploitability(game, agents.make("random", game))


def test_what_is_nothing_is_printed_without_a_sign(capsys: pytest.CaptureFixture[str]) -> None:
    main("roshambo_v0", "random")
    assert "-" not in capsys.readouterr().out
