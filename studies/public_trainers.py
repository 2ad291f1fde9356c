"""Public ways of training in self-play, written anew from their descriptions, and what ``check-trainer`` says to them.

python -m studies.public_trainers --seeds 10            # a line for each way, probe and seed
nashzoo check-trainer studies/public_trainers.py:sb3    # one of them

Each has its own settings, and the first two their own length of training, so that they are measured as they are used.
Sources: PettingZoo's tutorials, as of August 2026, of Stable-Baselines3 on connect four,
https://pettingzoo.farama.org/tutorials/sb3/connect_four/, of which
https://github.com/Farama-Foundation/PettingZoo/issues/1147 asks why it does not learn, and of CleanRL,
https://pettingzoo.farama.org/tutorials/cleanrl/implementing_PPO/; AgileRL's, of the same time, of DQN on connect four,
https://docs.agilerl.com/en/latest/tutorials/pettingzoo/dqn.html. AgileRL 2.58 demands an older PettingZoo, which it is
installed without (``pip install --no-deps``).
"""

import argparse
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from typing import Any

import gymnasium
import numpy as np
import torch
from pettingzoo.utils import BaseWrapper
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker
from stable_baselines3.common.callbacks import BaseCallback
from torch import nn
from torch.distributions import Categorical

from nashzoo import agents
from nashzoo.arena.trainer_checks import check_trainer
from nashzoo.arena.trainer_probes import PROBES
from nashzoo.envs import Game

STEPS = 20_480  # of the tutorial


class BothInOne(BaseWrapper, gymnasium.Env):  # type: ignore[misc]  # neither has type information
    """An ``AECEnv`` as an environment of one agent, which moves for both: as in the tutorial.

    After each step it sees what the next player sees, and is given the reward of the one who has moved.
    """

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts a game."""
        super().reset(seed, options)
        agent = self.possible_agents[0]
        self.observation_space = super().observation_space(agent)["observation"]
        self.action_space = super().action_space(agent)
        return self.seen(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays the move of who is to move."""
        mover = self.agent_selection
        super().step(action)
        ends = self.terminations[mover], self.truncations[mover]
        return self.seen(), self._cumulative_rewards[mover], *ends, {}

    def seen(self) -> Any:
        """Returns the observation of who is to move."""
        return self.observe(self.agent_selection)["observation"]

    def legal(self) -> Any:
        """Returns the mask of who is to move."""
        return self.observe(self.agent_selection)["action_mask"]


def sb3(aec_env: Any, decisions: int, seed: int) -> MaskablePPO:
    """Trains one model for both players, in one environment."""
    torch.set_num_threads(1)  # for networks this small more are slower
    env = BothInOne(aec_env)
    env.reset(seed=seed)
    model = MaskablePPO("MlpPolicy", ActionMasker(env, lambda masked: masked.legal()), device="cpu", seed=seed)
    return model.learn(STEPS)


def sb3_mended(gymnasium_env: Any, decisions: int, seed: int) -> MaskablePPO:
    """Trains the same model in a seat drawn for every game, against itself, who plays inside the environment."""
    torch.set_num_threads(1)
    model = MaskablePPO("MlpPolicy", gymnasium_env, device="cpu", seed=seed)
    gymnasium_env.batch.opponent = agents.as_agent(model, gymnasium_env.game)
    return model.learn(STEPS)


def sb3_copies(gymnasium_env: Any, decisions: int, seed: int) -> MaskablePPO:
    """Trains against a copy of the model, drawn from those saved before each rollout: self-play by a callback."""
    torch.set_num_threads(1)
    model, rng = MaskablePPO("MlpPolicy", gymnasium_env, device="cpu", seed=seed), np.random.default_rng(seed)
    copies: list[Any] = []

    class OldCopies(BaseCallback):
        """Draws the opponent, also in the middle of a game."""

        def _on_rollout_start(self) -> None:
            model.save(file := BytesIO())
            file.seek(0)
            copies.append(agents.as_agent(MaskablePPO.load(file, device="cpu"), gymnasium_env.game))
            gymnasium_env.batch.opponent = copies[rng.integers(len(copies))]

        def _on_step(self) -> bool:
            return True

    return model.learn(STEPS, callback=OldCopies())


