"""Rollout buffers for learners of Stable-Baselines3 that play both seats.

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

from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3.common.buffers import RolloutBuffer

from nashzoo.envs.api.both_seats_vec_env import BothSeatsVecEnv
from nashzoo.envs.core.game import Floats


class BothSeatsRolloutBuffer(RolloutBuffer):
    """A rollout buffer for one learner in both seats, see :class:`nashzoo.envs.api.both_seats_vec_env.BothSeatsVecEnv`.

    Attributes:
        signs: After each step, -1 where the turn has passed to the other player and 1 elsewhere ``[steps, B]``.
    """

    envs: BothSeatsVecEnv | None = None

    def follow(self, envs: BothSeatsVecEnv) -> None:
        """Sets the environments that determine the turns; needed before the first :meth:`add`."""
        self.envs = envs

    def reset(self) -> None:
        """Empties the buffer."""
        self.signs: Floats = np.ones((self.buffer_size, self.n_envs), np.float32)
        super().reset()

    def add(self, obs: Any, action: Any, reward: Any, *rest: Any, **more: Any) -> None:
        """Adds a step of every row; the arguments are those of Stable-Baselines3's buffer.

        Raises:
            RuntimeError: the environments are not set, see :meth:`follow`.
        """
        if self.envs is None:
            raise RuntimeError("the rollout buffer follows no environments; call follow(envs) before learning")
        signs = np.where(self.envs.batch.turned, np.float32(-1), np.float32(1))
        self.signs[self.pos] = signs
        # The reward of a truncated game includes the value of its last state, to the player to move there.
        own = self.envs.rewards.astype(np.float32)
        super().add(obs, action, own + signs * (reward - own), *rest, **more)

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: np.ndarray[Any, Any]) -> None:
        """Computes the advantages and returns ``[steps, B]``.

        Args:
            last_values: Values of the states after the last step, to the player to move there ``[B]``.
            dones: Whether games ended with the last step ``[B]``.
        """
        ends = np.concatenate((self.episode_starts[1:], np.asarray(dones, np.float32)[None]))
        last = last_values.clone().cpu().numpy().reshape(1, -1)
        if self.envs is not None and self.envs.batch.game.hides:
            self._estimate_apart(last[0], ends)
        else:
            self._estimate(last, ends)
        self.returns = self.advantages + self.values

    def _estimate(self, last: Any, ends: Any) -> None:
        """Fills the advantages, where both players see the state."""
        following = np.concatenate((self.values[1:], last))
        passed_on = self.gamma * self.signs * (1.0 - ends)
        deltas = self.rewards + passed_on * following - self.values
        advantage = np.zeros(self.n_envs, np.float32)
        for step in reversed(range(self.buffer_size)):
            advantage = deltas[step] + self.gae_lambda * passed_on[step] * advantage
            self.advantages[step] = advantage

    def _estimate_apart(self, last: Any, ends: Any) -> None:
        """Fills the advantages, each player's from its own decisions."""
        # Of the player to move after a step, and of the other: what is paid until its next decision, the value and the
        # advantage there.
        paid, value, advantage = np.zeros((3, 2, self.n_envs), np.float32)
        value[:] = last, -last
        for step in reversed(range(self.buffer_size)):
            passed = self.signs[step] < 0
            for own in (paid, value, advantage):
                own[:, passed] = own[::-1, passed]  # now of the player to move at this step, and of the other
                own *= 1.0 - ends[step]
            delta = self.rewards[step] + self.gamma * (paid[0] + value[0]) - self.values[step]
            self.advantages[step] = delta + self.gamma * self.gae_lambda * advantage[0]
            paid[0], value[0], advantage[0] = 0.0, self.values[step], self.advantages[step]
            paid[1] -= self.rewards[step]


class MaskableBothSeatsRolloutBuffer(BothSeatsRolloutBuffer, MaskableRolloutBuffer):  # type: ignore[misc]  # add
    """The same, with the legal actions."""
