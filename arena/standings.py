"""The standings of a tournament: points, ratings, the Nash average, shares of games."""

from dataclasses import dataclass

import numpy as np

from nashzoo.arena.match import MatchResult, Z
from nashzoo.arena.ratings import nash_average
from nashzoo.arena.tournament import Tournament
from nashzoo.envs.core.game import Floats

REDRAWS = 200  # of every pair's points, for the interval of the Nash average
TAILS = 2.5, 97.5  # percentiles


@dataclass(frozen=True)
class Standing:
    """The standing of one player.

    Attributes:
        player: Its name.
        points: Points per game, luck-adjusted if luck was measured, with equal weights of the opponents.
        rating: Strength on the scale of Elo; the mean of all is 0.
        rating_error: Half of its 95 % interval.
        nash: Its probability in the Nash average.
        nash_interval: 95 % interval of that probability; both ends are equal if all points are exact.
        against_nash: Points per game against the Nash average; at most 0 up to 1e-6 of the largest payoff.
        shares: Shares of games won, drawn and lost, with equal weights of the opponents.
        exploitability: Points per game; None if it is unknown, or was not computed.
        plain_points: Points per game as they were played.
        forfeits: Games that it lost by an illegal action, such as an answer or a script that is none.
        without_forfeits: Plain points per game of the games that nobody lost so; no number if there are none.
    """

    player: str
    points: float
    rating: float
    rating_error: float
    nash: float
    nash_interval: tuple[float, float]
    against_nash: float
    shares: tuple[float, float, float]
    exploitability: float | None
    plain_points: float
    forfeits: int
    without_forfeits: float


def standings(played: Tournament) -> list[Standing]:
    """Returns the standings of all players, ordered by points, best first.

    The Nash average is computed from exact points where they are known, else from the means of games played. For its
    interval the points are drawn anew from normal distributions with these means and standard errors.
    """
    ratings = played.ratings
    payoffs, errors = _payoffs(played)
    mixture = nash_average(payoffs)
    low, high = np.percentile(_redrawn(payoffs, errors), TAILS, axis=0) if errors.any() else (mixture, mixture)
    gains = payoffs @ mixture
    return [
        Standing(
            player=name,
            points=played.score(name),
            rating=float(ratings.strengths[k]),
            rating_error=Z * float(ratings.errors[k]),
            nash=float(mixture[k]),
            nash_interval=(float(low[k]), float(high[k])),
            against_nash=float(gains[k]),
            shares=_shares([played.results[name, other] for other in played.names if other != name]),
            exploitability=played.exploitability.get(name),
            plain_points=played.plain_score(name),
            without_forfeits=played.score_without_forfeits(name),
            forfeits=sum(played.results[name, other].forfeits[0] for other in played.names if other != name),
        )
        for k, name in enumerate(played.names)
    ]


def _payoffs(played: Tournament) -> tuple[Floats, Floats]:
    """Returns points per game and their standard errors ``[players, players]``, antisymmetric to the last bit."""
    payoffs = played.matrix(lambda result: result.adjusted_mean)
    errors = played.matrix(lambda result: result.adjusted_error)
    for (one, other), value in played.exact.items():
        pair = played.names.index(one), played.names.index(other)
        payoffs[pair], errors[pair] = value, 0.0
    upper = np.triu(payoffs, 1)
    return upper - upper.T, errors


def _redrawn(payoffs: Floats, errors: Floats) -> Floats:
    """Returns the Nash averages of points drawn anew ``[redraws, players]``."""
    rng = np.random.default_rng(0)
    averages = []
    for _ in range(REDRAWS):
        noise = np.triu(rng.standard_normal(payoffs.shape) * errors, 1)
        averages.append(nash_average(payoffs + noise - noise.T))
    return np.array(averages)


def _shares(results: list[MatchResult]) -> tuple[float, float, float]:
    shares = [np.array([result.wins, result.draws, result.losses]) / result.games for result in results]
    won, drawn, lost = np.mean(shares, axis=0).tolist()
    return won, drawn, lost
