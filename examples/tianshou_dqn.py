"""Tianshou's DQN on our vector environment, legal actions masked.

It learns tic-tac-toe, in both seats, from ``human``: a person who plays the best move seven times in ten. Games are not
sampled to see how good it is: after every epoch the network is measured exactly, and it has learned enough when nobody
can win from it.

Tianshou demands versions of its own: ``make ecosystem`` installs it apart, and runs this.

python examples/tianshou_dqn.py
"""

from copy import deepcopy
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import VectorEnv
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import BaseVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from nashzoo import agents
from nashzoo.baselines import best_response, evaluate, exploitability
from nashzoo.envs import tictactoe_v0

OPPONENT = "human"


class Games(BaseVectorEnv):
    """Our vector environment as one of Tianshou's, which look for the mask in the observation.

    Tianshou starts finished games again itself; ours are running again by then, and it is told how they begin.
    """

    def __init__(self, envs: VectorEnv[Any, Any, Any]) -> None:
        self.envs = envs
        self.is_async = False

    def __len__(self) -> int:
        return self.envs.num_envs

    def get_env_attr(self, key: str, id: Any = None) -> list[Any]:
        """Returns a space for each game."""
        return [getattr(self.envs, f"single_{key}")] * len(self)

    def reset(self, env_id: Any = None, **options: Any) -> tuple[Batch, Any]:
        """Returns what is seen in all games, which start anew, or at some whose games have ended."""
        if env_id is None:
            self._see(*self.envs.reset(**options))
            env_id = range(len(self))
        return self.seen[list(env_id)], np.array([{} for _ in env_id])

    def step(self, action: Any, id: Any = None) -> tuple[Batch, Any, Any, Any, Any]:
        """Plays an action in each game; where a game has ended, returns what was seen of it last."""
        observations, rewards, terminated, truncated, infos = self.envs.step(action)
        self._see(observations, infos)
        seen, ended = deepcopy(self.seen), terminated | truncated
        if ended.any():
            seen.obs[ended] = np.stack(infos["final_obs"][ended])
            seen.mask[ended] = infos["final_info"]["action_mask"][ended]
        return seen, rewards, terminated, truncated, np.array([{} for _ in ended])

    def close(self) -> None:
        """Closes the games."""
        self.envs.close()

    def _see(self, observations: Any, infos: dict[str, Any]) -> None:
        self.seen = Batch(obs=observations, mask=infos["action_mask"])


class Network:
    """What Tianshou has trained, with the probabilities that it plays with: all on the legal action it values most."""

    def __init__(self, policy: DiscreteQLearningPolicy[Net]) -> None:
        self.policy = policy

    def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
        """Returns the probabilities ``[B, actions]``."""
        with torch.no_grad():
            batch = self.policy(Batch(obs=Batch(obs=observations, mask=action_masks), info=Batch()))
        return np.eye(action_masks.shape[1])[batch.act]


def learn(epochs: int = 10, seed: int = 0) -> Network:
    """Returns a network which has learned until nobody can win from it, or for so many epochs."""
    torch.manual_seed(seed)
    np.random.seed(seed)  # Tianshou draws from NumPy's global generator
    torch.set_num_threads(1)  # for networks this small more are slower
    envs = gym.make_vec("nashzoo.envs:nashzoo/TicTacToe-v0", num_envs=64, opponent=OPPONENT, player="random")
    envs.reset(seed=seed)
    actions = int(envs.single_action_space.n)
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=envs.single_observation_space.shape, action_shape=actions, hidden_sizes=[128, 128]),
        action_space=envs.single_action_space,
        eps_training=0.2,
    )
    algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, target_update_freq=100)
    buffer = VectorReplayBuffer(total_size=100_000, buffer_num=envs.num_envs)
    params = OffPolicyTrainerParams(
        training_collector=Collector(algorithm, Games(envs), buffer, exploration_noise=True),
        max_epochs=epochs,
        epoch_num_steps=25_600,
        collection_step_num_env_steps=256,
        update_step_num_gradient_steps_per_sample=1 / 32,
        batch_size=512,
        show_progress=False,
        verbose=False,
    )
    trainer = algorithm.create_trainer(params)
    trainer.reset()
    game, network = tictactoe_v0.game(), Network(policy)
    for _ in range(epochs):
        trainer.execute_epoch()
        if exploitability(game, network) == 0:
            break
    envs.close()
    return network


def won(network: Network) -> tuple[float, float, float, float]:
    """Returns what a network wins from the opponent, then the most there is to win, in points a game.

    Each of them with crosses and with noughts.
    """
    game = tictactoe_v0.game()
    human = agents.make(OPPONENT, game)
    crosses, noughts = evaluate(game, network, human), -evaluate(game, human, network)
    return crosses, noughts, best_response(game, human, 0).value, best_response(game, human, 1).value


if __name__ == "__main__":
    network = learn()
    crosses, noughts, most_crosses, most_noughts = won(network)
    print(f"exploitability: {exploitability(tictactoe_v0.game(), network):.3f} points a game")
    print(f"against {OPPONENT}: {crosses:.3f} of {most_crosses:.3f} with crosses, {noughts:.3f} of {most_noughts:.3f}")
