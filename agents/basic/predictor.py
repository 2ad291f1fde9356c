"""Any object with ``predict`` as a player."""

import inspect
from typing import Any

import numpy as np

from nashzoo.envs.base.errors import UsageError, UsageTypeError
from nashzoo.envs.core.agent import Agent
from nashzoo.envs.core.environment_encoding import environment_encodings
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.one_hot import one_hot_or_none, translated


class PredictorAgent(Agent):
    """A player that calls an object's ``predict(observations, deterministic=False)``.

    ``predict`` gets a batch ``[B, features]``, of one-hot observations if its ``observation_space`` has their width,
    and ``action_masks`` ``[B, actions]`` if it takes them. In a game made from an environment it gets the observations
    of that environment ``[B, ...]``, unless its ``observation_space`` has another shape. It must not have a memory. It
    draws its own random numbers; those of ``act`` are not used.

    Args:
        predictor: The object.
    """

    def __init__(self, predictor: Any, game: Game, seed: int | None = None) -> None:
        super().__init__(game, seed)
        self.predictor = predictor
        encoding, space = one_hot_or_none(game), getattr(predictor, "observation_space", None)
        one_hot = encoding is not None and getattr(space, "shape", None) == (encoding.width,)
        own = [own for own in environment_encodings(game) if space is None or own.fits(space)]
        self._encoding = own[0] if own else encoding if one_hot else None
        known = inspect.signature(predictor.predict).parameters
        anything = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
        self._takes = {name for name in ("deterministic", "action_masks") if anything or name in known}

    def act(self, observations: Features, memory: Floats, masks: Mask, uniforms: Floats) -> tuple[Ints, Floats]:
        """Returns the actions of ``predict``.

        Raises:
            UsageError: they are not one action per game.
            UsageTypeError: ``predict`` returns a memory (SB3 calls it state).
        """
        return self._ask(observations, masks, False), memory

    def likeliest(self, observations: Features, memory: Floats, masks: Mask) -> tuple[Ints, Floats]:
        """Returns the actions of ``predict`` with ``deterministic=True``."""
        return self._ask(observations, masks, True), memory

    def _ask(self, observations: Features, masks: Mask, deterministic: bool) -> Ints:
        offered = {"deterministic": deterministic, "action_masks": masks}
        observations = translated(self.game, observations, self._encoding)
        answer, state = self.predictor.predict(observations, **{name: offered[name] for name in self._takes})
        whose = type(self.predictor).__name__
        if state is not None:
            raise UsageTypeError(
                f"{whose}.predict returned a memory (SB3 calls it state); "
                "derive a player with memory from nashzoo.agents.Agent"
            )
        actions = np.asarray(answer, np.int64)
        if actions.shape != (len(observations),):
            raise UsageError(
                f"{whose}.predict must return actions of shape ({len(observations)},), not {actions.shape}"
            )
        return actions
