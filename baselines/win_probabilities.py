"""Exact probabilities of a win, a draw and a loss of one player against another.

The probability of a result is the value of the game in which only this result gives a point. So this is for games
whose rewards are all terminal, where the last reward determines the winner.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nashzoo.baselines.policies.with_memory import PolicyLike, seated
from nashzoo.baselines.state_values import start_evaluated
from nashzoo.baselines.states.space import Successors
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_game
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
    if check_game(game).hides:
        from nashzoo.baselines.information import measures as information

        win, loss = (estimate.proven() for estimate in information.win_and_loss(game, policy0, policy1))
    else:
        states, tables = seated(game, policy0, policy1)
        win, loss = (start_evaluated(states, *tables, _counting(game, winner)).proven() for winner in (0, 1))
    return Outcomes(win, max(1.0 - win - loss, 0.0), loss)


def _counting(game: Game, winner: int) -> Callable[[Successors], Successors]:
    """Returns a function that replaces the rewards by a point for each win of ``winner``."""

    def count(successors: Successors) -> Successors:
        if (successors.rewards[successors.following >= 0] != 0).any():
            raise UsageError(f"{game.name} pays before its end: there is no one payment to tell who won")
        won = successors.rewards > 0 if winner == 0 else successors.rewards < 0
        return successors._replace(rewards=won.astype(np.float64))

    return count
