"""Any finite game with chance, written out as a table: a token moves over numbered nodes.

With it a test makes the game that it needs. A node is as in :mod:`graph_game`, or a dictionary of nodes and the
probabilities with which chance leads there. Wherever there is no chance both players choose.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

import graph_game
from graph_game import ACTIONS, BITS, OBSERVATION, State, Table, field_maxima, legal, payoff, start, step, terminal
from nashzoo.envs.jit.compiled import Floats, Ints
from nashzoo.envs.rules.pieces import BOTH, CHANCE

NAME = "chance_game_v0"
ROOM = 80  # outcomes, more than there may be

Node = Table | Mapping[int, float] | None


class Params(NamedTuple):
    nodes: Sequence[Node] = ({1: 0.5, 2: 0.5}, ((3,),), ((4,),), None, None)
    pays: Sequence[float] = (0.0, 0.0, 0.0, 1.0, 0.0)  # for each node, what player 0 gets for entering it
    start: int = 0  # the node where the token starts


class Tables(NamedTuple):
    nodes: int
    sizes: Ints  # [nodes, 2], how many actions each player has
    targets: Ints  # [nodes, 16], where joint actions lead to
    pays: Floats
    counts: Ints  # [nodes], 1 more than the number of outcomes, 0 without chance
    outcomes: Ints  # [nodes, ROOM]
    likely: Floats  # [nodes, ROOM], their probabilities


def tables(params: Params) -> Tables:
    without = [((0,),) if isinstance(node, Mapping) else node for node in params.nodes]
    counts = np.zeros(len(without), np.int64)
    outcomes, likely = np.zeros((len(without), ROOM), np.int64), np.zeros((len(without), ROOM))
    for number, node in enumerate(params.nodes):
        if isinstance(node, Mapping):
            counts[number] = 1 + len(node)
            outcomes[number, : len(node)], likely[number, : len(node)] = list(node), list(node.values())
    return Tables(*graph_game.tables(graph_game.Params(without, params.pays)), counts, outcomes, likely)


def turn(tables: Tables, code: int) -> int:
    """Both choose, or chance decides."""
    return CHANCE if tables.counts[code] > 0 else BOTH


def chance(tables: Tables, code: int, outcomes: Ints, probabilities: Floats) -> int:
    """Returns what is written."""
    count = tables.counts[code] - 1
    for k in range(count):
        outcomes[k], probabilities[k] = tables.outcomes[code, k], tables.likely[code, k]
    return count  # type: ignore[no-any-return]


__all__ = ["ACTIONS", "BITS", "NAME", "OBSERVATION", "Params", "State", "chance", "field_maxima", "legal", "payoff"]
__all__ += ["start", "step", "tables", "terminal", "turn"]
