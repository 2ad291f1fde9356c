"""A game with too many histories to keep, walked once for all of them that differ only in what a player remembers.

Rules say by ``strategic_state`` which states differ in nothing else: they have one representative, and go on alike. All
histories with the same sequence of the player who gains, and with states of one representative, are walked as one. What
comes with them is the sum of the other player's weights in them, for each way in which that player can go on. The sum
of vectors costs far less than the walks: dark hex of 3 by 3 cells has 9.6 billion histories, and 70 million such pairs.

What can follow a representative is listed once for each game, with the ways in which a player can go on as shared
trees, a *continuation*: the player's next information state and action, and what comes then, for all that pays.

The walk that looks for information states checks the claim of the rules at every state that it comes to.
"""

import itertools
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.information.traversal import (
    FIRST,
    FUNCTIONS,
    LEGAL,
    NONE,
    VIEW,
    Known,
    TraversedForm,
    enlarged,
    first_of,
    known_with_room,
)
from nashzoo.baselines.information.treeplex import Treeplex
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.progress import progress_bar
from nashzoo.envs.base.signals import postponed
from nashzoo.envs.base.threads import side_by_side
from nashzoo.envs.core.code_index import Numbering
from nashzoo.envs.core.game import BOTH, CHANCE, Game
from nashzoo.envs.core.kernels import ROOM, count_actions, count_outcomes, information_states, nth_action, strategic_state_all, turn_all
from nashzoo.envs.core.reachable import OVER, expand
from nashzoo.envs.jit.compiled import Bools, Floats, Ints, borrowed, compiled
from nashzoo.envs.jit.numba import njit

MOST = 1_000_000  # representatives
AT_ONCE = 20_000  # sequences between two looks at the clock
SECONDS = 0.5  # between two looks for an interruption
KEPT = 2  # games

PENDING, DEPTH, NODES, USED, MOST_NODES, MOST_USED, MERGED, FAULT = range(8)  # numbers of a walk
ROW, RANK, MARK, FLOOR, LAST = range(5)  # columns of frames: the next row and action, what is below, and the last row


class Graph(NamedTuple):
    """What follows representatives, which are numbered so that what follows has a higher number.

    Attributes:
        codes: Their codes ``[n]``.
        turns: Who moves ``[n]``.
        levels: The most moves before them ``[n]``.
        seen: What each player who chooses there sees, as a representative ``[2, n]``, or NONE.
        first: The first of their edges; the last is the number of edges ``[n + 1]``.
        choices: Which of its actions each player takes, or chance in place of player 0 ``[2, e]``.
        after: The number of what follows, or OVER ``[e]``.
        rewards: To player 0 ``[e]``.
        chances: Probabilities ``[e]``.
    """

    codes: Ints
    turns: Ints
    levels: Ints
    seen: Ints
    first: Ints
    choices: Ints
    after: Ints
    rewards: Floats
    chances: Floats


class Continuations(NamedTuple):
    """How a player can go on: shared trees, and a vector of numbers for each, its own first and then those of children.

    Attributes:
        pays: Whether a reward can come before the player chooses again, so that there is an own number ``[t]``.
        sizes: The lengths of the vectors ``[t]``.
        first: The first child ``[t + 1]``.
        labels: What the player sees there, as a representative, and which action it takes ``[k, 2]``, ascending.
        children: What follows ``[k]``.
        offsets: Where the numbers of children begin ``[k]``.
        following: The continuation at each representative ``[n]``.
        sources: The part of it that goes on with each edge, which may have more ``[e]``.
        places: Where the numbers of these parts begin ``[e]``.
    """

    pays: Bools
    sizes: Ints
    first: Ints
    labels: Ints
    children: Ints
    offsets: Ints
    following: Ints
    sources: Ints
    places: Ints


class Nodes(NamedTuple):
    """Histories that are walked as one.

    Attributes:
        numbers: Their representatives ``[n]``.
        codes: One of their states ``[n]``.
        places: Where their numbers are ``[n]``.
        following: The next node of a list, or NONE ``[n]``.
        counts: From how many others they are reached ``[n]``.
    """

    numbers: Ints
    codes: Ints
    places: Ints
    following: Ints
    counts: Ints


