"""Exact figures averaged over seats, or None if they cannot be computed, for tables of all kinds of players."""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, cast

from nashzoo.baselines.certificate.bounds import UnprovenValueError
from nashzoo.baselines.certificate.steps import UnprovenSolutionError
from nashzoo.baselines.evaluation import best_response, evaluate
from nashzoo.baselines.forms import form_of
from nashzoo.baselines.policies.with_memory import PolicyLike
from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.reachable import TooManyStatesError

EITHER = (0, 1)
KEPT = 4  # games whose number of states is kept
UNKNOWN = (NoPolicyError, TooManyStatesError, UnprovenSolutionError, UnprovenValueError)


def tabulated(game: Game, player: Any) -> Any:
    """Returns a player as a table, so that its probabilities are computed once and not for every figure.

    With hidden information it is a table by information state. Players whose policy does not depend on the state
    alone, and all players of games too large for tables, are returned as they are.

    Raises:
        ValueError: its probabilities are not a distribution over the legal actions.
    """
    if not can_keep(game):
        return player
    try:
        return form_of(game).tabulated(player)
    except UNKNOWN:
        return player


def states_measured(game: Game) -> float:
    """Returns the number of states that an exact figure passes over, of information states if something is hidden.

    It is that of histories where these are too many to keep, see :func:`histories_walked`; infinity where there are too
    many states to list, and no figure is exact.
    """
    return _states_measured(game, id(game))


@lru_cache(KEPT)
def _states_measured(game: Game, _: int) -> float:
    try:
        return form_of(game).num_states
    except TooManyStatesError:
        return math.inf


def can_keep(game: Game) -> bool:
    """Returns whether the states of a game can be listed, and its histories kept; else exact figures take minutes."""
    try:
        form_of(game).check_kept()
        return states_measured(game) < math.inf
    except TooManyStatesError:
        return False


def histories_walked(game: Game) -> int:
    """Returns the number of histories that an exact figure walks since they are too many to keep; 0 if they are not."""
    return form_of(game).histories_walked


def value_or_none(game: Game, player: Any, opponent: Any, seats: Sequence[int] = EITHER) -> float | None:
    """Returns the value of a player against an opponent, averaged over its seats, points per game."""
    one, other = cast(PolicyLike, player), cast(PolicyLike, opponent)
    return _mean(game, seats, lambda seat: -evaluate(game, other, one) if seat else evaluate(game, one, other))


def best_or_none(game: Game, opponent: Any, seats: Sequence[int] = EITHER) -> float | None:
    """Returns the value of the best response to an opponent, averaged over the responder's seats, points per game."""
    return _mean(game, seats, lambda seat: best_response(game, opponent, seat).value)


def _mean(game: Game, seats: Sequence[int], figure: Callable[[int], float]) -> float | None:
    """Returns the mean of a figure over seats, or None if it cannot be computed.

    It cannot for players with too much memory, for games with too many states, and if play lasts too long.
    """
    figures = []
    if not can_keep(game):
        return None
    try:
        for seat in seats[:1] if game.symmetric else seats:  # both seats have the same value
            figures.append(figure(seat))
    except UNKNOWN:
        return None
    return sum(figures) / len(figures)
