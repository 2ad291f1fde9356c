"""What a responder can do and what follows, as far as it is known, with bounds of the value of each node.

A node is a decision of the responder. Each of its choices has a reward, the nodes that follow with their probabilities,
and a bound of what rounding adds to its value. A node that is not expanded yet is a leaf: bounds of its value come from
what is at stake there. Backups take the best choice for either bound; both stay true, whatever the order of backups.

Guesses prove nothing, and lead the search where bounds say nothing yet: a guess is at first what games at random bring,
and then the mean over choices by how often each was taken, as in Monte Carlo tree search.

Sources: McMahan, Likhachev and Gordon (2005), "Bounded real-time dynamic programming"; Smith and Simmons (2004),
"Heuristic search value iteration for POMDPs"; Kocsis and Szepesvari (2006), "Bandit based Monte-Carlo planning".
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nashzoo.baselines.markov.elimination import OUT
from nashzoo.baselines.markov.end_components import end_components
from nashzoo.envs.core.kernels import Seeds, draw_uniform, nth_action, pass_chance, random_action
from nashzoo.envs.jit.compiled import Floats, Ints, compiled
from nashzoo.envs.jit.numba import float32, float64, int8, int32, int64, types, uint64, void
from nashzoo.envs.rules.compiled_game import GAME

LEAF = -1  # in the place of a node's first choice
ALL = -1  # in the place of the choice that was taken
EXPLORED = 0.5  # of the width of bounds: how far above its guess a choice may be that was seldom taken
AT_FIRST = 0.3  # visits that each choice counts before the first
LONGEST = 300  # nodes of a trial, at most

NODES = (int64[::1], int8[::1], int8[::1], float64[::1], float64[::1], float32[::1])
CHOICES = (int64[::1], int32[::1], float64[::1], float64[::1], float64[::1], float64[::1], float32[::1], int32[::1])
BRANCHES = (int32[::1], float64[::1])
Small = NDArray[np.int8]
Numbers = NDArray[np.int32]
Guesses = NDArray[np.float32]


@compiled(
    types.UniTuple(int64, 2)(
        *NODES, *CHOICES, *BRANCHES,
        int32[::1], int64, int64, float64, int64, float64, uint64[::1], int32[::1], int8[::1], int32[::1],
    )
)  # fmt: skip
def descend(
    first: Ints, counts: Small, best: Small, lower: Floats, upper: Floats, guess: Guesses,
    follows: Ints, many: Numbers, rewards: Floats, slacks: Floats, lows: Floats, highs: Floats, guesses: Guesses,
    visits: Numbers, children: Numbers, probabilities: Floats,
    seen: Numbers, root: int, trials: int, tolerance: float, optimistic: int, odd: float, seeds: Seeds,
    path: Numbers, taken: Small, leaves: Numbers,
) -> tuple[int, int]:  # fmt: skip
    """Goes from ``root`` to leaves, by the best choice and by what is likely and uncertain.

    Of nodes it takes the first choice, the number of choices, the choice of the lower bound, the bounds, and a guess
    of the value; of choices the first branch, the number of branches, the reward, the bound of rounding, bounds and
    guess as they were when it was last looked at, and how often it was taken; of branches the node, and its
    probability. ``seen`` ``[n]`` is by which trial each node was seen last, 0 for none; a trial ends where it was
    before. Nodes whose bounds are closer than ``tolerance`` are done. It goes by the upper bounds if ``optimistic`` is
    1, by the middle of both if 0, among equal ones by an upper confidence bound of the guess; one of ``odd`` choices is
    any that may be the best. ``path`` is filled with
    the nodes of all trials, each behind the one from which it was reached, ``taken`` with the choices there, and
    ``leaves`` with the leaves that were found. Returns the numbers of both.
    """
    length = found = 0
    for trial in range(1, trials + 1):
        node, last = root, length + LONGEST
        while seen[node] != trial and length < last:
            if length == len(path):
                return length, found
            path[length], taken[length] = node, ALL
            length += 1
            if first[node] == LEAF:
                if seen[node] == 0:
                    leaves[found] = node
                    found += 1
                seen[node] = trial
                break
            seen[node] = trial
            chosen, top, second = first[node], -np.inf, -np.inf
            anyhow = draw_uniform(seeds, 0) * odd < 1.0
            scale, visited = (upper[node] - lower[node]) * EXPLORED, 1
            for choice in range(first[node], first[node] + counts[node]):
                visited += visits[choice]
            scale *= np.sqrt(np.log(visited))
            for choice in range(first[node], first[node] + counts[node]):
                worth = highs[choice] if optimistic else lows[choice] + highs[choice]
                if anyhow:  # else states that recur could be gone through for ever
                    worth = draw_uniform(seeds, 0) if highs[choice] > lower[node] + tolerance else -1.0
                likely = guesses[choice] + scale / np.sqrt(1.0 + visits[choice])
                if worth > top + tolerance or (worth > top - tolerance and likely > second):
                    chosen, top, second = choice, worth, likely
            visits[chosen] += 1
            taken[length - 1] = chosen - first[node]
            total = 0.0
            for branch in range(follows[chosen], follows[chosen] + many[chosen]):
                total += probabilities[branch] * _open(children[branch], first, lower, upper, seen, tolerance)
            if not total > 0.0:
                break
            left = draw_uniform(seeds, 0) * total
            for branch in range(follows[chosen], follows[chosen] + many[chosen]):
                share = probabilities[branch] * _open(children[branch], first, lower, upper, seen, tolerance)
                if share > 0.0:
                    node = children[branch]
                    left -= share
                    if left < 0.0:
                        break
    return length, found


@compiled(float64(int64, int64[::1], float64[::1], float64[::1], int32[::1], float64), inline=True)
def _open(node: int, first: Ints, lower: Floats, upper: Floats, seen: Numbers, tolerance: float) -> float:
    """Returns how far apart the bounds of a node are; 0 if it is done, or a leaf that has been found."""
    between = upper[node] - lower[node]
    return 0.0 if between <= tolerance or (first[node] == LEAF and seen[node]) else between


@compiled(float64(*NODES, *CHOICES, *BRANCHES, int32[::1], int8[::1]))
def back_up(
    first: Ints, counts: Small, best: Small, lower: Floats, upper: Floats, guess: Guesses,
    follows: Ints, many: Numbers, rewards: Floats, slacks: Floats, lows: Floats, highs: Floats, guesses: Guesses,
    visits: Numbers, children: Numbers, probabilities: Floats,
    order: Numbers, taken: Small,
) -> float:  # fmt: skip
    """Brings the bounds of nodes up to date, the last first; the other arguments are those of :func:`descend`.

    Of a node's choices only the one that was ``taken`` is looked at anew, or all: what was known of others still holds.

    The choice of a lower bound is the one that raised it last. So by these choices the bound is reached, also where
    states recur: a class of states in which play stays for ever would have raised none of its bounds above the others.

    Returns:
        The largest change.
    """
    most = 0.0
    for k in range(len(order) - 1, -1, -1):
        node = order[k]
        if first[node] == LEAF:
            continue
        low = high = -np.inf
        raised, guessed, visited = 0, 0.0, 0.0
        for rank in range(counts[node]):
            choice = first[node] + rank
            if taken[k] == ALL or taken[k] == rank:
                least, largest = rewards[choice] - slacks[choice], rewards[choice] + slacks[choice]
                likely = rewards[choice]
                for branch in range(follows[choice], follows[choice] + many[choice]):
                    child = children[branch]
                    least += probabilities[branch] * lower[child]
                    largest += probabilities[branch] * upper[child]
                    likely += probabilities[branch] * min(max(guess[child], lower[child]), upper[child])
                lows[choice], highs[choice] = max(lows[choice], least), min(highs[choice], largest)
                guesses[choice] = likely
            if lows[choice] > low:
                low, raised = lows[choice], rank
            high = max(high, highs[choice])
            visited += visits[choice] + AT_FIRST
            guessed += (visits[choice] + AT_FIRST) * guesses[choice]
        guess[node] = guessed / visited
        if low > lower[node]:
            most = max(most, low - lower[node])
            lower[node], best[node] = low, raised
        if high < upper[node]:
            most = max(most, upper[node] - high)
            upper[node] = high
    return most


@compiled(int64(*NODES, *CHOICES, *BRANCHES, int32[::1], int64, float64, int32[::1]))
def open_leaves(
    first: Ints, counts: Small, best: Small, lower: Floats, upper: Floats, guess: Guesses,
    follows: Ints, many: Numbers, rewards: Floats, slacks: Floats, lows: Floats, highs: Floats, guesses: Guesses,
    visits: Numbers, children: Numbers, probabilities: Floats,
    seen: Numbers, root: int, tolerance: float, found: Numbers,
) -> int:  # fmt: skip
    """Looks for leaves on which the bounds of the root may depend, nearest first, until ``found`` is full.

    The other arguments are those of :func:`descend`.

    Returns:
        The number of leaves, at the beginning of ``found``.
    """
    queue = np.empty(len(first), np.int32)
    queue[0], begin, end, count = root, 0, 1, 0
    seen[root] = 1
    while begin < end and count < len(found):
        node = queue[begin]
        begin += 1
        if first[node] == LEAF:
            found[count] = node
            count += 1
            continue
        for choice in range(first[node], first[node] + counts[node]):
            if highs[choice] > lower[node] + tolerance:
                for branch in range(follows[choice], follows[choice] + many[choice]):
                    child = children[branch]
                    if seen[child] == 0 and upper[child] - lower[child] > tolerance:
                        seen[child] = 1
                        queue[end] = child
                        end += 1
    return count


@compiled(void(GAME, int64[::1], int64[::1], int64, uint64[::1], float64[::1]))
def play_out(game: Any, codes: Ints, counts: Ints, player: int, seeds: Seeds, points: Floats) -> None:
    """Fills what each choice of ``player`` at some decisions brings in a game at random.

    Args:
        game: The game.
        codes: A state of each decision ``[n]``.
        counts: The numbers of choices ``[n]``.
        player: The responder.
        seeds: Stream of random numbers.
        points: Filled with the responder's points, choice by choice.
    """
    step, legal, payoff, terminal, params = game.step, game.legal, game.payoff, game.terminal, game.params
    turn, chance, has_chance, sign, filled = game.turn, game.chance, game.has_chance, 1.0 - 2.0 * player, 0
    for k in range(len(codes)):
        for rank in range(counts[k]):
            code, won = codes[k], 0.0
            for move in range(LONGEST):
                if has_chance:
                    code, more = pass_chance(turn, chance, payoff, terminal, params, code, seeds, 0)
                    won += more
                if terminal(params, code):
                    break
                mask0, mask1 = legal(params, code, 0), legal(params, code, 1)
                action0 = random_action(mask0, draw_uniform(seeds, 0))
                action1 = random_action(mask1, draw_uniform(seeds, 0))
                if move == 0 and counts[k] > 1 and player == 0:
                    action0 = nth_action(mask0, rank)
                elif move == 0 and counts[k] > 1:
                    action1 = nth_action(mask1, rank)
                code = step(params, code, action0, action1)
                won += payoff(params, code)
            points[filled] = sign * won
            filled += 1


def stay(nodes: "Table", choices: "Table", branches: "Table") -> float:
    """Bounds values of end components by 0, which staying is worth, and the best way out; returns the most change."""
    if not choices["stays"].any():
        return 0.0
    known = np.flatnonzero(nodes["first"] != LEAF)
    known = known[np.argsort(nodes["first"][known])]
    place = np.full(len(nodes), OUT, np.int32)
    place[known] = np.arange(len(known))
    first, offsets = np.r_[nodes["first"][known], len(choices)], np.r_[choices["first"], len(branches)]
    targets, stays = place[branches["children"]], choices["stays"].copy()
    ends = np.bincount(np.repeat(np.arange(len(choices)), choices["counts"])[targets == OUT], minlength=len(stays))
    label, stays = end_components(first, offsets, targets, stays & (ends == 0))
    owner = np.repeat(np.arange(len(known)), np.diff(first))
    highs = choices["rewards"] + choices["slacks"]
    highs += np.bincount(
        np.repeat(np.arange(len(choices)), choices["counts"]),
        branches["probabilities"] * nodes["upper"][branches["children"]],
        len(choices),
    )
    best = np.zeros(len(known))
    np.maximum.at(best, label[owner[~stays]], highs[~stays])
    inside = np.zeros(len(known), np.bool_)
    inside[owner[stays]] = True
    within, upper, lower = known[inside], nodes["upper"], nodes["lower"]
    bound = best[label[inside]]
    change = max(float((upper[within] - bound).max(initial=0.0)), float(-lower[within].min(initial=0.0)))
    upper[within] = np.minimum(upper[within], bound)
    staying = np.flatnonzero(stays)[::-1]
    raised = np.zeros(len(nodes), np.bool_)
    raised[within] = lower[within] < 0.0
    staying = staying[raised[known[owner[staying]]]]
    nodes["best"][known[owner[staying]]] = staying - first[owner[staying]]
    lower[raised] = 0.0
    return change


class Table:
    """Arrays of the same length, which grows."""

    def __init__(self, **kinds: Any) -> None:
        self.length = 0
        self._arrays = {name: np.empty(1024, kind) for name, kind in kinds.items()}  # a kind may have a shape

    @property
    def names(self) -> list[str]:
        """The names of the arrays."""
        return list(self._arrays)

    def replace(self, arrays: dict[str, Any]) -> None:
        """Replaces all arrays."""
        self._arrays = {name: np.array(arrays[name]) for name in self._arrays}
        self.length = len(next(iter(self._arrays.values())))

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, name: str) -> Any:
        return self._arrays[name][: self.length]

    @property
    def nbytes(self) -> int:
        """The bytes that are used."""
        return self.length * sum(array[:1].nbytes for array in self._arrays.values())

    def extend(self, **columns: Any) -> None:
        """Adds rows."""
        more = len(next(iter(columns.values())))
        for name, array in self._arrays.items():
            if self.length + more > len(array):
                longer = np.empty((2 * (self.length + more), *array.shape[1:]), array.dtype)
                longer[: self.length] = array[: self.length]
                self._arrays[name] = array = longer
            array[self.length : self.length + more] = columns[name]
        self.length += more
