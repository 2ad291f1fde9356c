"""Hedge with networks: its returns, advantages and memory by other routes, and what it learns."""

from pathlib import Path

import numpy as np
import pytest
import torch

from nashzoo.agents.learning.deep.deep_hedge import (
    Decisions,
    DeepHedge,
    Table,
    advantages_of,
    overrule,
    remember,
    returns_of,
)
from nashzoo.agents.learning.deep.networks import Network
from nashzoo.baselines import exploitability
from nashzoo.envs.base.modules import module_at
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.one_hot import OneHotPlaces
from nashzoo.envs.vector.both_seats import BothSeatsBatch

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "games"
KUHN, LEDUC, GOOFSPIEL = (module_at(str(EXAMPLES / f"{name}.py")) for name in ("kuhn", "leduc", "hidden_goofspiel"))
STEPS, ROWS, ACTIONS = 12, 40, 3


def decisions(seed: int, values: float) -> Decisions:
    """Returns random decisions of players who do not explore, with values of about this size."""
    rng = np.random.default_rng(seed)
    shape = STEPS, ROWS
    policies = rng.dirichlet(np.ones(ACTIONS), shape)
    return Decisions(
        observations=np.zeros((*shape, 1), np.float32),
        others=np.zeros((*shape, 1), np.float32),
        masks=np.ones((*shape, ACTIONS), np.int8),
        policies=policies,
        chances=policies,
        values=(values * rng.normal(size=(*shape, ACTIONS))).astype(np.float32),
        actions=rng.integers(0, ACTIONS, shape),
        rewards=rng.normal(size=shape),
        signs=np.where(rng.random(shape) < 0.7, -1.0, 1.0),
        ends=rng.random(shape) < 0.2,
        explored=np.ones(shape, np.bool_),
    )


def test_without_a_critic_returns_are_what_is_paid_until_the_end() -> None:
    played, last = decisions(0, 0.0), np.random.default_rng(1).normal(size=ROWS)
    wanted = np.empty((STEPS, ROWS))
    for first in range(STEPS):
        for row in range(ROWS):
            total, sign, step = 0.0, 1.0, first
            while True:
                total += sign * played.rewards[step, row]
                sign *= played.signs[step, row]
                if played.ends[step, row]:
                    break
                step += 1
                if step == STEPS:
                    total += sign * last[row]
                    break
            wanted[first, row] = total
    np.testing.assert_allclose(returns_of(played, last), wanted, atol=1e-12)


def test_the_critic_shifts_no_return_in_expectation() -> None:
    """The next decision's return is drawn by exploring, and its mean is what the policy would get."""
    rng = np.random.default_rng(3)
    policy, uniform, values, paid = rng.dirichlet(np.ones(3)), np.full(3, 1 / 3), rng.normal(size=3), rng.normal(size=3)
    policy = np.minimum(policy, uniform) / np.minimum(policy, uniform).sum() * 0.5  # traces are cut nowhere
    policy[2] = 1.0 - policy[:2].sum()
    chances = np.array([policy[0], policy[1], policy[2]])
    mean = 0.0
    for action in range(3):
        played = decisions(0, 1.0)._replace(
            policies=np.tile(policy, (2, 1, 1)), chances=np.tile(chances, (2, 1, 1)),
            values=np.tile(values, (2, 1, 1)).astype(np.float32), actions=np.array([[0], [action]]),
            rewards=np.array([[0.5], [paid[action]]]), signs=-np.ones((2, 1)), ends=np.array([[False], [True]]),
        )  # fmt: skip
        mean += chances[action] * returns_of(played, np.zeros(1))[0, 0]
    assert mean == pytest.approx(0.5 - policy @ paid, abs=1e-6)


def test_advantages_are_right_in_expectation_whatever_the_critic_says() -> None:
    played = decisions(5, 3.0)
    flat = Decisions._make(array.reshape(-1, *array.shape[2:]) for array in played)
    rng = np.random.default_rng(6)
    chances = 0.5 * flat.policies + 0.5 / ACTIONS
    paid = rng.normal(size=chances.shape)
    mean = np.zeros_like(paid)
    for action in range(ACTIONS):
        taken = flat._replace(chances=chances, actions=np.full(len(paid), action))
        mean += chances[:, [action]] * advantages_of(taken, paid[:, action])
    np.testing.assert_allclose(mean, paid - (flat.policies * paid).sum(axis=1, keepdims=True), atol=1e-6)


