"""RLlib's example of self-play against frozen copies, and what ``check-trainer`` says to it.

nashzoo check-trainer studies/public_rllib.py:league --probe one_state reply

It is apart from ``public_trainers.py`` because RLlib needs another version of Gymnasium, see ``make ecosystem``.
Source: ``self_play_with_open_spiel`` of RLlib 2.60.0, whose environment and callback are imported, not written anew.
"""

import functools
from typing import Any

import numpy as np
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.open_spiel import OpenSpielEnv
from ray.rllib.examples.multi_agent.utils import SelfPlayCallback
from ray.rllib.examples.rl_modules.classes.random_rlm import RandomRLModule

from examples.openspiel_learners import OfNetworks, TurnBased
from nashzoo.envs import Game


class InTurn(OpenSpielEnv):  # type: ignore[misc]  # it has no type information
    """A game in RLlib's environment for games of OpenSpiel."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(TurnBased(config["game"]))


class WithWeights(SelfPlayCallback):  # type: ignore[misc]
    """Gives a new copy its weights where games are played; by itself RLlib does so after the next iteration."""

    def on_train_result(self, *, algorithm: Any, **about: Any) -> None:
        """Adds a copy if the learner wins often enough."""
        before = self.current_opponent
        super().on_train_result(algorithm=algorithm, **about)
        if self.current_opponent > before:
            modules = algorithm.env_runner.module
            modules[f"main_v{self.current_opponent}"].load_state_dict(modules["main"].state_dict())


def league(game: Game, decisions: int, seed: int, threshold: float = 0.95, callback: type = SelfPlayCallback) -> Any:
    """Trains a module against random play, and against its copies once it wins, by one point, 95% of its games.

    Games are not cut at the end of a rollout, as the callback may raise an error there; they have no masks. Results
    differ a little from run to run: Python's hash of an episode's random name decides who is in which seat.
    """
    np.random.seed(seed)  # from which the callback draws opponents
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    config = (
        PPOConfig()
        .environment(InTurn, env_config={"game": game})
        .callbacks(functools.partial(callback, win_rate_threshold=threshold))
        .env_runners(num_env_runners=0, num_envs_per_env_runner=64, batch_mode="complete_episodes")
        .multi_agent(
            policies={"main", "random"},
            policy_mapping_fn=lambda seat, episode, **about: ("random", "main")[hash(episode.id_) % 2 == seat],
            policies_to_train=["main"],
        )
        .rl_module(
            model_config=DefaultModelConfig(fcnet_hiddens=[512, 512]),
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={"main": RLModuleSpec(), "random": RLModuleSpec(module_class=RandomRLModule)}
            ),
        )
        .training(num_epochs=20)
        .debugging(seed=seed, log_level="ERROR")
    )
    algorithm = config.build_algo()
    while algorithm.train()["env_runners"]["num_env_steps_sampled_lifetime"] < decisions:
        pass
    module = algorithm.get_module("main")
    return OfNetworks(TurnBased(game), [lambda seen: module.forward_inference({"obs": seen})["action_dist_inputs"]])


def league_each(game: Game, decisions: int, seed: int) -> Any:
    """Adds a copy after every iteration, whatever the results."""
    return league(game, decisions, seed, threshold=-1.0)


def league_mended(game: Game, decisions: int, seed: int) -> Any:
    """Adds a copy after every iteration, with its weights."""
    return league(game, decisions, seed, -1.0, WithWeights)
