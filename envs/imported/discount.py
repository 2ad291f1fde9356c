"""Games whose later points count less, as games that end by chance.

Source: Shapley (1953), "Stochastic games", where play stops after each move with a positive probability.
"""

from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.imported.explorer import OVER
from nashzoo.envs.imported.graph_rules import Graph, GraphRules
from nashzoo.envs.rules.pieces import CHANCE


def discount_of(env: Any, inner: Sequence[Any], name: str) -> float:
    """Returns the ``DISCOUNT`` that an environment declares, or 1.

    Raises:
        UsageError: it is no probability above 0, or only an environment in it has one, whose moves may be others.
    """
    if not hasattr(env, "DISCOUNT"):
        if any(hasattr(layer, "DISCOUNT") for layer in inner):
            raise UsageError(
                f"{name} has no DISCOUNT, and an environment in it has; give that one, or declare the DISCOUNT for each"
                f" move of {name}"
            )
        return 1.0
    said = env.DISCOUNT
    discount = float(said) if isinstance(said, Real | Decimal) else 0.0
    if not 0.0 < discount <= 1.0:
        raise UsageError(f"the DISCOUNT of {name} must be a number above 0 and at most 1, not {said!r}")
    return discount


def discounted(rules: GraphRules, discount: float) -> GraphRules:
    """Returns a game that after each move goes on with the probability ``discount``, and else is over.

    What is paid after ``k`` more moves is paid with the probability ``discount ** k``, so its mean is that of the
    discounted payoff. A state that follows a move has a state of chance before it, which leads to it or to a copy of it
    in which play is over: both pay what it pays.
    """
    graph = rules.graph
    running, states = graph.legal0 != 0, len(graph.turns)
    moves = np.repeat(running & (graph.turns != CHANCE), np.diff(graph.first)) & running[graph.following]
    entered = np.unique(graph.following[moves])
    count, last, everywhere = len(entered), int(graph.first[-1]), np.arange(states + 2 * len(entered))
    gates, ends = everywhere[states : states + count], everywhere[states + count :]
    before = np.arange(states)
    before[entered] = gates
    after = np.concatenate([np.where(moves, before[graph.following], graph.following), np.c_[entered, ends].ravel()])
    ones, none = np.ones(count, np.int64), np.zeros(count, np.int64)
    made = Graph(
        turns=np.concatenate([graph.turns, CHANCE * ones, OVER * ones]),
        legal0=np.concatenate([graph.legal0, ones, none]),
        legal1=np.concatenate([graph.legal1, ones, none]),
        first=np.concatenate([graph.first, last + 2 * np.arange(1, count + 1), none + last + 2 * count]),
        following=after,
        probabilities=np.concatenate([graph.probabilities, np.tile([discount, 1.0 - discount], count)]),
        payoffs=np.concatenate([graph.payoffs, np.zeros(count), graph.payoffs[entered]]),
        starts=graph.starts,
        start_probabilities=graph.start_probabilities,
        seen=np.concatenate([graph.seen, np.zeros((2 * count, *graph.seen.shape[1:]), np.bool_)]),
        views=np.concatenate([graph.views, [everywhere[states:]] * 2], axis=1) if graph.views.size else graph.views,
    )
    known = rules.texts or [f"state {number}" for number in range(states)]
    texts = [*known, *["play goes on, or is over"] * count, *(f"{known[k]}\nplay is over" for k in entered.tolist())]
    shown = rules.environment
    if shown is not None:
        nothing = np.zeros((2 * count, *shown.observations.shape[1:]), shown.observations.dtype)
        shown = shown._replace(observations=np.concatenate([shown.observations, nothing]))
    said = f"{rules.NAME} has a discount of {discount:g}: after each move play goes on with this probability"
    notes = *rules.notes, said
    return GraphRules(rules.NAME, rules.ACTIONS, made, texts, rules.seen, rules.horizon, environment=shown, notes=notes)
