"""A game with hidden information that has too many histories to keep: they are walked, and forgotten.

Rules say by ``strategic_state`` which states differ in nothing but what players remember: they have one representative,
and go on alike. All histories with the same sequence of the player who gains, in states of one representative, are
walked as one *node*. With it comes the sum of the other player's weights in them, for each way in which that player can
go on. To add up vectors costs far less than to walk: dark hex of 3 by 3 cells has 9.6 billion histories, and 70 million
nodes at which a player chooses.

What can follow a representative is listed once for each game, with the ways in which a player can go on as shared
trees, its *continuations*: the player's next information state and action, and what comes then, for all that pays. The
first walk finds the information states, and checks the rules' claim at one state of each node. Then all histories are
followed to check it at each, where they are not too many for that. Walks are depth-first, so they need memory for
little more than the information states; that for each player is on a processor of its own.

Source: the traversals of exp-a-spiel, by Rudolph et al. (2025), "Reevaluating Policy Gradient Methods for
Imperfect-Information Games", which walk one history after the other.
"""

import itertools
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.information.sequence_form import Form, check_memory, check_views, moves_from
from nashzoo.baselines.information.treeplex import Treeplex
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.progress import progress_bar
from nashzoo.envs.base.signals import postponed
from nashzoo.envs.base.threads import side_by_side
from nashzoo.envs.core.code_index import Numbering
from nashzoo.envs.core.game import BOTH, CHANCE, Game
from nashzoo.envs.core.kernels import (
    ROOM,
    count_actions,
    count_outcomes,
    information_states,
    nth_action,
    splitmix,
    strategic_state_all,
)
from nashzoo.envs.core.reachable import OVER, TooManyStatesError, expand
from nashzoo.envs.jit.compiled import Bools, Floats, Ints, borrowed, compiled
from nashzoo.envs.jit.numba import njit

KEPT = 2  # games whose information states are kept
MOST = 1_000_000  # representatives
MOST_MOVES = 10_000
AT_ONCE = 20_000  # sequences between two looks at the clock
FOLLOWED = 1_000_000_000  # histories up to which each is followed, which takes about 40 s
SECONDS = 0.5  # between two looks for an interruption
BYTES = 100  # of an information state, and of its sequences

VIEW, EXAMPLE, PARENT, LEGAL, FIRST, SEEN = range(6)  # columns of information states
NUMBER, CODE, PLACE, NEXT, COUNT = range(5)  # columns of nodes
ROW, RANK, MARK, FLOOR, LAST = range(5)  # columns of frames: the next row and action, what is below, and the last row
PENDING, DEPTH, NODES, USED, MOST_NODES, MOST_USED, MERGED, FAULT, KNOWN, SEQUENCES = range(10)  # numbers of a walk
NONE = -1
FUNCTIONS = "checked_step", "legal", "turn", "payoff", "terminal", "information_state", "chance", "strategic_state"


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


class Walk(NamedTuple):
    """What a walk works with.

    Attributes:
        rows: Information states, parents before children: what is seen, a state, the sequence before, legal actions,
            the sequence of the first of them, and what is seen as a representative ``[I, 6]``.
        after: The first information state after each sequence, and the last one and one more ``[S, 2]``.
        sums: What sequences gain; while information states are looked for, how often they get a reward ``[S]``.
        heads: The first node of each information state ``[I]``.
        nodes: The representative of each, one of its states, where its numbers are, the next node, and how many it is
            made of ``[n, 5]``.
        values: The numbers of nodes; empty while information states are looked for.
        slots: The node of each representative that waits, or NONE ``[n]``.
        waiting: The first of the nodes of each level that wait, or NONE ``[levels]``.
        frames: The sequences on the way here ``[depth, 5]``.
        parts: Parts of continuations that are yet to be added ``[k, 4]``.
        numbers: See above.
    """

    rows: Ints
    after: Ints
    sums: Floats
    heads: Ints
    nodes: Ints
    values: Floats
    slots: Ints
    waiting: Ints
    frames: Ints
    parts: Ints
    numbers: Ints


