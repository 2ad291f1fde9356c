"""Self-play with RLlib's PPO, new API stack: one module, with masks, plays both seats.

RLlib needs another version of Gymnasium: ``make ecosystem`` installs it separately, and runs this.

nashzoo bench examples/rllib_learner.py:RllibPPO         # how well it learns, in all games of a benchmark
nashzoo check-trainer examples/rllib_learner.py:train    # whether it has mistakes
"""

from typing import Any

import torch
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from nashzoo.envs import Game
from nashzoo.envs.api.parallel_env import GameParallelEnv

BOTH = "both"  # the name of the module that plays both seats


class Masked(MultiAgentEnv):
    """A game in which observations have the mask of legal actions, under the names that RLlib's masking requires.

    Both agents act at every step; where players move in turn, the other's action is without effect.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.env = GameParallelEnv(config["game"], masks="info")
        self.agents = self.possible_agents = self.env.possible_agents
        self.observation_spaces = {agent: self._space(agent) for agent in self.agents}
        self.action_spaces = self.env.action_spaces

    def _space(self, agent: str) -> spaces.Dict:
        mask = spaces.Box(0.0, 1.0, (self.env.action_space(agent).n,))
        return spaces.Dict({"observations": self.env.observation_space(agent), "action_mask": mask})

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Starts a game."""
        seen, infos = self.env.reset(seed=seed, options=options)
        return self._with_masks(seen, infos), {}

    def step(self, actions: dict[str, Any]) -> Any:
        """Plays both actions."""
        seen, rewards, terminated, truncated, infos = self.env.step(actions)
        # Flags of agents are left out: RLlib 2.60 takes a game for terminated if all its agents are truncated.
        over, late = ({"__all__": all(ended.values())} for ended in (terminated, truncated))
        return self._with_masks(seen, infos), rewards, over, late, {}

    def _with_masks(self, seen: dict[str, Any], infos: dict[str, Any]) -> dict[str, Any]:
        return {
            agent: {"observations": seen[agent], "action_mask": infos[agent]["action_mask"].astype("float32")}
            for agent in seen
        }


class Network:
    """RLlib's module as a policy with action probabilities."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
        """Returns the probabilities ``[B, actions]``."""
        seen, masks = torch.as_tensor(observations), torch.as_tensor(action_masks, dtype=torch.float32)
        with torch.no_grad():
            batch = self.module.forward_inference({"obs": {"observations": seen, "action_mask": masks}})
        return torch.softmax(batch["action_dist_inputs"].double(), dim=1).numpy()


class RllibPPO:
    """A module that learns from its own games.

    Attributes:
        policy: The module.
        num_timesteps: The decisions learned from, of both players together.
    """

    GIVEN = "transitions"

    def __init__(self, game: Game, seed: int) -> None:
        torch.set_num_threads(1)  # for networks this small more are slower
        self.decisions_per_step = 1 if game.turn_based else 2
        config = (
            PPOConfig()
            .environment(Masked, env_config={"game": game})
            .env_runners(num_env_runners=0, num_envs_per_env_runner=64)  # each step copies all games that have ended
            .learners(num_learners=0)
            .multi_agent(policies={BOTH}, policy_mapping_fn=lambda agent, episode, **about: BOTH)
            .rl_module(
                rl_module_spec=RLModuleSpec(
                    module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [64]}
                )
            )
            .training(
                train_batch_size_per_learner=1000,
                minibatch_size=500,
                num_epochs=4,
                lr=5e-3,
                gamma=0.99,
                lambda_=0.95,
                entropy_coeff=0.1,  # of advantages that RLlib scales with a step added to each game: as 0.2 elsewhere
                grad_clip=0.5,
            )
            .debugging(seed=seed, log_level="ERROR")
        )
        self.algorithm = config.build_algo()
        self.policy = Network(self.algorithm.get_module(BOTH))
        self.num_timesteps = 0

    def learn(self, num_timesteps: int) -> None:
        """Learns from at least so many more decisions."""
        goal = self.num_timesteps + num_timesteps
        while self.num_timesteps < goal:
            result = self.algorithm.train()
            steps = result["env_runners"]["num_env_steps_sampled_lifetime"]
            self.num_timesteps = int(steps) * self.decisions_per_step


def train(game: Game, decisions: int, seed: int) -> Network:
    """Returns a module after so many decisions, of both players together."""
    learner = RllibPPO(game, seed)
    learner.learn(decisions)
    return learner.policy
