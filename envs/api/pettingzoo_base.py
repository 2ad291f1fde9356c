"""The common base of the PettingZoo environments: options, spaces, observations, and rendering."""

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core import kernels
from nashzoo.envs.core.checks import (
    ON_ILLEGAL,
    RENDER_MODES,
    check_one_of,
    check_options,
    check_reset_options,
    check_seed,
)
from nashzoo.envs.core.game import BOTH, Features, Game, Mask, illegal_action_message
from nashzoo.envs.core.one_hot import COMPACT, OneHotEncoding, encoding_of
from nashzoo.envs.core.starts import ChosenStarts, starts_of
from nashzoo.envs.jit.compiled import UncheckedKernel

if TYPE_CHECKING:
    from nashzoo.envs.api.render import Renderer

AGENTS = PLAYER_0, PLAYER_1 = "player_0", "player_1"
MASKS = AUTO, IN_OBSERVATION, IN_INFO = "auto", "observation", "info"

INTERPRETED = 500  # calls of a kernel as plain Python, before it is compiled or loaded
MOST_FIRST_VIEWS = 100  # kept; a game with many starts seldom uses one twice
FLOAT32, INT8 = np.dtype(np.float32), np.dtype(np.int8)  # NumPy makes arrays faster from these than from the types


def observation_box(game: Game, encoding: OneHotEncoding | None = None, count: int = 1) -> spaces.Box:
    """Returns the space of ``count`` observations in a row: numbers within 0..1, one per entry of ``game.features``.

    With an encoding their number is its ``width``.
    """
    width = game.num_features if encoding is None else encoding.width
    return spaces.Box(0.0, 1.0, (count * width,), np.float32)


