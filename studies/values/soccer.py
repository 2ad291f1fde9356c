"""Pairs in soccer on 11 x 3 cells, against elimination in numbers of 64 bits with a long exponent.

The best response is checked from below: policy iteration continues from the library's own responses, with their
reference values, until no choice gains more than 1e-12. A figure above the value of the response, or below that of a
better one, is wrong; a better response whose steps all gain less would not be found.
"""

from enum import Enum
from functools import cache
from typing import Any

import numpy as np

from nashzoo.baselines import ListedStates, best_response
from nashzoo.envs import soccer_v0
from studies.values import policies, responses
from studies.values import wide as blocks
from studies.values.numbers import Interval, wide
from studies.values.reference import Graph, Rows, Table, at_start, chain, starting
from studies.values.trials import Trial

ERROR = 1e-12  # a generous bound of the reference's error; see the documentation
NOISE = 1e-12  # least gain of a better response


class Start(Enum):
    """The start: lined up, placed at random, or uniformly random over all states."""

    LINED_UP, RANDOM, ANYWHERE = range(3)


@cache
def graph(start: Start) -> Graph:
    """Returns the states."""
    game = soccer_v0.game(width=11, height=3, goal_height=1, random_positions=start != Start.LINED_UP)
    if start == Start.ANYWHERE:  # so that a wrong value of any state is found
        return Graph(starting(game, np.array(graph(Start.RANDOM).codes)))
    return Graph(game)


@cache
def order(start: Start) -> blocks.Order:
    """Returns the order of elimination, cached since it is slow to find."""
    return blocks.Order(graph(start))


@cache
def numbering(start: Start) -> ListedStates:
    """Returns the library's numbers of the states, in which policies are written."""
    return ListedStates(graph(start).game)


def trial(start: Start, pair: tuple[Any, Any]) -> Trial:
    """Returns the pair of these policies."""
    states = graph(start)
    game = states.game
    tables = [policies.rows(states, policy, player) for player, policy in enumerate(pair)]

    def solved(rows: Rows) -> dict[int, Any]:
        return blocks.solved(order(start), rows)

    def value() -> Interval:
        values = solved(chain(states, tables[0], tables[1], wide))
        return Interval.of(at_start(states, values, wide), ERROR)

    def response(player: int) -> Interval:
        answer: Any = best_response(game, pair[1 - player], player, bounds=True).policy
        mine = policies.rows(states, answer, player)
        guess = {state: int(np.argmax(row)) for state, row in enumerate(mine)}
        table: Table = tables[1 - player]
        found = responses.best_response(states, table, player, wide, guess, NOISE, solved)[0]
        return Interval.of(found, ERROR)

    return Trial(
        game,
        pair,
        policies.smallest(*tables),
        value,
        lambda: response(0).mean_with(response(1).negative()),
    )


def lined_up(rng: np.random.Generator) -> Trial:
    """Returns a pair with random logits."""
    return trial(Start.LINED_UP, policies.softmax_pair(numbering(Start.LINED_UP), rng))


def random_start(rng: np.random.Generator) -> Trial:
    """Returns a pair with random logits, in the game where players are placed at random."""
    return trial(Start.RANDOM, policies.softmax_pair(numbering(Start.RANDOM), rng))


def anywhere(rng: np.random.Generator) -> Trial:
    """Returns a pair with random logits, in the game that starts at any state."""
    return trial(Start.ANYWHERE, policies.softmax_pair(numbering(Start.ANYWHERE), rng))
