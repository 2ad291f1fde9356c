"""Strengths of players from the games between them: ratings, and the Nash average.

Ratings are strengths of the Bradley-Terry model on the scale of Elo: a player with a rating 400 above another has an
expected score of 10/11 against it; a draw counts half. Players that beat each other in a cycle have the same rating;
the Nash average distinguishes them from mediocre players.

Sources: Bradley and Terry (1952), Rank analysis of incomplete block designs; Hunter (2004), MM algorithms for
generalized Bradley-Terry models; Balduzzi et al. (2018), Re-evaluating evaluation.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Floats

SCALE = 400 / math.log(10)  # of Elo
ADDED = 2.0  # games added to those of each pair that played, one won and one lost
STEPS = 100  # of Newton's method, which needs fewer than 20
PRECISE = 1e-12
LARGEST_INVERSE = 1e9  # of temperatures in units of the largest payoff
SMALLEST_INVERSE = 0.1
TOLERANCE = 1e-6
FASTEST, SLOWEST = 4.0, 1.001  # factors of the inverse temperature from a step to the next


@dataclass(frozen=True)
class Ratings:
    """Strengths of players on the scale of Elo; their mean is 0."""

    strengths: Floats  # the ratings [players]
    covariance: Floats  # of their estimates [players, players]

    @property
    def errors(self) -> Floats:
        """Standard errors of the strengths ``[players]``."""
        errors: Floats = np.sqrt(self.covariance.diagonal())
        return errors


def bradley_terry(wins: Floats, draws: Floats) -> Ratings:
    """Returns the maximum-likelihood ratings by games won from each other, and drawn ``[players, players]``.

    One won and one lost game are added to those of each pair that played, so that the rating of a player that won all
    games is finite. The covariance is the robust one for a misspecified model (White 1982): the variance comes from
    the results, so that draws reduce it.

    Raises:
        UsageError: the players fall into groups that have not played each other.
    """
    games = wins + wins.T + draws
    played = games > 0
    groups, _ = connected_components(played)
    if groups > 1:
        raise UsageError("players without games between them, even by way of others, cannot be rated together")
    scores = wins + draws / 2 + played
    games = games + ADDED * played
    squares = wins + draws / 4 + played
    players = len(games)
    strengths = np.zeros(players)
    centre = np.full((players, players), 1 / players)
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(strengths[None] - strengths[:, None]))
        slopes = games * expected * (1 - expected)
        information = np.diag(slopes.sum(axis=1)) - slopes
        step = np.linalg.solve(information + centre, (scores - games * expected).sum(axis=1))
        strengths += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < PRECISE:
            break
    # The sum of squares of result - expected: sum of result^2 - 2 expected result + expected^2.
    spreads = squares - 2 * expected * scores + games * expected**2
    varied = np.diag(spreads.sum(axis=1)) - spreads
    inverse = np.linalg.inv(information + centre) - centre
    return Ratings(SCALE * strengths, SCALE**2 * inverse @ varied @ inverse)


def adjusted_results(points: Floats) -> tuple[float, float]:
    """Returns the games won and drawn that have the mean score and the spread of luck-adjusted points ``[games]``.

    A game of 1, 0 or -1 point has the score 1, 1/2 or 0; luck-adjusted scores have the same expectation. The
    likelihood's equations are linear in the scores, and their covariance in the squares, so :func:`bradley_terry`
    takes both as if they were of games; the numbers need not be whole, nor above 0. Of points themselves it returns
    the games won and drawn.

    Args:
        points: Luck-adjusted points of games. A mean beyond 1 is taken for 1.

    >>> adjusted_results(np.array([1.0, 0.0, 0.0, -1.0]))
    (1.0, 2.0)
    """
    scores = (points + 1) / 2
    drawn = float(4 * (scores * (1 - scores)).sum())
    return min(max(float(scores.sum()), 0.0), float(len(points))) - drawn / 2, drawn


def nash_average(payoffs: Floats) -> Floats:
    """Returns the equilibrium of largest entropy of the game in which both sides choose a player to play for them.

    Newton's method follows the logit equilibria from infinite temperature to nearly 0. There is one at every
    temperature, and its entropy is at least that of every equilibrium of the game. A best response to the result wins
    at most 1e-6 of the largest payoff.

    Args:
        payoffs: Points per game of each player against each other ``[players, players]``; antisymmetric.

    Raises:
        UsageError: a pair has not played, or the points are not antisymmetric.
    """
    if not np.isfinite(payoffs).all():
        raise UsageError("a Nash average needs the points of every pair")
    if not np.array_equal(payoffs, -payoffs.T):
        raise UsageError("points must be those of a zero-sum game: what one player wins, the other loses")
    players = len(payoffs)
    largest = float(np.abs(payoffs).max())
    if largest == 0.0:
        return np.full(players, 1 / players)
    scaled = payoffs / largest
    logits, inverse, factor = np.zeros(players), 0.0, FASTEST
    while inverse < LARGEST_INVERSE and factor > SLOWEST:
        following = min(LARGEST_INVERSE, max(inverse * factor, SMALLEST_INVERSE))
        mixture, slope = _slope(scaled, inverse, logits)
        start = logits + np.linalg.solve(slope, scaled @ mixture) * (following - inverse)
        following_logits = _logit_equilibrium(scaled, following, start)
        if following_logits is None:
            factor = math.sqrt(factor)
        else:
            logits, inverse, factor = following_logits, following, min(FASTEST, factor * factor)
    mixture = _softmax(logits)
    if (scaled @ mixture).max() > TOLERANCE:
        raise ArithmeticError(
            f"a best response to the Nash average wins {(scaled @ mixture).max()} of the largest payoff"
        )
    return mixture


def _slope(payoffs: Floats, inverse: float, logits: Floats) -> tuple[Floats, Floats]:
    """Returns the mixture, and the derivative of logits - inverse * payoffs @ mixture by the logits."""
    mixture = _softmax(logits)
    covariance = np.diag(mixture) - np.outer(mixture, mixture)
    return mixture, np.eye(len(payoffs)) - inverse * payoffs @ covariance


def _logit_equilibrium(payoffs: Floats, inverse: float, logits: Floats) -> Floats | None:
    """Returns the logits of the logit equilibrium at an inverse temperature; None if the iteration diverges."""
    moved = math.inf
    for _ in range(STEPS):
        mixture, slope = _slope(payoffs, inverse, logits)
        logits = logits + np.linalg.solve(slope, inverse * payoffs @ mixture - logits)
        before, moved = moved, float(np.abs(_softmax(logits) - mixture).max())
        if moved < PRECISE:
            return logits
        if moved > before:
            return None
    return None


def _softmax(logits: Floats) -> Floats:
    weights: Floats = np.exp(logits - logits.max())
    weights /= weights.sum()
    return weights
