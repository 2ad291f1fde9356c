"""Many games as a Gymnasium ``VectorEnv``, stepped together in compiled code."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from nashzoo.envs.api.pettingzoo_base import observation_box
from nashzoo.envs.api.render import Renderer
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import Opponent
from nashzoo.envs.core.checks import RENDER_MODES, check_count, check_options, check_reset_options
from nashzoo.envs.core.game import Bools, Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.one_hot import COMPACT
from nashzoo.envs.core.starts import ChosenStarts
from nashzoo.envs.vector.game_batch import GameBatch

VECTOR_RENDER_MODES = tuple(mode for mode in RENDER_MODES if mode != "human")  # a window can show only one game


class GameVectorEnv(VectorEnv[Features, Ints, Any]):
    """Games against an opponent, each of them a :class:`nashzoo.envs.api.gymnasium_env.GameEnv`.

    Game ``i`` of an environment reset with the seed ``s`` is the same as the single environment reset with ``s + i``.
    Finished games are reset in the same step (``AutoresetMode.SAME_STEP``): the final observation and info are in
    ``info["final_obs"]`` and ``info["final_info"]``. The legal actions are in ``info["action_mask"]`` ``[B, actions]``
    and from :meth:`action_masks`.

    Args:
        game: The game.
        num_envs: The number of games.
        opponent: The other player.
        player: The learner's seat, 0, 1, or ``"random"`` for a new draw in every episode.
        max_cycles: Joint steps after which an unfinished game is truncated; None for ``game.max_cycles``.
        illegal_action: As in :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`.
        render_mode: None, ``"ansi"``, ``"svg"`` or ``"rgb_array"``.
        autoreset_mode: When new games start: in the step that ends one (``SAME_STEP``), in the step after it, whose
            action is ignored (``NEXT_STEP``, which Gymnasium's observation wrappers require), or only at a reset with a
            ``reset_mask`` (``DISABLED``).
        observation: ``"compact"`` or ``"one_hot"``, as in :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`.
        starts: The start states, as in :class:`nashzoo.envs.api.pettingzoo_base.PettingZooBase`.

    Attributes:
        batch: The games.

    Raises:
        UsageError: an option has an invalid value.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponent: Opponent,
        player: int | str = 0,
        max_cycles: int | None = None,
        illegal_action: str = "lose",
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        observation: str = COMPACT,
        starts: ChosenStarts = None,
    ) -> None:
        check_options(game, max_cycles, illegal_action, render_mode)
        if render_mode is not None and render_mode not in VECTOR_RENDER_MODES:
            raise UsageError(
                f"vector environments have render_mode= one of {', '.join(VECTOR_RENDER_MODES)}, not {render_mode!r}"
            )
        self._autoreset = AutoresetMode(autoreset_mode)
        self.game = game
        self.num_envs = check_count("num_envs", num_envs)
        self.render_mode = render_mode
        self.metadata = {"autoreset_mode": self._autoreset, "render_modes": list(VECTOR_RENDER_MODES), "render_fps": 2}
        self.batch = GameBatch(game, self.num_envs, opponent, player, max_cycles, illegal_action, observation, starts)
        self.single_observation_space = observation_box(game, self.batch.encoding)
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._everywhere = np.ones(self.num_envs, np.bool_)
        self._begun = False  # whether reset was called
        self._renderer: Renderer | None = None

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        """Restarts every game; returns observations ``[B, features]`` and infos.

        Args:
            seed: ``s`` for ``s + i`` in game ``i``; or a list with a seed for each game, where None continues its
                random stream; None continues all streams.
            options: With ``{"reset_mask": mask}`` ``[B]`` only these games restart.

        Raises:
            UsageError: the number of seeds or of entries of the mask differs from the number of games, or there is
                another option.
        """
        chosen = check_reset_options(options, ("reset_mask",))
        started = np.asarray(chosen.get("reset_mask", self._everywhere))
        if started.shape != self._everywhere.shape or started.dtype != np.bool_:
            raise UsageError(
                f"reset_mask must be {self.num_envs} truth values, one for each game, "
                f"not {started.dtype} of shape {started.shape}"
            )
        if isinstance(seed, int | np.integer):
            seed = [int(seed) + k for k in range(self.num_envs)]
        if seed is not None:
            if len(seed) != self.num_envs:
                raise UsageError(
                    f"a list of seeds must have one for each of {self.num_envs} environments, not {len(seed)}"
                )
            self.batch.seed(seed)
        rows = np.flatnonzero(started)
        self.batch.restart(rows)
        self._begun = True
        view = self.batch.view()
        return view.observations, self._infos(started, view.masks[rows], view.seats[rows])

    def step(self, actions: Ints) -> tuple[Features, Floats, Bools, Bools, dict[str, Any]]:
        """Plays an action for each game ``[B]``; returns an array for each result of a single environment.

        Raises:
            UsageError: the number of actions differs from the number of games; or one is illegal and
                ``illegal_action`` is ``"raise"``.
        """
        if self._autoreset is not AutoresetMode.SAME_STEP:
            return self._step_alone(actions)
        (rewards, terminated, truncated), rows, last, view = self.batch.step_and_restart(actions)
        infos = self._infos(self._everywhere, view.masks, view.seats)
        if len(rows):
            ended = terminated | truncated
            final = np.full(self.num_envs, None, object)
            final[rows] = np.fromiter(last.observations, object, len(rows))
            infos |= {
                "final_obs": final,
                "_final_obs": ended,
                "final_info": self._infos(ended, last.masks, last.seats),
                "_final_info": ended.copy(),
            }
        return view.observations, rewards, terminated, truncated, infos

    def _step_alone(self, actions: Ints) -> tuple[Features, Floats, Bools, Bools, dict[str, Any]]:
        """Plays in the running games; restarts finished ones, or raises an error if autoreset is disabled."""
        resets = self._autoreset is AutoresetMode.NEXT_STEP and self._begun
        played = self.batch.running if resets else self._everywhere
        outcome = self.batch.step(actions, np.flatnonzero(played))
        if not played.all():
            self.batch.restart(np.flatnonzero(~played))
        view = self.batch.view()
        return view.observations, *outcome, self._infos(self._everywhere, view.masks, view.seats)

    def action_masks(self) -> Bools:
        """Returns whether each action is legal ``[B, actions]``."""
        masks: Bools = self.batch.masks().astype(np.bool_)
        return masks

    def render(self) -> tuple[Any, ...]:
        """Returns the state of each game as text (``"ansi"``), SVG (``"svg"``) or pixels (``"rgb_array"``).

        While a game goes on it is what the learner sees of it; at its end, the whole state.
        """
        if self._renderer is None:
            self._renderer = Renderer(self.game, self.render_mode, self.metadata["render_fps"])
        batch = self.batch
        return tuple(map(self._renderer.show, batch.codes.tolist(), batch.before.tolist(), batch.seats.tolist()))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_renderer": None}

    def _infos(self, there: Bools, masks: Mask, seats: Ints) -> dict[str, Any]:
        """Returns the infos of the games that are ``there`` ``[B]``, zeros for the others."""
        infos: dict[str, Any] = {"action_mask": masks, "player": seats}
        if len(seats) < self.num_envs:
            rows = np.flatnonzero(there)
            for name, known in infos.items():
                infos[name] = np.zeros((self.num_envs, *known.shape[1:]), known.dtype)
                infos[name][rows] = known
        return infos | {f"_{name}": there.copy() for name in infos}
