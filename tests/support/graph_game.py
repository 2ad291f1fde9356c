"""Any finite game, written out as a table: a token moves over numbered nodes, where both players choose at once.

With it a test makes the game that it needs. A node is a table ``[m][n]`` of the nodes that the joint actions lead
to; where it is one player's turn, the other has one action. A node without a table is an end.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nashzoo.envs.core.rules import Floats, Ints, observing, packing, parameter, rule, scaled, seat

NAME = "graph_game_v0"
ACTIONS = ("first", "second", "third", "fourth")
MASKED = True

# ``params`` is the number of nodes and the start, then a record for each node.
NODES, START, RECORDS = range(3)
ROWS, COLUMNS, PAYS, TABLE = range(4)  # in a record; what entering the node pays is the bits of a float
RECORD = TABLE + len(ACTIONS) ** 2

Table = Sequence[Sequence[int]]


class State(NamedTuple):
    """Where the token is."""

    node: int  # 0..nodes-1


encode, decode = packing(State, node=63)


def parameters(
    tables: Sequence[Table | None] = (((1,),), None), pays: Sequence[float] = (0.0, 1.0), start: int = 0
) -> Ints:
    """Writes a game as numbers.

    Args:
        tables: For each node, where the joint actions lead to; None for an end.
        pays: For each node, what player 0 gets for entering it.
        start: The node where the token starts.

    Raises:
        ValueError: there are not as many payments as nodes.
    """
    if len(pays) != len(tables):
        raise ValueError(f"{len(tables)} nodes need as many payments, not {len(pays)}")
    records = np.zeros((len(tables), RECORD), np.int64)
    records[:, PAYS] = np.asarray(pays, np.float64).view(np.int64)
    for record, table in zip(records, tables, strict=True):
        if table is not None:
            rows, columns = np.shape(table)
            record[ROWS], record[COLUMNS] = rows, columns
            targets = np.zeros((len(ACTIONS), len(ACTIONS)), np.int64)
            targets[:rows, :columns] = table
            record[TABLE:] = targets.ravel()
    return np.concatenate([[len(tables), start], records.ravel()])


def field_maxima(params: Ints) -> State:
    """Returns the last node."""
    return State(int(params[NODES]) - 1)


def start(params: Ints) -> tuple[Ints, Floats]:
    """The token starts where the parameters say."""
    return params[START : START + 1].copy(), np.ones(1)


@rule
def step(params: Ints, code: int, action0: int, action1: int) -> int:
    """Moves the token."""
    return int(params[RECORDS + RECORD * code + TABLE + len(ACTIONS) * action0 + action1])


@rule
def legal(params: Ints, code: int, player: int) -> int:
    """The rows are player 0's actions, the columns player 1's."""
    return (1 << int(params[RECORDS + RECORD * code + ROWS + player])) - 1


@rule
def turn(params: Ints, code: int) -> int:
    """It is the turn of whoever has a choice, player 0's where nobody has."""
    if legal(params, code, 1) <= 1:
        return 0
    return 1 if legal(params, code, 0) <= 1 else 2


@rule
def terminal(params: Ints, code: int) -> bool:
    """A node without a table is an end."""
    return bool(params[RECORDS + RECORD * code + ROWS] == 0)


@rule
def payoff(params: Ints, code: int) -> float:
    """Returns what the node pays."""
    at = RECORDS + RECORD * code + PAYS
    return float(params[at : at + 1].view(np.float64)[0])


OBSERVATION = (scaled("node / nodes", "node", parameter(NODES)), seat("own seat"))
observe, decode_observation, features = observing(OBSERVATION, State, encode, decode)


def text(params: Ints, code: int) -> str:
    """Returns the node."""
    return f"the token is on {code}"