class Rows(NamedTuple):
    """Where the information states of a player are.

    Attributes:
        seen: What the player sees, as a representative ``[I]``.
        heads: The first node of each, while it is walked ``[I]``.
        begin: The first information state after a sequence ``[S]``.
        end: The last, and one more ``[S]``.
    """

    seen: Ints
    heads: Ints
    begin: Ints
    end: Ints


class Walk(NamedTuple):
    """What a walk works with.

    Attributes:
        frames: The sequences on the way here, see above ``[depth, 5]``.
        nodes: Their nodes.
        slots: The node of each representative that waits, or NONE ``[n]``.
        waiting: The first of the nodes of each level that wait, or NONE ``[levels]``.
        values: The numbers of nodes; empty while information states are looked for.
        parts: Parts of continuations that are yet to be added ``[k, 4]``.
        numbers: See above.
    """

    frames: Ints
    nodes: Nodes
    slots: Ints
    waiting: Ints
    values: Floats
    parts: Ints
    numbers: Ints


@lru_cache(KEPT)
def graph_of(game: Game) -> Graph | None:
    """Returns what follows representatives; None if rules have none, there are too many of them, or they recur."""
    if not hasattr(game.rules.written, "strategic_state"):
        return None
    numbering, parts, waiting = Numbering(), list[tuple[Any, ...]](), game.start_codes.copy()
    strategic_state_all(game.compiled, waiting)
    waiting = np.unique(waiting)
    numbering.number(waiting)
    while len(waiting):
        legal0, legal1, after, rewards, outcomes = expand(game, waiting)
        turns, counts = np.empty(len(waiting), np.int64), np.ones((2, len(waiting)), np.int64)
        turn_all(game.compiled, waiting, turns)
        for player, legal in enumerate((legal0, legal1)):
            moves = (turns == player) | (turns == BOTH)
            counts[player, moves] = np.bitwise_count(legal[moves])
        drawn = turns == CHANCE
        counts[0, drawn] = (outcomes[drawn] > 0).sum(axis=1)
        rows = np.repeat(np.arange(len(waiting)), counts.prod(axis=0))
        choice = np.arange(len(rows)) - np.flatnonzero(np.diff(rows, prepend=-1))[rows]
        chances = np.ones(len(rows))
        chances[drawn[rows]] = outcomes[rows[drawn[rows]], choice[drawn[rows]]]
        following = np.ascontiguousarray(after[rows, choice])
        strategic_state_all(game.compiled, following)
        known = len(numbering)
        numbers = numbering.number(following)
        first = known - len(waiting)
        parts.append((turns, first + rows, np.divmod(choice, counts[1, rows]), numbers, rewards[rows, choice], chances))
        waiting = numbering.codes[known:].copy()
        if len(numbering) > MOST:
            return None
    turns, before, choices, numbers, rewards, chances = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
    goes_on = numbers != OVER
    levels = np.zeros(len(turns), np.int64)
    for _ in range(len(levels)):
        deeper = levels.copy()
        np.maximum.at(deeper, numbers[goes_on], levels[before[goes_on]] + 1)
        if np.array_equal(deeper, levels):
            break
        levels = deeper
    else:
        return None
    order = np.argsort(levels, kind="stable")
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    edges = np.argsort(places[before], kind="stable")
    first = np.searchsorted(places[before][edges], np.arange(len(order) + 1))
    numbers = np.where(goes_on, places[numbers], OVER)[edges]
    codes, seen = numbering.codes[order], np.full((2, len(order)), NONE)
    for player in range(2):
        chooses = np.flatnonzero((turns[order] == player) | (turns[order] == BOTH))
        views = np.empty(len(chooses), np.int64)
        information_states(game.compiled, codes[chooses], player, views)
        strategic_state_all(game.compiled, views)
        seen[player, chooses] = views
    choices = np.ascontiguousarray(choices[:, edges])
    return Graph(codes, turns[order], levels[order], seen, first, choices, numbers, rewards[edges], chances[edges])


