"""Any finite game with hidden information, written out as a tree whose nodes the players do not see.

With it a test makes the game that it needs. What a player sees is its view, a number; that the player remembers its
own views and actions is up to whoever makes the tree, as :func:`random_tree` does.
"""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.jit.compiled import Floats, Ints
from nashzoo.envs.rules.pieces import BOTH, CHANCE

NAME = "tree_game_v0"
ACTIONS = ("left", "right")
MOST = len(ACTIONS)
SEEN_BY = {"node": (), "view0": (0,), "view1": (1,)}


class Node(NamedTuple):
    """A node: who moves, or nobody at an end; what each player sees; the nodes that follow, and what entering it pays.

    Where both move, the node after actions ``i`` and ``j`` is ``after[i * n + j]``, where player 1 has ``n`` actions.
    """

    mover: int  # 0, 1, BOTH or CHANCE
    views: tuple[int, int] = (0, 0)
    after: Sequence[int] = ()  # none at an end
    pay: float = 0.0
    sizes: tuple[int, int] = (1, 1)  # how many actions each player has
    likely: Sequence[float] = ()  # the probabilities of what follows, where chance decides


class Params(NamedTuple):
    nodes: Sequence[Node] = (Node(0, after=(1, 2), sizes=(2, 1)), Node(0, pay=1.0), Node(0, pay=-1.0))


class Tables(NamedTuple):
    movers: Ints
    views: Ints  # [nodes, 2]
    sizes: Ints  # [nodes, 2]
    seen: Ints  # [2, views], how many actions a player has by what it sees
    after: Ints  # [nodes, MOST ** 2]
    counts: Ints  # [nodes]
    likely: Floats  # [nodes, MOST ** 2]
    pays: Floats
    stakes: Floats  # [nodes], the largest sum of magnitudes of what is paid from there on


class State(NamedTuple):
    node: int
    mover: int
    view0: int
    view1: int


BITS = {"node": 20, "mover": 2, "view0": 18, "view1": 18}


def tables(params: Params) -> Tables:
    nodes = params.nodes
    after, likely = np.zeros((len(nodes), MOST**2), np.int64), np.zeros((len(nodes), MOST**2))
    seen = np.ones((2, 1 + max(max(node.views) for node in nodes)), np.int64)
    for number, node in enumerate(nodes):
        after[number, : len(node.after)], likely[number, : len(node.likely)] = node.after, node.likely
        for player, view in enumerate(node.views):
            if node.mover in (player, BOTH) and node.after:
                seen[player, view] = node.sizes[player]
    columns = [np.array([getattr(node, name) for node in nodes]) for name in ("mover", "views", "sizes")]
    counts = np.array([len(node.after) for node in nodes])
    pays, stakes = np.array([node.pay for node in nodes], np.float64), np.zeros(len(nodes))
    for number in reversed(range(len(nodes))):  # children have larger numbers
        stakes[number] = max((abs(pays[child]) + stakes[child] for child in nodes[number].after), default=0.0)
    return Tables(*columns, seen, after, counts, likely, pays, stakes)


def at(tables: Tables, node: int) -> State:
    return State(node, tables.movers[node], tables.views[node, 0], tables.views[node, 1])


def field_maxima(tables: Tables) -> State:
    return State(len(tables.movers) - 1, 3, tables.seen.shape[1] - 1, tables.seen.shape[1] - 1)


def start(tables: Tables) -> State:
    return at(tables, 0)


def turn(state: State) -> int:
    return state.mover


def legal(tables: Tables, state: State, player: int) -> int:
    if state.mover != player and state.mover != BOTH:
        return 1
    return (1 << tables.seen[player, state.view0 if player == 0 else state.view1]) - 1  # type: ignore[no-any-return]


def step(tables: Tables, state: State, action0: int, action1: int) -> State:
    return at(tables, tables.after[state.node, tables.sizes[state.node, 1] * action0 + action1])


def chance(tables: Tables, state: State) -> list[tuple[State, float]]:
    return [
        (at(tables, tables.after[state.node, k]), tables.likely[state.node, k])
        for k in range(tables.counts[state.node])
    ]


