"""R-NaD in one file, in the manner of CleanRL: regularised Nash dynamics, by which DeepNash learned Stratego.

nashzoo bench examples/r_nad.py:RNaD --suite hidden      # how well it learns where something is hidden
python examples/r_nad.py                                 # learns Kuhn poker, and measures the policy exactly

Each player is paid a little less for what the regularising policy would rarely do, and the other player as much more:
so play converges to an equilibrium of the changed game instead of going in circles. Then the policy that it has
converged to becomes the regularising one, and so on: the sequence of these converges to an equilibrium of the game.

Source: Perolat et al. (2022), "Mastering the game of Stratego with model-free multiagent reinforcement learning";
returns are whole ones, on policy, so that their v-trace is not needed.
"""

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from nashzoo.baselines import exploitability
from nashzoo.envs import Game, make_game
from nashzoo.envs.vector.both_seats import BothSeatsBatch

ILLEGAL = -1e9  # in place of the logit of an illegal action


@dataclass(frozen=True)
class Options:
    """The settings, the same in all games; payoffs are divided by the stake."""

    num_games: int = 128
    num_steps: int = 16  # of each game in an iteration
    eta: float = 0.1  # the weight of the regularisation
    period: int = 100  # iterations until the policy becomes the regularising one
    learning_rate: float = 5e-3
    average: float = 0.98  # of the weights that are played: what an iteration keeps of them
    clip: float = 10.0  # of advantages
    threshold: float = 2.0  # of logits, beyond which the policy is not pushed
    width: int = 128


class Network(nn.Module):
    """A network for the logits of the actions, and one for the value."""

    def __init__(self, features: int, actions: int, width: int) -> None:
        super().__init__()
        self.actor, self.critic = (
            nn.Sequential(
                nn.Linear(features, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, size)
            )
            for size in (actions, 1)
        )

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Returns the logits ``[B, actions]``; the exact measures need nothing else."""
        logits: torch.Tensor = self.actor(observations)
        return logits

    def logs(self, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Returns the logarithms of the probabilities ``[B, actions]``."""
        return self(observations).masked_fill(masks == 0, ILLEGAL).log_softmax(dim=-1)

    def value(self, observations: torch.Tensor) -> torch.Tensor:
        """Returns the values to the players who observe ``[B]``."""
        values: torch.Tensor = self.critic(observations).squeeze(-1)
        return values


class RNaD:
    """Networks that learn by regularised Nash dynamics from their own games.

    Args:
        game: The game.
        seed: Seed of all random numbers.
        options: The settings.

    Attributes:
        policy: The network that is played, with the mean of the latest weights.
        num_timesteps: The decisions learned from, of both players together.
    """

    GIVEN = "transitions"

    def __init__(self, game: Game, seed: int, options: Options = Options()) -> None:
        torch.manual_seed(seed)
        torch.set_num_threads(1)  # for networks this small more are slower
        self.options, self.batch = options, BothSeatsBatch(game, options.num_games)
        self.batch.seed(seed)
        self.batch.restart()
        self.view = self.batch.view()
        self.stake = max(game.at_stake(int(code)) for code in game.start_codes)
        self.network = Network(game.num_features, game.num_actions, options.width)
        self.policy, self.latest, self.earlier = (copy.deepcopy(self.network) for _ in range(3))
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=options.learning_rate, betas=(0.0, 0.999))
        self.num_timesteps = self.iterations = 0

    def learn(self, num_timesteps: int) -> None:
        """Learns from at least so many more decisions."""
        goal = self.num_timesteps + num_timesteps
        while self.num_timesteps < goal:
            self.improve(*self.play())
            self.iterations += 1
            if self.iterations % self.options.period == 0:
                self.earlier.load_state_dict(self.latest.state_dict())
                self.latest.load_state_dict(self.policy.state_dict())

    @torch.no_grad()
    def regularising(self, seen: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Returns the logarithms of the regularising policy, which changes slowly from one to the next."""
        share = min(1.0, 2 * (self.iterations % self.options.period) / self.options.period)
        return share * self.latest.logs(seen, masks) + (1 - share) * self.earlier.logs(seen, masks)

    @torch.no_grad()
    def play(self) -> tuple[torch.Tensor, ...]:
        """Plays some steps of each game; returns what each row saw, did, and won afterwards ``[steps, B, ...]``."""
        options, batch, game = self.options, self.batch, self.batch.game
        size = options.num_steps, batch.num_rows
        seen, masks = torch.zeros(*size, game.num_features), torch.zeros(*size, game.num_actions)
        played, rewards, ends, signs = torch.zeros(size, dtype=torch.int64), *(torch.zeros(size) for _ in range(3))
        for step in range(options.num_steps):
            seen[step], masks[step] = torch.from_numpy(self.view.observations), torch.from_numpy(self.view.masks)
            played[step] = self.network.logs(seen[step], masks[step]).exp().multinomial(1).squeeze(1)
            result = batch.step_and_restart(played[step].numpy())
            # The value of the next state is that of its player; where the turn has passed it is the other's loss.
            signs[step] = torch.from_numpy(np.where(batch.turned, -1.0, 1.0))
            rewards[step] = torch.from_numpy(result.outcome.rewards) / self.stake
            ends[step] = torch.from_numpy(result.outcome.terminated | result.outcome.truncated)
            self.view = result.view
        costs = options.eta * (self.network.logs(seen, masks) - self.regularising(seen, masks))
        cost = costs.gather(2, played[..., None]).squeeze(2)
        if batch.num_rows > options.num_games:  # both choose at once, and the other's cost is a gain
            rewards += cost.view(options.num_steps, 2, -1).flip(1).reshape(size)
        later, won = self.network.value(torch.from_numpy(self.view.observations)), torch.zeros(size)
        for step in reversed(range(options.num_steps)):
            won[step] = rewards[step] + (1 - ends[step]) * signs[step] * later
            later = won[step] - cost[step]
        return seen, masks, played, won, costs

    def improve(self, *data: torch.Tensor) -> None:
        """Improves the network by what :meth:`play` has returned, by neural replicator dynamics."""
        options, network = self.options, self.network
        seen, masks, played, won, costs = (part.flatten(0, 1) for part in data)
        logits = network(seen) * masks
        logits = logits - (logits.sum(dim=1) / masks.sum(dim=1))[:, None] * masks
        values = network.value(seen)
        with torch.no_grad():
            policy = network.logs(seen, masks).exp()
            likely = policy.gather(1, played[:, None])
            before = values[:, None] + (policy * costs).sum(dim=1, keepdim=True)  # the value without the own cost
            worth = before - costs
            worth.scatter_add_(1, played[:, None], (won[:, None] - before) / likely)
            gains = ((worth - (policy * worth).sum(dim=1, keepdim=True)) * masks).clamp(-options.clip, options.clip)
            pushed = torch.where(gains > 0, logits < options.threshold, logits > -options.threshold)
            target = won - costs.gather(1, played[:, None]).squeeze(1)
        loss = (values - target).pow(2).mean() - (logits * gains * pushed).sum(dim=1).mean()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 10.0)
        self.optimizer.step()
        self.num_timesteps += len(played)
        with torch.no_grad():
            for mean, now in zip(self.policy.parameters(), network.parameters(), strict=True):
                mean.lerp_(now, 1 - options.average)


if __name__ == "__main__":
    kuhn: Any = make_game("nashzoo.examples.kuhn")
    learner = RNaD(kuhn, seed=0)
    learner.learn(1_000_000)
    print(f"exploitability {exploitability(kuhn, learner.policy):.3f} points a game")