def continuations_of(graph: Graph, player: int) -> Continuations:
    """Returns how a player can go on from each representative."""
    ids: dict[Any, int] = {}
    trees: list[Any] = []
    sizes: list[int] = []

    def tree(pays: bool, branches: Iterable[Any]) -> int:
        key = pays, tuple(branches)
        if key not in ids:
            ids[key] = len(trees)
            trees.append(key)
            sizes.append(pays + sum(sizes[child] for _, child in key[1]))
        return ids[key]

    unions: dict[tuple[int, int], int] = {}

    def union(one: int, other: int) -> int:
        if one == other or other == empty:
            return one
        if one == empty:
            return other
        pair = (one, other) if one < other else (other, one)
        if pair not in unions:
            branches = dict(trees[one][1])
            for label, child in trees[other][1]:
                branches[label] = union(branches[label], child) if label in branches else child
            unions[pair] = tree(trees[one][0] or trees[other][0], sorted(branches.items()))
        return unions[pair]

    empty, paid = tree(False, ()), tree(True, ())
    seen, ranks, after, rewards = (one.tolist() for one in (graph.seen[player], graph.choices[player], graph.after, graph.rewards))
    following, sources, places, first = [empty] * len(seen), [empty] * len(after), [0] * len(after), graph.first.tolist()
    for number in range(len(seen) - 1, -1, -1):
        view, edges, branches, whole = seen[number], range(first[number], first[number + 1]), dict[Any, int](), empty
        for edge in edges:
            goes_on = empty if after[edge] == OVER else following[after[edge]]
            goes_on = union(goes_on, paid) if rewards[edge] else goes_on
            if view == NONE:
                whole = union(whole, goes_on)
            else:
                branches[view, ranks[edge]] = union(branches.get((view, ranks[edge]), empty), goes_on)
        following[number] = whole if view == NONE else tree(False, (one for one in branches.items() if one[1] != empty))
        begins = dict(zip(branches, itertools.accumulate((sizes[one] for one in branches.values()), initial=0), strict=False))
        for edge in edges:
            label = view, ranks[edge]
            sources[edge], places[edge] = (whole, 0) if view == NONE else (branches[label], begins[label])
    entries = [(*label, child) for _, branches in trees for label, child in branches]
    table = np.array(entries, np.int64).reshape(-1, 3)
    starts = np.concatenate([[0], np.cumsum([len(branches) for _, branches in trees])])
    pays, lengths = np.array([pays for pays, _ in trees]), np.array(sizes)
    offsets = np.concatenate([[0], np.cumsum(lengths[table[:, 2]])])
    offsets = offsets[:-1] - np.repeat(offsets[starts[:-1]] - pays, np.diff(starts))
    labels, children = np.ascontiguousarray(table[:, :2]), table[:, 2].copy()
    return Continuations(pays, lengths, starts, labels, children, offsets, *map(np.array, (following, sources, places)))


@compiled(inline=True)
def _add(plays: Continuations, source: int, target: int, values: Floats, at: int, to: int, chance: float, parts: Ints) -> None:
    """Adds numbers at one place to those at another, whose continuation is the same or has less."""
    parts[0, 0], parts[0, 1], parts[0, 2], parts[0, 3] = source, target, at, to
    left = 1
    while left:
        left -= 1
        source, target, at, to = parts[left, 0], parts[left, 1], parts[left, 2], parts[left, 3]
        if source == target:
            for k in range(plays.sizes[source]):
                values[to + k] += chance * values[at + k]
            continue
        if plays.pays[target]:
            values[to] += chance * values[at]
        child = plays.first[source]
        for k in range(plays.first[target], plays.first[target + 1]):
            while plays.labels[child, 0] != plays.labels[k, 0] or plays.labels[child, 1] != plays.labels[k, 1]:
                child += 1
            parts[left, 0], parts[left, 1] = plays.children[child], plays.children[k]
            parts[left, 2], parts[left, 3] = at + plays.offsets[child], to + plays.offsets[k]
            left += 1


