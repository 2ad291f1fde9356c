"""Many games as a Stable-Baselines3 ``VecEnv`` whose learner acts for both players."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from nashzoo.envs.api.pettingzoo_base import observation_box
from nashzoo.envs.api.sb3_vec_env import GameVecEnv
from nashzoo.envs.core.game import Bools, Features, Floats, Mask
from nashzoo.envs.vector.both_seats import BothSeatsBatch


class BothSeatsVecEnv(GameVecEnv):
    """``BothSeatsBatch`` as a ``VecEnv``, an environment for each of its rows.

    The next observation in a row may be the other player's: learn with the rollout buffers of
    :mod:`nashzoo.agents.learning.both_seats_buffer`, which take account of that.

    Args:
        batch: The games.

    Attributes:
        rewards: The rewards of the last step in each row ``[B]``, in points.
        rows_per_game: The number of rows of a game.
    """

    batch: BothSeatsBatch  # type: ignore[assignment]  # has all attributes of GameBatch that are used here

    def __init__(self, batch: BothSeatsBatch) -> None:
        self.batch = batch
        self.rewards: Floats = np.zeros(batch.num_rows)
        self.rows_per_game = batch.num_rows // batch.num_games
        self._masks: Mask = np.zeros((batch.num_rows, batch.game.num_actions), np.int8)
        self.render_mode = None
        VecEnv.__init__(
            self, batch.num_rows, observation_box(batch.game, batch.encoding), spaces.Discrete(batch.game.num_actions)
        )

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Sets the games' seed; takes effect at the next reset."""
        self.batch.seed(seed)
        return [seed] * self.num_envs

    def reset(self) -> Features:
        """Restarts every game; returns the observations ``[B, features]``."""
        self.batch.restart()
        view = self.batch.view()
        self._masks = view.masks
        return view.observations

    def step_wait(self) -> tuple[Features, np.ndarray[Any, Any], np.ndarray[Any, Any], list[dict[str, Any]]]:
        """Plays; returns observations ``[B, features]``, rewards ``[B]``, dones ``[B]`` and infos."""
        result = self.batch.step_and_restart(self._actions)
        self._masks, self.rewards = result.view.masks, result.outcome.rewards
        return self._in_sb3_form(result)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Returns the legal actions in each row for ``"action_masks"``; there is no other method.

        Raises:
            AttributeError: the method has another name.
        """
        if method_name != "action_masks":
            raise AttributeError(f"there is no method {method_name!r}; there is action_masks")
        masks = self._masks.astype(np.bool_)
        return list(masks if indices is None else masks[self._rows(indices)])

    def _action_mask(self, row: int) -> Bools:
        mask: Bools = self._masks[row].astype(np.bool_)
        return mask