def terminal(tables: Tables, state: State) -> bool:
    return tables.counts[state.node] == 0  # type: ignore[no-any-return]


def payoff(tables: Tables, state: State) -> float:
    return tables.pays[state.node]  # type: ignore[no-any-return]


def at_stake(tables: Tables, state: State) -> float:
    return tables.stakes[state.node]  # type: ignore[no-any-return]


def random_tree(rng: np.random.Generator, movers: Sequence[int] = (0, 1, BOTH, CHANCE), depth: int = 4) -> list[Node]:
    """Returns a tree in which those ``movers`` move in some order; players notice some of what others do.

    Nothing is paid, and play does not end, before a player has moved.
    """
    nodes: list[Any] = [None]
    numbers: tuple[dict[Any, int], dict[Any, int]] = ({}, {})
    sizes: dict[Any, int] = {}

    def grow(place: int, memories: tuple[Any, Any], left: int, moved: bool, pay: float) -> None:
        v0, v1 = (numbers[player].setdefault(memories[player], len(numbers[player])) for player in (0, 1))
        if left == 0 or (moved and rng.random() < 0.2):
            nodes[place] = Node(0, (v0, v1), pay=float(rng.integers(-4, 5)) + pay)
            return
        mover = int(rng.choice(movers if moved or left > 1 else [one for one in movers if one != CHANCE]))
        counts = [
            sizes.setdefault((player, memory), int(rng.integers(1, MOST + 1))) if mover in (player, BOTH) else 1
            for player, memory in enumerate(memories)
        ]
        width = int(rng.integers(1, 4)) if mover == CHANCE else counts[0] * counts[1]
        places = range(len(nodes), len(nodes) + width)
        nodes.extend([None] * width)
        likely = rng.dirichlet(np.ones(width)).tolist() if mover == CHANCE else ()
        nodes[place] = Node(mover, (v0, v1), tuple(places), pay, (counts[0], counts[1]), likely)
        notices = rng.random(2) < 0.5
        for k, child in enumerate(places):
            acts = divmod(k, counts[1])
            own = [
                (memory, mover, acts[player] if mover in (player, BOTH) else k if notices[player] else -1)
                for player, memory in enumerate(memories)
            ]
            earned = float(rng.integers(-1, 2)) * (moved and rng.random() < 0.2)
            grow(child, (own[0], own[1]), left - 1, moved or mover != CHANCE, earned)

    grow(0, ((), ()), depth, False, 0.0)
    return nodes


def pure_plans(nodes: Sequence[Node]) -> tuple[list[Ints], list[dict[tuple[int, int], int]]]:
    """Returns both players' pure strategies ``[m, k]``, and the column of each mover and view at which they choose."""
    seen: list[dict[tuple[int, int], int]] = [{}, {}]
    for node in nodes:
        for player in (0, 1):
            if node.after and node.mover in (player, BOTH):
                seen[player].setdefault((node.mover, node.views[player]), node.sizes[player])
    plans = [np.array(list(itertools.product(*(range(count) for count in each.values())))) for each in seen]
    return plans, [{view: k for k, view in enumerate(each)} for each in seen]


def pure_strategies(nodes: Sequence[Node]) -> Floats:
    """Returns the matrix game of all pure strategies ``[m, n]``, to player 0: a second route to the value."""
    plans, columns = pure_plans(nodes)
    matrix = np.zeros((len(plans[0]), len(plans[1])))

    def walk(place: int, chance: float, fits: tuple[Floats, Floats]) -> None:
        node = nodes[place]
        matrix[:] += chance * node.pay * np.outer(*fits)
        for k, after in enumerate(node.after):
            if node.mover == CHANCE:
                walk(after, chance * node.likely[k] / sum(node.likely), fits)
                continue
            acts = divmod(k, node.sizes[1])
            both = [
                fits[player] * (plans[player][:, columns[player][node.mover, node.views[player]]] == acts[player])
                if node.mover in (player, BOTH)
                else fits[player]
                for player in (0, 1)
            ]
            walk(after, chance, (both[0], both[1]))

    walk(0, 1.0, (np.ones(len(plans[0])), np.ones(len(plans[1]))))
    return matrix