@compiled()
def _begin(plays: Continuations, tree: int, known: Known, rows: Rows, weights: Floats, values: Floats, place: int, chance: float, parts: Ints) -> None:
    """Fills the numbers of a continuation from the start with the weights of a player's sequences."""
    parts[0, 0], parts[0, 1], parts[0, 2] = tree, 0, place
    left = 1
    while left:
        left -= 1
        tree, sequence, place = parts[left, 0], parts[left, 1], parts[left, 2]
        if plays.pays[tree]:
            values[place] = chance * weights[sequence]
        for k in range(plays.first[tree], plays.first[tree + 1]):
            row = rows.begin[sequence]
            while rows.seen[row] != plays.labels[k, 0]:
                row += 1
            parts[left, 0], parts[left, 1] = plays.children[k], known.rows[row, FIRST] + plays.labels[k, 1]
            parts[left, 2] = place + plays.offsets[k]
            left += 1


@compiled(inline=True)
def _differs(functions: Any, params: Ints, code: int, graph: Graph, edge: int) -> bool:
    """Returns whether a state is not what its representative is."""
    turn, payoff, terminal, strategic_state = functions
    after = graph.after[edge]
    return bool(
        code < 0 or terminal(params, code) or strategic_state(params, code) != graph.codes[after]
        or turn(params, code) != graph.turns[after] or payoff(params, code) != graph.rewards[edge]
    )