@lru_cache(KEPT)
def graph_of(game: Game) -> Graph:
    """Returns what follows representatives.

    Raises:
        UsageError: play does not end, or rules return something invalid.
        TooManyStatesError: there are too many of them.
    """
    numbering, parts, waiting = Numbering(), list[tuple[Any, ...]](), game.start_codes.copy()
    strategic_state_all(game.compiled, waiting)
    waiting = np.unique(waiting)
    numbering.number(waiting)
    while len(waiting):
        known = len(numbering)
        turns, _, rows, choices, chances, following, rewards = moves_from(game, waiting, known)
        strategic_state_all(game.compiled, following)
        parts.append((turns, known - len(waiting) + rows, choices, numbering.number(following), rewards, chances))
        waiting = numbering.codes[known:].copy()
        if len(numbering) > MOST:
            raise TooManyStatesError(
                f"play of {game!r} has more than {MOST:,} states, too many to list; of those that differ in nothing "
                "but what players remember, strategic_state in the rules says which one stands for all"
            )
    arrays = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
    turns, before, choices, numbers, rewards, chances = arrays
    goes_on = numbers != OVER
    levels = np.zeros(len(turns), np.int64)
    for _ in range(min(len(levels), MOST_MOVES)):
        deeper = levels.copy()
        np.maximum.at(deeper, numbers[goes_on], levels[before[goes_on]] + 1)
        if np.array_equal(deeper, levels):
            break
        levels = deeper
    else:
        raise UsageError(f"play of {game.name} does not end, or takes more than {MOST_MOVES:,} moves")
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
    seen, ranks, first = graph.seen[player].tolist(), graph.choices[player].tolist(), graph.first.tolist()
    after, rewards = graph.after.tolist(), graph.rewards.tolist()
    following, sources, places = [empty] * len(seen), [empty] * len(after), [0] * len(after)
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
        ends = itertools.accumulate((sizes[one] for one in branches.values()), initial=0)
        begins = dict(zip(branches, ends, strict=False))
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
def _add(
    plays: Continuations, source: int, target: int, values: Floats, at: int, to: int, chance: float, parts: Ints
) -> None:  # fmt: skip
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
def _begin(
    plays: Continuations, tree: int, known: Walk, weights: Floats, values: Floats, place: int, chance: float,
    parts: Ints,
) -> None:  # fmt: skip
    """Fills the numbers of a continuation from the start with the weights of a player's sequences."""
    parts[0, 0], parts[0, 1], parts[0, 2] = tree, 0, place
    left = 1
    while left:
        left -= 1
        tree, sequence, place = parts[left, 0], parts[left, 1], parts[left, 2]
        if plays.pays[tree]:
            values[place] = chance * weights[sequence]
        for k in range(plays.first[tree], plays.first[tree + 1]):
            row = known.after[sequence, 0]
            while known.rows[row, SEEN] != plays.labels[k, 0]:
                row += 1
            parts[left, 0], parts[left, 1] = plays.children[k], known.rows[row, FIRST] + plays.labels[k, 1]
            parts[left, 2] = place + plays.offsets[k]
            left += 1


@njit(nogil=True)  # as those that call it: the compiled code of a game's functions is not kept on the disk
def _differs(functions: Any, params: Ints, code: int, graph: Graph, edge: int) -> bool:
    """Returns whether a state is not what its representative is."""
    turn, payoff, terminal, strategic_state = functions
    after = graph.after[edge]
    if code < 0 or payoff(params, code) != graph.rewards[edge] or terminal(params, code) != (after == OVER):
        return True
    same = after == OVER or strategic_state(params, code) == graph.codes[after]
    return not same or (after != OVER and turn(params, code) != graph.turns[after])


