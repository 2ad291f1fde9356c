"""Self-play with TorchRL's PPO: its collector, actor, advantages and loss, and all games at once.

TorchRL needs other versions of packages: ``make ecosystem`` installs it separately, and runs this.

nashzoo bench examples/torchrl_learner.py:TorchRLPPO       # how well it learns, in all games of a benchmark
nashzoo check-trainer examples/torchrl_learner.py:train    # whether it has mistakes
"""

from typing import Any

import torch
from tensordict import TensorDict, TensorDictBase
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from nashzoo.envs import Game
from nashzoo.envs.vector.both_seats import BothSeatsBatch

NUM_GAMES, NUM_STEPS, EPOCHS, MINIBATCHES = 64, 16, 4, 4


class Games(EnvBase):
    """Games with a row for every decision, in which all rewards and values are player 0's.

    For the next decision in a row may be the other player's, where players move in turn. ``sign`` turns points of the
    player who decides into player 0's, and back.
    """

    def __init__(self, game: Game, seed: int) -> None:
        self.games = BothSeatsBatch(game, NUM_GAMES)
        rows = self.games.num_rows
        super().__init__(batch_size=[rows])
        self.observation_spec = Composite(
            observation=Bounded(0, 1, (rows, game.num_features), dtype=torch.float32),
            mask=Binary(shape=(rows, game.num_actions), dtype=torch.bool),
            sign=Unbounded((rows, 1)),
            shape=[rows],
        )
        self.action_spec = Categorical(game.num_actions, (rows,))
        self.reward_spec = Unbounded((rows, 1))
        self.set_seed(seed)

    def _set_seed(self, seed: int | None) -> None:
        self.games.seed(seed)
        self.games.restart()

    def _reset(self, tensordict: TensorDictBase | None = None, **options: Any) -> TensorDict:
        return self._view()  # games that were over have started anew

    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        result = self.games.step_and_restart(tensordict["action"].numpy())
        rewards, *ends = (torch.from_numpy(part).unsqueeze(1) for part in result.outcome)
        following = self._view()
        following[result.ended] = self._seen(result.last)
        following["reward"] = rewards.float() * tensordict["sign"]
        following["terminated"], following["truncated"] = ends
        following["done"] = ends[0] | ends[1]
        return following

    def _view(self) -> TensorDict:
        return self._seen(self.games.view())

    def _seen(self, view: Any) -> TensorDict:
        observations, masks, seats = (torch.from_numpy(part) for part in view)
        sign = 1.0 - 2.0 * seats.unsqueeze(1)
        return TensorDict({"observation": observations, "mask": masks.bool(), "sign": sign}, batch_size=len(seats))


class PointsOfPlayer0(nn.Module):
    """A network for the points of the player who decides, as player 0's."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, observation: torch.Tensor, sign: torch.Tensor) -> torch.Tensor:
        """Returns the values ``[..., 1]``."""
        values: torch.Tensor = sign * self.network(observation)
        return values


def network(features: int, outputs: int) -> nn.Module:
    """Returns a network with one hidden layer."""
    return nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, outputs))


class TorchRLPPO:
    """A network that learns from its own games.

    Attributes:
        policy: The network, from observations to logits.
        num_timesteps: The decisions learned from, of both players together.
    """

    GIVEN = "transitions"

    def __init__(self, game: Game, seed: int) -> None:
        torch.manual_seed(seed)
        torch.set_num_threads(1)  # for networks this small more are slower
        self.policy = network(game.num_features, game.num_actions)
        actor = ProbabilisticActor(
            TensorDictModule(self.policy, in_keys=["observation"], out_keys=["logits"]),
            in_keys=["logits", "mask"],
            distribution_class=MaskedCategorical,
            return_log_prob=True,
        )
        critic = ValueOperator(PointsOfPlayer0(network(game.num_features, 1)), in_keys=["observation", "sign"])
        self.advantages = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
        self.loss = ClipPPOLoss(
            actor, critic, entropy_coeff=0.2, critic_coeff=0.5, loss_critic_type="l2", normalize_advantage=True
        )
        self.optimizer = torch.optim.Adam(self.loss.parameters(), lr=5e-3, eps=1e-5)
        games = Games(game, seed)
        self.collector = Collector(
            games,
            actor,
            frames_per_batch=NUM_STEPS * games.batch_size.numel(),
            total_frames=-1,
            auto_register_policy_transforms=False,
        )
        self.rollouts = iter(self.collector)
        self.num_timesteps = 0

    def learn(self, num_timesteps: int) -> None:
        """Learns from at least so many more decisions."""
        goal = self.num_timesteps + num_timesteps
        while self.num_timesteps < goal:
            rollout = next(self.rollouts)
            with torch.no_grad():
                self.advantages(rollout)
            rollout["advantage"] *= rollout["sign"]  # to the player who decided
            decisions = rollout.reshape(-1)
            for _ in range(EPOCHS):
                for rows in torch.randperm(len(decisions)).chunk(MINIBATCHES):
                    losses = self.loss(decisions[rows])
                    self.optimizer.zero_grad()
                    (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
                    nn.utils.clip_grad_norm_(self.loss.parameters(), 0.5)
                    self.optimizer.step()
            self.num_timesteps += len(decisions)


def train(game: Game, decisions: int, seed: int) -> nn.Module:
    """Returns a network after so many decisions, of both players together."""
    learner = TorchRLPPO(game, seed)
    learner.learn(decisions)
    return learner.policy
