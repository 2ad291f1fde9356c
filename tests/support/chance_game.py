"""Any finite game with chance, written out as a table: a token moves over numbered nodes.

With it a test makes the game that it needs. A node is a table ``[m][n]`` of the nodes that the joint actions lead to,
or a dictionary of nodes and the probabilities with which chance leads there. A node that is None is an end.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from nashzoo.envs.core.rules import BOTH, CHANCE, Floats, Ints, observing, packing, parameter, rule, scaled, seat

NAME = "chance_game_v0"
ACTIONS = ("first", "second", "third", "fourth")
MASKED = True

# ``params`` is the number of nodes and the start, then a record for each node.
NODES, START, RECORDS = range(3)
ROOM = 80  # outcomes, more than there may be
ROWS, COLUMNS, PAYS, TABLE = range(4)  # in a record; what entering the node pays is the bits of a float
PROBABILITIES = TABLE + ROOM  # the bits of floats
RECORD = PROBABILITIES + ROOM

Node = Sequence[Sequence[int]] | Mapping[int, float] | None


class State(NamedTuple):
    """Where the token is."""

    node: int  # 0..nodes-1


encode, decode = packing(State, node=63)


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
    records = np.zeros((len(nodes), RECORD), np.int64)
    records[:, PAYS] = np.asarray(pays, np.float64).view(np.int64)
    for record, node in zip(records, nodes, strict=True):
        if isinstance(node, Mapping):
            record[ROWS], record[COLUMNS] = len(node), -1
            record[TABLE : TABLE + len(node)] = list(node)
            likely = np.array(list(node.values()), np.float64)
            record[PROBABILITIES : PROBABILITIES + len(node)] = likely.view(np.int64)
        elif node is not None:
            rows, columns = np.shape(node)
            record[ROWS], record[COLUMNS] = rows, columns
            targets = np.zeros((len(ACTIONS), len(ACTIONS)), np.int64)
            targets[:rows, :columns] = node
            record[TABLE : TABLE + targets.size] = targets.ravel()
    return np.concatenate([[len(nodes), start], records.ravel()])


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
    """The rows are player 0's actions, the columns player 1's; where chance decides this answer is not to be used."""
    return (1 << max(int(params[RECORDS + RECORD * code + ROWS + player]), 0)) - 1


@rule
def turn(params: Ints, code: int) -> int:
    """Both choose, or chance decides."""
    return CHANCE if params[RECORDS + RECORD * code + COLUMNS] < 0 else BOTH


@rule
def chance(params: Ints, code: int, outcomes: Ints, probabilities: Floats) -> int:
    """Returns what is written."""
    at = RECORDS + RECORD * code
    count = int(params[at + ROWS])
    for k in range(count):
        outcomes[k] = params[at + TABLE + k]
        probabilities[k] = params[at + PROBABILITIES + k : at + PROBABILITIES + k + 1].view(np.float64)[0]
    return count


@rule
def terminal(params: Ints, code: int) -> bool:
    """A node that is None is an end."""
    return bool(params[RECORDS + RECORD * code + COLUMNS] == 0)


@rule
def payoff(params: Ints, code: int) -> float:
    """Returns what the node pays."""
    at = RECORDS + RECORD * code + PAYS
    return float(params[at : at + 1].view(np.float64)[0])


OBSERVATION = (scaled("node / nodes", "node", parameter(NODES)), seat("own seat"))
observe, decode_observation, features = observing(OBSERVATION, State, encode, decode)
