"""Advantages where one learner plays both seats: against a recursion written by hand, and against how games end."""

from typing import Any

import numpy as np
import pytest
import torch

import nim
from nashzoo.agents.learning.both_seats_buffer import BothSeatsRolloutBuffer, MaskableBothSeatsRolloutBuffer
from nashzoo.envs import Game, footsies_v0, make_game, soccer_v0, tictactoe_v0
from nashzoo.envs.api.both_seats_vec_env import BothSeatsVecEnv
from nashzoo.envs.vector.both_seats import BothSeatsBatch

CLOSE = 1e-5  # of single precision
STEPS, GAMES_AT_ONCE = 40, 3
GAMES = [tictactoe_v0.game(), Game(nim, heap=9, first="random"), soccer_v0.game(width=11, height=5), footsies_v0.game()]


class Rollout:
    """Random games in a buffer, as Stable-Baselines3 fills it, and what happened in them."""

    def __init__(self, game: Game, gamma: float, gae_lambda: float, max_cycles: int = 6) -> None:
        rng = np.random.default_rng(5)
        self.game, self.gamma, self.gae_lambda = game, gamma, gae_lambda
        self.envs = BothSeatsVecEnv(BothSeatsBatch(game, GAMES_AT_ONCE, max_cycles))
        self.envs.seed(1)
        rows = self.envs.num_envs
        self.buffer = MaskableBothSeatsRolloutBuffer(
            STEPS, self.envs.observation_space, self.envs.action_space, "cpu", gae_lambda, gamma, rows
        )
        self.buffer.follow(self.envs)
        seen, starts = self.envs.reset(), np.ones(rows)
        self.movers, self.rewards, self.ends, self.added = [self.envs.batch.seats.copy()], [], [], []
        self.values = rng.normal(size=(STEPS + 1, rows)).astype(np.float32)
        for step in range(STEPS):
            masks = np.stack(self.envs.env_method("action_masks"))
            actions = (rng.random(masks.shape) * masks).argmax(axis=1)
            after, rewards, dones, infos = self.envs.step(actions)
            self.rewards.append(rewards.copy())
            added = np.zeros(rows)
            for row in np.flatnonzero(dones):
                if infos[row]["TimeLimit.truncated"]:  # as Stable-Baselines3 adds what the last state is worth
                    added[row] = gamma * rng.normal()
                    rewards[row] += added[row]
            nothing = torch.zeros(rows)
            self.buffer.add(
                seen, actions, rewards, starts, torch.tensor(self.values[step]), nothing, action_masks=masks
            )
            self.added.append(added)
            self.ends.append(dones)
            self.movers.append(self.envs.batch.seats.copy())
            seen, starts = after, dones
        self.signs = self.buffer.signs.copy()
        self.buffer.compute_returns_and_advantage(torch.tensor(self.values[STEPS]), dones)

    def advantage(self, step: int, row: int) -> float:
        """Returns an advantage by the recursion of the module's docstring, from the movers alone."""
        reward, ends = float(self.rewards[step][row]), bool(self.ends[step][row])
        value = float(self.values[step, row])
        if ends:
            # The state after the end is not seen any more; whose it was, the buffer was told.
            return reward + float(self.signs[step, row] * self.added[step][row]) - value
        sigma = 1 if self.movers[step][row] == self.movers[step + 1][row] else -1
        found = reward + self.gamma * sigma * float(self.values[step + 1, row]) - value
        if step + 1 < STEPS:
            found += self.gamma * self.gae_lambda * sigma * self.advantage(step + 1, row)
        return found


@pytest.mark.parametrize(("gamma", "gae_lambda"), [(1.0, 0.95), (0.9, 0.5)])
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_advantages_are_those_of_the_recursion(game: Game, gamma: float, gae_lambda: float) -> None:
    rollout = Rollout(game, gamma, gae_lambda)
    expected = [[rollout.advantage(step, row) for row in range(rollout.envs.num_envs)] for step in range(STEPS)]
    assert np.any(rollout.added) or game.name == "nim_v0"  # some games were cut off
    assert rollout.buffer.advantages == pytest.approx(np.array(expected), abs=CLOSE)
    assert rollout.buffer.returns == pytest.approx(np.array(expected) + rollout.values[:STEPS], abs=CLOSE)


@pytest.mark.parametrize(("gamma", "gae_lambda"), [(1.0, 0.95), (0.9, 0.5), (1.0, 1.0)])
@pytest.mark.parametrize("name", ["kuhn", "leduc", "hidden_goofspiel"])
def test_with_hidden_information_values_are_of_the_same_player(name: str, gamma: float, gae_lambda: float) -> None:
    rollout = Rollout(make_game(f"examples/games/{name}.py"), gamma, gae_lambda, max_cycles=50)
    assert not np.any(rollout.added)

    def advantage(step: int, row: int) -> float:
        """Returns an advantage by the player's own decisions: what is paid up to the next one, and its value."""
        mover, later = rollout.movers[step][row], 0.0
        found = float(rollout.rewards[step][row]) - float(rollout.values[step, row])
        for after in range(step, STEPS):
            if rollout.ends[after][row]:
                return found + gamma * later
            same = rollout.movers[after + 1][row] == mover
            if after + 1 == STEPS or same:
                found += gamma * (later + (1 if same else -1) * float(rollout.values[after + 1, row]))
                return found + (gamma * gae_lambda * advantage(after + 1, row) if after + 1 < STEPS else 0.0)
            later -= float(rollout.rewards[after + 1][row])
        raise AssertionError

    expected = [[advantage(step, row) for row in range(rollout.envs.num_envs)] for step in range(STEPS)]
    assert rollout.buffer.advantages == pytest.approx(np.array(expected), abs=CLOSE)


def test_every_decision_is_told_how_the_game_ends_for_who_took_it() -> None:
    rollout = Rollout(tictactoe_v0.game(), gamma=1.0, gae_lambda=1.0, max_cycles=9)
    told = 0
    for row in range(rollout.envs.num_envs):
        outcome = None  # to player 0, of the game that a decision belongs to
        for step in reversed(range(STEPS)):
            mover = rollout.movers[step][row]
            if rollout.ends[step][row]:
                outcome = rollout.rewards[step][row] * (1 - 2 * mover)
            if outcome is not None:
                assert rollout.buffer.returns[step, row] == pytest.approx(outcome * (1 - 2 * mover), abs=CLOSE)
                told += 1
    assert told > STEPS


def test_what_a_cut_off_game_is_worth_is_worth_the_negative_to_who_moved_before() -> None:
    rollout = Rollout(tictactoe_v0.game(), gamma=1.0, gae_lambda=1.0, max_cycles=3)
    cut = np.array(rollout.added) != 0
    assert cut.sum() == GAMES_AT_ONCE * (STEPS // 3)  # nobody wins with two marks
    assert rollout.buffer.rewards[cut] == pytest.approx(-np.array(rollout.added)[cut], abs=CLOSE)


def test_a_buffer_that_follows_nothing_takes_nothing() -> None:
    envs: Any = BothSeatsVecEnv(BothSeatsBatch(tictactoe_v0.game(), 1))
    buffer = BothSeatsRolloutBuffer(1, envs.observation_space, envs.action_space, "cpu")
    with pytest.raises(RuntimeError, match=r"the rollout buffer follows no environments; call follow\(envs\) before"):
        buffer.add(envs.reset(), np.zeros(1), np.zeros(1), np.zeros(1), torch.zeros(1), torch.zeros(1))