@njit(nogil=True)
def _walk_on(
    functions: Any, params: Ints, num_actions: int, player: int, graph: Graph, plays: Continuations, known: Known,
    rows: Rows, walk: Walk, at_most: int,
) -> int:
    """Walks the sequences of a player; returns how many, fewer than ``at_most`` at the end or where there is no room.

    It is compiled for each game by itself, as in :mod:`nashzoo.baselines.information.traversal`.
    """
    step, legal, turn, payoff, terminal, view, chance, strategic_state = functions
    alike = turn, payoff, terminal, strategic_state
    params, graph, plays, known = borrowed(params), borrowed(graph), borrowed(plays), borrowed(known)
    rows, walk = borrowed(rows), borrowed(walk)
    frames, nodes, slots, waiting, values, numbers = (
        walk.frames, walk.nodes, walk.slots, walk.waiting, walk.values, walk.numbers
    )
    outcomes, probabilities = np.empty(ROOM, np.int64), np.empty(ROOM)
    measuring, sign = len(values) > 0, 1.0 - 2.0 * player
    depth, count, used, walked, fault = numbers[DEPTH], numbers[NODES], numbers[USED], 0, NONE
    sequence, level, mark, floor = numbers[PENDING], 0, 0, 0
    while fault == NONE:
        opening, source = sequence == NONE, NONE
        if opening:
            if depth < 0 or walked == at_most:
                break
            row, rank = frames[depth, ROW], frames[depth, RANK]
            if row == frames[depth, LAST]:
                count, used = frames[depth, MARK], frames[depth, FLOOR]
                depth -= 1
                continue
            if rows.heads[row] == NONE:
                frames[depth, ROW] += 1
                continue
            if not measuring and (
                len(nodes.numbers) - count < len(slots) or len(known.rows) - known.used[0] < len(slots)
                or len(known.sums) - known.used[1] < len(slots) * num_actions
            ):
                break
            walked += 1
            sequence, mark, floor = known.rows[row, FIRST] + rank, count, used
            last = rank + 1 == count_actions(known.rows[row, LEGAL])
            frames[depth, ROW], frames[depth, RANK] = row + last, 0 if last else rank + 1
            source, level = rows.heads[row], len(waiting)
        if measuring:
            for k in range(rows.begin[sequence], rows.end[sequence]):
                rows.heads[k] = NONE
        else:
            rows.begin[sequence] = rows.end[sequence] = known.used[0]
        while True:  # the nodes where the player has chosen, and then those that wait, the earliest first
            if opening:
                node = source
                if node == NONE:
                    opening = False
                    continue
                source = nodes.following[node]
            else:
                while level < len(waiting) and waiting[level] == NONE:
                    level += 1
                if level == len(waiting):
                    break
                node = waiting[level]
                waiting[level] = nodes.following[node]
            number, code = nodes.numbers[node], nodes.codes[node]
            seen = graph.seen[player, number]
            if not opening:
                slots[number] = NONE
                if seen != NONE:
                    k = rows.begin[sequence]
                    while k < rows.end[sequence] and rows.seen[k] != seen:
                        k += 1
                    if not measuring:
                        if k == rows.end[sequence]:
                            first = first_of(known, view(params, code, player), code, sequence, legal(params, code, player))
                            if first == NONE or known.used[0] == k:
                                fault = code
                                break
                            rows.seen[k], rows.heads[k], rows.end[sequence] = seen, NONE, k + 1
                        elif known.rows[k, VIEW] != view(params, code, player):
                            fault = code
                            break
                    nodes.following[node] = rows.heads[k]
                    rows.heads[k] = node
                    continue
            mover = graph.turns[number]
            legal0 = legal1 = np.int64(1)
            if not measuring:
                if mover == CHANCE:
                    count_outcomes(chance, params, code, outcomes, probabilities)
                else:
                    same = graph.codes[number]
                    legal0, legal1 = legal(params, code, 0), legal(params, code, 1)
                    if legal0 != legal(params, same, 0) or legal1 != legal(params, same, 1):
                        fault = code
            for edge in range(graph.first[number], graph.first[number + 1]):
                if opening and graph.choices[player, edge] != rank:
                    continue
                place, after, likely = nodes.places[node] + plays.places[edge], graph.after[edge], graph.chances[edge]
                if graph.rewards[edge] != 0.0:
                    known.sums[sequence] += sign * graph.rewards[edge] * likely * values[place] if measuring else 1.0
                if after == OVER:
                    continue
                target = plays.following[after]
                if measuring and plays.sizes[target] == 0:
                    continue
                to = slots[after]
                if to == NONE:
                    to = count
                    count += 1
                    slots[after], nodes.numbers[to], nodes.places[to], nodes.counts[to] = to, after, used, 0
                    later = graph.levels[after]
                    nodes.following[to], waiting[later], level = waiting[later], to, min(level, later)
                    if measuring:
                        values[used : used + plays.sizes[target]] = 0.0
                    elif mover == CHANCE:
                        nodes.codes[to] = outcomes[graph.choices[0, edge]]
                        fault = fault if probabilities[graph.choices[0, edge]] == likely else code
                    else:
                        action0 = nth_action(legal0, graph.choices[0, edge])
                        nodes.codes[to] = step(params, code, action0, nth_action(legal1, graph.choices[1, edge]))
                    if not measuring and _differs(alike, params, nodes.codes[to], graph, edge):
                        fault = code
                    used += plays.sizes[target]
                nodes.counts[to] += 1
                numbers[MERGED] = max(numbers[MERGED], nodes.counts[to])
                if measuring:
                    _add(plays, plays.sources[edge], target, values, place, nodes.places[to], likely, walk.parts)
        depth += 1
        frames[depth, ROW], frames[depth, RANK] = rows.begin[sequence], 0
        frames[depth, MARK], frames[depth, FLOOR], frames[depth, LAST] = mark, floor, rows.end[sequence]
        numbers[MOST_NODES], numbers[MOST_USED] = max(numbers[MOST_NODES], count), max(numbers[MOST_USED], used)
        sequence = NONE
    numbers[DEPTH], numbers[NODES], numbers[USED], numbers[PENDING], numbers[FAULT] = depth, count, used, NONE, fault
    return walked


