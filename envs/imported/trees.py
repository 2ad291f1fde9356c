"""Game trees of two players, as files of other programs have them, and their rules.

A node is a state. What a player sees is its information set: a state more, a copy of the set's first node. A player who
waits sees its own last choice.

Source: Kuhn (1953), "Extensive games and the problem of information".
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.words import noun
from nashzoo.envs.core.game import MOST_ACTIONS
from nashzoo.envs.imported.exact_numbers import in_doubles
from nashzoo.envs.imported.explorer import OVER, Explored, Source
from nashzoo.envs.imported.graph_rules import GraphRules
from nashzoo.envs.imported.profiles import InformationSet
from nashzoo.envs.rules.pieces import CHANCE

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
    """A node of a tree."""

    mover: int  # the player who chooses, 0 or 1, or CHANCE, or OVER
    parent: int = ROOT  # the number of the node before it, or ROOT
    choice: int = 0  # which of the parent's choices leads to it
    seen: Any = None  # the information set, any value that differs between sets of all players; None without a player
    name: str = ""  # the name of the information set, or empty
    actions: tuple[str, ...] = ()  # the names of the choices, in the order of the nodes that follow
    chances: tuple[Fraction, ...] = ()  # their probabilities, if chance decides
    payoffs: tuple[Fraction, Fraction] = NOTHING  # what both players get on entering it, points
    label: str = ""  # its own name, or empty
    line: int = 0  # where it stands in its file, counted from 1; 0 for nowhere


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


def tree_rules(name: str, tree: Tree) -> GraphRules:
    """Returns the rules of the game of a tree, whose payoffs are player 0's, at the ends less half of the constant sum.

    Payoffs of two players on the way are paid at the end, unless one gets what the other loses.

    Raises:
        UsageError: the tree has not two players or no constant sum, a player loses by forgetting, or has too many
            choices somewhere.
    """
    source = TreeSource(name, tree)
    explored = Explored(source, 2 * len(source.tree.nodes))  # more than there are, with groups of outcomes
    if explored.loses:
        raise _forgets(source, *(explored.signs[number] for number in explored.loses))
    rules = explored.rules(name, total=in_doubles(source.first[OVER].total))
    rules.sets = _information_sets(source, explored)
    return rules


def _information_sets(source: "TreeSource", explored: Explored) -> list[InformationSet]:
    """Returns the information sets, those of player 0 first, in the order of the file."""
    codes: dict[Any, dict[int, None]] = {}
    for number, place in enumerate(explored.signs):
        if place is not None and (seen := source.tree.nodes[place].seen) is not None:
            code = int(explored.views[explored.turns[number]][number]) if source.hides else number
            codes.setdefault(seen, {})[code] = None
    places = {action: place for place, action in enumerate(explored.action_names)}
    sets = []
    for seen, node in {node.seen: node for node in reversed(source.tree.nodes)}.items():
        if seen not in (None, GO_ON):
            actions = tuple(places.get(name, -1) for name in source.choices(node))
            sets.append(InformationSet(node.mover, source.numbers[seen], actions, tuple(codes.get(seen, ()))))
    return sorted(sets)


class TreeSource(Source):
    """A tree to explore; see :class:`nashzoo.envs.imported.explorer.Source`.

    An action is named as in the tree, or by its place at its node if there are too many names.

    Raises:
        UsageError: it has not two players.
    """

    def __init__(self, name: str, tree: Tree) -> None:
        check_players(tree.players)
        self.name, self.tree = name, _begun(tree)
        self.following = {(node.parent, node.choice): number for number, node in enumerate(self.tree.nodes)}
        chosen = [node for node in self.tree.nodes if node.seen is not None]
        sets = dict.fromkeys(node.seen for node in chosen)
        self.numbers = {seen: number for number, seen in enumerate(sets, 1)}  # of information sets
        self.hides = len(sets) < len(chosen)
        self.by_place = len({name for node in chosen for name in distinct(node.actions)}) > MOST_ACTIONS
        self.first: dict[Any, TreeState] = {}  # in each information set, and where play is over

    def start(self, play: int = 0) -> "TreeState":
        """Returns the first node."""
        return TreeState(self, 0)

    def choices(self, node: Node) -> tuple[str, ...]:
        """Returns the names of a node's choices in the game."""
        return distinct([""] * len(node.actions) if self.by_place else node.actions)

    def named(self, seen: Any) -> str:
        """Returns the name of an information set, or its number in order of appearance."""
        return self.first[seen].node.name or f"information set {self.numbers[seen]}"


