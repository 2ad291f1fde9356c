"""Games as matrices: every plan of one player against every plan of the other, and what two strategies are worth.

A plan names a choice at each information state that it leads to: the reduced strategic form.

Source: Shoham and Leyton-Brown (2009), section 5.1.2; Kuhn (1953).
"""

from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.information.sequence_form import sequence_form
from nashzoo.baselines.information.treeplex import Treeplex
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Floats, Game
from nashzoo.envs.imported.trees import distinct, tree_rules
from nashzoo.envs.imported.unfolded import unfolded

MOST_PLANS = 2_000  # of a player
SUM_TOLERANCE = 1e-6  # of probabilities


class StrategicForm(NamedTuple):
    """The reduced strategic form: names of both players' plans, and the rewards to player 0 ``[rows, columns]``."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    payoffs: Floats


def strategic_form(game: Game) -> StrategicForm:
    """Returns the reduced strategic form of a game.

    Raises:
        UsageError: its tree has no end or too many nodes, a player forgets, or has too many plans.
    """
    form = sequence_form(Game(tree_rules(game.name, unfolded(game))))
    names, weights = zip(*(_plans(form.game, plex) for plex in form.treeplexes), strict=True)
    return StrategicForm(names[0], names[1], np.asarray(weights[0] @ (form.matrix @ weights[1].T)))


def _plans(game: Game, plex: Treeplex) -> tuple[tuple[str, ...], Floats]:
    """Returns the names of a player's plans, and their sequence weights ``[plans, S]``."""
    plans: list[list[list[int]]] = [[[]] for _ in range(plex.num_sequences)]  # what follows each sequence
    for number in range(len(plex.codes) - 1, -1, -1):
        sequences = range(plex.first[number], plex.first[number + 1])
        choices = [[sequence, *after] for sequence in sequences for after in plans[sequence]]
        parent = plex.parents[number]
        if len(choices) * len(plans[parent]) > MOST_PLANS:
            raise UsageError(
                f"a player of {game.name} has more than {MOST_PLANS:,} plans: {len(choices) * len(plans[parent]):,} "
                "from one choice on; write it as a tree, .efg"
            )
        plans[parent] = [[*choice, *plan] for choice in choices for plan in plans[parent]]
    weights = np.zeros((len(plans[0]), plex.num_sequences))
    weights[:, 0] = 1.0
    actions = np.nonzero(plex.legal[:, None] >> np.arange(game.num_actions) & 1)[1]
    for row, plan in zip(weights, plans[0], strict=True):
        row[plan] = 1.0
    return distinct([", ".join(game.actions[actions[k - 1]] for k in plan) or "nothing" for plan in plans[0]]), weights


def best_response_gaps(payoffs0: Any, payoffs1: Any, strategy0: Any, strategy1: Any) -> tuple[float, float]:
    """Returns what each player of two matrices gains by its best response to the other's strategy, points.

    The sum of both players' payoffs need not be constant: a pair of strategies is an equilibrium if both gaps are 0.

    The payoffs are ``[m, n]``, the strategies ``[m]`` and ``[n]``.

    Raises:
        UsageError: the payoffs are not two matrices of one shape, or a strategy is no distribution.

    >>> best_response_gaps([[3, 0], [5, 1]], [[3, 5], [0, 1]], [1, 0], [1, 0])  # both cooperate in a dilemma
    (2.0, 2.0)
    """
    one, other = (np.asarray(payoffs, np.float64) for payoffs in (payoffs0, payoffs1))
    if one.ndim != 2 or one.shape != other.shape or not (np.isfinite(one).all() and np.isfinite(other).all()):
        raise UsageError(f"payoffs must be two matrices of finite numbers of one shape, not {one.shape}, {other.shape}")
    mixes = []
    for name, strategy, count in zip(("strategy0", "strategy1"), (strategy0, strategy1), one.shape, strict=True):
        mix = np.asarray(strategy, np.float64)
        if mix.shape != (count,) or not (mix >= 0).all() or not abs(mix.sum() - 1.0) <= SUM_TOLERANCE:
            raise UsageError(f"{name} must be {count} probabilities with the sum 1, not {strategy}")
        mixes.append(mix / mix.sum())
    gains0, gains1 = one @ mixes[1], mixes[0] @ other
    return float(gains0.max() - mixes[0] @ gains0), float(gains1.max() - gains1 @ mixes[1])
