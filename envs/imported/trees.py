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
    made: dict[str, None] = {}
    for number, name in enumerate(names, 1):
        name = name.strip() or f"action {number}"
        while name in made:
            name += f" ({number})"
        made[name] = None
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


class Visit(NamedTuple):
    """A node to which chance can lead.

    Attributes:
        number: Its number.
        node: The node.
        last: Each player's last choice before, ``(information set, choice, name of the choice)``, or None.
        won: What both players were paid on the way.
    """

    number: int
    node: Node
    last: tuple[Any, Any] = (None, None)
    won: tuple[Fraction, Fraction] = NOTHING


def tree_rules(name: str, tree: Tree) -> GraphRules:
    """Returns the rules of the game of a tree, whose payoffs are player 0's.

    Raises:
        UsageError: the tree has not two players, no constant sum, no perfect recall, or too many choices somewhere.
    """
    check_players(tree.players)
    tree = _begun(tree)
    visits = list(_visits(tree))
    total = _constant_sum(tree, visits)
    check_recall(tree, visits)
    names, bits = _numbered(tree, visits)
    numbers = {visit.number: place for place, visit in enumerate(visits)}
    following: list[dict[int, int]] = [{} for _ in visits]  # by choice
    for place, visit in enumerate(visits[1:], 1):
        following[numbers[visit.node.parent]][visit.node.choice] = place
    masks, after, chances = [], [], []
    for (number, node, *_), next_ones in zip(visits, following, strict=True):
        if node.mover == CHANCE and len(next_ones) > MAX_OUTCOMES:
            raise UsageError(f"chance has {len(next_ones)} outcomes, more than {MAX_OUTCOMES}, {tree.where(number)}")
        own = bits.get(node.seen, range(len(node.actions)))
        order = sorted(next_ones, key=own.__getitem__)
        mask = sum(1 << own[choice] for choice in order)
        masks.append([mask if node.mover == player else int(bool(order)) for player in range(2)])
        after.append([next_ones[choice] for choice in order])
        chances.append([float(node.chances[choice]) if node.chances else 0.0 for choice in order])
    texts = [
        "\n".join(filter(None, [node.label, ", ".join(tree.way(number))])) or "start" for number, node, *_ in visits
    ]
    hides = len(bits) < sum(visit.node.seen is not None for visit in visits)
    views, copies = _views(tree, visits, texts) if hides else (NOTHING_HIDDEN, [])
    source = [*range(len(visits)), *copies]
    graph = Graph(
        turns=np.array([max(visits[k].node.mover, 0) for k in source], np.int64),
        legal0=np.array([masks[k][0] for k in source], np.int64),
        legal1=np.array([masks[k][1] for k in source], np.int64),
        first=np.cumsum([0, *(len(after[k]) for k in source)]).astype(np.int64),
        following=np.array([number for k in source for number in after[k]], np.int64),
        probabilities=np.array([chance for k in source for chance in chances[k]], np.float64),
        payoffs=np.array([in_doubles(visits[k].node.payoffs[0]) for k in source]),
        starts=np.zeros(1, np.int64),
        start_probabilities=np.ones(1),
        seen=np.zeros((len(source), 2, 0), np.bool_),
        views=views,
    )
    labels = [visits[k].node.name for k in source]
    return GraphRules(name, names, graph, texts, total=in_doubles(total), labels=labels)


def _begun(tree: Tree) -> Tree:
    """Returns a tree that begins with a choice, if play pays or can end before one: environments need a step for it."""
    opening = {ROOT}
    for number, node in enumerate(tree.nodes):
        if node.parent not in opening:
            continue
        if any(node.payoffs) or node.mover == OVER:
            first = Node(0, seen=GO_ON, actions=(GO_ON,))
            return tree._replace(nodes=[first, *(one._replace(parent=one.parent + 1) for one in tree.nodes)])
        if node.mover == CHANCE:
            opening.add(number)
    return tree


def _visits(tree: Tree) -> Iterator[Visit]:
    """Yields the nodes to which chance can lead."""
    visits: dict[int, Visit] = {}
    for number, node in enumerate(tree.nodes):
        last, won = Visit(number, node)[2:]
        if node.parent != ROOT:
            if node.parent not in visits:
                continue
            _, before, last, won = visits[node.parent]
            if before.mover == CHANCE and before.chances[node.choice] == 0:
                continue
            if before.mover in (0, 1):
                mine = before.seen, node.choice, distinct(before.actions)[node.choice]
                last = (mine, last[1]) if before.mover == 0 else (last[0], mine)
        visits[number] = Visit(number, node, last, (won[0] + node.payoffs[0], won[1] + node.payoffs[1]))
        yield visits[number]


