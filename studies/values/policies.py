"""Random policies, as tables, so that the library and the study use the same numbers."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nashzoo.baselines import ListedStates, TabularPolicy
from nashzoo.baselines.policies.tabular import Policy, tabulate
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.envs.core.game import Floats, Game
from studies.values.reference import OVER, Graph, Table

Numbering = ListedStates | IndexedStates

TRIES = 100
LEAST_POWER = 300  # rare chances are 10**-1 to 10**-300


class Softmax:
    """Random normal logits at every state.

    Args:
        rng: Random numbers.
        deviation: Standard deviation of the logits.
    """

    def __init__(self, rng: np.random.Generator, deviation: float) -> None:
        self.rng = rng
        self.deviation = deviation

    def __call__(self, legal: tuple[int, ...]) -> Floats:
        """Returns the probabilities of some actions."""
        logits = self.rng.normal(0.0, self.deviation, len(legal))
        weights: Floats = np.exp(logits - logits.max())
        return weights


def deviation(rng: np.random.Generator) -> float:
    """Returns a deviation of logits, log-uniform from 1 to 100."""
    return float(10.0 ** rng.uniform(0.0, 2.0))


def table(game: Game, codes: Any, player: int, weights: Callable[[tuple[int, ...]], Floats]) -> Floats:
    """Returns a policy ``[n, actions]`` in proportion to ``weights(legal actions)`` at each state."""
    found = np.zeros((len(codes), game.num_actions))
    for row, code in zip(found, codes, strict=True):
        legal = list(game.legal_actions(int(code), player))
        drawn = weights(tuple(legal))
        row[legal] = drawn / drawn.sum()
    return found


def rows(graph: Graph, policy: Policy, player: int) -> Table:
    """Returns a policy as the library tabulates it, by the numbers of the graph ``[n, actions]``."""
    found: Table = tabulate(graph.game, policy, np.array(graph.codes), player).tolist()
    return found


def smallest(*tables: Table) -> float:
    """Returns the smallest positive chance."""
    return min(chance for table in tables for row in table for chance in row if chance > 0)


def seats(game: Game) -> tuple[int, int]:
    """Returns the seats of the tables of a pair: in a symmetric game both are for the first."""
    return (0, 0) if game.symmetric else (0, 1)


def seated(numbering: Numbering, table0: Floats, table1: Floats) -> tuple[TabularPolicy, TabularPolicy]:
    """Returns two tables ``[n, actions]`` by the library's numbers, written for :func:`seats`, as policies."""
    other = (table1, None) if numbering.game.symmetric else (None, table1)
    return TabularPolicy(numbering, (table0, None)), TabularPolicy(numbering, other)


def softmax_pair(numbering: Numbering, rng: np.random.Generator) -> tuple[TabularPolicy, TabularPolicy]:
    """Returns two policies with random logits of the same deviation."""
    draw = Softmax(rng, deviation(rng))
    codes = numbering.codes_at(np.arange(len(numbering)))
    return seated(numbering, *(table(numbering.game, codes, seat, draw) for seat in seats(numbering.game)))


def rare_pair(graph: Graph, rng: np.random.Generator) -> tuple[Floats, Floats] | None:
    """Returns two policies ``[n, actions]`` of endless deterministic play, except for rare chances at some states.

    Returns None if no such pair was found in :data:`TRIES` tries.
    """
    game, codes = graph.game, graph.codes
    for _ in range(TRIES):
        tables = [
            table(game, codes, player, lambda legal: np.eye(len(legal))[rng.integers(len(legal))]) for player in (0, 1)
        ]
        if OVER not in _visited(graph, *tables):
            break
    else:
        return None
    for _ in range(int(2 ** rng.uniform(0, 6))):
        state = rng.choice(sorted(_visited(graph, *tables) - {OVER}))
        player = int(rng.integers(2))
        row = tables[player][state]
        others = [action for action in game.legal_actions(codes[state], player) if row[action] == 0.0]
        if others:
            chance = 10.0 ** -int(rng.integers(1, LEAST_POWER + 1))
            row[rng.choice(others)] = chance
            row /= row.sum()
    return tables[0], tables[1]


def _visited(graph: Graph, table0: Floats, table1: Floats) -> set[int]:
    """Returns the states that two policies visit from the first start, with OVER if the game can end."""
    found: set[int] = set()
    todo = [graph.starts[0][0]]
    while todo:
        state = todo.pop()
        if state in found:
            continue
        found.add(state)
        if state != OVER:
            todo.extend(
                o.target for o in graph.outcomes[state] if table0[state, o.action0] * table1[state, o.action1] > 0
            )
    return found


def log_uniform(rng: np.random.Generator, count: int) -> Floats:
    """Returns weights from 1 to 1e-300 with uniform exponents, a quarter of them 0; at least one is not 0."""
    while True:
        found: Floats = 10.0 ** -rng.uniform(0.0, LEAST_POWER, count) * (rng.random(count) < 0.75)
        if math.fsum(found) > 0:
            return found