class _Walker:
    """One player's walks: continuations of the other player, and information states of the player.

    Args:
        game: The game.
        player: The player.
        graph: What follows representatives.
    """

    def __init__(self, game: Game, player: int, graph: Graph) -> None:
        self.game, self.player, self.graph, self.others = game, player, graph, continuations_of(graph, 1 - player)
        self.known, self.rows = known_with_room(1, 1, np.empty(0)), Rows(*np.empty((4, 1), np.int64))
        self.walk = self._from_start(np.empty(0), 0)
        self.functions = tuple(game.compiled.function(name) for name in (*FUNCTIONS, "strategic_state"))

    def _from_start(self, values: Floats, room: int) -> Walk:
        """Returns a walk whose nodes are those of the start."""
        graph, levels = self.graph, int(self.graph.levels.max()) + 1
        codes = self.game.start_codes.copy()
        strategic_state_all(self.game.compiled, codes)
        same, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        order = np.argsort(graph.codes)
        found = order[np.searchsorted(graph.codes, same, sorter=order)]
        self.start = found, np.bincount(inverse, self.game.start_probabilities)
        count, sizes = len(found), self.others.sizes[self.others.following[found]]
        nodes = Nodes(*np.zeros((5, max(count, room)), np.int64))
        slots, waiting = np.full(len(graph.codes), NONE), np.full(levels, NONE)
        nodes.numbers[:count], nodes.codes[:count] = found, self.game.start_codes[first]
        nodes.places[:count] = np.cumsum(sizes) - sizes
        for node, number in enumerate(found):
            level = graph.levels[number]
            slots[number], nodes.following[node], waiting[level] = node, waiting[level], node
        parts = np.empty(((levels + 1) * int(np.diff(self.others.first).max()) + 1, 4), np.int64)
        numbers = np.array([0, -1, count, sizes.sum(), 0, 0, 1, NONE])
        return Walk(np.empty((levels + 2, 5), np.int64), nodes, slots, waiting, values, parts, numbers)

    def go_on(self) -> bool:
        """Looks for information states for a while; returns whether all have been found.

        Raises:
            UsageError: the player has no perfect recall, or ``strategic_state`` is wrong.
            TooManyStatesError: there is no memory for the information states.
        """
        until, game = time.monotonic() + SECONDS, self.game
        while time.monotonic() < until:
            self.walk_a_while(AT_ONCE)
            if self.walk.numbers[FAULT] != NONE:
                raise UsageError(
                    f"strategic_state of {game.name} says that {game.spell(int(self.walk.numbers[FAULT]))} goes on as its "
                    f"representative does, or player {self.player} remembers it alike, and that is not so"
                )
            if self.walk.numbers[DEPTH] < 0:
                return True
        return False

    def walk_a_while(self, at_most: int) -> None:
        """Looks for information states after so many sequences at most."""
        most, walk = len(self.graph.codes), self.walk
        self.known = enlarged(self.game, self.known, most, most * self.game.num_actions, 0)
        rows, sequences, nodes = len(self.known.rows), len(self.known.sums), int(walk.numbers[NODES]) + most
        self.rows = Rows(*map(_longer, self.rows, (rows, rows, sequences, sequences)))
        if len(walk.nodes.numbers) < nodes:
            self.walk = walk._replace(nodes=Nodes(*(_longer(one, 2 * nodes) for one in walk.nodes)))
        self.walk_on(self.known, self.rows, self.walk, at_most)

    def walk_on(self, known: Known, rows: Rows, walk: Walk, at_most: int) -> int:
        """Walks so many sequences at most; returns how many."""
        others, game = self.others, self.game
        arguments = game.params, game.num_actions, self.player, self.graph, others, known, rows, walk, at_most
        return int(_walk_on(self.functions, *arguments))

    def treeplex(self) -> Treeplex:
        """Returns what has been found."""
        rows, sequences = self.known.used
        _, codes, _, _, _ = table = self.known.rows[:rows].T
        return Treeplex(table[0].copy(), table[2].copy(), np.append(table[4], sequences), table[3].copy())

    def begin(self, other: "_Walker", weights: Floats) -> "_Measuring":
        """Returns a walk that adds up what the player's sequences gain against the other's weights."""
        walk = self._from_start(np.empty(int(self.walk.numbers[MOST_USED])), int(self.walk.numbers[MOST_NODES]))
        for place, number, chance in zip(walk.nodes.places, *self.start, strict=False):
            tree, values = self.others.following[number], walk.values
            _begin(self.others, tree, other.known, other.rows, weights, values, place, chance, walk.parts)
        return _Measuring(self, walk, np.zeros(self.known.used[1]), self.rows.heads.copy())


class _Measuring(NamedTuple):
    """A walk that adds up what a player's sequences gain.

    Attributes:
        walker: Who walks.
        walk: What it works with.
        gains: What each sequence gains so far ``[S]``.
        heads: As in :class:`Rows`.
    """

    walker: _Walker
    walk: Walk
    gains: Floats
    heads: Ints

    def go_on(self) -> bool:
        """Walks for a while; returns whether all is done."""
        walker, until = self.walker, time.monotonic() + SECONDS
        known, rows = walker.known._replace(sums=self.gains), walker.rows._replace(heads=self.heads)
        while time.monotonic() < until:
            if walker.walk_on(known, rows, self.walk, AT_ONCE) < AT_ONCE:
                return True
        return False


