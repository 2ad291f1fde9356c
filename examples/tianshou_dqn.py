"""Tianshou's DQN on our vector environment, legal actions masked.

It learns tic-tac-toe, in both seats, against ``human``, a model of a person who plays the best move seven times in ten.
After every epoch the network's exploitability is computed exactly, without sampling games; training ends when it is 0.

Tianshou needs other versions of packages: ``make ecosystem`` installs it separately, and runs this.

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
    """Our vector environment as one of Tianshou's, with the mask in the observation.

    Tianshou resets finished games itself; ours have restarted already, and :meth:`reset` returns their observations.
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
        """Resets all games and returns observations; with ``env_id`` returns those of games that have restarted."""
        if env_id is None:
            self._see(*self.envs.reset(**options))
            env_id = range(len(self))
        return self.seen[list(env_id)], np.array([{} for _ in env_id])

    def step(self, action: Any, id: Any = None) -> tuple[Batch, Any, Any, Any, Any]:
        """Plays an action in each game; where a game has ended, returns its last observation."""
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
    """The policy that Tianshou has trained, with action probabilities: 1 for the best legal action."""

    def __init__(self, policy: DiscreteQLearningPolicy[Net]) -> None:
        self.policy = policy

    def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
        """Returns the probabilities ``[B, actions]``."""
        with torch.no_grad():
            batch = self.policy(Batch(obs=Batch(obs=observations, mask=action_masks), info=Batch()))
        return np.eye(action_masks.shape[1])[batch.act]


def learn(epochs: int = 10, seed: int = 0) -> Network:
    """Returns a network trained until its exploitability is 0, or for ``epochs``."""
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
    """Returns a network's points a game against the opponent, then those of the best response.

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
