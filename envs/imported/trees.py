"""Game trees of two players, as files of other programs have them, and their rules.

A node is a state. What a player sees is its information set: a state more, a copy of the set's first node. A player who
waits sees its own last choice.

Source: Kuhn (1953), "Extensive games and the problem of information".
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import noun
from nashzoo.envs.core.game import MOST_ACTIONS
from nashzoo.envs.imported.exact_numbers import in_doubles
from nashzoo.envs.imported.graph_rules import NOTHING_HIDDEN, Graph, GraphRules
from nashzoo.envs.rules.pieces import CHANCE, MAX_OUTCOMES

OVER = -1  # mover of a node at which play ends
ROOT = -1  # parent of the first node
NOTHING = Fraction(0), Fraction(0)  # paid
GO_ON = "go on"  # name of the one choice where chance leaves none
SHOWN = 12  # last choices on the way to a node, in texts
RECALL = "solutions are of players who remember what they saw and did"
GENERAL_SUM = (
    "games whose sum is not constant are not solved here, but nashzoo.baselines.best_response_gaps measures a pair of "
    "strategies in two matrices"
)


class Node(NamedTuple):
    """A node of a tree.

    Attributes:
        mover: The player who chooses, 0 or 1, or ``CHANCE``, or ``OVER``.
        parent: The number of the node before it, or ``ROOT``.
        choice: Which of the parent's choices leads to it.
        seen: The information set, any value that differs between sets of all players; None without a player.
        name: The name of the information set, or empty.
        actions: The names of the choices, in the order of the nodes that follow.
        chances: Their probabilities, if chance decides.
        payoffs: What both players get on entering it, points.
        label: Its own name, or empty.
        line: Where it stands in its file, counted from 1; 0 for nowhere.
    """

    mover: int
    parent: int = ROOT
    choice: int = 0
    seen: Any = None
    name: str = ""
    actions: tuple[str, ...] = ()
    chances: tuple[Fraction, ...] = ()
    payoffs: tuple[Fraction, Fraction] = NOTHING
    label: str = ""
    line: int = 0


class Tree(NamedTuple):
    """A tree; each node stands before those that follow it."""

    title: str
    players: tuple[str, ...]
    nodes: Sequence[Node]

    def where(self, number: int) -> str:
        """Returns a node in words: its label or the choices on the way, and its line."""
        node = self.nodes[number]
        name = f"at {node.label or 'the first node'}"
        if node.parent != ROOT and not node.label:
            name = f"after {', '.join(self.way(number))}"
        return f"{name} (line {node.line})" if node.line else name

    def way(self, number: int) -> list[str]:
        """Returns the last choices on the way to a node."""
        names: list[str] = []
        while (parent := self.nodes[number].parent) != ROOT and len(names) < SHOWN:
            names.append(distinct(self.nodes[parent].actions)[self.nodes[number].choice])
            number = parent
        return (["..."] if parent != ROOT else []) + names[::-1]


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Returns different names that are not empty.

    >>> distinct(["left", "", "left"])
    ('left', 'action 2', 'left (3)')
    """
    known = dict.fromkeys(names, 0)
    made = []
    for number, name in enumerate(map(str.strip, names), 1):
        again = known.get(name, 0) > 0 or not name
        known[name] = 1
        made.append((f"{name} ({number})" if name else f"action {number}") if again else name)
    return tuple(made)


def check_players(players: Sequence[str]) -> None:
    """Checks that there are two.

    Raises:
        UsageError: there are not.
    """
    if len(players) != 2:
        raise UsageError(
            f"the game has {len(players)} {noun(len(players), 'player')} ({', '.join(players)}); a game here has two"
        )


