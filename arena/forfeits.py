"""Matches that a player gave up."""

from collections.abc import Iterable

OFFENDERS = {1: (0,), 2: (1,), 3: (0, 1)}  # by the bits of the players with illegal actions


def forfeited(points: float, by: Iterable[int], at_stake: float) -> float:
    """Returns player 0's points of a match that the players ``by`` gave up, by an illegal action or resignation.

    Such a player loses its lead, and all that it could still lose: nobody gains by giving up. If both do, both get 0.

    Args:
        points: Player 0's points so far.
        by: The players.
        at_stake: See :meth:`nashzoo.envs.core.game.Game.at_stake`.

    >>> forfeited(3.0, (0,), at_stake=1.0), forfeited(-2.0, (0,), at_stake=5.0), forfeited(-2.0, (1,), at_stake=5.0)
    (-1.0, -7.0, 5.0)
    """
    losers = tuple(by)
    if losers == (0,):
        return min(points, 0.0) - at_stake
    return max(points, 0.0) + at_stake if losers == (1,) else 0.0
