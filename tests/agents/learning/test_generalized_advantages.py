"""Advantages where one learner plays both seats: against recursions by hand in random games, and how games end."""

import numpy as np
import pytest

import nim
from nashzoo.agents.learning.generalized_advantages import Decisions, advantages, advantages_apart
from nashzoo.envs import Game, footsies_v0, make_game, soccer_v0, tictactoe_v0
from nashzoo.envs.vector.both_seats import BothSeatsBatch

CLOSE = 1e-5  # of single precision
STEPS, GAMES_AT_ONCE = 40, 3
GAMES = [tictactoe_v0.game(), Game(nim, heap=9, first="random"), soccer_v0.game(width=11, height=5), footsies_v0.game()]


class Rollout:
    """Random games of both players, with random values of their states.

    Attributes:
        movers: The player to move in each row, before each step and after the last ``[STEPS + 1, B]``.
        values: The values of the states, to the player to move ``[STEPS + 1, B]``.
        decisions: What advantages are computed from.
    """

    def __init__(self, game: Game) -> None:
        rng, batch = np.random.default_rng(5), BothSeatsBatch(game, GAMES_AT_ONCE, max_cycles=50)
        batch.seed(1)
        batch.restart()
        self.rows = range(batch.num_rows)
        self.values = rng.normal(size=(STEPS + 1, batch.num_rows)).astype(np.float32)
        view, self.movers, rewards, signs, ends = batch.view(), [batch.seats.copy()], [], [], []
        for _ in range(STEPS):
            result = batch.step_and_restart((rng.random(view.masks.shape) * view.masks).argmax(axis=1))
            view = result.view
            rewards.append(result.outcome.rewards)
            signs.append(np.where(batch.turned, -1, 1))
            ends.append(result.outcome.terminated | result.outcome.truncated)
            self.movers.append(batch.seats.copy())
        played = (np.array(part, np.float32) for part in (rewards, self.values[:STEPS], signs, ends))
        self.decisions = Decisions(*played, self.values[STEPS])


@pytest.mark.parametrize(("gamma", "gae_lambda"), [(1.0, 0.95), (0.9, 0.5)])
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_advantages_are_those_of_the_recursion(game: Game, gamma: float, gae_lambda: float) -> None:
    rollout = Rollout(game)

    def advantage(step: int, row: int) -> float:
        """Returns an advantage by the recursion of the module's docstring, from the movers alone."""
        delta = float(rollout.decisions.rewards[step, row]) - float(rollout.values[step, row])
        if rollout.decisions.ends[step, row]:
            return delta
        sigma = 1 if rollout.movers[step][row] == rollout.movers[step + 1][row] else -1
        delta += gamma * sigma * float(rollout.values[step + 1, row])
        return delta + (gamma * gae_lambda * sigma * advantage(step + 1, row) if step + 1 < STEPS else 0.0)

    expected = [[advantage(step, row) for row in rollout.rows] for step in range(STEPS)]
    assert np.any(rollout.decisions.ends)
    assert advantages(rollout.decisions, gamma, gae_lambda) == pytest.approx(np.array(expected), abs=CLOSE)


@pytest.mark.parametrize(("gamma", "gae_lambda"), [(1.0, 0.95), (0.9, 0.5), (1.0, 1.0)])
@pytest.mark.parametrize("name", ["kuhn", "leduc", "hidden_goofspiel"])
def test_with_hidden_information_values_are_of_the_same_player(name: str, gamma: float, gae_lambda: float) -> None:
    rollout = Rollout(make_game(f"examples/games/{name}.py"))

    def advantage(step: int, row: int) -> float:
        """Returns an advantage by the player's own decisions: what is paid up to the next one, and its value."""
        mover, later = rollout.movers[step][row], 0.0
        delta = float(rollout.decisions.rewards[step, row]) - float(rollout.values[step, row])
        for after in range(step, STEPS):
            if rollout.decisions.ends[after, row]:
                return delta + gamma * later
            same = rollout.movers[after + 1][row] == mover
            if after + 1 == STEPS or same:
                delta += gamma * (later + (1 if same else -1) * float(rollout.values[after + 1, row]))
                return delta + (gamma * gae_lambda * advantage(after + 1, row) if after + 1 < STEPS else 0.0)
            later -= float(rollout.decisions.rewards[after + 1, row])
        raise AssertionError

    expected = [[advantage(step, row) for row in rollout.rows] for step in range(STEPS)]
    assert advantages_apart(rollout.decisions, gamma, gae_lambda) == pytest.approx(np.array(expected), abs=CLOSE)


def test_the_longest_returns_of_every_decision_are_how_the_game_ends_for_who_took_it() -> None:
    rollout = Rollout(tictactoe_v0.game())
    returns = advantages(rollout.decisions, 1.0, 1.0) + rollout.decisions.values
    compared = 0
    for row in rollout.rows:
        outcome = None  # to player 0, of the game that a decision belongs to
        for step in reversed(range(STEPS)):
            mover = rollout.movers[step][row]
            if rollout.decisions.ends[step, row]:
                outcome = rollout.decisions.rewards[step, row] * (1 - 2 * mover)
            if outcome is not None:
                assert returns[step, row] == pytest.approx(outcome * (1 - 2 * mover), abs=CLOSE)
                compared += 1
    assert compared > STEPS
