"""Rollout buffers for learners of Stable-Baselines3 that play both seats, see ``generalized_advantages.py``."""

from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3.common.buffers import RolloutBuffer

from nashzoo.agents.learning.generalized_advantages import Decisions, advantages, advantages_apart
from nashzoo.envs.api.both_seats_vec_env import BothSeatsVecEnv
from nashzoo.envs.core.game import Features


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
        self.signs: Features = np.ones((self.buffer_size, self.n_envs), np.float32)
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
        last = last_values.clone().cpu().numpy().reshape(-1)
        played = Decisions(self.rewards, self.values, self.signs, ends, last)
        hides = self.envs is not None and self.envs.batch.game.hides
        self.advantages = (advantages_apart if hides else advantages)(played, self.gamma, self.gae_lambda)
        self.returns = self.advantages + self.values


class MaskableBothSeatsRolloutBuffer(BothSeatsRolloutBuffer, MaskableRolloutBuffer):  # type: ignore[misc]  # add
    """The same, with the legal actions."""
