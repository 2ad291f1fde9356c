"""All positions that play can reach, numbered, and the order in which to solve them.

Positions are grouped into *layers* such that play never leads from a layer to a later one, so that solving the
layers in order needs every value once. Positions that can recur share a layer, which then is *cyclic*.
"""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float64, int64, void

from nashzoo.envs.compiled import GAME, Floats, Ints, compiled
from nashzoo.envs.game import Game

OVER = -1  # stands for a terminal position where a number of a position is asked for
NEVER = -2  # stands in the place of an illegal joint action

MAX_POSITIONS = 2_000_000  # as many can be listed in some gigabytes


@compiled(int64(GAME, int64[::1], int64[::1], int64[::1], int64[:, :, ::1], float64[:, :, ::1]))
def _expand(game: Any, codes: Ints, legal0: Ints, legal1: Ints, following: Ints, rewards: Floats) -> int:
    """Fills what follows on the codes; returns a row with a reward that is not finite, -1 when there is none."""
    step, legal, payoff, terminal = game.step, game.legal, game.payoff, game.terminal
    params, num_actions = game.params, game.num_actions
    strange = -1
    for k in range(len(codes)):
        code = codes[k]
        legal0[k], legal1[k] = legal(params, code, 0), legal(params, code, 1)
        for i in range(num_actions):
            for j in range(num_actions):
                if legal0[k] >> i & 1 and legal1[k] >> j & 1:
                    after = step(params, code, i, j)
                    reward = payoff(params, after)
                    if not abs(reward) < np.inf:
                        strange = k
                    rewards[k, i, j] = reward
                    following[k, i, j] = OVER if terminal(params, after) else after
                else:
                    rewards[k, i, j] = 0.0
                    following[k, i, j] = NEVER
    return strange


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
    strange = _expand(game.compiled, np.ascontiguousarray(codes), *successors)
    if strange >= 0:
        raise ValueError(f"{game.name} pays a reward that is not finite after {game.state(int(codes[strange]))}")
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
        essential: List one position for all those between which only what has no bearing on what can still be won
            makes a difference; for those who do not heed it either, as optimal players need not.

    Attributes:
        codes: The codes, ascending ``[n]``; a position's number is its place here.
        successors: What follows on each position, by number.
        layers: The order in which to solve.

    Raises:
        ValueError: there are too many positions, a root is none at which play goes on, or the game pays something that
            is not finite.
    """

    def __init__(self, game: Game, roots: Sequence[int] | Ints | None = None, essential: bool = False) -> None:
        self.game = game
        self._essential = essential
        starts = np.array(game.start_codes if roots is None else roots, np.int64)
        if len(starts) == 0 or any(game.terminal(int(code)) for code in starts):
            raise ValueError("roots must be positions at which the game is not over, at least one")
        self.codes = np.sort(_reachable(game.compiled, starts, essential, MAX_POSITIONS))
        if len(self.codes) > MAX_POSITIONS:
            raise ValueError(
                f"play of {game} leads to more than {MAX_POSITIONS:,} positions, too many to list; "
                "other parameters lead to fewer"
            )
        after = expand(game, self.codes)
        self.successors = after._replace(following=self._numbers_or_marks(self._listed(after.following)))
        self.layers = _layers(self.successors.following)

    def __len__(self) -> int:
        return len(self.codes)

    def ids(self, codes: Any) -> Ints:
        """Returns the numbers of codes ``[B]``.

        Raises:
            KeyError: a code is not among these positions.
        """
        wanted = self._listed(np.asarray(codes, np.int64))
        places: Ints = np.minimum(np.searchsorted(self.codes, wanted), len(self.codes) - 1)
        strange = self.codes[places] != wanted
        if strange.any():
            state = self.game.state(int(np.atleast_1d(wanted)[np.atleast_1d(strange)][0]))
            raise KeyError(f"play does not lead to {state}, or is over there")
        return places

    def __contains__(self, code: int) -> bool:
        listed = int(self._listed(np.array(code)))
        place = int(np.searchsorted(self.codes, listed))
        return place < len(self.codes) and int(self.codes[place]) == listed

    def _listed(self, codes: Ints) -> Ints:
        """Returns the codes of the positions that stand for others, leaving marks as they are."""
        if not self._essential:
            return codes
        listed = codes.flatten()
        _essence_of(self.game.compiled, listed)
        return listed.reshape(codes.shape)

    def _numbers_or_marks(self, codes: Ints) -> Ints:
        return np.where(codes < 0, codes, np.searchsorted(self.codes, codes))


@compiled(void(GAME, int64[::1]))
def _essence_of(game: Any, codes: Ints) -> None:
    essence, params = game.essence, game.params
    for i in range(len(codes)):
        if codes[i] >= 0:
            codes[i] = essence(params, codes[i])


@compiled(int64[::1](GAME, int64[::1], boolean, int64))
def _reachable(game: Any, roots: Ints, essential: bool, most: int) -> Ints:
    """Returns the codes ``[n]`` that play can reach from the roots, in no order; some more than ``most`` at most."""
    step, legal, terminal, essence = game.step, game.legal, game.terminal, game.essence
    params, num_actions = game.params, game.num_actions
    to_expand = [essence(params, code) if essential else code for code in roots]
    known = set(to_expand)
    while len(to_expand) > 0 and len(known) <= most:
        code = to_expand.pop()
        legal0, legal1 = legal(params, code, 0), legal(params, code, 1)
        for i in range(num_actions):
            for j in range(num_actions):
                if legal0 >> i & 1 and legal1 >> j & 1:
                    after = step(params, code, i, j)
                    if essential:
                        after = essence(params, after)
                    if after not in known and not terminal(params, after):
                        known.add(after)
                        to_expand.append(after)
    return np.array(list(known))


def _layers(following: Ints) -> tuple[Layer, ...]:
    """Groups positions by the longest way from their recurrent class to the end of the graph of classes."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    positions = len(following)
    flat = following.reshape(positions, -1)
    source, place = np.nonzero(flat >= 0)
    target = flat[source, place]
    graph = csr_array((np.ones(len(source)), (source, target)), shape=(positions, positions))
    classes, label = connected_components(graph, directed=True, connection="strong")
    source, target = label[source].astype(np.int64), label[target].astype(np.int64)
    recurrent = np.zeros(classes, np.bool_)
    recurrent[source[source == target]] = True
    across = source != target
    source, target = source[across], target[across]
    by_target = np.argsort(target)
    ways_in = np.searchsorted(target[by_target], np.arange(classes + 1))
    heights = _heights(source[by_target], ways_in, np.bincount(source, minlength=classes))
    order = np.argsort(heights[label], kind="stable")
    bounds = np.searchsorted(heights[label][order], np.arange(heights.max() + 2))
    return tuple(
        Layer(order[first:last], bool(recurrent[label[order[first:last]]].any()))
        for first, last in itertools.pairwise(bounds)
    )


@compiled(int64[::1](int64[::1], int64[::1], int64[::1]))
def _heights(sources: Ints, ways_in: Ints, ways_out: Ints) -> Ints:
    """Returns the length of the longest way out of each node ``[n]`` of an acyclic graph.

    Args:
        sources: Where the ways come from, those into node 0 first, then those into node 1, ...
        ways_in: Where in ``sources`` the ways into each node begin, and where the last end ``[n + 1]``.
        ways_out: How many ways lead out of each node ``[n]``; used up.
    """
    heights = np.zeros(len(ways_out), np.int64)
    done = list(np.flatnonzero(ways_out == 0))
    while len(done) > 0:
        node = done.pop()
        for source in sources[ways_in[node] : ways_in[node + 1]]:
            heights[source] = max(heights[source], heights[node] + 1)
            ways_out[source] -= 1
            if ways_out[source] == 0:
                done.append(source)
    return heights
