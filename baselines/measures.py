"""Exact figures averaged over seats, or None if they cannot be computed, for tables of all kinds of players."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from nashzoo.baselines.certificate.bounds import UnprovenValueError
from nashzoo.baselines.certificate.steps import UnprovenSolutionError
from nashzoo.baselines.evaluation import best_response, evaluate
from nashzoo.baselines.policies.tabular import TabularPolicy, as_policy, asked, tabulate
from nashzoo.baselines.policies.with_memory import PolicyLike
from nashzoo.baselines.states.indexed import numbering
from nashzoo.baselines.states.space import StateSpace
from nashzoo.envs.core.agent import NoPolicyError
from nashzoo.envs.core.game import BOTH, Floats, Game
from nashzoo.envs.core.reachable import TooManyStatesError

EITHER = (0, 1)
UNKNOWN = (NoPolicyError, TooManyStatesError, UnprovenSolutionError, UnprovenValueError)


def tabulated(game: Game, player: Any) -> Any:
    """Returns a player as a table, so that its probabilities are computed once and not for every figure.

    With hidden information it is a table by information state. Players whose policy does not depend on the state
    alone, and all players of games too large for tables, are returned as they are.

    Raises:
        ValueError: its probabilities are not a distribution over the legal actions.
    """
    try:
        if game.hides:
            return _at_information_states(game, player)
        if game.indexed_rules is not None:
            return player
        states = numbering(game)
        first = table_of(states, player, 0)
        second = first if game.symmetric else table_of(states, player, 1)
    except UNKNOWN:
        return player
    return TabularPolicy(states, (first, second))


def _at_information_states(game: Game, player: Any) -> TabularPolicy:
    """Returns a player as a table by information state."""
    from nashzoo.baselines.information.measures import form_of

    form = form_of(game)
    tables = np.zeros((2, len(form.states), game.num_actions))
    for seat, plex in enumerate(form.treeplexes):
        tables[seat, form.states.ids(plex.codes)] = asked(as_policy(player, game), form.observed[seat])
    return TabularPolicy(form.states, (tables[0], tables[1]))


def states_measured(game: Game) -> int:
    """Returns the number of states that an exact figure passes over, of information states if something is hidden.

    Raises:
        TooManyStatesError: there are too many to list.
    """
    if not game.hides:
        return len(numbering(game))
    from nashzoo.baselines.information.measures import form_of

    return len(form_of(game).states)


def table_of(states: StateSpace, player: Any, seat: int) -> Floats:
    """Returns a player's probabilities ``[n, actions]``, action 0 in states at which it does not choose."""
    everywhere = np.arange(len(states))
    chooses = np.isin(states.turns(everywhere), (seat, BOTH))
    table: Floats = np.eye(states.game.num_actions)[np.zeros(len(states), np.int64)]
    table[chooses] = tabulate(states.game, player, states.codes_at(everywhere[chooses]), seat)
    return table


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
    try:
        if game.hides:
            from nashzoo.baselines.information.measures import form_of

            form_of(game)  # walking over histories that cannot be kept takes minutes
        for seat in seats[:1] if game.symmetric else seats:  # both seats have the same value
            figures.append(figure(seat))
    except UNKNOWN:
        return None
    return sum(figures) / len(figures)
