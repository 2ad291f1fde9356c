"""The claims of a solver about a solution of listed states, for :mod:`nashzoo.baselines.certificate.checker` to prove.

Certificates do not depend on this module: the checker refuses claims that are too high. Layers without recurring
states claim the values that the checker will compute, to the last bit or a little less. If states can recur, a claim
must hold step by step: values that are exactly their own backups are claimed as they are, with the longest path of
play as the rank. Otherwise values are claimed lower, by a bound of the sum of rounding and solver errors before play
ends; where the opponent can keep play going for ever, one value is claimed at all these states.
"""

import warnings
from typing import Any

import numpy as np

from nashzoo.baselines.certificate.checker import CERTAIN, ROUNDING, TINY, Witness
from nashzoo.baselines.states.components import components
from nashzoo.baselines.states.space import SUCCESSORS, StoredStates, Successors
from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.core.kernels import count_actions, nth_action
from nashzoo.envs.jit.compiled import Bools, Floats, Ints, compiled
from nashzoo.envs.jit.numba import boolean, float64, int32, int64, void

ELSEWHERE = -1  # the place of a state outside of the given ones
MARGIN = 16 * ROUNDING  # relative rounding error of a step, when values are lowered
UNDONE = 0.25  # tolerance of the search for the reduction, as a share of the margin
EFFORT = 3_000_000  # largest number of steps of the sweeps, then policy iteration takes over
MAX_IMPROVEMENTS = 30


def witness(
    states: StoredStates, claimed: tuple[Floats, Floats], policies: tuple[Floats, Floats], distances: Ints | None
) -> Witness:
    """Returns claims of what policies guarantee and concede, and ranks.

    Args:
        states: The numbered states.
        claimed: Estimates of what the policies guarantee and concede, to player 0 ``[n]`` each.
        policies: Probabilities of player 0 and player 1, ``[n, actions]`` each.
        distances: The moves to the end of play in a turn-based game, else None.
    """
    successors = states.successors
    if distances is not None and not (successors.rewards[successors.following >= 0] != 0.0).any():
        won, lost = np.where(claimed[0] > 0, distances, 0), np.where(claimed[1] < 0, distances, 0)
        return Witness(*claimed, (won, lost))
    secured, ranks0 = _secured(states, claimed[0], policies[0], 0)
    conceded, ranks1 = _secured(states, -claimed[1], policies[1], 1)
    return Witness(secured, -conceded, (ranks0, ranks1))


def _secured(states: StoredStates, claimed: Floats, policy: Floats, player: int) -> tuple[Floats, Ints]:
    """Returns a lower bound of what a policy guarantees its player ``[n]``, and ranks."""
    values, ranks = np.zeros(len(states)), np.zeros(len(states), np.int64)
    for ids, cyclic in states.layers:
        replies = Replies(states.successors_at(ids), policy[ids], player)
        if not cyclic:
            values[ids], ranks[ids] = replies.backed_up(values, ranks)
            continue
        values[ids] = claimed[ids]
        if not replies.ranked(ids, values, ranks):
            ranks[ids] = 0
            replies.lower(ids, values)
            lost = (claimed[ids] - values[ids]).max()
            if lost > CERTAIN and claimed[ids].max() - (lowest := replies.lowest(ids, values)) < lost:
                values[ids] = lowest
                replies.ranked(ids, values, ranks)
    return values, ranks


@compiled(
    int64(
        SUCCESSORS, float64[:, ::1], int64, int64[::1], float64[::1], int64[::1], int32[::1], float64[::1], float64[::1]
    )
)  # fmt: skip
def _fill(
    successors: Successors, policy: Floats, player: int,
    owners: Ints, sums: Floats, first: Ints, after: Numbers, shares: Floats, pays: Floats,
) -> int:  # fmt: skip
    """Fills the successors of each reply at each state, OVER for terminal states; returns the number of replies.

    At chance states there is one reply, and the outcomes take the place of the player's actions.
    """
    legal0, legal1, following, rewards, chances = successors
    row = entry = 0
    for k in range(len(following)):
        count0, count1 = count_actions(legal0[k]), count_actions(legal1[k])
        own, other = (count0, count1) if player == 0 else (count1, count0)
        mask = legal0[k] if player == 0 else legal1[k]
        drawn = chances.shape[1] > 0 and chances[k, 0] > 0.0
        for reply in range(other):
            owners[row] = k
            sums[row] = 0.0
            for choice in range(chances.shape[1] if drawn else own):
                weight = chances[k, choice] if drawn else policy[k, nth_action(mask, choice)]
                if weight > 0.0:
                    joint = choice * count1 + reply if player == 0 else reply * count1 + choice
                    after[entry], shares[entry] = following[k, joint], weight
                    pays[entry] = rewards[k, joint] if player == 0 else -rewards[k, joint]
                    sums[row] += weight
                    entry += 1
            row += 1
            first[row] = entry
    return row


