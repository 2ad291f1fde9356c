"""The games of :mod:`chance_game` in which nobody, or one player, has a choice at each node: players move in turn."""

from chance_game import (
    ACTIONS,
    BITS,
    NAME,
    OBSERVATION,
    Params,
    State,
    Tables,
    chance,
    field_maxima,
    legal,
    payoff,
    start,
    step,
    tables,
    terminal,
)
from nashzoo.envs.rules.pieces import CHANCE


def turn(tables: Tables, code: int) -> int:
    """Chance decides, or it is the turn of whoever has a choice, player 0's where nobody has."""
    if tables.counts[code] > 0:
        return CHANCE
    if tables.sizes[code, 1] <= 1:
        return 0
    return 1 if tables.sizes[code, 0] <= 1 else 2


__all__ = ["ACTIONS", "BITS", "NAME", "OBSERVATION", "Params", "State", "chance", "field_maxima", "legal", "payoff"]
__all__ += ["start", "step", "tables", "terminal", "turn"]
