"""Any game as a Gymnasium environment for one agent, with a built-in opponent."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from nashzoo.envs.api.pettingzoo_base import observation_box
from nashzoo.envs.api.render import Renderer
from nashzoo.envs.core.agent import Opponent
from nashzoo.envs.core.checks import RENDER_MODES, check_action, check_options, check_reset_options
from nashzoo.envs.core.game import Bools, Features, Game
from nashzoo.envs.core.one_hot import COMPACT
from nashzoo.envs.core.starts import ChosenStarts
from nashzoo.envs.vector.game_batch import GameBatch


class GameEnv(gymnasium.Env[Features, np.int64]):
    """One game against an opponent.

    Observations are float32 ``[features]`` within 0..1, egocentric: the learner's own fields come first. The legal
    actions are in ``info["action_mask"]`` and from :meth:`action_masks`, which sb3-contrib's MaskablePPO calls.
    The reward is the learner's, in points.

    Args:
        game: The game.
        opponent: The other player.
        player: The learner's seat, 0, 1, or ``"random"`` for a new draw in every episode.
        max_cycles: Joint steps after which an unfinished game is truncated; None for ``game.max_cycles``.
        illegal_action: As in :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`.
        render_mode: None, ``"ansi"``, ``"svg"``, ``"rgb_array"`` or ``"human"``.
        observation: ``"compact"`` or ``"one_hot"``, as in :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`.
        starts: The start states, as in :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`.

    Attributes:
        batch: A batch that contains this game only.

    Raises:
        UsageError: an option has an invalid value.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012  # Gymnasium's own shape

    def __init__(
        self,
        game: Game,
        opponent: Opponent,
        player: int | str = 0,
        max_cycles: int | None = None,
        illegal_action: str = "lose",
        render_mode: str | None = None,
        observation: str = COMPACT,
        starts: ChosenStarts = None,
    ) -> None:
        check_options(game, max_cycles, illegal_action, render_mode)
        self.game = game
        self.render_mode = render_mode
        self.batch = GameBatch(game, 1, opponent, player, max_cycles, illegal_action, observation, starts)
        box = observation_box(game, self.batch.encoding)
        self.observation_space = box  # type: ignore[assignment]  # a Box of float32
        self.action_space = spaces.Discrete(game.num_actions)
        self._row = np.zeros(1, np.int64)
        self._renderer: Renderer | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        """Starts a game; returns observation and info. The same seed gives the same games.

        Raises:
            UsageError: there are options.
        """
        check_reset_options(options)
        super().reset(seed=seed)
        if seed is not None:
            self.batch.seed(seed)
        self.batch.restart(self._row)
        if self.render_mode == "human":
            self.render()
        return self.batch.observations()[0], self._info()

    def step(self, action: Any) -> tuple[Features, float, bool, bool, dict[str, Any]]:
        """Plays the action; returns observation, reward, terminated, truncated and info.

        Raises:
            NoGameRunningError: the episode is over, or none has begun.
            UsageError: the action is no whole number; or it is illegal and ``illegal_action`` is ``"raise"``.
        """
        outcome = self.batch.step(np.array([check_action(action)], np.int64))
        if self.render_mode == "human":
            self.render()
        return (
            self.batch.observations()[0],
            float(outcome.rewards[0]),
            bool(outcome.terminated[0]),
            bool(outcome.truncated[0]),
            self._info(),
        )

    def action_masks(self) -> Bools:
        """Returns whether each action is legal ``[actions]``."""
        masks: Bools = self.batch.masks()[0].astype(np.bool_)
        return masks

    def render(self) -> Any:
        """Returns the state as text (``"ansi"``), SVG or pixels (``"rgb_array"``), or shows it (``"human"``).

        While the game goes on it is what the learner sees of it; at its end, the whole state.
        """
        if self._renderer is None:
            self._renderer = Renderer(self.game, self.render_mode, self.metadata["render_fps"])
        batch = self.batch
        return self._renderer.show(int(batch.codes[0]), int(batch.before[0]), int(batch.seats[0]))

    def close(self) -> None:
        """Closes the window, if one is open."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_renderer": None}

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.batch.masks()[0], "player": int(self.batch.seats[0])}