class OneSeat:
    """Games of one learner, whose opponent moves inside :meth:`step`: as in the tutorial of AgileRL.

    Args:
        env_fn: Makes the games.
        seats: Those of the learner, one of which is drawn for every game.
        rng: Draws them.
    """

    def __init__(self, env_fn: Any, seats: Sequence[int], rng: np.random.Generator) -> None:
        self.envs, self.seats, self.rng = [env_fn.env() for _ in range(32)], seats, rng
        self.learners = [""] * len(self.envs)  # their names

    def reset(self, number: int) -> None:
        """Starts a game again."""
        env = self.envs[number]
        env.reset(seed=int(self.rng.integers(2**31)))
        self.learners[number] = env.possible_agents[self.rng.choice(self.seats)]

    def seen(self, key: str, numbers: Iterable[int]) -> Any:
        """Returns what those who are to move see in these games, or may do ``[games, size]``."""
        return np.stack([self.envs[number].observe(self.envs[number].agent_selection)[key] for number in numbers])

    def step(self, actions: Any, opponent: Any) -> tuple[Any, Any]:
        """Plays the learner's actions, if any, and the opponent's; returns rewards, and 1 where a game has ended."""
        rewards, over = np.zeros((2, len(self.envs), 1), np.float32)
        moves = dict(enumerate(actions))
        while True:
            for number, action in moves.items():
                env, learner = self.envs[number], self.learners[number]
                env.step(int(action))
                rewards[number] += 0.0 if over[number] else env.rewards[learner]
                if env.terminations[learner] or env.truncations[learner]:
                    over[number] = 1.0
                    self.reset(number)
            waiting = [n for n, env in enumerate(self.envs) if env.agent_selection != self.learners[n]]
            if not waiting:
                return rewards, over
            replies = opponent.get_action(self.seen("observation", waiting), 0.0, self.seen("action_mask", waiting))
            moves = dict(zip(waiting, replies, strict=True))


class Best:
    """The policy that plays the action of the highest value of a network of double precision."""

    def __init__(self, network: nn.Module) -> None:
        self.network = network  # of single precision the best may differ with the batch

    @torch.no_grad()
    def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
        """Returns 1 for the best legal action, 0 for the others ``[B, actions]``."""
        values = self.network(torch.as_tensor(observations).double())
        best = values.masked_fill(torch.as_tensor(action_masks) == 0, -torch.inf).argmax(dim=1).numpy()
        return np.eye(action_masks.shape[1])[best]


def agilerl(env_fn: Any, decisions: int, seed: int, seats: Sequence[int] = (0,)) -> Any:
    """Trains AgileRL's DQN with the last lesson of its tutorial: as player 0, against copies of itself.

    An opponent is drawn from six for every 100 steps, and the oldest of them replaced after five times as many. Rewards
    are the game's; there is one learner, as the tutorial's population evolves by its results against scripts.
    """
    from agilerl.algorithms.dqn import DQN
    from agilerl.components.replay_buffer import ReplayBuffer
    from tensordict import TensorDict

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    games = OneSeat(env_fn, seats, rng := np.random.default_rng(seed))
    env, numbers = games.envs[0], range(len(games.envs))
    agent = DQN(
        env.observation_space(name := env.possible_agents[0])["observation"],
        env.action_space(name),
        net_config={"encoder_config": {"hidden_size": [64]}, "head_config": {"hidden_size": [64, 64]}},
        batch_size=256,
        lr=1e-4,
        learn_step=1,
        tau=0.01,
    )
    memory, pool, epsilon, steps = ReplayBuffer(10_000), deque([agent.clone() for _ in range(6)], 6), 1.0, 0
    while 2 * steps * len(numbers) < decisions:
        opponent = pool[rng.integers(len(pool))]
        for number in numbers:
            games.reset(number)
        games.step([], opponent)
        for _ in range(100):
            seen = games.seen("observation", numbers)
            actions = agent.get_action(seen, epsilon, games.seen("action_mask", numbers))
            rewards, over = games.step(actions, opponent)
            row = {"obs": seen, "action": actions[:, None], "reward": rewards, "done": over}
            row["next_obs"] = games.seen("observation", numbers)
            memory.add(TensorDict({key: torch.as_tensor(part) for key, part in row.items()}, len(numbers)))
            if len(memory) >= agent.batch_size:
                agent.learn(memory.sample(agent.batch_size))
        steps += 100
        epsilon = max(0.1, epsilon * 0.9995**6)  # for each of a population of six
        if steps % 500 == 0:
            pool.append(agent.clone())
    return Best(agent.actor.double())


