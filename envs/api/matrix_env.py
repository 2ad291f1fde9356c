"""A matrix game of any size as a PettingZoo ``ParallelEnv``: one step, in which both agents choose."""

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import ParallelEnv

from nashzoo.envs.api.pettingzoo_base import AGENTS, FLOAT32, PLAYER_0, PLAYER_1
from nashzoo.envs.base.errors import NoGameRunningError, UsageError
from nashzoo.envs.core.checks import check_action, check_reset_options, check_seed
from nashzoo.envs.core.game import Features
from nashzoo.envs.imported.large_matrix import LargeMatrix


class MatrixParallelEnv(EzPickle, ParallelEnv):  # type: ignore[misc]  # pettingzoo has no type information
    """A matrix game as a ``ParallelEnv``. There is nothing to observe: observations are ``[0.0]``."""

    def __init__(self, game: LargeMatrix) -> None:
        EzPickle.__init__(self, game)
        self.game, self.render_mode = game, None
        self.metadata = {"name": game.name, "render_modes": [], "is_parallelizable": True}
        self.possible_agents, self.agents = list(AGENTS), list[str]()
        self.observation_spaces = {agent: spaces.Box(0.0, 1.0, (1,), np.float32) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(n) for agent, n in zip(AGENTS, game.shape, strict=True)}

    def observation_space(self, agent: str) -> spaces.Box:
        """Returns the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the space of an agent's actions: rows of player 0, columns of player 1."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Features], dict[str, dict[str, Any]]]:
        """Starts a game; returns observations and infos.

        Raises:
            UsageError: the options are no dictionary, or the seed is no whole number of at least 0.
        """
        check_reset_options(options, known=None)
        check_seed(seed)
        self.agents = list(AGENTS)
        return self._view()

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Features], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:  # fmt: skip
        """Plays both actions, which ends the game; returns observations, rewards, terminations, truncations and infos.

        Raises:
            UsageError: an agent has no action, or none of its actions; or no game is running.
        """
        if not self.agents:
            raise NoGameRunningError("no game is running: call reset() first")
        if actions.keys() != set(AGENTS):
            raise UsageError(f"step needs a dictionary of an action for each of {', '.join(AGENTS)}, not {actions!r}")
        chosen = [check_action(actions[agent]) for agent in AGENTS]
        for agent, action, count in zip(AGENTS, chosen, self.game.shape, strict=True):
            if not 0 <= action < count:
                raise UsageError(f"{agent} played {action}; its actions are 0 to {count - 1}")
        reward = float(self.game.payoffs(chosen[:1], chosen[1:])[0, 0])
        self.agents = []
        observations, infos = self._view()
        rewards = {PLAYER_0: reward, PLAYER_1: 0.0 - reward}
        return observations, rewards, dict.fromkeys(AGENTS, True), dict.fromkeys(AGENTS, False), infos

    def _view(self) -> tuple[dict[str, Features], dict[str, dict[str, Any]]]:
        return {agent: np.zeros(1, FLOAT32) for agent in AGENTS}, {agent: {} for agent in AGENTS}
