"""Many games as a Stable-Baselines3 ``VecEnv``, stepped together in compiled code."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces

from nashzoo.envs.base.errors import MissingPackageError

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise MissingPackageError("a VecEnv needs Stable-Baselines3: pip install '.[train]' in nashzoo's folder") from error

from nashzoo.envs.api.pettingzoo_base import observation_box
from nashzoo.envs.core.game import Bools, Features, Ints
from nashzoo.envs.vector.game_batch import GameBatch


class GameVecEnv(VecEnv):
    """``GameBatch`` as a ``VecEnv``: finished games restart at once; their final observation is in the info.

    Args:
        batch: The games. Observations are one-hot if the batch's are.
    """

    def __init__(self, batch: GameBatch) -> None:
        self.batch = batch
        self._actions: Ints = np.zeros(batch.num_games, np.int64)
        self._all_games = np.arange(batch.num_games)
        self.render_mode = None
        box = observation_box(batch.game, batch.encoding)
        super().__init__(batch.num_games, box, spaces.Discrete(batch.game.num_actions))

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Sets the seeds of all games, ``seed + i`` for game ``i``; takes effect at the next reset."""
        seeds = [None if seed is None else seed + i for i in range(self.num_envs)]
        self.batch.seed(None if seed is None else seeds)
        return seeds

    def reset(self) -> Features:
        """Restarts every game; returns the observations ``[B, features]``."""
        self.batch.restart(self._all_games)
        return self.batch.observations()

    def step_async(self, actions: np.ndarray[Any, Any]) -> None:
        """Stores the actions ``[B]`` for :meth:`step_wait`."""
        self._actions = actions.astype(np.int64)

    def step_wait(self) -> tuple[Features, np.ndarray[Any, Any], np.ndarray[Any, Any], list[dict[str, Any]]]:
        """Plays; returns observations ``[B, features]``, rewards ``[B]``, dones ``[B]`` and infos."""
        (rewards, terminated, truncated), ended, last, view = self.batch.step_and_restart(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row, seen, late in zip(ended.tolist(), last.observations, truncated[ended].tolist(), strict=True):
            infos[row] = {"terminal_observation": seen, "TimeLimit.truncated": late}
        return view.observations, rewards.astype(np.float32), terminated | truncated, infos

    def close(self) -> None:
        """Does nothing; there is nothing to close."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Returns an attribute of the batch, once per selected game; for ``"action_masks"`` a method of each."""
        rows = self._rows(indices)
        if attr_name == "action_masks":
            return [partial(self._action_mask, row) for row in rows]
        return [getattr(self.batch if hasattr(self.batch, attr_name) else self, attr_name)] * len(rows)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute of the batch, which all games share."""
        setattr(self.batch, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Returns the legal actions of each game for ``"action_masks"``; there is no other method.

        Raises:
            AttributeError: the method has another name.
        """
        if method_name != "action_masks":
            raise AttributeError(f"there is no method {method_name!r}; there is action_masks")
        masks = self.batch.masks().astype(np.bool_)
        return list(masks if indices is None else masks[self._rows(indices)])

    def has_attr(self, attr_name: str) -> bool:
        """Returns whether the batch has this attribute; MaskablePPO asks for ``action_masks``."""
        return attr_name == "action_masks" or hasattr(self.batch, attr_name)

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Returns False for every game: none has a wrapper."""
        return [False] * len(self._rows(indices))

    def _action_mask(self, row: int) -> Bools:
        mask: Bools = self.batch.masks()[row].astype(np.bool_)
        return mask

    def _rows(self, indices: int | Iterable[int] | None) -> list[int]:
        return list(self._get_indices(indices))
