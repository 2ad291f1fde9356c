"""Pairs in default Footsies, against exact elimination, and exact policy iteration for the best responses."""

from functools import cache
from typing import Any

import numpy as np

from nashzoo.baselines import ListedStates
from nashzoo.envs import footsies_v0
from studies.values import policies, reference
from studies.values.numbers import Interval, exact, wide
from studies.values.reference import Graph, Table, starting
from studies.values.responses import best_response
from studies.values.trials import Trial

ANYWHERE = -1  # in the place of the number of a state
NOISE = 1e-12  # only for the first guess of a response


@cache
def graph(start: int | None = None) -> Graph:
    """Returns the states reachable from the start, or from the state with this number and its mirror image.

    With ``ANYWHERE`` the start is uniformly random over all states, so that a wrong value of any is found.
    """
    game = footsies_v0.game()
    if start is None:
        return Graph(game)
    codes = np.array(graph().codes)
    if start != ANYWHERE:
        codes = np.r_[codes[start], game.swap_players(codes[start : start + 1])]
    return Graph(starting(game, np.unique(codes)))


@cache
def numbering(start: int | None = None) -> ListedStates:
    """Returns the library's numbers of them, in which policies are written."""
    return ListedStates(graph(start).game)


def response(states: Graph, table: Table, player: int) -> Interval:
    """Returns the exact value of the best response to a policy ``[n, actions]`` to player 0."""
    guess = best_response(states, table, player, wide, noise=NOISE)[1]
    return Interval.of(best_response(states, table, player, exact, guess)[0])


def trial(start: int | None, pair: tuple[Any, Any]) -> Trial:
    """Returns the pair of these policies."""
    states = graph(start)
    tables = [policies.rows(states, policy, player) for player, policy in enumerate(pair)]
    return Trial(
        states.game,
        pair,
        policies.smallest(*tables),
        lambda: Interval.of(reference.value(states, tables[0], tables[1], exact)),
        lambda: response(states, tables[1], 0).mean_with(response(states, tables[0], 1).negative()),
    )


def softmax(rng: np.random.Generator, start: int | None = None) -> Trial:
    """Returns a pair with random logits."""
    return trial(start, policies.softmax_pair(numbering(start), rng))


def anywhere(rng: np.random.Generator) -> Trial:
    """Returns a pair with random logits, in the game that starts at any state."""
    return softmax(rng, ANYWHERE)


def rare(rng: np.random.Generator) -> Trial:
    """Returns a deterministic pair whose play from some state ends only by rare chances."""
    while (found := policies.rare_pair(graph(start := int(rng.integers(len(graph().codes)))), rng)) is None:
        pass
    codes = np.array(graph(start).codes)
    tables = []
    for table, seen in zip(found, (codes, graph(start).game.swap_players(codes)), strict=True):
        by_number = np.empty_like(table)
        by_number[numbering(start).ids(seen)] = table
        tables.append(by_number)
    return trial(start, policies.seated(numbering(start), *tables))
