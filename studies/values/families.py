"""The families of random pairs, each with its reference. The same random numbers give the same pair.

Policies are tables, so that the library and the study use the same numbers.
"""

import math
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from nashzoo.baselines import ListedStates, TabularPolicy, best_response
from nashzoo.baselines.policies.tabular import Policy, tabulate
from nashzoo.baselines.states.indexed import IndexedStates, numbering
from nashzoo.envs import Game, bodega_brawl_v0, footsies_v0, soccer_v0
from nashzoo.envs.core.game import Floats
from studies.values import reference, responses
from studies.values.reference import OVER, EndlessRewardsError, Graph, Interval, Number, Table, exact, starting, wide
from studies.values.trials import Trial

# As in the tests, since compiled files contain their module's name.
sys.path.append(str(Path(__file__).parents[2] / "tests" / "support"))
import chance_game
import graph_game

LEAST_POWER = 300  # rare chances are 10**-1 to 10**-300
TRIES = 100  # to find a pair whose play does not end
NOISE = 1e-12  # least gain of a better response in numbers of 64 bits
ERROR = 1e-12  # a generous bound of the reference's error in these numbers; see the documentation
MOST_TRIED = 1_000  # pure responses; for more, exact policy iteration, which allows only rewards at the ends
LARGEST = 1_000  # points won and lost; above, float64 has fewer than nine digits after the point
PAYS = (-1.0, -0.5, 0.0, 0.5, 1.0)
SHARPNESS = 1.0, 10.0, 100.0, 1000.0  # factors of a network's last layer
UNITS = 64

Weights = Callable[[tuple[int, ...]], Floats]  # of the legal actions
Pair = tuple[TabularPolicy, TabularPolicy]


class States(NamedTuple):
    """The states of a game, numbered by the study and by the library, which numbers the rows of policies."""

    graph: Graph
    numbering: ListedStates | IndexedStates

    @property
    def game(self) -> Game:
        """The game."""
        return self.graph.game

    @property
    def seats(self) -> tuple[int, int]:
        """The seats of the tables of a pair: in a symmetric game both are for the first."""
        return (0, 0) if self.game.symmetric else (0, 1)

    def pair(self, table0: Floats, table1: Floats) -> Pair:
        """Returns two tables ``[n, actions]`` by the library's numbers, written for the seats, as policies."""
        other = (table1, None) if self.game.symmetric else (None, table1)
        return TabularPolicy(self.numbering, (table0, None)), TabularPolicy(self.numbering, other)

    def table(self, policy: Policy, player: int) -> Table:
        """Returns a policy as the library tabulates it, by the numbers of the study ``[n, actions]``."""
        rows: Table = tabulate(self.game, policy, np.array(self.graph.codes), player).tolist()
        return rows


def drawn(game: Game, codes: Any, player: int, weights: Weights) -> Floats:
    """Returns a policy ``[n, actions]`` in proportion to ``weights(legal actions)`` at each state."""
    table = np.zeros((len(codes), game.num_actions))
    for row, code in zip(table, codes, strict=True):
        legal = list(game.legal_actions(int(code), player))
        chances = weights(tuple(legal))
        row[legal] = chances / chances.sum()
    return table


def softmax_pair(states: States, rng: np.random.Generator) -> Pair:
    """Returns two policies with random normal logits, of the same log-uniform deviation from 1 to 100."""
    deviation = float(10.0 ** rng.uniform(0.0, 2.0))

    def weights(legal: tuple[int, ...]) -> Floats:
        logits = rng.normal(0.0, deviation, len(legal))
        return np.exp(logits - logits.max())

    codes = states.numbering.codes_at(np.arange(len(states.numbering)))
    return states.pair(*(drawn(states.game, codes, seat, weights) for seat in states.seats))


