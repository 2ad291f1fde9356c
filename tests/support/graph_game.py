"""Any finite game, written out as a table: a token moves over numbered nodes, where both players choose at once.

With it a test makes the game that it needs. A node is a table ``[m][n]`` of the nodes that the joint actions lead
to; where it is one player's turn, the other has one action. A node without a table is an end.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nashzoo.envs.jit.compiled import Floats, Ints
from nashzoo.envs.rules.observation import scaled, seat

NAME = "graph_game_v0"
ACTIONS = ("first", "second", "third", "fourth")

Table = Sequence[Sequence[int]]


class Params(NamedTuple):
    tables: Sequence[Table | None] = (((1,),), None)  # for each node, where the joint actions lead to; None for an end
    pays: Sequence[float] = (0.0, 1.0)  # for each node, what player 0 gets for entering it
    start: int = 0  # the node where the token starts


class Tables(NamedTuple):
    nodes: int
    sizes: Ints  # [nodes, 2], how many actions each player has
    targets: Ints  # [nodes, 16], where joint actions lead to
    pays: Floats


class State(NamedTuple):
    """Where the token is."""

    node: int  # 0..nodes-1


BITS = {"node": 63}


def check_params(params: Params) -> None:
    if len(params.pays) != len(params.tables):
        raise ValueError(f"{len(params.tables)} nodes need as many payments, not {len(params.pays)}")


def tables(params: Params) -> Tables:
    nodes, most = len(params.tables), len(ACTIONS)
    sizes, targets = np.zeros((nodes, 2), np.int64), np.zeros((nodes, most, most), np.int64)
    for node, table in enumerate(params.tables):
        if table is not None:
            rows, columns = sizes[node] = np.shape(table)
            targets[node, :rows, :columns] = table
    return Tables(nodes, sizes, targets.reshape(nodes, -1), np.asarray(params.pays, np.float64))


def field_maxima(tables: Tables) -> State:
    return State(tables.nodes - 1)


def start(params: Params) -> State:
    """The token starts where the parameters say."""
    return State(params.start)


def step(tables: Tables, state: State, action0: int, action1: int) -> State:
    """Moves the token."""
    return State(tables.targets[state.node, len(ACTIONS) * action0 + action1])


def legal(tables: Tables, state: State, player: int) -> int:
    """The rows are player 0's actions, the columns player 1's."""
    return (1 << tables.sizes[state.node, player]) - 1  # type: ignore[no-any-return]


def turn(tables: Tables, state: State) -> int:
    """It is the turn of whoever has a choice, player 0's where nobody has."""
    if tables.sizes[state.node, 1] <= 1:
        return 0
    return 1 if tables.sizes[state.node, 0] <= 1 else 2


def at_stake(tables: Tables) -> float:
    """What an end pays at most; what nodes before it pay is not counted."""
    return float(np.abs(tables.pays).max())


def terminal(tables: Tables, state: State) -> bool:
    """A node without a table is an end."""
    return tables.sizes[state.node, 0] == 0  # type: ignore[no-any-return]


def payoff(tables: Tables, state: State) -> float:
    """Returns what the node pays."""
    return tables.pays[state.node]  # type: ignore[no-any-return]


OBSERVATION = (scaled("node / nodes", "node", most="tables.nodes"), seat("own seat"))


def text(state: State) -> str:
    """Returns the node."""
    return f"the token is on {state.node}"
