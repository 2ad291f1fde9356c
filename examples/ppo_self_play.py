"""Self-play PPO in one file, in the manner of CleanRL: one network plays both seats and learns from both.

nashzoo bench examples/ppo_self_play.py:PPO              # how well it learns, in all games of a benchmark
nashzoo bench examples/ppo_self_play.py:WholeGamePPO --suite hidden    # the same where something is hidden
nashzoo check-trainer examples/ppo_self_play.py:train    # whether it has mistakes; train_aec is the same for PettingZoo
python examples/ppo_self_play.py                         # learns Footsies, and measures the policy exactly
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from nashzoo.baselines import exploitability
from nashzoo.baselines.policies.tabular import as_policy
from nashzoo.envs import Game, footsies_v0
from nashzoo.envs.vector.both_seats import BothSeatsBatch

LEARNER = -1  # in place of an opponent's number
DECISIONS = 500  # between two updates, of games that are played one after the other


@dataclass(frozen=True)
class Options:
    """The settings."""

    num_games: int = 64
    num_steps: int = 16  # of each game in an iteration
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 5e-3
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.2  # large enough that play that must mix does not go in circles
    value_weight: float = 0.5
    width: int = 64
    observation: str = "compact"  # or "one_hot", from which networks learn faster


WHOLE_GAMES = Options(num_games=256, learning_rate=1e-3, gamma=1.0, gae_lambda=1.0, observation="one_hot")


class Network(nn.Module):
    """A network for the logits of the actions, and one for the value."""

    def __init__(self, features: int, actions: int, width: int) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(features, width), nn.Tanh(), nn.Linear(width, actions))
        self.critic = nn.Sequential(nn.Linear(features, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Returns the logits ``[B, actions]``; the exact measures need nothing else."""
        logits: torch.Tensor = self.actor(observations)
        return logits

    def policy(self, observations: torch.Tensor, masks: torch.Tensor) -> Categorical:
        """Returns the distribution over the legal actions."""
        return Categorical(logits=self(observations).masked_fill(masks == 0, -1e9))

    def value(self, observations: torch.Tensor) -> torch.Tensor:
        """Returns the values to the players who observe ``[B]``."""
        values: torch.Tensor = self.critic(observations).squeeze(-1)
        return values


class Games:
    """Running games with a row for every decision, and who plays in each row.

    Without opponents the learner plays both seats. Else it plays one, drawn for every game, and an opponent, drawn for
    every game, the other.
    """

    def __init__(self, game: Game, options: Options, opponents: Sequence[Any], rng: np.random.Generator) -> None:
        num_games = options.num_games
        self.batch = BothSeatsBatch(game, num_games, observation=options.observation)
        self.batch.seed(int(rng.integers(2**32)))
        self.batch.restart()
        self.game_of_row = np.arange(self.batch.num_rows) % num_games
        self.opponents, self.rng = [as_policy(opponent, game) for opponent in opponents], rng
        self.players = np.full((num_games, 2), LEARNER)
        self.view = self.batch.view()
        self.draw_players(np.arange(num_games))

    def draw_players(self, games: np.ndarray) -> None:
        """Draws the players of some games."""
        if self.opponents:
            self.players[games] = LEARNER
            self.players[games, self.rng.integers(2, size=len(games))] = self.rng.integers(
                len(self.opponents), size=len(games)
            )

    def players_of_rows(self) -> np.ndarray:
        """Returns who plays in each row ``[B]``: the number of an opponent, or LEARNER."""
        return self.players[self.game_of_row, self.batch.seats]

    def with_opponents(self, actions: np.ndarray) -> np.ndarray:
        """Returns the actions ``[B]`` with those of the opponents in their rows."""
        players = self.players_of_rows()
        for number, opponent in enumerate(self.opponents):
            rows = np.flatnonzero(players == number)
            chances = opponent.action_probabilities(self.view.observations[rows], self.view.masks[rows])
            actions[rows] = (np.cumsum(chances, axis=1)[:, :-1] <= self.rng.random((len(rows), 1))).sum(axis=1)
        return actions

    def step(self, actions: np.ndarray) -> Any:
        """Plays an action in every row; finished games start anew, with other players."""
        result = self.batch.step_and_restart(actions)
        self.view = result.view
        self.draw_players(np.unique(self.game_of_row[result.ended]))
        return result