class TreeState:
    """A node that play reaches; other attributes are those of :class:`nashzoo.envs.imported.explorer.State`.

    Args:
        source: The tree.
        number: The number of the node.
        last: Each player's last choice before, ``(information set, choice, name of the choice)``, or None.
        paid: What both players were paid before.
        rewards: What player 0 got of it already, see :func:`tree_rules`.

    Raises:
        UsageError: the sum of payoffs is another than where play ended first, or a player has too many actions, or
            others than at the first node of the same information set.
    """

    shown, bits = (None, None), ((), ())

    def __init__(
        self,
        source: TreeSource,
        number: int,
        last: Sequence[Any] = (None, None),
        paid: tuple[Fraction, Fraction] = NOTHING,
        rewards: Fraction = NOTHING[0],
    ) -> None:
        self.node = node = source.tree.nodes[number]
        self.source, self.number, self.last = source, number, last
        self.paid = paid[0] + node.payoffs[0], paid[1] + node.payoffs[1]
        self.key, self.sign, self.label = number, number, node.name
        self.turn, self.total = node.mover, sum(self.paid, Fraction(0))
        reward = Fraction(0) if sum(node.payoffs) else node.payoffs[0]
        if node.mover == OVER:
            reward = self.paid[0] - self.total / 2 - rewards
        self.rewards, self.payoff = rewards + reward, in_doubles(reward)
        self.outcomes = [*enumerate(node.chances)]
        names = source.choices(node)
        self.legal = [names if node.mover == player else () for player in (0, 1)]
        if node.mover == OVER:
            _check_sum(source.tree, self, source.first.setdefault(OVER, self))
        elif node.mover != CHANCE:
            _check_actions(source.tree, self, source.first.setdefault(node.seen, self))

    @property
    def text(self) -> str:
        """The label of the node, and the last choices on the way."""
        way = ", ".join(self.source.tree.way(self.number))
        return "\n".join(filter(None, [self.node.label, way])) or "start"

    @property
    def seen(self) -> list[tuple[str, Any]]:
        """What each player sees, for people, and what tells it apart."""
        node = self.node
        found: list[tuple[str, Any]] = []
        for player, (name, mine) in enumerate(zip(self.source.tree.players, self.last, strict=True)):
            chose = f"last chose {mine[2]}" if mine else "has not chosen yet"
            if node.mover == player:
                what = self.source.named(node.seen)
                choices = ", ".join(distinct(node.actions))
                found.append((f"{name} sees {what}, and {chose}\nchoices: {choices}", node.seen))
            else:
                found.append((f"{name} waits, and {chose}", mine))
        return found

    def after(self, choice: Any) -> "TreeState":
        """Returns the state after a pair of actions or an outcome of chance."""
        node, last = self.node, [*self.last]
        if node.mover != CHANCE:
            choice = self.legal[node.mover].index(choice[node.mover])
            last[node.mover] = node.seen, choice, distinct(node.actions)[choice]
        return TreeState(self.source, self.source.following[self.number, choice], last, self.paid, self.rewards)


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


def _check_sum(tree: Tree, end: TreeState, first: TreeState) -> None:
    """Checks that the sum of both players' payoffs is constant."""
    if end.total != first.total:
        paid, before = (" and ".join(f"{float(one):g}" for one in state.paid) for state in (end, first))
        raise UsageError(
            f"the sum of payoffs is not constant: {paid} are won {tree.where(end.number)}, but {before} "
            f"{tree.where(first.number)}; {GENERAL_SUM}"
        )


def _check_actions(tree: Tree, state: TreeState, first: TreeState) -> None:
    """Checks that an information set has the same actions everywhere, and not too many."""
    actions = state.node.actions
    if distinct(actions) != distinct(first.node.actions):
        raise UsageError(f"the actions {tree.where(state.number)} differ from others of its information set")
    if len(actions) > MOST_ACTIONS:
        raise UsageError(f"{len(actions)} actions are more than {MOST_ACTIONS}, {tree.where(state.number)}")


def _forgets(source: TreeSource, first: int, number: int) -> UsageError:
    """Returns the error that a player may lose by forgetting what it did before two nodes of an information set."""
    nodes, mover, above, did = source.tree.nodes, source.tree.nodes[first].mover, number, []
    player = f"player {mover} ({source.tree.players[mover]})"
    seen = f"{source.tree.where(number)} it sees the same as {source.tree.where(first)}"
    while above > first:
        above = nodes[above].parent
    if above == first:
        return UsageError(f"{player} is absent-minded: {seen}, though it has chosen since; {RECALL}")
    for at in (number, first):
        while (before := nodes[at].parent) != ROOT and nodes[before].mover != mover:
            at = before
        last, choice = nodes[before], nodes[at].choice
        did.append("nothing" if before == ROOT else f"{distinct(last.actions)[choice]} at {source.named(last.seen)}")
    return UsageError(f"{player} forgets: {seen}, though it last chose {did[0]} before, and there {did[1]}; {RECALL}")
