"""Generalised advantage estimation for a learner that plays both seats.

Where players move in turn, the other player may be to move after a decision, and the state's value to that player is
the negative of its value to the player before. So with ``V`` the value to the player to move, and ``sigma`` -1 where
the turn passes to the other player and 1 elsewhere, generalised advantage estimation becomes::

    delta = r + gamma * sigma * V(next) - V
    A = delta + gamma * lambda * sigma * A(next)

With hidden information the two values are expectations over what different players do not see, and neither is the
negative of the other. There every player has a recursion of its own, from one of its decisions to its next: ``r`` is
then all that is paid in between, and ``sigma`` is 1. Only after the last step of a rollout, where the next decision of
the player who is not to move is not known, its value is taken to be the negative one.

Source: Schulman et al. (2016), "High-dimensional continuous control using generalized advantage estimation"; the sign
is that of negamax.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.envs.core.game import Features


class Decisions(NamedTuple):
    """Decisions of both players, of ``T`` steps in ``B`` rows."""

    rewards: Features  # [T, B], to the player who decided
    values: Features  # [T, B], of the states, to the player to move
    signs: Features  # [T, B], -1 where the turn passed to the other player after the step, else 1
    ends: Features  # [T, B], 1 where the game ended with the step, else 0
    last: Features  # [B], the values after the last step, to the player to move there


def advantages(played: Decisions, gamma: float, gae_lambda: float) -> Features:
    """Returns the advantages ``[T, B]`` where both players see the state; ``gae_lambda`` weighs longer returns."""
    following = np.concatenate((played.values[1:], played.last[None]))
    passed_on = gamma * played.signs * (1.0 - played.ends)
    deltas = played.rewards + passed_on * following - played.values
    estimates, advantage = np.empty_like(played.values), np.zeros_like(played.last)
    for step in reversed(range(len(deltas))):
        advantage = deltas[step] + gae_lambda * passed_on[step] * advantage
        estimates[step] = advantage
    return estimates


def advantages_apart(played: Decisions, gamma: float, gae_lambda: float) -> Features:
    """Returns the advantages ``[T, B]`` with hidden information, each player's from its own decisions."""
    estimates = np.empty_like(played.values)
    # Of the player to move after a step, and of the other: what is paid until its next decision, the value and the
    # advantage there.
    paid, value, advantage = np.zeros((3, 2, len(played.last)), np.float32)
    value[:] = played.last, -played.last
    for step in reversed(range(len(estimates))):
        passed = played.signs[step] < 0
        for own in (paid, value, advantage):
            own[:, passed] = own[::-1, passed]  # now of the player to move at this step, and of the other
            own *= 1.0 - played.ends[step]
        delta = played.rewards[step] + gamma * (paid[0] + value[0]) - played.values[step]
        estimates[step] = delta + gamma * gae_lambda * advantage[0]
        paid[0], value[0], advantage[0] = 0.0, played.values[step], estimates[step]
        paid[1] -= played.rewards[step]
    return estimates
