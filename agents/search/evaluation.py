"""Evaluation functions for states at which a search ends.

An evaluation is a compiled function ``(params, weights, code) -> float``, which estimates the value of a state to
player 0 in evaluation points, and its weights. ``POINT`` evaluation points are one point of the game.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.modules import modules_in
from nashzoo.envs.core.game import Game
from nashzoo.envs.jit.compiled import PARAMS, Floats, Ints, compiled
from nashzoo.envs.jit.numba import float64, int64, types

EVALUATE = float64(PARAMS, float64[::1], int64)
EVALUATE_TYPE = types.FunctionType(EVALUATE)

POINT = 1000.0
HIGHEST = POINT / 2  # evaluations are cut at this, so that none outweighs a win

NONE = "none"


class Evaluation(NamedTuple):
    """An evaluation of the states of a game."""

    function: Callable[[Ints, Floats, int], float]  # compiled for the signature EVALUATE
    weights: Mapping[str, float]  # its weights, by name

    def weighted(self, changes: Mapping[str, float]) -> "Evaluation":
        """Returns the same evaluation with some weights changed.

        Raises:
            UsageError: there is no such weight, or its value is not a finite number.
        """
        if not isinstance(changes, Mapping):
            raise UsageError(f"weights must be numbers by name, not {changes!r}")
        for name, value in changes.items():
            if name not in self.weights:
                raise UsageError(f"there is no weight {name!r}; the weights are {', '.join(self.weights) or 'none'}")
            if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
                raise UsageError(f"the weight {name} must be a number, not {value!r}")
        return self._replace(weights={**self.weights, **changes})

    def vector(self) -> Floats:
        """Returns the weights as an array ``[weights]``."""
        return np.array(list(self.weights.values()), np.float64)


@compiled(EVALUATE)
def _nothing(params: Ints, weights: Floats, code: int) -> float:
    return 0.0


def evaluations(game: Game) -> dict[str, Evaluation]:
    """Returns the evaluations of a game by name; all games have ``none``, which is 0 everywhere."""
    module = _modules().get(game.name)
    known: dict[str, Evaluation] = {} if module is None else module.EVALUATIONS
    return {**known, NONE: Evaluation(_nothing, {})}


@cache
def _modules() -> dict[str, Any]:
    """Returns the modules next to this one with ``EVALUATIONS`` of a game, by the game's name, their ``GAME``."""
    return {module.GAME: module for module in modules_in("nashzoo.agents.search", "_evaluation")}


def default_evaluation(game: Game, depth: int) -> str:
    """Returns the name of a game's default: the first; at depth 2 and more its ``BEYOND_ONE_MOVE``, if it has that."""
    first = next(iter(evaluations(game)))
    return first if depth == 1 else getattr(_modules().get(game.name), "BEYOND_ONE_MOVE", first)


def evaluation_of(
    game: Game, evaluation: str | Evaluation | None, weights: str | Mapping[str, float], depth: int
) -> Evaluation:
    """Returns an evaluation of a game.

    Args:
        game: The game.
        evaluation: Its name, the game's default when None; or an evaluation of your own.
        weights: Those to change, a dictionary or text such as ``"ball=4,goal=0.5"``.
        depth: Moves that the search looks ahead; the default depends on it.

    Raises:
        UsageError: the game has no such evaluation, or the evaluation no such weight.
    """
    if not isinstance(evaluation, Evaluation):
        known = evaluations(game)
        name = default_evaluation(game, depth) if evaluation is None else evaluation
        if not isinstance(name, str) or name not in known:
            raise UsageError(f"evaluation must be {' or '.join(map(repr, known))} in {game.name}, not {name!r}")
        evaluation = known[name]
    return evaluation.weighted(_read(weights) if isinstance(weights, str) else weights)


def _read(text: str) -> dict[str, float]:
    read = {}
    for word in filter(None, text.split(",")):
        name, _, value = word.partition("=")
        try:
            read[name] = float(value)
        except ValueError:
            raise UsageError(f"weights should have the form name=number,name=number, not {text!r}") from None
    return read