def _constant_sum(tree: Tree, visits: Sequence[Visit]) -> Fraction:
    """Returns the sum of both players' payoffs, the same for all play.

    Raises:
        UsageError: it is not.
    """
    ends = [visit for visit in visits if visit.node.mover == OVER]
    for end in ends:
        if sum(end.won) != sum(ends[0].won):
            paid, before = (" and ".join(f"{float(one):g}" for one in visit.won) for visit in (end, ends[0]))
            raise UsageError(
                f"the sum of payoffs is not constant: {paid} are won {tree.where(end.number)}, but {before} "
                f"{tree.where(ends[0].number)}; {GENERAL_SUM}"
            )
    return sum(ends[0].won, Fraction(0))


def check_recall(tree: Tree, visits: Sequence[Visit]) -> None:
    """Checks that both players have perfect recall: an information set tells the player's own choices before it.

    Raises:
        UsageError: a player forgets.
    """
    examples: dict[Any, Visit] = {}
    for visit in visits:
        number, node, last, _ = visit
        if node.seen is None:
            continue
        first = examples.setdefault(node.seen, visit)
        if first.last[node.mover] != last[node.mover]:
            player = f"player {node.mover} ({tree.players[node.mover]})"
            seen = f"{tree.where(number)} it sees the same as {tree.where(first.number)}"
            while number > first.number:
                number = tree.nodes[number].parent
            if number == first.number:
                raise UsageError(f"{player} is absent-minded: {seen}, though it has chosen since; {RECALL}")
            now, then = (one[node.mover][2] if one[node.mover] else "nothing" for one in (last, first.last))
            raise UsageError(f"{player} forgets: {seen}, though it last chose {now} before, and there {then}; {RECALL}")


def _numbered(tree: Tree, visits: Sequence[Visit]) -> tuple[list[str], dict[Any, Sequence[int]]]:
    """Returns the names of all actions, and the number of each action of every information set.

    An action is numbered by its name; by its place at its node if there are too many names.

    Raises:
        UsageError: an information set has too many actions, or nodes with different ones.
    """
    own: dict[Any, tuple[str, ...]] = {}
    for number, node, *_ in visits:
        if node.seen is None:
            continue
        if own.setdefault(node.seen, distinct(node.actions)) != distinct(node.actions):
            raise UsageError(f"the actions {tree.where(number)} differ from others of its information set")
        if len(node.actions) > MOST_ACTIONS:
            raise UsageError(f"{len(node.actions)} actions are more than {MOST_ACTIONS}, {tree.where(number)}")
    names = list(dict.fromkeys(name for actions in own.values() for name in actions))
    if len(names) <= MOST_ACTIONS:
        return names, {seen: list(map(names.index, actions)) for seen, actions in own.items()}
    widest = max(map(len, own.values()))
    return [f"action {k + 1}" for k in range(widest)], {seen: range(len(actions)) for seen, actions in own.items()}


def _views(tree: Tree, visits: Sequence[Visit], texts: list[str]) -> tuple[Any, list[int]]:
    """Adds the texts of what players see; returns the state that each sees ``[2, n]``, and those that they copy."""
    views = [list(range(len(visits))), list(range(len(visits)))]
    known: dict[Any, int] = {}
    copies: list[int] = []
    for place, (_, node, last, _) in enumerate(visits):
        for player in range(2 if node.seen is not None else 0):
            moves, mine = node.mover == player, last[player]
            key = player, moves, node.seen if moves else mine
            if key not in known:
                known[key] = len(texts)
                copies.append(place)
                sees = f"sees {node.name or f'information set {len(known)}'}" if moves else "waits"
                choices = f"\nchoices: {', '.join(distinct(node.actions))}" if moves else ""
                chose = f"last chose {mine[2]}" if mine else "has not chosen yet"
                texts.append(f"{tree.players[player]} {sees}, and {chose}{choices}")
            views[player][place] = known[key]
    seen = range(len(visits), len(texts))
    return np.array([[*view, *seen] for view in views], np.int64), copies