@compiled(
    void(
        int64[::1], float64[::1], int64[::1], int32[::1], float64[::1], float64[::1], int64, float64[::1], float64[::1]
    )
)  # fmt: skip
def _guarantee(
    owners: Ints, sums: Floats, first: Ints, after: Numbers, shares: Floats, pays: Floats, most: int,
    values: Floats, lower: Floats,
) -> None:  # fmt: skip
    """Fills a lower bound of the value after each reply: the checker's ``guaranteed``, or a little less."""
    values_after = np.empty(most)
    for row in range(len(owners)):
        least = np.inf
        count = first[row + 1] - first[row]
        for n in range(count):
            entry = first[row] + n
            pay, value = pays[entry], values[after[entry]] if after[entry] >= 0 else 0.0
            worth = pay + value
            if worth - pay != value or worth - value != pay:
                worth = np.nextafter(worth, -np.inf)
            values_after[n] = worth
            least = min(least, worth)
        if count == 0:  # no strategy at all
            lower[row] = -np.inf
            continue
        average = 0.0
        for n in range(count):
            average += shares[first[row] + n] * (values_after[n] - least)
        average *= (1.0 - (most + 2 + 2 * (count + 2)) * ROUNDING) / sums[row]
        if average > 2 * TINY:
            lower[row] = np.nextafter(least + average, -np.inf)
        else:
            lower[row] = least


@compiled(void(int64[::1], int64[::1], int32[::1], float64[::1], float64[::1], int64[::1], int64[::1]))
def _rank(owners: Ints, first: Ints, after: Numbers, lower: Floats, own: Floats, ranks: Ints, needed: Ints) -> None:
    """Fills the necessary ranks of states, given those of successors by replies that leave no more than claimed."""
    needed[:] = 0
    for row in range(len(owners)):
        k = owners[row]
        if lower[row] <= own[k]:
            step = 1 if own[k] > 0.0 else 0
            needed[k] = max(needed[k], step)
            for entry in range(first[row], first[row + 1]):
                if after[entry] >= 0:
                    needed[k] = max(needed[k], ranks[after[entry]] + step)


@compiled(
    boolean(int64[::1], int64[::1], int32[::1], float64[::1], boolean[::1], float64[::1], float64, float64[::1], int64)
)  # fmt: skip
def _sweep(
    owners: Ints, first: Ints, targets: Numbers, shares: Floats, skipped: Bools, need: Floats, undone: float,
    margins: Floats, sweeps: int,
) -> bool:  # fmt: skip
    """Raises ``margins`` until every reply has its necessary margin, up to a tolerance; returns whether this succeeded.

    The limit is the largest sum of margins before play ends, against all replies: value iteration from below.
    """
    rows = len(owners)
    for _ in range(sweeps):
        done = True
        for step in range(2 * rows):
            row = step if step < rows else 2 * rows - 1 - step
            if skipped[row]:
                continue
            total = need[row]
            for entry in range(first[row], first[row + 1]):
                if targets[entry] >= 0:
                    total += shares[entry] * margins[targets[entry]]
            k = owners[row]
            if total > margins[k] + undone:
                done = False
            margins[k] = max(margins[k], total)
        if done:
            return True
    return False


