"""Any finite game with chance, written out as a table: a token moves over numbered nodes.

With it a test makes the game that it needs. A node is as in :mod:`graph_game`, or a dictionary of nodes and the
probabilities with which chance leads there. Wherever there is no chance both players choose.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from graph_game import (
    ACTIONS,
    NODES,
    RECORD,
    RECORDS,
    State,
    Table,
    decode,
    decode_observation,
    encode,
    features,
    field_maxima,
    legal,
    observe,
    payoff,
    start,
    step,
    terminal,
)
from graph_game import parameters as graph_parameters
from nashzoo.envs.core.rules import BOTH, CHANCE, Floats, Ints, compiled, rule

NAME = "chance_game_v0"
MASKED = True

# ``params`` is that of the game without chance, then for each node 1 more than the number of outcomes, 0 without
# chance, the outcomes, and the bits of their probabilities.
ROOM = 80  # outcomes, more than there may be
EVENT = 1 + 2 * ROOM

Node = Table | Mapping[int, float] | None


def parameters(
    nodes: Sequence[Node] = ({1: 0.5, 2: 0.5}, ((3,),), ((4,),), None, None),
    pays: Sequence[float] = (0.0, 0.0, 0.0, 1.0, 0.0),
    start: int = 0,
) -> Ints:
    """Writes a game as numbers.

    Args:
        nodes: The nodes.
        pays: For each node, what player 0 gets for entering it.
        start: The node where the token starts.
    """
    without = graph_parameters([((0,),) if isinstance(node, Mapping) else node for node in nodes], pays, start)
    events = np.zeros((len(nodes), EVENT), np.int64)
    for event, node in zip(events, nodes, strict=True):
        if isinstance(node, Mapping):
            event[0] = 1 + len(node)
            event[1 : 1 + len(node)] = list(node)
            event[1 + ROOM : 1 + ROOM + len(node)] = np.array(list(node.values()), np.float64).view(np.int64)
    return np.concatenate([without, events.ravel()])


@compiled()
def event_at(params: Ints, code: int) -> int:
    """Returns where the outcomes of a node are in ``params``."""
    return int(RECORDS + RECORD * params[NODES] + EVENT * code)


@rule
def turn(params: Ints, code: int) -> int:
    """Both choose, or chance decides."""
    return CHANCE if params[event_at(params, code)] > 0 else BOTH


@rule
def chance(params: Ints, code: int, outcomes: Ints, probabilities: Floats) -> int:
    """Returns what is written."""
    at = event_at(params, code)
    count = int(params[at]) - 1
    for k in range(count):
        outcomes[k] = params[at + 1 + k]
        probabilities[k] = params[at + 1 + ROOM + k : at + 2 + ROOM + k].view(np.float64)[0]
    return count


__all__ = ["ACTIONS", "MASKED", "NAME", "State", "chance", "decode", "decode_observation", "encode", "features"]
__all__ += ["field_maxima", "legal", "observe", "parameters", "payoff", "start", "step", "terminal", "turn"]
