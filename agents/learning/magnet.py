"""Policies with a magnet: a divergence from earlier policies takes the place of the entropy in the objective.

PPO and A2C add ``ent_coef`` times the entropy of the policy to their objective. Here they add ``ent_coef`` times
``-KL(policy || magnet)``, where the magnet is an earlier policy, or an average of earlier ones. With a uniform magnet
this is the entropy, up to a constant. With entropy self-play converges, but not to the equilibrium. A magnet that
follows the policy has no such bias: where policy and magnet are equal, the gradient of the divergence is 0.

Sources: Sokota et al. (2023), "A unified approach to reinforcement learning, quantal response equilibria, and
two-player zero-sum games", for the magnet; Perolat et al. (2021), "From Poincare recurrence to convergence in
imperfect information games: finding equilibrium via regularization", for renewing it periodically.
"""

import copy
from typing import TYPE_CHECKING, Any

import torch
from stable_baselines3.common.policies import ActorCriticPolicy
from torch import nn

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_count

# MaskablePPO's policy is no ActorCriticPolicy, but has all attributes used here.
_Base: Any = ActorCriticPolicy if TYPE_CHECKING else object

COPY, AVERAGE = "copy", "average"
MAGNETS = (COPY, AVERAGE)


class Magnet(_Base):  # type: ignore[misc]
    """A mixin that adds a magnet to a policy of Stable-Baselines3; it stands before the policy's class.

    The magnet's network and its number of decisions are saved with the policy.

    Args:
        *args: Those of the policy.
        magnet: ``"copy"``: a copy of the policy, renewed after every ``magnet_every`` decisions; ``"average"``: an
            exponential average of its networks, over about as many decisions.
        magnet_every: Decisions.
        **settings: Those of the policy.

    Raises:
        UsageError: there is no such magnet, or ``magnet_every`` is no whole number of at least 1.
    """

    decided: torch.Tensor  # [], decisions since the magnet was renewed

    def __init__(self, *args: Any, magnet: str = COPY, magnet_every: int = 500_000, **settings: Any) -> None:
        if magnet not in MAGNETS:
            raise UsageError(f"magnet must be one of {', '.join(MAGNETS)}, not {magnet!r}")
        self.magnet_kind = magnet
        self.magnet_every = check_count("magnet_every", magnet_every)
        super().__init__(*args, **settings)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)  # it makes the optimizer, which must not contain the magnet
        self.magnet = nn.ModuleList(copy.deepcopy(part) for part in self._actor()).requires_grad_(False)
        self.register_buffer("decided", torch.zeros((), dtype=torch.int64))

    def _actor(self) -> tuple[nn.Module, ...]:
        """Returns the parts of the network that compute the logits, in order."""
        return self.pi_features_extractor, self.mlp_extractor.policy_net, self.action_net

    def _get_constructor_parameters(self) -> dict[str, Any]:
        own = {"magnet": self.magnet_kind, "magnet_every": self.magnet_every}
        parameters: dict[str, Any] = super()._get_constructor_parameters()
        return parameters | own

    def forward(self, obs: torch.Tensor, *args: Any, **settings: Any) -> Any:
        """Chooses actions during rollouts of Stable-Baselines3, and renews the magnet.

        Args:
            obs: Observations ``[B, features]``.
            *args: Those of the policy.
            **settings: Those of the policy.

        Returns:
            The actions ``[B]``, values ``[B, 1]`` and the logarithms of the actions' probabilities ``[B]``.
        """
        self._renew(len(obs))
        return super().forward(obs, *args, **settings)

    def evaluate_actions(
        self, obs: Any, actions: torch.Tensor, *masks: Any, **settings: Any
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Evaluates actions for the loss.

        Args:
            obs: Observations ``[B, features]``.
            actions: The actions that were taken ``[B]``.
            *masks: The legal actions ``[B, actions]``, if the policy takes them.
            **settings: Those of the policy.

        Returns:
            The values ``[B, 1]``, the logarithms of the actions' probabilities ``[B]``, and in the place of the entropy
            the negative of the divergence from the magnet ``[B]``.
        """
        values, log_probabilities, _ = super().evaluate_actions(obs, actions, *masks, **settings)
        policy: Any = self.action_dist.distribution  # set in the line before
        with torch.no_grad():
            features = self.extract_features(obs, self.magnet[0])
            logits = self.magnet[2](self.magnet[1](features))
            legal = getattr(policy, "masks", None)
            if legal is not None:
                logits = torch.where(legal, logits, policy.logits.new_tensor(-1e8))
            before = torch.log_softmax(logits, dim=1)
        divergence = policy.probs * (policy.logits - before)
        if legal is not None:
            divergence = torch.where(legal, divergence, divergence.new_zeros(()))
        return values, log_probabilities, -divergence.sum(dim=1)

    @torch.no_grad()
    def _renew(self, decisions: int) -> None:
        """Updates the magnet after some decisions."""
        self.decided += decisions
        if self.magnet_kind == COPY:
            if self.decided < self.magnet_every:
                return
            weight = 1.0
            self.decided.zero_()
        else:
            weight = min(decisions / self.magnet_every, 1.0)
        for old, new in zip(self.magnet, self._actor(), strict=True):
            for parameter, now in zip(old.parameters(), new.parameters(), strict=True):
                parameter.lerp_(now, weight)


class MagnetPolicy(Magnet, ActorCriticPolicy):
    """PPO's and A2C's policy, with a magnet."""
