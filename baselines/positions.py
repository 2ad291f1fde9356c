"""All positions that play can reach, numbered, and the order in which to solve them.

Positions are grouped into *layers* such that play never leads from a layer to a later one, so that solving the
layers in order needs every value once. Positions that can recur share a layer, which then is *cyclic*.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64, void

from nashzoo.envs.compiled import GAME, Floats, Ints, compiled
from nashzoo.envs.game import Game

OVER = -1  # stands for a terminal position where a number of a position is asked for
NEVER = -2  # stands in the place of an illegal joint action


@compiled(void(GAME, int64[::1], int64[::1], int64[::1], int64[:, :, ::1], float64[:, :, ::1]))
def _expand(game: Any, codes: Ints, legal0: Ints, legal1: Ints, following: Ints, rewards: Floats) -> None:
    step, legal, payoff, terminal = game.step, game.legal, game.payoff, game.terminal
    params, num_actions = game.params, game.num_actions
    for k in range(len(codes)):
        code = codes[k]
        legal0[k], legal1[k] = legal(params, code, 0), legal(params, code, 1)
        for i in range(num_actions):
            for j in range(num_actions):
                if legal0[k] >> i & 1 and legal1[k] >> j & 1:
                    after = step(params, code, i, j)
                    rewards[k, i, j] = payoff(params, after)
                    following[k, i, j] = OVER if terminal(params, after) else after
                else:
                    rewards[k, i, j] = 0.0
                    following[k, i, j] = NEVER


class Successors(NamedTuple):
    """What follows on each of ``n`` positions for each joint action."""

    legal0: Ints  # [n], bit masks
    legal1: Ints  # [n]
    following: Ints  # [n, actions, actions], OVER after the end, NEVER where an action is illegal
    rewards: Floats  # [n, actions, actions], to player 0

    def at(self, rows: Ints) -> "Successors":
        """Returns some of the rows."""
        return Successors(self.legal0[rows], self.legal1[rows], self.following[rows], self.rewards[rows])


def expand(game: Game, codes: Ints) -> Successors:
    """Returns the codes that follow on the given ones.

    Raises:
        ValueError: the game pays something that is not finite.
    """
    shape = (len(codes), game.num_actions, game.num_actions)
    legal0, legal1 = np.empty((2, len(codes)), np.int64)
    successors = Successors(legal0, legal1, np.empty(shape, np.int64), np.empty(shape))
    _expand(game.compiled, np.ascontiguousarray(codes), *successors)
    if not np.isfinite(successors.rewards).all():
        position = int(np.flatnonzero(~np.isfinite(successors.rewards).all(axis=(1, 2)))[0])
        raise ValueError(f"{game.name} pays a reward that is not finite after {game.state(int(codes[position]))}")
    return successors


class Layer(NamedTuple):
    """Positions that can be solved together once all earlier layers are."""

    ids: Ints
    cyclic: bool  # whether one of them can follow on another, or on itself


class Positions:
    """The positions of a game that can be reached from some roots, without the terminal ones.

    Args:
        game: The game.
        roots: Codes to start from; the game's start positions when None.

    Attributes:
        codes: The codes, ascending ``[n]``; a position's number is its place here.
        successors: What follows on each position, by number.
        layers: The order in which to solve.
    """

    def __init__(self, game: Game, roots: Sequence[int] | Ints | None = None) -> None:
        self.game = game
        starts = np.asarray(game.start_codes if roots is None else roots, np.int64)
        if any(game.terminal(int(code)) for code in starts):
            raise ValueError("a root must be a position at which the game is not over")
        self.codes = _reachable(game, starts)
        after = expand(game, self.codes)
        self.successors = after._replace(following=self._numbers_or_marks(after.following))
        self.layers = _layers(self.successors.following)

    def __len__(self) -> int:
        return len(self.codes)

    def ids(self, codes: Any) -> Ints:
        """Returns the numbers of codes ``[B]``.

        Raises:
            KeyError: a code is not among these positions.
        """
        wanted = np.asarray(codes, np.int64)
        places: Ints = np.minimum(np.searchsorted(self.codes, wanted), len(self.codes) - 1)
        strange = self.codes[places] != wanted
        if strange.any():
            state = self.game.state(int(np.atleast_1d(wanted)[np.atleast_1d(strange)][0]))
            raise KeyError(f"play does not lead to {state}, or is over there")
        return places

    def __contains__(self, code: int) -> bool:
        place = int(np.searchsorted(self.codes, code))
        return place < len(self.codes) and int(self.codes[place]) == code

    def _numbers_or_marks(self, codes: Ints) -> Ints:
        return np.where(codes < 0, codes, np.searchsorted(self.codes, codes))


def _reachable(game: Game, starts: Ints) -> Ints:
    known = frontier = np.unique(starts)
    while len(frontier):
        following = np.unique(expand(game, frontier).following)
        frontier = np.setdiff1d(following[following >= 0], known, assume_unique=True)
        known = np.union1d(known, frontier)
    return known


def _layers(following: Ints) -> tuple[Layer, ...]:
    """Groups positions by the longest way from their recurrent class to the end of the graph of classes."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    positions = len(following)
    flat = following.reshape(positions, -1)
    source, place = np.nonzero(flat >= 0)
    target = flat[source, place]
    graph = csr_array((np.ones(len(source), np.int8), (source, target)), shape=(positions, positions))
    classes, label = connected_components(graph, directed=True, connection="strong")
    source, target = label[source].astype(np.int64), label[target].astype(np.int64)
    recurrent = np.zeros(classes, np.bool_)
    recurrent[source[source == target]] = True
    across = source != target
    ways = np.unique(np.stack([source[across], target[across]], axis=1), axis=0)
    heights = np.zeros(classes, np.int64)
    for height, members in enumerate(_peel(classes, ways[:, 0], ways[:, 1])):
        heights[members] = height
    order = np.argsort(heights[label], kind="stable")
    bounds = np.searchsorted(heights[label][order], np.arange(heights.max() + 2))
    return tuple(
        Layer(np.sort(order[first:last]), bool(recurrent[label[order[first:last]]].any()))
        for first, last in itertools.pairwise(bounds)
    )


def _peel(nodes: int, source: Ints, target: Ints) -> Iterator[Ints]:
    """Yields the nodes of an acyclic graph in groups: those without a way out, then those that lead only there, ..."""
    by_target = np.argsort(target, kind="stable")
    source, target = source[by_target], target[by_target]
    first = np.searchsorted(target, np.arange(nodes + 1))
    ways_out = np.bincount(source, minlength=nodes)
    group = np.flatnonzero(ways_out == 0)
    while len(group):
        yield group
        before = np.concatenate([source[first[node] : first[node + 1]] for node in group])
        np.subtract.at(ways_out, before, 1)
        candidates = np.unique(before)
        group = candidates[ways_out[candidates] == 0]