def _longer(array: Ints, length: int) -> Ints:
    """Returns an array with room for so many numbers."""
    return array if len(array) >= length else np.concatenate([array, np.empty(length - len(array), np.int64)])


def _together(walks: Sequence[Any], what: str) -> None:
    """Goes on with walks until all are done, each in a thread."""
    left = list(walks)

    def work(walk: Any) -> None:
        if walk.go_on():
            left.remove(walk)

    with progress_bar(what) as show:
        while left:
            side_by_side(work, left.copy())
            show(len(walks) - len(left), None)


@dataclass(frozen=True, eq=False)
class MergedForm(TraversedForm):
    """The information states of a game, whose histories are walked together.

    Attributes:
        walkers: Of both players.
    """

    walkers: tuple[_Walker, _Walker]

    def _walk(self, weights: tuple[Floats, Floats]) -> list[Floats]:
        """Walks for the gains of the players against the other's weights, but for those that are known, or all 0."""
        missing = [player for player in range(2) if self._kept(player, weights[1 - player]) is None]
        walks = {k: self.walkers[k].begin(self.walkers[1 - k], weights[1 - k]) for k in missing if weights[1 - k].any()}
        _together(list(walks.values()), "measuring")
        for player in missing:
            gains = walks[player].gains if player in walks else np.zeros(self.treeplexes[player].num_sequences)
            self._last[player] = weights[1 - player], gains
        return [self._last[player][1] for player in range(2)]


@lru_cache(KEPT)
def merged_form(game: Game) -> MergedForm | None:
    """Finds the information states of a game; None if it has too many representatives.

    Raises:
        UsageError: a player has no perfect recall, rules return something invalid, or ``strategic_state`` is wrong.
        TooManyStatesError: there is no memory for the information states.
    """
    graph = graph_of(game)
    if graph is None:
        return None
    with postponed():
        walkers = _Walker(game, 0, graph), _Walker(game, 1, graph)
        for walker in walkers:
            walker.walk_a_while(0)  # an exception would be lost while code is compiled
    _together(walkers, "looking for information states")
    plexes = walkers[0].treeplex(), walkers[1].treeplex()
    histories, most = _counted(game, graph)
    length = int(graph.levels.max()) + 1
    rewards = max(int(walker.known.sums[: walker.known.used[1]].max()) for walker in walkers)
    children = sum(int(np.bincount(plex.parents, minlength=1).max()) for plex in plexes)
    merged = max(int(walker.walk.numbers[MERGED]) for walker in walkers)
    roundings = rewards + 2 + length * (2 * game.num_actions + 6 + children + merged)
    return MergedForm(game, plexes, most, histories, roundings, walkers)


def histories_walked_as_one(game: Game) -> int | None:
    """Returns the number of histories of a game whose histories can be walked together, else None."""
    graph = graph_of(game)
    return None if graph is None else _counted(game, graph)[0]


def _counted(game: Game, graph: Graph) -> tuple[int, float]:
    """Returns the number of histories, and the largest sum of magnitudes of the rewards in one game."""
    counts, sums = [1] * len(graph.codes), [0.0] * len(graph.codes)
    first, after, rewards = graph.first.tolist(), graph.after.tolist(), np.abs(graph.rewards).tolist()
    for number in range(len(counts) - 1, -1, -1):
        for edge in range(first[number], first[number + 1]):
            goes_on = after[edge] != OVER
            counts[number] += counts[after[edge]] if goes_on else 0
            sums[number] = max(sums[number], rewards[edge] + (sums[after[edge]] if goes_on else 0.0))
    codes = game.start_codes.copy()
    strategic_state_all(game.compiled, codes)
    numbers = dict(zip(graph.codes.tolist(), range(len(counts)), strict=True))
    starts = [numbers[code] for code in codes.tolist()]
    return sum(counts[start] for start in starts), max(sums[start] for start in starts)