def measured(states: States, pair: Pair, number: Number) -> Trial:
    """Returns a pair with its references in exact or wide numbers.

    Policy iteration continues from the library's own responses, until no choice gains anything in exact numbers, or
    more than NOISE in wide ones: a better response whose steps all gain less would not be noticed.
    """
    graph = states.graph
    error, noise = (ERROR, NOISE) if number is wide else (0.0, 0.0)
    first, second = (states.table(policy, player) for player, policy in enumerate(pair))

    def response(table: Table, player: int) -> Interval:
        answer: Any = best_response(states.game, pair[1 - player], player, bounds=True).policy
        guess = {state: int(np.argmax(row)) for state, row in enumerate(states.table(answer, player))}
        best = responses.best_response(graph, table, player, number, guess, noise, graph.order)[0]
        return Interval.of(best, error)

    return Trial(
        states.game,
        pair,
        smallest(first, second),
        lambda: Interval.of(reference.value(graph, first, second, number, graph.order), error),
        lambda: response(second, 0).half_above(response(first, 1)),
    )


def smallest(*tables: Table) -> float:
    """Returns the smallest positive chance."""
    return min(chance for table in tables for row in table for chance in row if chance > 0)


# Default Footsies, against exact elimination, and exact policy iteration for the best responses.


@cache
def footsies(start: int | str | None = None) -> States:
    """Returns the states reachable from the start, or from the state with this number and its mirror image.

    With ``"anywhere"`` the start is uniformly random over all states, so that a wrong value of any is noticed.
    """
    game = footsies_v0.game()
    if start is not None:
        codes = np.array(footsies().graph.codes)
        if not isinstance(start, str):
            codes = np.r_[codes[start], game.swap_players(codes[start : start + 1])]
        game = starting(game, np.unique(codes))
    return States(Graph(game), ListedStates(game))


def footsies_rare(rng: np.random.Generator) -> Trial:
    """Returns a deterministic pair whose play from some state ends only by rare chances."""
    count = len(footsies().graph.codes)
    while (pair := rare_pair((states := footsies(int(rng.integers(count)))).graph, rng)) is None:
        pass
    codes = np.array(states.graph.codes)
    tables = []
    for table, observed in zip(pair, (codes, states.game.swap_players(codes)), strict=True):
        by_number = np.empty_like(table)
        by_number[states.numbering.ids(observed)] = table
        tables.append(by_number)
    return measured(states, states.pair(*tables), exact)


def rare_pair(graph: Graph, rng: np.random.Generator) -> tuple[Floats, Floats] | None:
    """Returns two policies ``[n, actions]`` of endless deterministic play, except for rare chances at some states.

    Returns None if there was no such pair in :data:`TRIES` tries.
    """
    game, codes = graph.game, graph.codes
    for _ in range(TRIES):
        tables = [
            drawn(game, codes, seat, lambda legal: np.eye(len(legal))[rng.integers(len(legal))]) for seat in (0, 1)
        ]
        if OVER not in visited(graph, *tables):
            break
    else:
        return None
    for _ in range(int(2 ** rng.uniform(0, 6))):
        state = rng.choice(sorted(visited(graph, *tables) - {OVER}))
        player = int(rng.integers(2))
        row = tables[player][state]
        others = [action for action in game.legal_actions(codes[state], player) if row[action] == 0.0]
        if others:
            chance = 10.0 ** -int(rng.integers(1, LEAST_POWER + 1))
            row[rng.choice(others)] = chance
            row /= row.sum()
    return tables[0], tables[1]


def visited(graph: Graph, table0: Floats, table1: Floats) -> set[int]:
    """Returns the states that two policies visit from the first start, with OVER if the game can end."""
    states, todo = set[int](), [graph.starts[0][0]]
    while todo:
        if (state := todo.pop()) not in states:
            states.add(state)
            outcomes = graph.outcomes[state] if state != OVER else []
            todo += [o.target for o in outcomes if table0[state, o.action0] * table1[state, o.action1] > 0]
    return states


# Small Bodega Brawl and soccer on 11 x 3 cells, against elimination in numbers of 64 bits with a long exponent.


@cache
def brawl() -> States:
    """Returns the reachable states; the library numbers others too."""
    game = bodega_brawl_v0.game(preset="small")
    return States(Graph(game), numbering(game))


