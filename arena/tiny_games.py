"""Tiny games whose right play is known, from which bugs of self-play code can be told apart.

A game is a graph of :class:`Node`. All are :class:`nashzoo.envs.imported.graph_rules.GraphRules`, and so share their
compiled functions.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nashzoo.envs.core.game import Game
from nashzoo.envs.imported.graph_rules import Graph, GraphRules
from nashzoo.envs.rules.pieces import BOTH, CHANCE

WAITS = (0,)  # the actions of a player who does not choose
LONG = 1000  # joint steps, more than a tiny game lasts


class TinyRules(GraphRules):
    """Rules given by arrays, see there, and the number of joint steps after which a game is truncated."""

    def __init__(
        self, name: str, actions: Sequence[str], graph: Graph, seen: Sequence[str], max_cycles: int = LONG
    ) -> None:
        super().__init__(name, actions, graph, seen=seen)
        self.MAX_CYCLES = max_cycles

    def __reduce__(self) -> tuple[Any, ...]:
        return TinyRules, (self.NAME, self.ACTIONS, self.graph, self.seen, self.MAX_CYCLES)


@dataclass(frozen=True, eq=False)
class Node:
    """A state."""

    turn: int  # the player to move, BOTH, or CHANCE
    legal: tuple[Sequence[int], Sequence[int]]  # the legal actions of both players; none at the end
    following: Sequence["Node"]  # by joint actions, player 1's changing fastest; or outcomes of chance, all as likely
    reward: float = 0.0  # to player 0, on entering the state
    seen: tuple[Hashable, Hashable] | None = None  # what each player sees, as a label; None if both see the state


def end(reward: float) -> Node:
    """Returns the end of a game."""
    return Node(0, ((), ()), (), reward)


def drawn(*outcomes: Node) -> Node:
    """Returns a state in which chance draws one of the outcomes, all with the same probability."""
    return Node(CHANCE, (WAITS, WAITS), outcomes)


def both(
    legal0: Sequence[int],
    legal1: Sequence[int],
    after: Callable[[int, int], Node],
    reward: float = 0.0,
    seen: tuple[Hashable, Hashable] | None = None,
) -> Node:
    """Returns a state in which both players choose at once."""
    return Node(BOTH, (legal0, legal1), [after(a, b) for a in legal0 for b in legal1], reward, seen)


def choice(player: int, *following: Node) -> Node:
    """Returns a state in which one player chooses one of the following."""
    actions = range(len(following))
    return Node(player, (actions, WAITS) if player == 0 else (WAITS, actions), following)


def tiny_game(name: str, start: Node, starts: Sequence[Node] = (), max_cycles: int = LONG) -> Game:
    """Returns a game.

    Args:
        name: Its name.
        start: A state from which play leads to all others.
        starts: The states in which the game starts, all with the same probability; ``start`` when left out.
        max_cycles: The number of joint steps after which an unfinished game is truncated.
    """
    nodes: dict[Node, int] = {}
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if node not in nodes:
            nodes[node] = len(nodes)
            waiting.extend(reversed(node.following))
    numbers = np.arange(len(nodes))
    views = np.array([_views(nodes, player) for player in range(2)])
    chance = np.array([node.turn == CHANCE for node in nodes])
    sizes = np.array([len(node.following) for node in nodes])
    legal = [[sum(1 << action for action in node.legal[player]) for node in nodes] for player in range(2)]
    first = [nodes[node] for node in starts or [start]]
    graph = Graph(
        turns=np.array([node.turn for node in nodes]),
        legal0=np.array(legal[0]),
        legal1=np.array(legal[1]),
        first=np.concatenate([[0], np.cumsum(sizes)]),
        following=np.array([nodes[after] for node in nodes for after in node.following]),
        probabilities=np.repeat(np.where(chance, 1 / np.maximum(sizes, 1), 0.0), sizes),
        payoffs=np.array([node.reward for node in nodes]),
        starts=np.array(first),
        start_probabilities=np.full(len(first), 1 / len(first)),
        seen=(views.T[:, :, None] == numbers),  # one-hot, as networks learn from it the fastest
        views=views if any(node.seen for node in nodes) else np.empty((2, 0), np.int64),
    )
    most = max(max(masks).bit_length() for masks in legal)
    names = [f"state {number}" for number in numbers]
    return Game(TinyRules(name, [f"action {action}" for action in range(most)], graph, names, max_cycles))


def _views(nodes: Mapping[Node, int], player: int) -> list[int]:
    """Returns for each state the number of the first that looks the same to a player."""
    first: dict[Hashable, int] = {}
    return [
        first.setdefault(node if node.seen is None else node.seen[player], number) for node, number in nodes.items()
    ]