class PPO:
    """A network that learns from its own games, in pieces of any length.

    Args:
        game: The game.
        seed: Seed of all random numbers.
        total_timesteps: The decisions over which the learning rate falls to 0; it stays as it is when None.
        opponents: Policies to play against, one drawn for every game; without any the learner plays itself. If the last
            is a network, learning goes on from a copy of it.
        options: The settings.

    Attributes:
        policy: The network.
        num_timesteps: The decisions learned from, of both players together.
    """

    GIVEN = "transitions"

    def __init__(
        self,
        game: Game,
        seed: int,
        total_timesteps: int | None = None,
        opponents: Sequence[Any] = (),
        options: Options = Options(),
    ) -> None:
        torch.manual_seed(seed)
        torch.set_num_threads(1)  # for networks this small more are slower
        self.options, self.total_timesteps = options, total_timesteps
        self.games = Games(game, options, opponents, np.random.default_rng(seed))
        self.policy = Network(self.games.view.observations.shape[1], game.num_actions, options.width)
        if opponents and isinstance(opponents[-1], Network):
            self.policy = copy.deepcopy(opponents[-1])  # which goes on from the latest
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=options.learning_rate, eps=1e-5)
        self.num_timesteps = 0

    def learn(self, num_timesteps: int) -> None:
        """Learns from at least so many more decisions."""
        goal = self.num_timesteps + num_timesteps
        while self.num_timesteps < goal:
            if self.total_timesteps is not None:
                left = max(1 - self.num_timesteps / self.total_timesteps, 0)
                self.optimizer.param_groups[0]["lr"] = self.options.learning_rate * left
            data = self.play()
            self.improve(data)
            self.num_timesteps += data[0][..., 0].numel()

    def play(self) -> tuple[torch.Tensor, ...]:
        """Plays some steps of each game; returns what the update needs of each step and row ``[steps, B, ...]``."""
        options, network, games, batch = self.options, self.policy, self.games, self.games.batch
        size = options.num_steps, batch.num_rows
        seen, masks = torch.zeros(*size, games.view.observations.shape[1]), torch.zeros(*size, batch.game.num_actions)
        played, logprobs, learns = torch.zeros(size, dtype=torch.int64), torch.zeros(size), torch.zeros(size)
        rewards, ends, signs, values = (torch.zeros(size) for _ in range(4))
        for step in range(options.num_steps):
            seen[step] = torch.from_numpy(games.view.observations)
            masks[step] = torch.from_numpy(games.view.masks)
            learns[step] = torch.from_numpy(games.players_of_rows() == LEARNER)
            with torch.no_grad():
                policy = network.policy(seen[step], masks[step])
                played[step] = torch.from_numpy(games.with_opponents(policy.sample().numpy()))
                logprobs[step], values[step] = policy.log_prob(played[step]), network.value(seen[step])
            result = games.step(played[step].numpy())
            ended, outcome = result.ended, result.outcome
            # The value of the next state is that of its player; where the turn has passed it is the other's loss.
            signs[step] = torch.from_numpy(np.where(batch.turned, -1.0, 1.0))
            rewards[step] = torch.from_numpy(outcome.rewards)
            ends[step] = torch.from_numpy(outcome.terminated | outcome.truncated)
            with torch.no_grad():  # a game that was cut off goes on in the critic's eyes
                last = network.value(torch.from_numpy(result.last.observations))
            cut_off = torch.from_numpy(outcome.truncated[ended])
            rewards[step, ended] += options.gamma * signs[step, ended] * last * cut_off

        advantages = torch.zeros(size)
        with torch.no_grad():
            later, ahead = network.value(torch.from_numpy(games.view.observations)), torch.zeros(batch.num_rows)
        for step in reversed(range(options.num_steps)):
            on = (1 - ends[step]) * signs[step]
            surprise = rewards[step] + options.gamma * on * later - values[step]
            ahead = surprise + options.gamma * options.gae_lambda * on * ahead
            advantages[step], later = ahead, values[step]
        return seen, masks, played, logprobs, learns, advantages, advantages + values

    def improve(self, data: tuple[torch.Tensor, ...]) -> None:
        """Improves the network by what :meth:`play` has returned."""
        options, network = self.options, self.policy
        flat = [part.flatten(0, 1) for part in data]
        for _ in range(options.epochs):
            for rows in torch.randperm(len(flat[0])).chunk(options.minibatches):
                looked, legal, acted, before, own, advantage, target = (part[rows] for part in flat)
                policy = network.policy(looked, legal)
                ratio = (policy.log_prob(acted) - before).exp()
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                clipped = ratio.clamp(1 - options.clip, 1 + options.clip)
                gain = (own * torch.min(ratio * advantage, clipped * advantage)).mean()
                error = (network.value(looked) - target).pow(2).mean() / 2
                loss = options.value_weight * error - gain - options.entropy * (own * policy.entropy()).mean()
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                self.optimizer.step()


