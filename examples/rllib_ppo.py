"""RLlib's PPO on our PettingZoo environments.

With ``ParallelPettingZooEnv`` in Footsies, where both move at once: player 0 learns, player 1 moves at random.
With ``PettingZooEnv`` in tic-tac-toe, in turn and with masks of the legal actions: one network plays both seats and
learns by self-play. Player 0's points against random moves are then computed exactly.

RLlib needs another version of Gymnasium: ``make ecosystem`` installs it separately, and runs this.

python examples/rllib_ppo.py
"""

from typing import Any

import torch
from gymnasium import spaces
from pettingzoo.utils import BaseWrapper
from ray import tune
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv, PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.rllib.examples.rl_modules.classes.random_rlm import RandomRLModule

from nashzoo import agents
from nashzoo.baselines import evaluate
from nashzoo.envs import Game, footsies_v0, tictactoe_v0

LEARNER, RANDOM = "learner", "random"


class AsRllibNames(BaseWrapper):  # type: ignore[misc]  # PettingZoo has no type information
    """Renames ``observation`` in PettingZoo's observations to ``observations``, as RLlib's masking requires."""

    def observation_space(self, agent: str) -> spaces.Dict:
        """Returns the space of the renamed observations."""
        space = super().observation_space(agent)
        return spaces.Dict({"observations": space["observation"], "action_mask": space["action_mask"]})

    def observe(self, agent: str) -> dict[str, Any]:
        """Returns a renamed observation."""
        seen = super().observe(agent)
        return {"observations": seen["observation"], "action_mask": seen["action_mask"]}


class Network:
    """The module that RLlib has trained, as a policy with action probabilities."""

    def __init__(self, module: Any, masked: bool) -> None:
        self.module = module
        self.masked = masked

    def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
        """Returns the probabilities ``[B, actions]``."""
        seen, masks = torch.as_tensor(observations), torch.as_tensor(action_masks)
        batch = {"obs": {"observations": seen, "action_mask": masks} if self.masked else seen}
        with torch.no_grad():
            logits = self.module.forward_inference(batch)["action_dist_inputs"]
        return torch.softmax(logits.double(), dim=1).numpy()


def train(env: str, players: dict[str, str], modules: dict[str, RLModuleSpec], iterations: int, seed: int = 0) -> Any:
    """Returns the trained module of the learner; ``players`` are the modules by agent."""
    torch.set_num_threads(1)  # for networks this small more are slower
    config = (
        PPOConfig()
        .environment(env)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=16)
        .learners(num_learners=0)
        .multi_agent(
            policies=set(modules),
            policy_mapping_fn=lambda agent, episode, **about: players[agent],
            policies_to_train=[LEARNER],
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=modules))
        .training(train_batch_size_per_learner=2000, minibatch_size=500, num_epochs=8, lr=2e-3, gamma=1.0)
        .debugging(seed=seed)
    )
    algorithm = config.build_algo()
    for _ in range(iterations):
        algorithm.train()
    module = algorithm.get_module(LEARNER)
    algorithm.stop()
    return module


def won_from_random(game: Game, network: Network) -> float:
    """Returns a network's points a game against random moves, as player 0."""
    return evaluate(game, network, agents.make("random", game))


def footsies(iterations: int = 8) -> float:
    """Returns the points a game against random moves, after learning in Footsies."""
    tune.register_env("footsies", lambda options: ParallelPettingZooEnv(footsies_v0.parallel_env()))
    modules = {LEARNER: RLModuleSpec(), RANDOM: RLModuleSpec(module_class=RandomRLModule)}
    module = train("footsies", {"player_0": LEARNER, "player_1": RANDOM}, modules, iterations)
    return won_from_random(footsies_v0.game(), Network(module, masked=False))


def tictactoe(iterations: int = 10) -> float:
    """Returns the points a game against random moves, after learning in tic-tac-toe."""
    tune.register_env("tictactoe", lambda options: PettingZooEnv(AsRllibNames(tictactoe_v0.env())))
    layers = {"head_fcnet_hiddens": [64, 64]}
    modules = {LEARNER: RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=layers)}
    module = train("tictactoe", {"player_0": LEARNER, "player_1": LEARNER}, modules, iterations)
    return won_from_random(tictactoe_v0.game(), Network(module, masked=True))


if __name__ == "__main__":
    print(f"Footsies: {footsies():.3f} points a game from an opponent who moves at random")
    print(f"tic-tac-toe: {tictactoe():.3f}")
