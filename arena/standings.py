"""How everyone stands after a tournament: points, ratings, the Nash average, shares of games."""

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
    """How one player stands.

    Attributes:
        player: What it is called.
        points: Points per game, all opponents weighing the same.
        rating: Strength on the scale of Elo; the mean of all is 0.
        rating_error: Half of its 95 % interval.
        nash: Its probability in the Nash average.
        nash_interval: Of that probability, 95 %; both ends are the same where all points are exact.
        against_nash: What it wins from the Nash average, points per game; at most 0 up to 1e-6 of the largest payoff.
        shares: Of games won, drawn and lost, all opponents weighing the same.
        exploitability: Points per game; None where it is not known, or was not asked for.
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


def standings(played: Tournament) -> list[Standing]:
    """Returns how everyone stands, best first by points.

    The Nash average is taken of exact points where there are some, else of the means of games played. Its interval is
    that of Nash averages of points drawn anew from the normal distributions that means and standard errors say.
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
        )
        for k, name in enumerate(played.names)
    ]


def _payoffs(played: Tournament) -> tuple[Floats, Floats]:
    """Returns points per game and their standard errors ``[players, players]``, antisymmetric to the last bit."""
    payoffs, errors = played.matrix(lambda result: result.mean), played.matrix(lambda result: result.standard_error)
    for (one, other), value in played.exact.items():
        pair = played.names.index(one), played.names.index(other)
        payoffs[pair], errors[pair] = value, 0.0
    upper = np.triu(payoffs, 1)
    return upper - upper.T, errors


def _redrawn(payoffs: Floats, errors: Floats) -> Floats:
    """Returns the Nash averages of points drawn anew ``[redraws, players]``."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(REDRAWS):
        noise = np.triu(rng.standard_normal(payoffs.shape) * errors, 1)
        found.append(nash_average(payoffs + noise - noise.T))
    return np.array(found)


def _shares(results: list[MatchResult]) -> tuple[float, float, float]:
    won, drawn, lost = np.mean(
        [[result.wins / result.games, result.draws / result.games, result.losses / result.games] for result in results],
        axis=0,
    )
    return float(won), float(drawn), float(lost)