def tree_rules(name: str, tree: Tree) -> GraphRules:
    """Returns the rules of the game of a tree, whose payoffs are player 0's.

    Raises:
        UsageError: the tree has not two players, no constant sum, no perfect recall, or too many choices somewhere.
    """
    check_players(tree.players)
    tree = tree._replace(nodes=_begun(tree.nodes))
    nodes, played = tree.nodes, _played(tree.nodes)
    total = _constant_sum(tree, played)
    check_recall(tree, played)
    names, bits = _numbered(tree, played)
    numbers = {node: number for number, node in enumerate(played)}
    following: list[dict[int, int]] = [{} for _ in played]  # by choice
    for number, node in enumerate(played[1:], 1):
        following[numbers[nodes[node].parent]][nodes[node].choice] = number
    payoffs = [in_doubles(nodes[node].payoffs[0]) for node in played]
    legal, after, chances = [], [], []
    for number, node in enumerate(played):
        one, next_ones = nodes[node], following[number]
        if one.mover == CHANCE and len(next_ones) > MAX_OUTCOMES:
            raise UsageError(f"chance has {len(next_ones)} outcomes, more than {MAX_OUTCOMES}, {tree.where(node)}")
        order = sorted(next_ones, key=lambda choice: bits[one.seen][choice]) if one.seen is not None else next_ones
        mask = sum(1 << bits[one.seen][choice] for choice in order) if one.seen is not None else int(bool(next_ones))
        legal.append(tuple(mask if one.mover == player else int(bool(next_ones)) for player in range(2)))
        after.append([next_ones[choice] for choice in order])
        chances.append([float(one.chances[choice]) if one.mover == CHANCE else 0.0 for choice in order])
    texts = [_text(tree, node) for node in played]
    views, copies = _views(tree, played, texts) if _hides(nodes, played) else (NOTHING_HIDDEN, [])
    source = [*range(len(played)), *copies]
    graph = Graph(
        turns=np.array([max(nodes[played[k]].mover, 0) for k in source], np.int64),
        legal0=np.array([legal[k][0] for k in source], np.int64),
        legal1=np.array([legal[k][1] for k in source], np.int64),
        first=np.cumsum([0, *(len(after[k]) for k in source)]).astype(np.int64),
        following=np.array([number for k in source for number in after[k]], np.int64),
        probabilities=np.array([chance for k in source for chance in chances[k]], np.float64),
        payoffs=np.array([payoffs[k] for k in source]),
        starts=np.zeros(1, np.int64),
        start_probabilities=np.ones(1),
        seen=np.zeros((len(source), 2, 0), np.bool_),
        views=views,
    )
    return GraphRules(name, names, graph, texts, total=in_doubles(total))


def _begun(nodes: Sequence[Node]) -> list[Node]:
    """Returns nodes in which a player chooses before play pays or ends, as environments have no step for it before.

    Payoffs are paid after the first choice, and where there is none, player 0 has one choice.
    """
    made: list[Node] = []
    numbers, owed = {ROOT: ROOT}, {ROOT: NOTHING}
    for number, node in enumerate(nodes):
        if node.parent in owed:
            before = owed[node.parent]
            node = node._replace(payoffs=(node.payoffs[0] + before[0], node.payoffs[1] + before[1]))
            if node.parent == ROOT or nodes[node.parent].mover == CHANCE:
                if node.mover == OVER:
                    made.append(
                        node._replace(
                            mover=0,
                            parent=numbers[node.parent],
                            seen=("end", number),
                            actions=(GO_ON,),
                            payoffs=NOTHING,
                        )
                    )
                    made.append(Node(OVER, len(made) - 1, payoffs=node.payoffs, line=node.line))
                    continue
                owed[number] = node.payoffs
                node = node._replace(payoffs=NOTHING)
        numbers[number] = len(made)
        made.append(node._replace(parent=numbers[node.parent]))
    return made


def _played(nodes: Sequence[Node]) -> list[int]:
    """Returns the numbers of the nodes to which chance can lead."""
    reached = np.ones(len(nodes), np.bool_)
    for number, node in enumerate(nodes[1:], 1):
        before = nodes[node.parent]
        reached[number] = reached[node.parent] and (before.mover != CHANCE or before.chances[node.choice] > 0)
    return np.flatnonzero(reached).tolist()  # type: ignore[no-any-return]


def _constant_sum(tree: Tree, played: list[int]) -> Fraction:
    """Returns the sum of both players' payoffs, the same for all play.

    Raises:
        UsageError: it is not.
    """
    sums: dict[int, tuple[Fraction, Fraction]] = {ROOT: NOTHING}
    example = None
    for number in played:
        node = tree.nodes[number]
        own, other = sums[node.parent]
        sums[number] = own + node.payoffs[0], other + node.payoffs[1]
        if node.mover == OVER:
            example = number if example is None else example
            if sum(sums[number]) != sum(sums[example]):
                paid, before = (" and ".join(f"{float(one):g}" for one in sums[k]) for k in (number, example))
                raise UsageError(
                    f"the sum of payoffs is not constant: {paid} are won {tree.where(number)}, but {before} "
                    f"{tree.where(example)}; {GENERAL_SUM}"
                )
    assert example is not None
    return sum(sums[example], Fraction(0))


