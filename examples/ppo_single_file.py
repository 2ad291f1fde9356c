"""PPO in one file, in the manner of CleanRL: PyTorch and our vector environment, nothing else.

It learns Footsies against ``counter``, which chooses by the last move alone and so can be predicted. The network's
points per game are then computed exactly, and compared with those of the best response.

python examples/ppo_single_file.py
"""

from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from nashzoo import agents
from nashzoo.baselines import best_response, evaluate
from nashzoo.envs import footsies_v0


@dataclass
class Options:
    """The settings."""

    opponent: str = "counter"
    num_envs: int = 512
    iterations: int = 40
    num_steps: int = 16  # per environment and iteration
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 3e-3
    gamma: float = 1.0  # games are short, with the reward at the end
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    value_weight: float = 0.5
    seed: int = 0


class Network(nn.Module):
    """A network for the logits of the actions, and one for the value."""

    def __init__(self, features: int, actions: int) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, actions))
        self.critic = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Returns the logits ``[B, actions]``; the exact measures need nothing else."""
        logits: torch.Tensor = self.actor(observations)
        return logits

    def policy(self, observations: torch.Tensor, masks: torch.Tensor) -> Categorical:
        """Returns the distribution over the legal actions."""
        return Categorical(logits=self(observations).masked_fill(masks == 0, -1e9))

    def value(self, observations: torch.Tensor) -> torch.Tensor:
        """Returns the values ``[B]``."""
        values: torch.Tensor = self.critic(observations).squeeze(-1)
        return values


def train(options: Options) -> Network:
    """Returns a trained network."""
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # for networks this small more are slower
    envs = gym.make_vec("nashzoo.envs:nashzoo/Footsies-v0", num_envs=options.num_envs, opponent=options.opponent)
    features, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    network = Network(features, actions)
    optimizer = torch.optim.Adam(network.parameters(), lr=options.learning_rate, eps=1e-5)

    size = options.num_steps, options.num_envs
    seen, masks = torch.zeros(*size, features), torch.zeros(*size, actions)
    played, logprobs = torch.zeros(size, dtype=torch.int64), torch.zeros(size)
    rewards, ends, values = torch.zeros(size), torch.zeros(size), torch.zeros(size)
    observations, infos = envs.reset(seed=options.seed)
    for _ in range(options.iterations):
        for step in range(options.num_steps):
            seen[step] = torch.from_numpy(observations)
            masks[step] = torch.from_numpy(infos["action_mask"])
            with torch.no_grad():
                policy = network.policy(seen[step], masks[step])
                played[step] = policy.sample()
                logprobs[step], values[step] = policy.log_prob(played[step]), network.value(seen[step])
            observations, pay, terminated, truncated, infos = envs.step(played[step].numpy())
            pay = pay.copy()
            if truncated.any():  # cut off, so the critic's value of the last state is added
                rows = np.flatnonzero(truncated)
                with torch.no_grad():
                    last = torch.from_numpy(np.stack(infos["final_obs"][rows]))
                    pay[rows] += options.gamma * network.value(last).numpy()
            rewards[step] = torch.from_numpy(pay)
            ends[step] = torch.from_numpy(terminated | truncated)

        advantages = torch.zeros(size)
        with torch.no_grad():
            later, ahead = network.value(torch.from_numpy(observations)), torch.zeros(options.num_envs)
        for step in reversed(range(options.num_steps)):
            on = 1 - ends[step]
            surprise = rewards[step] + options.gamma * later * on - values[step]
            ahead = surprise + options.gamma * options.gae_lambda * on * ahead
            advantages[step], later = ahead, values[step]

        flat = [data.flatten(0, 1) for data in (seen, masks, played, logprobs, advantages, advantages + values)]
        for _ in range(options.epochs):
            for rows in torch.randperm(len(flat[0])).chunk(options.minibatches):
                looked, legal, acted, before, advantage, target = (data[rows] for data in flat)
                policy = network.policy(looked, legal)
                ratio = (policy.log_prob(acted) - before).exp()
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                clipped = ratio.clamp(1 - options.clip, 1 + options.clip)
                gain = torch.min(ratio * advantage, clipped * advantage).mean()
                error = (network.value(looked) - target).pow(2).mean() / 2
                loss = options.value_weight * error - gain - options.entropy * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimizer.step()
    envs.close()
    return network


def main(options: Options) -> tuple[float, float]:
    """Trains; returns the network's points a game against the opponent, and those of the best response."""
    game = footsies_v0.game()
    opponent = agents.make(options.opponent, game)
    network = train(options)
    return evaluate(game, network, opponent), best_response(game, opponent, 0).value


if __name__ == "__main__":
    won, most = main(Options())
    print(f"{won:.3f} points a game; the best response wins {most:.3f}")
