"""DQN with masks of the legal actions, like MaskablePPO.

The observation contains the state, and the rules determine the legal actions. So the network itself gives illegal
actions a value far below all others: they are not chosen, and targets do not use them. Exploration draws legal actions
only.

Source: Mnih et al. (2015), Human-level control through deep reinforcement learning.
"""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3 import DQN
from stable_baselines3.common.type_aliases import PyTorchObs
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork

from nashzoo.envs.core.agent import legal_actions, sample, uniform_over
from nashzoo.envs.core.game import Game

ILLEGAL = -1e9  # value of illegal actions


class LegalQNetwork(QNetwork):
    """The value of each legal action, and ``ILLEGAL`` for the others.

    Args:
        **settings: As for Stable-Baselines3's network.
    """

    def __init__(self, *, game: Game, **settings: Any) -> None:
        super().__init__(**settings)
        self.game = game

    def forward(self, obs: PyTorchObs) -> torch.Tensor:
        """Returns the values ``[B, actions]`` at observations ``[B, features]``."""
        assert isinstance(obs, torch.Tensor)
        masks = legal_actions(self.game, obs.cpu().numpy())
        values: torch.Tensor = super().forward(obs)
        return values.masked_fill(torch.as_tensor(masks == 0, device=values.device), ILLEGAL)


class MaskableDQNPolicy(DQNPolicy):
    """A policy with a :class:`LegalQNetwork`.

    Args:
        **settings: As for Stable-Baselines3's policy.
    """

    def __init__(self, *args: Any, game: Game, **settings: Any) -> None:
        self.game = game  # before super().__init__, which makes the networks
        super().__init__(*args, **settings)

    def make_q_net(self) -> QNetwork:
        """Returns a new network."""
        settings = self._update_features_extractor(self.net_args, features_extractor=None)
        return LegalQNetwork(game=self.game, **settings).to(self.device)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {"game": self.game}


class MaskableDQN(DQN):
    """DQN with a :class:`MaskableDQNPolicy`; each environment explores independently."""

    def predict(
        self,
        observation: NDArray[Any] | dict[str, NDArray[Any]],
        state: tuple[NDArray[Any], ...] | None = None,
        episode_start: NDArray[Any] | None = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[Any], tuple[NDArray[Any], ...] | None]:
        """Returns the best action, or a random legal one with the probability ``exploration_rate``."""
        actions, state = self.policy.predict(observation, state, episode_start, deterministic)
        if deterministic:
            return actions, state
        policy = self.policy
        assert isinstance(policy, MaskableDQNPolicy)
        seen = np.atleast_2d(np.asarray(observation, np.float32))
        assert isinstance(self.action_space, spaces.Discrete)
        drawn = self.action_space.np_random.random((2, len(seen)))
        anything = sample(uniform_over(legal_actions(policy.game, seen)), drawn[1])
        actions = np.where(drawn[0] < self.exploration_rate, anything, actions).reshape(actions.shape)
        return actions, state