@cache
def soccer(random: bool = False) -> States:
    """Returns the states reachable from the start."""
    game = soccer_v0.game(width=11, height=3, goal_height=1, random_positions=random)
    return States(Graph(game), ListedStates(game))


# Random graphs, with small and rare probabilities, against exact elimination and all responses.


def graph_response(graph: Graph, table: Table, player: int) -> Interval | None:
    """Returns the value of the best response to a policy ``[n, actions]`` to player 0; None if it is unknown."""
    decided = responses.decisions(graph, table, player, exact)
    try:
        if math.prod(len(lines) for lines in decided.values()) <= MOST_TRIED:
            best = Interval.of(responses.by_trying(graph, table, player, exact))
            return best if abs(best.lower) <= LARGEST else None
    except EndlessRewardsError:
        return None
    if any(outcome.reward and outcome.target >= 0 for outcomes in graph.outcomes for outcome in outcomes):
        return None
    return Interval.of(responses.best_response(graph, table, player, exact)[0])


def graph_pair(game: Game, weights: Weights, on_the_way: bool = False) -> Trial | None:
    """Returns a pair in proportion to ``weights(legal actions)``; None if rewards are undefined or too large."""
    states = States(Graph(game), ListedStates(game))
    graph = states.graph
    pair = states.pair(*(drawn(game, states.numbering.codes, player, weights) for player in (0, 1)))
    first, second = states.table(pair[0], 0), states.table(pair[1], 1)
    try:
        if on_the_way and reference.turnover(graph, first, second, exact) > LARGEST:
            return None
        value = Interval.of(reference.value(graph, first, second, exact))
    except EndlessRewardsError:
        return None

    def exploitability() -> Interval | None:
        best, worst = graph_response(graph, second, 0), graph_response(graph, first, 1)
        return None if best is None or worst is None else best.half_above(worst)

    return Trial(game, pair, smallest(first, second), lambda: value, exploitability)


def random_tables(rng: np.random.Generator, nodes: int, ends: int, stay: float) -> tuple[list[Any], Floats]:
    """Returns the transitions of nodes with up to 3 actions a player, and the chances of nodes and ends in them."""
    odds = np.r_[np.full(nodes, stay / nodes), np.full(ends, (1 - stay) / ends)]
    tables = [rng.choice(nodes + ends, p=odds, size=rng.integers(1, 4, 2)).tolist() for _ in range(nodes)]
    return [*tables, *[None] * ends], odds


def graphs(rng: np.random.Generator, on_the_way: bool = False) -> Trial:
    """Returns the first pair on 3 to 14 random nodes that can be measured, with rewards at the ends or on the way."""

    def log_uniform(legal: tuple[int, ...]) -> Floats:
        """Returns weights from 1 to 1e-300 with uniform exponents, a quarter of them 0; at least one is not 0."""
        while True:
            weights: Floats = 10.0 ** -rng.uniform(0.0, LEAST_POWER, len(legal)) * (rng.random(len(legal)) < 0.75)
            if math.fsum(weights) > 0:
                return weights

    trial = None
    while trial is None:
        nodes, ends = int(rng.integers(3, 15)), int(rng.integers(1, 4))
        tables, _ = random_tables(rng, nodes, ends, 0.8)
        pays = rng.choice(PAYS, nodes + ends)
        if not on_the_way:
            pays[:nodes] = 0.0
        trial = graph_pair(Game(graph_game, tables=tables, pays=pays.tolist()), log_uniform, on_the_way)
    return trial