@njit(nogil=True)
def _follow_on(functions: Any, params: Ints, graph: Graph, known: Any, path: Ints, drawn: Any, most: int) -> int:
    """Follows histories; returns a state that is not what its representative is, or NONE.

    Args:
        functions: Those of the rules.
        params: Their parameters.
        graph: What follows representatives.
        known: The information states of both players, and what comes after their sequences.
        path: The length of the way here, and from row 1 on its states, their representatives, the next edges, or NONE
            where a state is yet to be looked at, and the sequences and legal actions of both players
            ``[levels + 1, 7]``.
        drawn: The outcomes of chance on the way and their probabilities ``[levels + 1, ROOM]``.
        most: How many histories to follow.
    """
    step, legal, turn, payoff, terminal, view, chance, strategic_state = functions
    alike, depth = (turn, payoff, terminal, strategic_state), path[0, 0]
    while depth > 0 and most > 0:
        code, number, edge = path[depth, 0], path[depth, 1], path[depth, 2]
        by_chance = graph.turns[number] == CHANCE
        if edge == NONE:
            most, edge = most - 1, graph.first[number]
            if turn(params, code) != graph.turns[number]:
                return int(code)
            if by_chance:
                count = count_outcomes(chance, params, code, drawn[0][depth], drawn[1][depth])
                if count != graph.first[number + 1] - edge:
                    return int(code)
            for player in range(2):
                choices, sequence = legal(params, code, player), path[depth, 3 + player]
                path[depth, 5 + player] = choices
                if choices != legal(params, graph.codes[number], player):
                    return int(code)
                if graph.seen[player, number] != NONE:
                    rows, following = known[player]
                    row, end = following[sequence, 0], following[sequence, 1]
                    while row < end and rows[row, SEEN] != graph.seen[player, number]:
                        row += 1
                    if row == end or rows[row, VIEW] != view(params, code, player) or rows[row, LEGAL] != choices:
                        return int(code)
                    path[depth, 3 + player] = rows[row, FIRST]
        if edge == graph.first[number + 1]:
            depth -= 1
            continue
        path[depth, 2], after = edge + 1, graph.after[edge]
        choice0, choice1 = graph.choices[0, edge], graph.choices[1, edge]
        if by_chance:
            new, choice0 = drawn[0][depth, choice0], 0
            if drawn[1][depth, graph.choices[0, edge]] != graph.chances[edge]:
                return int(code)
        else:
            new = step(params, code, nth_action(path[depth, 5], choice0), nth_action(path[depth, 6], choice1))
        if _differs(alike, params, new, graph, edge):
            return int(code)
        if after != OVER:
            depth += 1
            path[depth, 0], path[depth, 1], path[depth, 2] = new, after, NONE
            path[depth, 3], path[depth, 4] = path[depth - 1, 3] + choice0, path[depth - 1, 4] + choice1
    path[0, 0] = depth
    return NONE