class PettingZooBase(EzPickle):
    """A mixin for PettingZoo's classes: one game as an environment for two agents.

    Args:
        game: The game.
        max_cycles: Joint steps after which an unfinished game is truncated; None for ``game.max_cycles``.
        illegal_action: The effect of an action outside the mask: ``"lose"`` ends the game, and its player loses a
            point; ``"noop"`` does not change the state; ``"raise"`` raises ``ValueError``.
        render_mode: None, ``"ansi"``, ``"svg"``, ``"rgb_array"`` or ``"human"``.
        masks: Where legal actions stand besides ``infos``: ``"observation"`` makes observations dictionaries of
            ``observation`` and ``action_mask``, as wrappers for PettingZoo's board games expect; ``"info"`` makes them
            plain arrays, as many libraries require; ``"auto"`` is the first in games with illegal actions, else the
            second.
        observation: The kind of observations and ``state()``: ``"compact"``, a number for each entry of
            ``game.features``; or ``"one_hot"``, a one-hot code for each, from which networks learn much faster, see
            :mod:`nashzoo.envs.core.one_hot`.
        starts: The start states: None for those of the rules; ``"reachable"`` for all non-terminal states that play can
            reach, with equal probabilities; the path of a text file with the code of a state on each line; or
            codes of states.

    Raises:
        UsageError: an option has an invalid value, or the game has no one-hot observations.
        TooManyStatesError: the ``"reachable"`` states are too many to list.
    """

    _play_certain = UncheckedKernel(kernels.play, INTERPRETED)
    _play_with_chance = UncheckedKernel(kernels.play_with_chance, INTERPRETED)
    _view = UncheckedKernel(kernels.view, INTERPRETED)

    def __init__(
        self,
        game: Game,
        max_cycles: int | None = None,
        illegal_action: str = "lose",
        render_mode: str | None = None,
        masks: str = AUTO,
        observation: str = COMPACT,
        starts: ChosenStarts = None,
    ) -> None:
        check_one_of("masks", masks, MASKS)
        EzPickle.__init__(self, game, max_cycles, illegal_action, render_mode, masks, observation, starts)
        self.max_cycles = check_options(game, max_cycles, illegal_action, render_mode)
        self.game = game
        self._encoding = encoding_of(game, observation)
        self._starts = starts_of(game, starts)
        self.illegal_action = illegal_action
        self.render_mode = render_mode
        self._masked = game.masked if masks == AUTO else masks == IN_OBSERVATION
        self.metadata: dict[str, Any] = {
            "name": game.name,
            "render_modes": list(RENDER_MODES),
            "render_fps": 2,
            "is_parallelizable": True,
        }
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.action_spaces = {agent: spaces.Discrete(game.num_actions) for agent in AGENTS}
        self.observation_spaces = {agent: self._observation_space() for agent in AGENTS}
        self._state_seen_by = (0, 1) if game.hides else (0,)
        self.state_space = observation_box(game, self._encoding, len(self._state_seen_by))
        self._on_illegal = ON_ILLEGAL[illegal_action]
        self._seen = (2, game.num_features)
        self._allowed = (2, game.num_actions)
        self._first_views: dict[int, tuple[Features, Mask, int]] = {}
        self._rng = np.random.default_rng()
        self._stream = np.zeros(1, np.uint64)  # of chance
        self._code = self._before = game.first_decision
        self._turn = BOTH
        self._cycles = 0
        self._renderer: Renderer | None = None

    def _observation_space(self) -> spaces.Space[Any]:
        box = observation_box(self.game, self._encoding)
        if not self._masked:
            return box
        return spaces.Dict({"observation": box, "action_mask": spaces.Box(0, 1, (self.game.num_actions,), np.int8)})

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the space of the agent's observations; the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the space of the agent's actions; the same object at each call."""
        return self.action_spaces[agent]

    @property
    def code(self) -> int:
        """The code of the state."""
        return self._code

    def state(self) -> Features:
        """Returns the whole state ``[features]``, for a critic of both players: player 0's observation.

        In a game with hidden information it is what either player sees: both observations, player 0's first
        ``[2 * features]``. What neither sees is not in it.
        """
        seen = np.stack([self.game.observe(self._code, player) for player in self._state_seen_by])
        return (seen if self._encoding is None else self._encoding.encode(seen)).ravel()

    def render(self) -> Any:
        """Returns the state as text (``"ansi"``), SVG, pixels ``[height, width, 3]`` (``"rgb_array"``), or shows it.

        Nothing is hidden: it is drawn for who watches both agents. At the end it is the state in which the game ended,
        see :meth:`nashzoo.envs.drawing.view.View.shown`.
        """
        if self._renderer is None:
            from nashzoo.envs.api.render import Renderer

            self._renderer = Renderer(self.game, self.render_mode, self.metadata["render_fps"])
        return self._renderer.show(self._code, self._before)

    def close(self) -> None:
        """Closes the window, if one is open."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_renderer": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _start(self, seed: int | None, options: Any) -> None:
        check_reset_options(options, known=None)
        if seed is not None:
            self._rng = np.random.default_rng(check_seed(seed))
        self._code = self._starts.draw(self._rng)
        if self.game.has_chance:
            self._stream = self._rng.integers(2**64, size=1, dtype=np.uint64)
            self._code, _ = self.game.resolve_chance(self._code, self._stream)
        self._before = self._code
        self._cycles = 0
        self.agents = list(AGENTS)

    def _first_view(self) -> tuple[Features, Mask]:
        """Returns both players' observations of a start state, computed once, as short games start often.

        Also sets the player to move.

        Returns:
            Observations ``[2, features]`` and legal actions ``[2, actions]``.
        """
        if self._code not in self._first_views:
            observations, masks = np.empty(self._seen, FLOAT32), np.empty(self._allowed, INT8)
            turn = self._view(self.game.compiled, self._code, observations, masks)
            if len(self._first_views) == MOST_FIRST_VIEWS:
                self._first_views.clear()
            self._first_views[self._code] = observations, masks, turn
        observations, masks, self._turn = self._first_views[self._code]
        return observations.copy(), masks.copy()

    def _check_legal(self, player: int, action: int) -> None:
        legal = self.game.legal_actions(self._code, player)
        if action not in legal:
            raise UsageError(illegal_action_message(self.game, player, action, legal))

    def _play(self, action0: int, action1: int, observations: Features, masks: Mask) -> tuple[float, bool, bool]:
        """Plays a joint action, and fills observations ``[2, features]`` and legal actions ``[2, actions]``.

        Returns:
            The reward to player 0, whether the game terminated, and whether it was truncated.
        """
        try:
            if self.game.has_chance:
                code, reward, over, illegal, turn = self._play_with_chance(
                    self.game.compiled, self._code, action0, action1, self._on_illegal, observations, masks,
                    self._stream,
                )  # fmt: skip
            else:
                code, reward, over, illegal, turn = self._play_certain(
                    self.game.compiled, self._code, action0, action1, self._on_illegal, observations, masks
                )
        except kernels.ChanceError as error:
            raise self.game.chance_error(error) from None
        if illegal and self.illegal_action == "raise":
            for player, action in enumerate((action0, action1)):
                self._check_legal(player, action)
        self._before, self._code = self._code, code
        self._turn = turn
        self._cycles += 1
        return reward, over, not over and self._cycles >= self.max_cycles