def test_the_memory_is_a_weighted_mean_with_the_network_as_so_many_visits() -> None:
    rng = np.random.default_rng(0)
    table = Table(np.zeros(8, np.int64), np.zeros(8), np.zeros(8), np.zeros((8, 2)))
    prints = np.array([3, 3, 12, 3], np.int64)
    first, later = rng.normal(size=(2, 4, 2))
    remember(prints, first, 1.0, table)
    remember(prints, later, 2.0, table)
    means = np.tile([1.0, -1.0], (4, 1))
    overrule(prints, means, table, 4.0)
    own = (first[[0, 1, 3]].sum(axis=0) + 2.0 * later[[0, 1, 3]].sum(axis=0)) / 9.0
    np.testing.assert_allclose(means[0], (4.0 * np.array([1.0, -1.0]) + 6.0 * own) / 10.0)
    other = np.array([11], np.int64)  # the same place as 3
    remember(other, np.ones((1, 2)), 1.0, table)
    forgotten = np.array([[5.0, 5.0]])
    overrule(np.array([3], np.int64), forgotten, table, 4.0)
    assert forgotten.tolist() == [[5.0, 5.0]]
    overrule(other, forgotten, table, 4.0)
    np.testing.assert_allclose(forgotten, [[4.2, 4.2]])


@pytest.mark.parametrize("game", [Game(LEDUC), Game(GOOFSPIEL, cards=3)], ids=lambda game: game.name)
def test_others_is_what_the_other_player_sees(game: Game) -> None:
    batch = BothSeatsBatch(game, 50)
    batch.seed(0)
    batch.restart()
    rng = np.random.default_rng(0)
    for _ in range(20):
        for row, (seat, seen) in enumerate(zip(batch.seats, batch.others(), strict=True)):
            code = int(batch.codes[row % batch.num_games])
            np.testing.assert_array_equal(seen, game.observe(code, 1 - int(seat)))
        masks = batch.masks().astype(np.float64)
        chosen = (masks * rng.random(masks.shape)).argmax(axis=1)
        batch.step_and_restart(chosen)


def test_a_network_of_two_views_adds_the_rows_of_both() -> None:
    game = Game(LEDUC)
    batch = BothSeatsBatch(game, 64)
    batch.seed(0)
    batch.restart()
    seen, others = batch.observations(), batch.others()
    network = Network(game, [8], 2, np.random.default_rng(0), views=2)
    places, end = OneHotPlaces(game), OneHotPlaces(game).end
    rows = network.layers[0].weight.detach().numpy()
    assert len(rows) == 2 * end + 1
    wanted = np.zeros((64, 8), np.float32)
    for view, part in enumerate((seen, others)):
        for row, own in enumerate(places.places(part)):
            wanted[row] += rows[[place + view * end for place in own if place < end]].sum(axis=0)
    inputs = torch.from_numpy(network._seen(np.hstack((seen, others))))
    np.testing.assert_allclose(network.layers[0](inputs).detach().numpy(), wanted, atol=1e-5)


def test_an_update_needs_no_decision_of_who_does_not_explore() -> None:
    learner = DeepHedge(Game(KUHN), 0, num_envs=1, n_steps=1, states=1, memory=1, hidden=1, layers=1)
    learner._explorers[:] = 0  # who moves first
    learner.learn(2)
    assert learner.num_timesteps == 2


def test_rewards_before_any_game_has_ended_are_no_mean() -> None:
    learner = DeepHedge(Game(KUHN), 0, num_envs=1, hidden=1)
    learner._paid[:] = 3.0, 0.0
    view = learner._batch.view()
    assert learner.hedged(view.observations, view.masks).sum() == pytest.approx(1.0)


def test_it_learns_kuhn_poker() -> None:
    game = Game(KUHN)
    learner = DeepHedge(game, 0, hidden=32, num_envs=256, batch_size=512)
    before = exploitability(game, learner)
    learner.learn(200_000)
    assert exploitability(game, learner) < 0.2 * before


@pytest.mark.slow
def test_it_learns_leduc_poker_and_does_not_get_worse() -> None:
    game = Game(LEDUC)
    learner = DeepHedge(game, 0)
    learner.learn(300_000)
    early = exploitability(game, learner)
    learner.learn(500_000)
    assert exploitability(game, learner) < min(early, 0.6)  # where policy_gradient ends after two million
