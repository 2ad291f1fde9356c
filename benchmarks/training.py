"""PPO learning Footsies against ``bayesian``, beside what Stable-Baselines3 can do at most, and beside SuperSuit.

The ceiling is the same PPO with an environment that does nothing, of the same spaces and as many games. SuperSuit is
the documented way from PettingZoo to Stable-Baselines3, here with PettingZoo's ``rps_v2``; both its players learn, and
each one's action is a step. It is measured as PettingZoo's tutorial sets it up, and with the settings of the others,
where a batch is the same part of what was collected. The network is the default one everywhere.

``policy_gradient`` learns by playing both seats, with its default settings: 1,024 games, two layers of 128 units, and
one pass over the decisions. PPO, with and without masks, has two layers of 64 units, and makes four passes.
"""

import warnings
from typing import Any

import numpy as np
import torch
from pettingzoo.classic import rps_v2
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv

from benchmarks.report import Row, row_of_rates
from benchmarks.timing import Work, compare, rates
from nashzoo import agents
from nashzoo.agents.learning.deep.policy_gradient import PolicyGradient
from nashzoo.envs import footsies_v0
from nashzoo.envs.api.sb3_vec_env import GameVecEnv
from nashzoo.envs.core.game import Game
from nashzoo.envs.vector.game_batch import GameBatch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its imports are deprecated in places
    import supersuit

NUM_ENVS = 2048
N_STEPS, BATCHES, EPOCHS = 32, 8, 4
PEER_COPIES = 64  # of a game for two
DOCUMENTED_COPIES, DOCUMENTED_BATCH = 8, 256
CEILING = 0.6  # the part of it to reach
TIMES_PEER = 50
TIMES_PPO = 3  # of policy gradient


class Nothing(VecEnv):
    """Shows always the same, pays nothing, and never ends."""

    def __init__(self, like: VecEnv) -> None:
        super().__init__(like.num_envs, like.observation_space, like.action_space)
        self._seen = np.zeros((like.num_envs, *like.observation_space.shape), np.float32)
        self._pay, self._ends = np.zeros(like.num_envs, np.float32), np.zeros(like.num_envs, np.bool_)

    def reset(self) -> Any:
        """Returns what is always seen."""
        return self._seen

    def step_async(self, actions: Any) -> None:
        """Does nothing."""

    def step_wait(self) -> Any:
        """Returns what is always returned."""
        return self._seen, self._pay, self._ends, [{} for _ in range(self.num_envs)]

    def close(self) -> None:
        """Does nothing."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Returns None for each game."""
        return [None] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Does nothing."""

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Does nothing."""
        return [None] * self.num_envs

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Returns False for each game."""
        return [False] * self.num_envs


def supersuit_env(copies: int) -> Any:
    """Returns copies of rock-paper-scissors as PettingZoo's documentation makes them for Stable-Baselines3."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = supersuit.pettingzoo_env_to_vec_env_v1(rps_v2.parallel_env())
        return supersuit.concat_vec_envs_v1(one, copies, num_cpus=1, base_class="stable_baselines3")


def learning(env: VecEnv, algorithm: Any = PPO, **settings: Any) -> Work:
    """Returns a work that collects once and learns from it."""
    model = algorithm("MlpPolicy", env, device="cpu", **settings)
    collected = model.n_steps * env.num_envs

    def work() -> int:
        model.learn(collected, reset_num_timesteps=False)
        return collected

    return work


def learning_both_seats(game: Game) -> Work:
    """Returns a work that lets policy gradient learn from as many decisions as PPO."""
    learner = PolicyGradient(game, 0)

    def work() -> int:
        before = learner.num_timesteps
        learner.learn(N_STEPS * NUM_ENVS)
        return learner.num_timesteps - before

    return work


def alike(env: VecEnv) -> dict[str, Any]:
    """Returns the settings that all have in common."""
    return {"n_steps": N_STEPS, "n_epochs": EPOCHS, "batch_size": N_STEPS * env.num_envs // BATCHES}


def run(repetitions: int) -> list[Row]:
    """Measures steps learned from per second."""
    game = footsies_v0.game()
    batch = GameVecEnv(GameBatch(game, NUM_ENVS, agents.make("bayesian", game)))
    nothing, copies = Nothing(batch), supersuit_env(PEER_COPIES)
    works = [learning(env, **alike(env)) for env in (batch, nothing, copies)]
    works += [
        learning(supersuit_env(DOCUMENTED_COPIES), batch_size=DOCUMENTED_BATCH),
        learning(batch, MaskablePPO, **alike(batch)),
        learning_both_seats(game),
    ]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # for networks this small more are slower
    ours, ceiling, same, documented, masked, gradient = rates(works, max(repetitions // 3, 1))
    torch.set_num_threads(threads)
    measure = f"PPO in Footsies against bayesian, {NUM_ENVS} games"
    peer = "PPO, PettingZoo rps_v2 and SuperSuit"
    both_seats = "policy_gradient in Footsies, both seats, decisions"
    return [
        row_of_rates(measure, compare(ours, ceiling), "steps/s", "PPO with an environment that does nothing", CEILING),
        row_of_rates(measure, compare(ours, documented), "steps/s", f"{peer}, as in the tutorial", TIMES_PEER),
        row_of_rates(measure, compare(ours, same), "steps/s", f"{peer}, {PEER_COPIES} copies, same settings"),
        row_of_rates(both_seats, compare(gradient, ours), "/s", measure, TIMES_PPO),
        row_of_rates(both_seats, compare(gradient, masked), "/s", f"Maskable{measure}", TIMES_PPO),
    ]
