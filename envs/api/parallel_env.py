"""Any game as a PettingZoo ``ParallelEnv``: both agents act at every step."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from pettingzoo import ParallelEnv

from nashzoo.envs.api.pettingzoo_base import AGENTS, FLOAT32, INT8, PLAYER_0, PLAYER_1, PettingZooBase
from nashzoo.envs.base.errors import NoGameRunningError, UsageError
from nashzoo.envs.core.checks import check_action
from nashzoo.envs.core.game import Features, Mask


class GameParallelEnv(PettingZooBase, ParallelEnv):  # type: ignore[misc]  # pettingzoo has no type information
    """A game as a ``ParallelEnv``; options as in :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`.

    Observations are float32 ``[features]`` within 0..1, longer if they are one-hot; in games with illegal actions a
    dictionary of ``observation`` and ``action_mask`` ``[actions]``. The mask is always in ``info["action_mask"]``.
    Both agents end together: by ``terminations`` if the rules end the game, by ``truncations`` after ``max_cycles``.
    Both get an observation after every step: with hidden information, an agent also learns the number of steps in
    which it sees nothing happen. The other environments ask an agent only where it is to move.
    """

    _agents = frozenset(AGENTS)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Starts a game; returns observations and infos. The same seed gives the same start.

        Raises:
            UsageError: the options are no dictionary, or the seed is no whole number of at least 0.
        """
        self._start(seed, options)
        view = self._view_of(*self._first_view())
        if self.render_mode == "human":
            self.render()
        return view

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:  # fmt: skip
        """Plays the joint action; returns observations, rewards, terminations, truncations and infos.

        After the end there are no agents: without actions, all results are empty.

        Raises:
            UsageError: an agent has no action, or it is no whole number; no game is running; or an
                illegal action was played and the environment was made with ``illegal_action="raise"``.
        """
        if not self.agents:
            if self._cycles and not actions:  # as in PettingZoo's own environments
                return {}, {}, {}, {}, {}
            raise NoGameRunningError("no game is running: call reset() first")
        if (type(actions) is not dict and not isinstance(actions, Mapping)) or actions.keys() != self._agents:
            raise UsageError(f"step needs a dictionary of an action for each of {', '.join(AGENTS)}, not {actions!r}")
        action0, action1 = check_action(actions[PLAYER_0]), check_action(actions[PLAYER_1])
        seen, masks = np.empty(self._seen, FLOAT32), np.empty(self._allowed, INT8)
        reward, over, late = self._play(action0, action1, seen, masks)
        observations, infos = self._view_of(seen, masks)
        if over or late:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return (
            observations,
            {PLAYER_0: reward, PLAYER_1: 0.0 - reward},
            {PLAYER_0: over, PLAYER_1: over},
            {PLAYER_0: late, PLAYER_1: late},
            infos,
        )

    def _view_of(self, seen: Features, masks: Mask) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        if self._encoding is not None:
            seen = self._encoding.encode(seen)
        infos = {PLAYER_0: {"action_mask": masks[0]}, PLAYER_1: {"action_mask": masks[1]}}
        if not self._masked:
            return {PLAYER_0: seen[0], PLAYER_1: seen[1]}, infos
        return {
            agent: {"observation": seen[player], "action_mask": masks[player]} for player, agent in enumerate(AGENTS)
        }, infos
