"""The games of :mod:`chance_game` in which nobody, or one player, has a choice at each node: players move in turn."""

from chance_game import (
    ACTIONS,
    MASKED,
    NAME,
    State,
    chance,
    decode,
    decode_observation,
    encode,
    event_at,
    features,
    field_maxima,
    legal,
    observe,
    parameters,
    payoff,
    start,
    step,
    terminal,
)
from graph_game import turn as mover
from nashzoo.envs.core.rules import CHANCE, Ints, rule


@rule
def turn(params: Ints, code: int) -> int:
    """Chance decides, or it is the turn of whoever has a choice."""
    return CHANCE if params[event_at(params, code)] > 0 else mover(params, code)


__all__ = ["ACTIONS", "MASKED", "NAME", "State", "chance", "decode", "decode_observation", "encode", "features"]
__all__ += ["field_maxima", "legal", "observe", "parameters", "payoff", "start", "step", "terminal", "turn"]