def agilerl_mended(env_fn: Any, decisions: int, seed: int) -> Any:
    """Trains in a seat that is drawn for every game."""
    return agilerl(env_fn, decisions, seed, seats=(0, 1))


def openspiel_nfsp(game: Game, decisions: int, seed: int) -> Any:
    """Trains by OpenSpiel's neural fictitious self-play, with the settings of its example for Leduc poker."""
    from examples.openspiel_learners import NFSP

    learner = NFSP(game, seed)
    learner.learn(decisions)
    return learner.policy


def cleanrl(parallel_env: Any, decisions: int, seed: int, right: bool = False) -> nn.Module:
    """Trains a network by PPO on one episode after the other, as the tutorial of CleanRL's does.

    There the last step of an episode, with its reward, is left out, and the next value counts only where the episode
    has ended. Masks are ours. ``right`` mends both.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    env, (agent, _) = parallel_env, parallel_env.possible_agents
    features, actions = env.observation_space(agent)["observation"].shape[0], int(env.action_space(agent).n)
    actor, critic = (
        nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, outputs)) for outputs in (actions, 1)
    )
    optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=0.001, eps=1e-5)
    env.reset(seed=seed)
    played = 0
    while played < decisions:
        views, _ = env.reset()
        steps: list[Any] = []
        while env.agents:
            seen, masks = (
                torch.tensor([list(v[key]) for v in views.values()]) for key in ("observation", "action_mask")
            )
            with torch.no_grad():
                policy, values = Categorical(logits=actor(seen).masked_fill(masks == 0, -1e9)), critic(seen)[:, 0]
                actions = policy.sample()
            step = dict(zip(env.possible_agents, actions.tolist(), strict=True))
            views, rewards, ends, _, _ = env.step(step)
            over = float(all(ends.values()))
            steps.append(
                (seen, masks, actions, policy.log_prob(actions), values, torch.tensor([*rewards.values()]), over)
            )
        played += 2 * len(steps)
        with torch.no_grad():
            last = critic(torch.tensor([list(v["observation"]) for v in views.values()]))[:, 0]
        later = [(values, 1.0 if right else over) for *_, values, _, over in steps[1:]] + [(last, 1.0 - steps[-1][-1])]
        ahead, rows = torch.zeros(2), []
        for (*decision, values, rewards, _), (value, weight) in reversed(
            list(zip(steps, later, strict=True))[: None if right else -1]
        ):
            ahead = rewards + 0.99 * value * weight - values + 0.99**2 * ahead
            rows += list(zip(*decision, values, ahead, strict=True))
        for _ in range(3 if rows else 0):  # an episode of one step leaves nothing
            for some in torch.randperm(len(rows)).split(32):
                seen, masks, actions, before, old, advantages = map(
                    torch.stack, zip(*(rows[i] for i in some), strict=True)
                )
                policy, values = Categorical(logits=actor(seen).masked_fill(masks == 0, -1e9)), critic(seen)[:, 0]
                ratio = (policy.log_prob(actions) - before).exp()
                gain = torch.min(ratio * advantages, ratio.clamp(0.9, 1.1) * advantages).mean()
                error = (values - old - advantages).pow(2).mean() / 2
                optimizer.zero_grad()
                (0.1 * error - gain - 0.1 * policy.entropy().mean()).backward()
                optimizer.step()
    return actor


def cleanrl_mended(parallel_env: Any, decisions: int, seed: int) -> nn.Module:
    """Trains by all steps, and counts the next value where the episode goes on."""
    return cleanrl(parallel_env, decisions, seed, right=True)


TRAINERS: dict[str, Callable[..., Any]] = {
    one.__name__: one
    for one in (sb3, sb3_mended, sb3_copies, cleanrl, cleanrl_mended, agilerl, agilerl_mended, openspiel_nfsp)
}


def main() -> None:
    """Prints what each way loses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--trainers", nargs="+", default=list(TRAINERS), choices=TRAINERS)
    parser.add_argument("--probes", nargs="+", default=[probe.name for probe in PROBES if probe.opponents is None])
    parser.add_argument("--factor", type=float, default=1.0, help="of the probes' decisions, where these count")
    options = parser.parse_args()
    for name in options.trainers:
        for seed in range(options.seeds):
            for finding in check_trainer(TRAINERS[name], seed, options.probes, options.factor):
                losses = " ".join(f"{loss:.3f}" for loss in finding.losses)
                print(f"{name}, seed {seed}, {finding.probe.name}: {losses or finding.error}", flush=True)


if __name__ == "__main__":
    main()