def check_recall(tree: Tree, played: Sequence[int]) -> None:
    """Checks that both players have perfect recall: an information set tells the player's own choices before it.

    Raises:
        UsageError: a player forgets.
    """
    examples: dict[Any, tuple[int, Any]] = {}
    for number, last in own_choices(tree, played):
        node = tree.nodes[number]
        if node.mover not in (0, 1):
            continue
        first, before = examples.setdefault(node.seen, (number, last[node.mover]))
        if before != last[node.mover]:
            player = f"player {node.mover} ({tree.players[node.mover]})"
            seen = f"{tree.where(number)} it sees the same as {tree.where(first)}"
            if _follows(tree.nodes, number, first):
                raise UsageError(f"{player} is absent-minded: {seen}, though it has chosen since; {RECALL}")
            now, then = (
                "nothing" if one is None else distinct(tree.nodes[one[1]].actions)[one[2]]
                for one in (last[node.mover], before)
            )
            raise UsageError(f"{player} forgets: {seen}, though it last chose {now} before, and there {then}; {RECALL}")


def _follows(nodes: Sequence[Node], number: int, before: int) -> bool:
    """Returns whether the way to a node passes another one."""
    while number > before:
        number = nodes[number].parent
    return number == before


def own_choices(tree: Tree, played: Sequence[int]) -> Iterator[tuple[int, tuple[Any, Any]]]:
    """Yields nodes, and each player's last choice before: information set, a node of it, and the choice; or None."""
    last: dict[int, tuple[Any, Any]] = {ROOT: (None, None)}
    firsts: dict[Any, int] = {}
    for number in played:
        node = tree.nodes[number]
        own = last[node.parent]
        before = tree.nodes[node.parent]
        if node.parent != ROOT and before.mover in (0, 1):
            mine = before.seen, firsts.setdefault(before.seen, node.parent), node.choice
            own = (mine, own[1]) if before.mover == 0 else (own[0], mine)
        last[number] = own
        yield number, own


def _hides(nodes: Sequence[Node], played: list[int]) -> bool:
    """Returns whether an information set has several nodes."""
    seen = [nodes[number].seen for number in played if nodes[number].seen is not None]
    return len(set(seen)) < len(seen)


def _numbered(tree: Tree, played: list[int]) -> tuple[list[str], dict[Any, Sequence[int]]]:
    """Returns the names of all actions, and the number of each action of every information set.

    An action is numbered by its name; by its place at its node if there are too many names.

    Raises:
        UsageError: an information set has too many actions, or nodes with different ones.
    """
    own: dict[Any, tuple[str, ...]] = {}
    for number in played:
        node = tree.nodes[number]
        if node.seen is None:
            continue
        if own.setdefault(node.seen, distinct(node.actions)) != distinct(node.actions):
            raise UsageError(f"the actions {tree.where(number)} differ from others of its information set")
        if len(node.actions) > MOST_ACTIONS:
            raise UsageError(f"{len(node.actions)} actions are more than {MOST_ACTIONS}, {tree.where(number)}")
    names = list(dict.fromkeys(name for actions in own.values() for name in actions))
    if len(names) <= MOST_ACTIONS:
        places = {name: place for place, name in enumerate(names)}
        return names, {seen: [places[name] for name in actions] for seen, actions in own.items()}
    widest = max(map(len, own.values()))
    return [f"action {k + 1}" for k in range(widest)], {seen: range(len(actions)) for seen, actions in own.items()}


def _text(tree: Tree, number: int) -> str:
    node = tree.nodes[number]
    return "\n".join(filter(None, [node.label, ", ".join(tree.way(number)) or ("" if node.label else "start")]))


def _views(tree: Tree, played: list[int], texts: list[str]) -> tuple[Any, list[int]]:
    """Adds the texts of what players see; returns the state that each sees ``[2, n]``, and the nodes they copy."""
    views = np.array([range(len(played))] * 2)
    known: dict[Any, int] = {}
    copies: list[int] = []
    for number, (node, last) in enumerate(own_choices(tree, played)):
        one = tree.nodes[node]
        for player in range(2 if one.mover in (0, 1) else 0):
            moves = one.mover == player
            key = player, moves, one.seen if moves else last[player]
            if key not in known:
                known[key] = len(texts)
                copies.append(number)
                mine = last[player]
                chose = f"last chose {distinct(tree.nodes[mine[1]].actions)[mine[2]]}" if mine else "has not chosen yet"
                state = f"sees {one.name or f'information set {len(known)}'}" if moves else "waits"
                choices = f"\nchoices: {', '.join(distinct(one.actions))}" if moves else ""
                texts.append(f"{tree.players[player]} {state}, and {chose}{choices}")
            views[player, number] = known[key]
    views = np.concatenate([views, np.tile(np.arange(len(played), len(texts)), (2, 1))], axis=1)
    return views, copies
