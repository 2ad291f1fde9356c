"""Exact probabilities of a win, a draw and a loss of one player against another.

The probability of a result is the value of the game in which only this result gives a point. So this is for games
whose rewards are all terminal, where the last reward determines the winner.
"""

from typing import NamedTuple

from nashzoo.baselines.forms import form_of
from nashzoo.baselines.policies.with_memory import PolicyLike
from nashzoo.envs.core.game import Game


class Outcomes(NamedTuple):
    """The probabilities that player 0's return is positive, 0, and negative; their sum is 1."""

    win: float
    draw: float
    loss: float


def outcomes(game: Game, policy0: PolicyLike, policy1: PolicyLike) -> Outcomes:
    """Returns the probabilities of ``policy0`` in seat 0 against ``policy1`` in seat 1; endless play is a draw.

    Raises:
        NoPolicyError: a policy has no probabilities by state, for example because it remembers more than the state.
        UsageError: the game has rewards before its end, or a policy's probabilities are not a distribution over the
            legal actions.
        UnprovenValueError: a probability cannot be computed to within 1e-9.
    """
    win, loss = (estimate.proven() for estimate in form_of(game).wins(policy0, policy1))
    return Outcomes(win, max(1.0 - win - loss, 0.0), loss)