@njit(nogil=True)
def _walk_on(
    functions: Any, params: Ints, num_actions: int, player: int, graph: Graph, plays: Continuations, walk: Walk,
    most: int,
) -> int:  # fmt: skip
    """Walks the sequences of a player; returns how many, fewer than ``most`` at the end, or if there is no room.

    It is compiled for each game by itself, together with its rules, which takes seconds, and halves the time.
    """
    step, legal, turn, payoff, terminal, view, chance, strategic_state = functions
    alike = turn, payoff, terminal, strategic_state
    params, graph, plays, walk = borrowed(params), borrowed(graph), borrowed(plays), borrowed(walk)
    rows, following, sums, heads, nodes, values, slots, waiting, frames, parts, numbers = walk
    outcomes, probabilities = np.empty(ROOM, np.int64), np.empty(ROOM)
    measuring, sign, fault, walked = len(values) > 0, 1.0 - 2.0 * player, NONE, 0
    depth, count, used, known, sequences = (
        numbers[DEPTH], numbers[NODES], numbers[USED], numbers[KNOWN], numbers[SEQUENCES],
    )  # fmt: skip
    sequence, level, mark, floor, rank, source = numbers[PENDING], 0, 0, 0, 0, NONE
    while fault == NONE:
        choosing = sequence == NONE
        if choosing:
            if depth < 0 or walked == most:
                break
            row, rank = frames[depth, ROW], frames[depth, RANK]
            if row == frames[depth, LAST]:
                count, used, depth = frames[depth, MARK], frames[depth, FLOOR], depth - 1
                continue
            if heads[row] == NONE:
                frames[depth, ROW] += 1
                continue
            room = min(len(nodes) - count, len(rows) - known, (len(sums) - sequences) // num_actions)
            if not measuring and room < len(slots):
                break
            walked += 1
            sequence, mark, floor, source, level = rows[row, FIRST] + rank, count, used, heads[row], len(waiting)
            last = rank + 1 == count_actions(rows[row, LEGAL])
            frames[depth, ROW], frames[depth, RANK] = row + last, 0 if last else rank + 1
        if not measuring:
            following[sequence, 0] = following[sequence, 1] = known
        heads[following[sequence, 0] : following[sequence, 1]] = NONE
        while fault == NONE:  # the nodes where the player has chosen, and then those that wait, the earliest first
            if choosing and source == NONE:
                choosing = False
            if choosing:
                node, source = source, nodes[source, NEXT]
            else:
                while level < len(waiting) and waiting[level] == NONE:
                    level += 1
                if level == len(waiting):
                    break
                node = waiting[level]
                waiting[level] = nodes[node, NEXT]
            number, code = nodes[node, NUMBER], nodes[node, CODE]
            if not choosing:
                slots[number] = NONE
            if not choosing and graph.seen[player, number] != NONE:
                row, end = following[sequence, 0], following[sequence, 1]
                while row < end and rows[row, SEEN] != graph.seen[player, number]:
                    row += 1
                if not measuring:
                    seen, choices = view(params, code, player), legal(params, code, player)
                    if row == end:
                        rows[row, VIEW], rows[row, EXAMPLE], rows[row, PARENT] = seen, code, sequence
                        rows[row, LEGAL], rows[row, FIRST] = choices, sequences
                        rows[row, SEEN], heads[row] = graph.seen[player, number], NONE
                        known, sequences = known + 1, sequences + count_actions(choices)
                        following[sequence, 1] = known
                    elif seen != rows[row, VIEW] or choices != rows[row, LEGAL]:
                        fault = code
                nodes[node, NEXT] = heads[row]
                heads[row] = node
                continue
            by_chance, legal0, legal1 = graph.turns[number] == CHANCE, 1, 1
            if not measuring and turn(params, code) != graph.turns[number]:
                fault = code
                break
            if not measuring and by_chance:
                count_outcomes(chance, params, code, outcomes, probabilities)
            elif not measuring:
                legal0, legal1, same = legal(params, code, 0), legal(params, code, 1), graph.codes[number]
                if legal0 != legal(params, same, 0) or legal1 != legal(params, same, 1):
                    fault = code
                    break
            for edge in range(graph.first[number], graph.first[number + 1]):
                if choosing and graph.choices[player, edge] != rank:
                    continue
                place, after, likely = nodes[node, PLACE] + plays.places[edge], graph.after[edge], graph.chances[edge]
                if graph.rewards[edge] != 0.0:
                    sums[sequence] += sign * graph.rewards[edge] * likely * values[place] if measuring else 1.0
                new = code
                if not measuring:
                    choice = graph.choices[0, edge]
                    if by_chance:
                        new = outcomes[choice]
                    else:
                        other = nth_action(legal1, graph.choices[1, edge])
                        new = step(params, code, nth_action(legal0, choice), other)
                    if _differs(alike, params, new, graph, edge) or (by_chance and probabilities[choice] != likely):
                        fault = code
                target = plays.following[after] if after != OVER else 0
                if after == OVER or (measuring and plays.sizes[target] == 0):
                    continue
                to, end = slots[after], used + plays.sizes[target]
                if to == NONE:
                    to, later = count, graph.levels[after]
                    nodes[to, NUMBER], nodes[to, PLACE], nodes[to, NEXT] = after, used, waiting[later]
                    nodes[to, CODE], nodes[to, COUNT] = new, 0
                    slots[after], waiting[later], level = to, to, min(level, later)
                    if measuring:
                        values[used:end] = 0.0
                    count, used = count + 1, end
                nodes[to, COUNT] += 1
                if not measuring and splitmix(np.uint64(new)) % np.uint64(nodes[to, COUNT]) == 0:  # type: ignore[arg-type]
                    nodes[to, CODE] = new  # any of the states, not always the first
                numbers[MERGED] = max(numbers[MERGED], nodes[to, COUNT])
                if measuring:
                    _add(plays, plays.sources[edge], target, values, place, nodes[to, PLACE], likely, parts)
        depth += 1
        frames[depth, ROW], frames[depth, LAST], frames[depth, RANK] = following[sequence, 0], following[sequence, 1], 0
        frames[depth, MARK], frames[depth, FLOOR] = mark, floor
        numbers[MOST_NODES], numbers[MOST_USED] = max(numbers[MOST_NODES], count), max(numbers[MOST_USED], used)
        sequence = NONE
    numbers[DEPTH], numbers[NODES], numbers[USED], numbers[KNOWN] = depth, count, used, known
    numbers[SEQUENCES], numbers[PENDING], numbers[FAULT] = sequences, NONE, fault
    return walked


class _Walker:
    """The walks of one player: continuations of the other, and information states of the player.

    Args:
        game: The game.
        player: The player.
        graph: What follows representatives.
    """

    def __init__(self, game: Game, player: int, graph: Graph) -> None:
        self.game, self.player, self.graph, self.others = game, player, graph, continuations_of(graph, 1 - player)
        self.functions = tuple(game.compiled.function(name) for name in FUNCTIONS)
        self._start = _starts_of(game, graph)
        empty = np.empty((0, 6), np.int64), np.empty((0, 2), np.int64), np.empty(0), np.empty(0, np.int64)
        self.walk = Walk(*empty, *self._scratch(0, 0))

    def _scratch(self, nodes: int, values: int) -> tuple[Any, ...]:
        """Returns the arrays of a walk that begins, with room for so many nodes and their numbers."""
        levels, branches = int(self.graph.levels.max()) + 1, int(np.diff(self.others.first).max())
        numbers, codes = self._start, self.game.start_codes
        places = np.concatenate([[0], np.cumsum(self.others.sizes[self.others.following[numbers]])])
        table = np.empty((max(nodes, len(numbers)), 5), np.int64)
        slots, waiting = np.full(len(self.graph.codes), NONE), np.full(levels, NONE)
        for node, number in enumerate(numbers):
            level = self.graph.levels[number]
            table[node] = number, codes[node], places[node], waiting[level], 1
            slots[number] = waiting[level] = node
        frames, parts = np.empty((levels + 2, 5), np.int64), np.empty((levels * branches + 1, 4), np.int64)
        begun = np.array([0, NONE, len(numbers), places[-1], 0, 0, 1, NONE, 0, 1])
        return table, np.empty(values), slots, waiting, frames, parts, begun

    def go_on(self, walk: Walk, most: int = AT_ONCE) -> bool:
        """Walks so many sequences at most; returns whether all is done."""
        game, graph, others = self.game, self.graph, self.others
        _walk_on(self.functions, game.params, game.num_actions, self.player, graph, others, walk, most)
        return int(walk.numbers[DEPTH]) == NONE

    def explore(self, most: int = AT_ONCE) -> bool:
        """Looks for information states after so many sequences at most; returns whether all have been found.

        Raises:
            UsageError: the player has no perfect recall, or ``strategic_state`` is wrong.
            TooManyStatesError: there is no memory for the information states.
        """
        game, more, numbers = self.game, len(self.graph.codes), self.walk.numbers
        check_memory(game, int(numbers[KNOWN]), 2 * BYTES * int(numbers[KNOWN] + more))
        room = numbers[KNOWN] + more, numbers[SEQUENCES] + more * game.num_actions
        rooms = (room[0], room[1], room[1], room[0], numbers[NODES] + more)
        longer = (_longer(array, int(length)) for array, length in zip(self.walk, rooms, strict=False))
        self.walk = Walk(*longer, *self.walk[len(rooms) :])
        done = self.go_on(self.walk, most)
        if (fault := int(numbers[FAULT])) != NONE:
            self._refuse(fault)
        return done

    def _refuse(self, fault: int) -> None:
        """Raises what is wrong at a state."""
        expand(self.game, np.array([fault]))  # raises what is wrong with rules
        self._check()
        raise UsageError(
            f"strategic_state of {self.game.name} says what stands for {self.game.spell(fault)}, but that goes on "
            "another way, or a player sees it another way"
        )

    def check_claim(self, other: "_Walker") -> None:
        """Checks ``strategic_state`` at every history.

        Raises:
            UsageError: ``strategic_state`` is wrong.
        """
        levels, walks = len(self.walk.waiting) + 1, (self.walk, other.walk)
        known = tuple((walk.rows, walk.after) for walk in walks)
        starts = np.stack([self.game.start_codes, self._start], axis=1)
        drawn, path = (np.empty((levels, ROOM), np.int64), np.empty((levels, ROOM))), np.zeros((levels, 7), np.int64)

        def go_on(walker: "_Walker") -> bool:
            nonlocal starts
            if path[0, 0] == 0:
                path[0, 0], path[1], starts = 1, [*starts[0], NONE, 0, 0, 0, 0], starts[1:]
            given = walker.functions, walker.game.params, walker.graph, known
            if (fault := _follow_on(*given, path, drawn, 100 * AT_ONCE)) != NONE:
                walker._refuse(fault)
            return not (path[0, 0] or len(starts))

        _together([self], go_on, "checking strategic_state")

    def treeplex(self) -> Treeplex:
        """Returns the information states.

        Raises:
            UsageError: the player has no perfect recall.
        """
        self._check()
        known, sequences = self.walk.numbers[[KNOWN, SEQUENCES]]
        codes, _, parents, legal, first, _ = np.ascontiguousarray(self.walk.rows[:known].T)
        return Treeplex(codes, parents, np.append(first, sequences), legal)

    def _check(self) -> None:
        """Checks that what the player sees says whether it chooses, from which actions, and what it did before."""
        views, examples, _, legal, _, _ = np.ascontiguousarray(self.walk.rows[: self.walk.numbers[KNOWN]].T)
        check_views(self.game, self.player, examples, views, legal)
        order = np.argsort(views)
        again = np.flatnonzero(np.diff(views[order]) == 0)
        if len(again):
            here, there = (self.game.spell(int(examples[order[again[0] + k]])) for k in (1, 0))
            raise UsageError(
                f"player {self.player} cannot tell {here} from {there} after other actions of its own: the state must "
                "store what the player remembers, in a field that the player sees"
            )

    def begin(self, other: "_Walker", weights: Floats) -> Walk:
        """Returns a walk that adds up what the player's sequences gain against the other's weights."""
        known, numbers, others = self.walk, self.walk.numbers, self.others
        check_memory(self.game, int(numbers[KNOWN]), 8 * int(numbers[MOST_USED]))
        scratch = self._scratch(int(numbers[MOST_NODES]), int(numbers[MOST_USED]))
        gains = np.zeros(numbers[SEQUENCES])
        walk = Walk(known.rows, known.after, gains, np.full(len(known.heads), NONE), *scratch)
        for node, chance in enumerate(self.game.start_probabilities):
            tree, place = others.following[walk.nodes[node, NUMBER]], walk.nodes[node, PLACE]
            _begin(others, tree, other.walk, weights, walk.values, place, chance, walk.parts)
        return walk


def _longer(array: Any, length: int) -> Any:
    """Returns an array with at least so many rows."""
    if len(array) >= length:
        return array
    return np.concatenate([array, np.zeros((2 * length - len(array), *array.shape[1:]), array.dtype)])


def _together(walks: Sequence[Any], go_on: Callable[[Any], bool], what: str) -> None:
    """Goes on with walks until all are done, each in a thread."""
    left = list(walks)

    def work(walk: Any) -> None:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            if go_on(walk):
                left[:] = [other for other in left if other is not walk]
                return

    with progress_bar(what) as show:
        while left:
            side_by_side(work, left.copy())
            show(len(walks) - len(left), len(walks))


@dataclass(frozen=True, eq=False)
class TraversedForm(Form):
    """The information states of a game, whose histories are walked for each pair of policies.

    Attributes:
        walkers: The walks of both players.
    """

    walkers: tuple[_Walker, _Walker]
    _last: dict[int, tuple[Floats, Floats]] = field(default_factory=dict, init=False)
    """By player, the other's weights in the last walk, and what the player's sequences gain against them."""

    def prepare(self, weights0: Floats, weights1: Floats) -> None:
        """Walks the game for the gains of the players, but for those of the last walk."""
        self._gains({0: weights1, 1: weights0})

    def gains(self, player: int, weights: Floats) -> Floats:
        """Returns what each sequence of a player gains ``[S]`` against the other's sequence weights."""
        return self._gains({player: weights})[player]

    def _gains(self, weights: dict[int, Floats]) -> dict[int, Floats]:
        """Returns what players gain against the other's weights; what the last walk has found is not walked again."""
        last = [(player, self._last.get(player)) for player in weights]  # another thread may replace them
        known = {player: kept[1] for player, kept in last if kept and np.array_equal(kept[0], weights[player])}
        walks = {k: self.walkers[k].begin(self.walkers[1 - k], weights[k]) for k in weights if k not in known}
        _together(list(walks.items()), lambda walk: self.walkers[walk[0]].go_on(walk[1]), "measuring")
        for player, walk in walks.items():
            known[player] = walk.sums
            self._last[player] = weights[player], walk.sums
        return known

    def value(self, weights0: Floats, weights1: Floats) -> float:
        """Returns the expected reward to player 0."""
        return math.fsum(weights0 * self.gains(0, weights1))


@lru_cache(KEPT)
def traversed_form(game: Game) -> TraversedForm:
    """Finds the information states of a game.

    Raises:
        UsageError: a player has no perfect recall, rules return something invalid, or play does not end.
        TooManyStatesError: there are too many representatives, or there is no memory for the information states.
    """
    graph = graph_of(game)
    walkers = _Walker(game, 0, graph), _Walker(game, 1, graph)
    with postponed():  # an exception would be lost while code is compiled
        walkers[0].explore(0)
    _together(walkers, _Walker.explore, "looking for information states")
    plexes = walkers[0].treeplex(), walkers[1].treeplex()
    histories, most = counted(game)
    if hasattr(game.rules.written, "strategic_state") and histories <= FOLLOWED:
        walkers[0].check_claim(walkers[1])
    length, merged = int(graph.levels.max()) + 1, max(int(walker.walk.numbers[MERGED]) for walker in walkers)
    rewards = max(int(one.walk.sums[: one.walk.numbers[SEQUENCES]].max()) for one in walkers)
    children = sum(int(np.bincount(plex.parents, minlength=1).max()) for plex in plexes)
    roundings = rewards + 2 + length * (2 * game.num_actions + 6 + children + merged)
    return TraversedForm(game, plexes, most, histories, roundings, walkers)


@lru_cache(KEPT)
def counted(game: Game) -> tuple[int, float]:
    """Returns the number of histories of a game, and the largest sum of magnitudes of the rewards in one.

    Raises:
        UsageError, TooManyStatesError: as from :func:`graph_of`.
    """
    graph = graph_of(game)
    counts, sums = [1] * len(graph.codes), [0.0] * len(graph.codes)
    first, after, rewards = graph.first.tolist(), graph.after.tolist(), np.abs(graph.rewards).tolist()
    for number in range(len(counts) - 1, -1, -1):
        for edge in range(first[number], first[number + 1]):
            later = after[edge]
            counts[number] += 0 if later == OVER else counts[later]
            sums[number] = max(sums[number], rewards[edge] + (0.0 if later == OVER else sums[later]))
    starts = _starts_of(game, graph).tolist()
    return sum(counts[start] for start in starts), max(sums[start] for start in starts)


def _starts_of(game: Game, graph: Graph) -> Ints:
    """Returns the numbers of the representatives of a game's starts."""
    codes, order = game.start_codes.copy(), np.argsort(graph.codes)
    strategic_state_all(game.compiled, codes)
    starts: Ints = order[np.searchsorted(graph.codes, codes, sorter=order)]
    return starts
