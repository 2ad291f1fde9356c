"""Pairs on random graphs, with small and rare probabilities, against exact elimination and all responses."""

import sys
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.baselines import ListedStates
from nashzoo.envs import Game
from nashzoo.envs.core.game import Floats
from studies.values import policies, reference, responses
from studies.values.numbers import Interval, exact
from studies.values.reference import EndlessRewardsError, Graph, Table
from studies.values.trials import Trial

sys.path.append(
    str(Path(__file__).parents[2] / "tests" / "support")
)  # as in the tests, since compiled files contain their module's name
import chance_game
import graph_game

MOST_TRIED = 1_000  # pure responses; for more, exact policy iteration, which allows only rewards at the ends
LARGEST = 1_000  # points won and lost; above, float64 has fewer than nine digits after the point
PAYS = (-1.0, -0.5, 0.0, 0.5, 1.0)
LARGE = 50, 60  # nodes, apart from ends
CHANCE = 0.3  # the part of nodes where chance decides
RAREST = 1e-6  # tremble


def random_game(rng: np.random.Generator, on_the_way: bool) -> Game:
    """Returns a game on 3 to 14 nodes with up to 3 actions a player; most transitions stay among the nodes."""
    nodes, ends = int(rng.integers(3, 15)), int(rng.integers(1, 4))
    odds = np.r_[np.full(nodes, 0.8 / nodes), np.full(ends, 0.2 / ends)]
    tables = [rng.choice(nodes + ends, p=odds, size=rng.integers(1, 4, 2)).tolist() for _ in range(nodes)]
    pays = rng.choice(PAYS, nodes + ends)
    if not on_the_way:
        pays[:nodes] = 0.0
    return Game(graph_game, tables=[*tables, *[None] * ends], pays=pays.tolist())


def large_game(rng: np.random.Generator, chance: bool) -> Game:
    """Returns a game on 50 to 60 nodes with up to 3 actions a player; chance decides at some of them, or at none."""
    nodes, ends = int(rng.integers(*LARGE, endpoint=True)), int(rng.integers(1, 4))
    odds = np.r_[np.full(nodes, 0.9 / nodes), np.full(ends, 0.1 / ends)]
    tables: list[Any] = [rng.choice(nodes + ends, p=odds, size=rng.integers(1, 4, 2)).tolist() for _ in range(nodes)]
    pays = [0.0] * nodes + rng.choice(PAYS, ends).tolist()
    if not chance:
        return Game(graph_game, tables=[*tables, *[None] * ends], pays=pays)
    for node in 1 + np.flatnonzero(rng.random(nodes - 1) < CHANCE):
        one, other = rng.choice(nodes + ends, size=2, replace=False, p=odds).tolist()
        tables[node] = {one: 0.75, other: 0.25}
    return Game(chance_game, nodes=[*tables, *[None] * ends], pays=pays)


def response(states: Graph, table: Table, player: int) -> Interval | None:
    """Returns the value of the best response to a policy ``[n, actions]`` to player 0; None if it is unknown."""
    decided = responses.decisions(states, table, player, exact)
    try:
        if prod(len(lines) for lines in decided.values()) <= MOST_TRIED:
            found = Interval.of(responses.by_trying(states, table, player, exact))
            return found if abs(found.lower) <= LARGEST else None
    except EndlessRewardsError:
        return None
    if any(outcome.reward and outcome.target >= 0 for outcomes in states.outcomes for outcome in outcomes):
        return None
    return Interval.of(responses.best_response(states, table, player, exact)[0])


def exploitability(states: Graph, tables: tuple[Table, Table]) -> Interval | None:
    """Returns half of the sum of both best responses' points; None if it is unknown."""
    first, second = response(states, tables[1], 0), response(states, tables[0], 1)
    return None if first is None or second is None else first.mean_with(second.negative())


def pair(game: Game, weights: Callable[[tuple[int, ...]], Floats], on_the_way: bool = False) -> Trial | None:
    """Returns a pair in proportion to ``weights(legal actions)``; None if rewards are undefined or too large."""
    numbering, states = ListedStates(game), Graph(game)
    drawn = (policies.table(game, numbering.codes, player, weights) for player in (0, 1))
    both = policies.seated(numbering, *drawn)
    tables = policies.rows(states, both[0], 0), policies.rows(states, both[1], 1)
    try:
        if on_the_way and reference.turnover(states, *tables, exact) > LARGEST:
            return None
        value = Interval.of(reference.value(states, *tables, exact))
    except EndlessRewardsError:
        return None
    return Trial(game, both, policies.smallest(*tables), lambda: value, lambda: exploitability(states, tables))


def at_the_end(rng: np.random.Generator) -> Trial:
    """Returns a pair in a game with rewards at its ends alone."""
    return first_of(rng, False)


def on_the_way(rng: np.random.Generator) -> Trial:
    """Returns a pair in a game with rewards on the way too."""
    return first_of(rng, True)


def first_of(rng: np.random.Generator, on_the_way: bool) -> Trial:
    """Returns the first pair that can be measured."""

    def weights(legal: tuple[int, ...]) -> Floats:
        return policies.log_uniform(rng, len(legal))

    while (found := pair(random_game(rng, on_the_way), weights, on_the_way)) is None:
        pass
    return found


def trembling(rng: np.random.Generator, chance: bool) -> Trial:
    """Returns a deterministic pair in a large game, in which the other actions have a probability of 1e-6 to 1e-2."""
    tremble = 10.0 ** rng.uniform(np.log10(RAREST), -2.0)

    def weights(legal: tuple[int, ...]) -> Floats:
        row = np.full(len(legal), 1.05 * tremble)  # above 1e-6 after division by the sum, too
        row[rng.integers(len(legal))] = 1.0
        return row

    found = pair(large_game(rng, chance), weights)
    assert found is not None  # all rewards are at the ends
    return found


def trembles(rng: np.random.Generator) -> Trial:
    """Returns a pair with trembles in a large game without chance."""
    return trembling(rng, False)


def trembles_by_chance(rng: np.random.Generator) -> Trial:
    """Returns a pair with trembles in a large game with chance."""
    return trembling(rng, True)