class AECPPO(PPO):
    """A network that learns from games of an ``AECEnv`` of PettingZoo with masks; arguments and attributes as in PPO.

    What an agent wins between its decisions comes with its next observation, or when it leaves the game: ``last()``
    gives both. So each agent has a trajectory of its own, in which no value is another agent's.
    """

    def __init__(self, env: Any, seed: int, total_timesteps: int | None = None, options: Options = Options()) -> None:
        torch.manual_seed(seed)
        torch.set_num_threads(1)  # for networks this small more are slower
        self.env, self.options, self.total_timesteps, self.num_timesteps = env, options, total_timesteps, 0
        agent = env.possible_agents[0]
        features = env.observation_space(agent)["observation"].shape[0]
        self.policy = network = Network(features, int(env.action_space(agent).n), options.width)
        self.optimizer = torch.optim.Adam(network.parameters(), lr=options.learning_rate, eps=1e-5)
        env.reset(seed=seed)

    @torch.no_grad()
    def play(self) -> tuple[torch.Tensor, ...]:
        """Plays games; returns what the update needs of each decision ``[1, B, ...]``."""
        rows: list[tuple[Any, ...]] = []
        while len(rows) < DECISIONS:
            trajectories = self.game()
            for steps, rewards, later in trajectories.values():
                rows += self.with_advantages(steps, rewards, later)
        seen, masks, actions, logprobs, advantages, targets = (
            torch.stack(part)[None] for part in zip(*rows, strict=True)
        )
        return seen, masks, actions, logprobs, torch.ones_like(logprobs), advantages, targets

    def game(self) -> dict[str, Any]:
        """Plays a game; returns of each agent its decisions, the reward after each, and the value after the last."""
        env = self.env
        env.reset()
        steps, rewards = ({agent: [] for agent in env.possible_agents} for _ in range(2))
        later = dict.fromkeys(env.possible_agents, torch.tensor(0.0))
        for agent in env.agent_iter():
            view, reward, terminated, truncated, _ = env.last()
            seen, mask = torch.from_numpy(view["observation"]), torch.from_numpy(view["action_mask"])
            rewards[agent].append(reward)
            if terminated or truncated:
                if not terminated:  # a game that was cut off goes on in the critic's eyes
                    later[agent] = self.policy.value(seen)
                env.step(None)
                continue
            chances = self.policy.policy(seen, mask)
            action = chances.sample()
            steps[agent].append((seen, mask, action, chances.log_prob(action), self.policy.value(seen)))
            env.step(int(action))
        return {agent: (steps[agent], rewards[agent][1:], later[agent]) for agent in steps}

    def with_advantages(self, steps: list[Any], rewards: list[float], later: torch.Tensor) -> list[tuple[Any, ...]]:
        """Returns the decisions of a trajectory with their advantages and the targets of their values."""
        options, ahead, rows = self.options, torch.tensor(0.0), []
        for (*decision, value), reward in zip(reversed(steps), reversed(rewards), strict=True):
            ahead = reward + options.gamma * later - value + options.gamma * options.gae_lambda * ahead
            rows.append((*decision, ahead, ahead + value))
            later = value
        return rows


class WholeGamePPO(PPO):
    """PPO for games in which something is hidden: one-hot inputs, and advantages from returns of whole games.

    What a network sees does not tell the value of a state there, and values that are off mislead what builds on them.
    """

    def __init__(self, game: Game, seed: int) -> None:
        super().__init__(game, seed, options=WHOLE_GAMES)


def train(
    game: Game, decisions: int, seed: int = 0, opponents: Sequence[Any] = (), options: Options = Options()
) -> Network:
    """Returns a network after so many decisions, of both players together; the learning rate falls to 0."""
    learner = PPO(game, seed, decisions, opponents, options)
    learner.learn(decisions)
    return learner.policy


def train_aec(aec_env: Any, decisions: int, seed: int, options: Options = Options()) -> Network:
    """Returns a network after so many decisions, of both agents together; the learning rate falls to 0."""
    taught = AECPPO(aec_env, seed, decisions, options)
    taught.learn(decisions)
    return taught.policy


if __name__ == "__main__":
    footsies = footsies_v0.game()
    learned = train(footsies, 2_000_000)
    print(f"exploitability {exploitability(footsies, learned):.3f} points a game")