class Replies:
    """Each reply of the opponent at each of ``L`` states against a policy ``[L, actions]``, and its successors."""

    def __init__(self, successors: Successors, policy: Floats, player: int) -> None:
        length, choices = successors.following.shape
        owners, sums = np.empty(length * choices, np.int64), np.empty(length * choices)
        first = np.zeros(length * choices + 1, np.int64)
        after, shares, pays = (np.empty(length * choices, kind) for kind in (np.int32, np.float64, np.float64))
        policy = np.ascontiguousarray(policy)
        count = _fill(successors, policy, player, owners, sums, first, after, shares, pays)
        self.length = length
        self.most = max(policy.shape[1], successors.chances.shape[1])  # largest number of drawn actions or outcomes
        self.owners, self.sums, self.first = owners[:count], sums[:count], first[: count + 1]
        self.after, self.shares, self.pays = (array[: first[count]] for array in (after, shares, pays))

    def guaranteed(self, values: Floats) -> Floats:
        """Returns a lower bound of the value after each reply, given the values of all states ``[n]``."""
        lower = np.empty(len(self.owners))
        arrays = self.owners, self.sums, self.first, self.after, self.shares, self.pays
        _guarantee(*arrays, self.most, values, lower)
        return lower

    def backed_up(self, values: Floats, ranks: Ints) -> tuple[Floats, Ints]:
        """Returns lower bounds of the states' values, and their ranks ``[L]``, given those of the successors."""
        lower, own = self.guaranteed(values), np.full(self.length, np.inf)
        np.minimum.at(own, self.owners, lower)
        needed = np.empty(self.length, np.int64)
        _rank(self.owners, self.first, self.after, lower, own, ranks, needed)
        return own, needed

    def ranked(self, ids: Ints, values: Floats, ranks: Ints) -> bool:
        """Fills the ranks of the states; returns whether ranks exist, and the values are exactly their backups."""
        lower, own = self.guaranteed(values), values[ids]
        if (lower < own[self.owners]).any():
            return False
        needed = np.empty(self.length, np.int64)
        for _ in range(self.length + 1):
            _rank(self.owners, self.first, self.after, lower, own, ranks, needed)
            if (needed == ranks[ids]).all():
                return True
            ranks[ids] = needed
        return False

    def lower(self, ids: Ints, values: Floats) -> None:
        """Lowers the values of the states until every reply leaves more than the claim."""
        place = np.full(len(values) + 1, ELSEWHERE, np.int32)
        place[ids] = np.arange(self.length)
        inside = place[self.after]  # the last place, of terminal states, is elsewhere too
        label, kept = self._kept(inside)
        least = np.full(self.length, np.inf)
        np.minimum.at(least, label, values[ids])
        endless = np.unique(label[self.owners[kept]])
        least[endless] = np.minimum(least[endless], 0.0)
        values[ids] = least[label]
        own = values[ids][self.owners]
        scale = max(np.abs(values).max(), np.abs(self.pays).max(), TINY)
        need = own - self.guaranteed(values) + MARGIN * scale
        margins = np.zeros(self.length)
        targets = np.where(inside >= 0, label[inside], ELSEWHERE).astype(np.int32)
        shares = self.shares / np.repeat(self.sums, np.diff(self.first))
        game = label[self.owners], self.first, targets, shares, kept, need
        if not _sweep(*game, UNDONE * MARGIN * scale, margins, 1 + EFFORT // (2 * len(targets) + 1)):
            margins = _iterated(*game, margins)
            if not _sweep(*game, UNDONE * MARGIN * scale, margins, 1 + EFFORT // (2 * len(targets) + 1)):
                margins[:] = np.inf
        values[ids] -= margins[label]

    def lowest(self, ids: Ints, values: Floats) -> float:
        """Returns what every policy secures at the states: the worst way out, or 0 for play without end.

        It is minus infinity if the states pay on the way.
        """
        elsewhere = np.ones(len(values) + 1, np.bool_)  # the last place, of terminal states, stays elsewhere
        elsewhere[ids] = False
        elsewhere = elsewhere[self.after]
        if (self.pays[~elsewhere] < 0.0).any():
            return -np.inf
        after = np.where(self.after < 0, 0.0, values[self.after])[elsewhere]
        worths = self.pays[elsewhere] + after
        rounded = (self.pays[elsewhere] != 0.0) & (after != 0.0)
        return float(np.where(rounded, np.nextafter(worths, -np.inf), worths).min(initial=0.0))

    def _kept(self, inside: Numbers) -> tuple[Ints, Bools]:
        """Returns a label of each state ``[L]``, and the replies that keep play within it for ever without reward."""
        first = self.first[np.searchsorted(self.owners, np.arange(self.length + 1))]
        rows = np.repeat(np.arange(len(self.owners)), np.diff(self.first))
        quiet = np.ones(len(self.owners), np.bool_)
        quiet[rows[(inside < 0) | (self.pays != 0.0)]] = False
        label = np.empty(self.length, np.int64)
        while True:
            used = quiet[rows]
            order, bounds = components(first, np.where(used, inside, ELSEWHERE))
            label[order] = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
            leaves = used & (label[inside] != label[self.owners[rows]])
            if not leaves.any():
                return label, quiet
            quiet[rows[leaves]] = False


def _iterated(
    owners: Ints, first: Ints, targets: Numbers, shares: Floats, skipped: Bools, need: Floats, margins: Floats
) -> Floats:
    """Returns the limit of ``_sweep``, by policy iteration (Howard 1960); infinite if that fails."""
    from scipy.sparse import csr_array, identity
    from scipy.sparse.linalg import spsolve

    rows = np.repeat(np.arange(len(owners)), np.diff(first))
    away = targets != owners[rows]  # staying only takes time
    leaving = np.bincount(rows[away], shares[away], minlength=len(owners))
    usable = ~skipped & (leaving > 0)
    away &= usable[rows] & (targets >= 0)
    scaled = np.divide(need, leaving, out=np.zeros(len(need)), where=usable)
    edges: Any = (shares[away] / leaving[rows[away]], (rows[away], targets[away]))
    moves = csr_array(edges, shape=(len(owners), len(margins)))
    chosen = np.full(len(margins), -1)
    for _ in range(MAX_IMPROVEMENTS):
        totals = np.where(usable, scaled + moves @ margins, -np.inf)
        best = np.zeros(len(margins))
        np.maximum.at(best, owners, totals)
        best_rows = np.full(len(margins), -1)
        reached = np.flatnonzero(usable & (totals > 0) & (totals == best[owners]))
        best_rows[owners[reached]] = reached
        if (best_rows == chosen).all():
            break
        chosen = best_rows
        used = chosen >= 0
        system = identity(used.sum(), format="csr") - moves[chosen[used]][:, used]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # singular systems have infinite solutions
            solved = spsolve(system.tocsc(), scaled[chosen[used]])
        margins = np.zeros(len(margins))
        margins[used] = np.where(np.isfinite(solved), np.maximum(solved, 0.0), np.inf)
        if not np.isfinite(margins).all():
            break
    return margins