def trembles(rng: np.random.Generator, chance: bool = False) -> Trial:
    """Returns a deterministic pair on 50 to 60 nodes, in which the other actions have a probability of 1e-6 to 1e-2.

    With chance it decides at three of ten nodes.
    """
    tremble = 10.0 ** rng.uniform(-6.0, -2.0)

    def weights(legal: tuple[int, ...]) -> Floats:
        row = np.full(len(legal), 1.05 * tremble)  # above 1e-6 after division by the sum, too
        row[rng.integers(len(legal))] = 1.0
        return row

    nodes, ends = int(rng.integers(50, 60, endpoint=True)), int(rng.integers(1, 4))
    tables, odds = random_tables(rng, nodes, ends, 0.9)
    pays = [0.0] * nodes + rng.choice(PAYS, ends).tolist()
    if chance:
        for node in 1 + np.flatnonzero(rng.random(nodes - 1) < 0.3):
            one, other = rng.choice(nodes + ends, size=2, replace=False, p=odds).tolist()
            tables[node] = {one: 0.75, other: 0.25}
    game = Game(chance_game, nodes=tables, pays=pays) if chance else Game(graph_game, tables=tables, pays=pays)
    trial = graph_pair(game, weights)
    assert trial is not None  # all rewards are at the ends
    return trial


# Neural networks of 64 x 64 units. In the small games the library and the study use the same tables of the networks'
# policies. On the whole field the library evaluates the networks themselves, and the seconds include this.


def network_pair(game: Game, rng: np.random.Generator) -> tuple[nn.Module, nn.Module]:
    """Returns two networks with PyTorch's initialisation, from ``rng``, whose last layers have the same factor."""
    sharpness = float(rng.choice(SHARPNESS))

    def layer(inputs: int, outputs: int, factor: float = 1.0) -> nn.Linear:
        made = nn.Linear(inputs, outputs)
        with torch.no_grad():
            for weights in (made.weight, made.bias):
                numbers = factor * rng.uniform(-1.0, 1.0, tuple(weights.shape)) / np.sqrt(inputs)
                weights.copy_(torch.tensor(numbers, dtype=torch.float32))
        return made

    def network() -> nn.Module:
        first, second = layer(game.num_features, UNITS), layer(UNITS, UNITS)
        return nn.Sequential(first, nn.Tanh(), second, nn.Tanh(), layer(UNITS, game.num_actions, sharpness))

    return network(), network()


def network_tables(states: States, rng: np.random.Generator) -> Pair:
    """Returns two networks as tables."""
    pair: tuple[Any, Any] = network_pair(states.game, rng)
    codes = states.numbering.codes
    return states.pair(*(tabulate(states.game, net, codes, seat) for net, seat in zip(pair, states.seats, strict=True)))


def networks_field(rng: np.random.Generator) -> Trial:
    """Returns a pair on the whole field, without a reference."""
    game = soccer_v0.game()
    return Trial(game, network_pair(game, rng), None, lambda: None, lambda: None)


class Family(NamedTuple):
    """One kind of pairs: its title in the table, and what draws one."""

    title: str
    draw: Callable[[np.random.Generator], Trial]


def family(
    title: str,
    states: Callable[[], States],
    number: Number,
    pair: Callable[[States, np.random.Generator], Pair] = softmax_pair,
) -> Family:
    """Returns the family of pairs of one game, with references in these numbers."""
    return Family(title, lambda rng: measured(states(), pair(states(), rng), number))


FAMILIES = {
    "footsies": family("Footsies", footsies, exact),
    "footsies-anywhere": family("Footsies, from any state", lambda: footsies("anywhere"), exact),
    "footsies-rare": Family("Footsies, rare chances", footsies_rare),
    "bodega-brawl": family("Bodega Brawl, small", brawl, wide),
    "soccer": family("soccer 11 x 3", soccer, wide),
    "soccer-random": family("soccer 11 x 3, random start", lambda: soccer(random=True), wide),
    "graphs": Family("random graphs", graphs),
    "graphs-rewards": Family("random graphs, rewards on the way", lambda rng: graphs(rng, on_the_way=True)),
    "graphs-trembles": Family("graphs of 50 to 60 nodes, trembles", trembles),
    "chance-trembles": Family("the same, with chance", lambda rng: trembles(rng, chance=True)),
    "networks-footsies": family("networks, Footsies", footsies, exact, network_tables),
    "networks-soccer": family("networks, soccer 11 x 3", soccer, wide, network_tables),
    "networks-field": Family("networks, the whole soccer field", networks_field),
}
