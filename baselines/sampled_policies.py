"""Policies that are known by samples: intervals of their exploitability that hold with a chosen probability.

Where a policy chooses, the actions of independent samples are counted. Clopper and Pearson (1934) bound each
probability from below and from above. All bounds hold together with the chosen probability, because each may fail
with the remaining one divided by their number (Bonferroni), which follows from the game and not from the samples. A
*region* is the set of all distributions within the bounds at a state. It has finitely many corners.

The interval goes from the least exploitability of all policies in the regions to the largest (Iyengar 2005).

- The largest is the value of a Markov decision process: the opponent chooses the corners as well.
- The least is the value of a zero-sum game: against the opponent, a player chooses corners. Value iteration finds a
  policy for the opponent. What it wins at least is the value of another Markov decision process, and a lower
  bound however good that policy is.

The bounds of both values include all rounding.

Sources: Clopper and Pearson (1934), "The use of confidence or fiducial limits illustrated in the case of the binomial";
Iyengar (2005), "Robust dynamic programming".
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from nashzoo.baselines.certificate.bounds import PROVEN, Bounds, Estimate
from nashzoo.baselines.markov.decision_process import optimum
from nashzoo.baselines.markov.transitions import decisions_at
from nashzoo.baselines.policies.tabular import observed, table_of
from nashzoo.baselines.policies.with_memory import FEW, PolicyLike
from nashzoo.baselines.solvers.backup import action_values
from nashzoo.baselines.solvers.matrix import solve_matrix
from nashzoo.baselines.state_values import Values, start_estimate
from nashzoo.baselines.states.indexed import numbering
from nashzoo.baselines.states.space import StateSpace
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_plays, check_seen, name_of
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.core.reachable import TooManyStatesError
from nashzoo.envs.jit.compiled import Bools
from nashzoo.envs.jit.lazy import brief

MOST_TRANSITIONS = 10_000_000  # of a decision process, about a gigabyte
MARGIN = PROVEN  # by which regions are wider, far more than the rounding of their bounds and corners
MOST_SWEEPS = 30  # of value iteration
CLOSE = 1e-4  # a sweep that changes no value by more, relative to the largest one, is the last


class SampledPolicy(Protocol):
    """A policy that depends on the state alone, and is known by independent samples.

    With an attribute ``by_symmetry`` that is true, states with the same
    :meth:`nashzoo.envs.core.game.Game.canonical` share their samples, up to the names of the actions.
    """

    def sample_counts(self, observations: Features, action_masks: Mask) -> Ints:
        """Returns how many samples were each legal action ``[B, actions]``; those that were none are left out."""


class Sampled(NamedTuple):
    """What is known of a policy in one seat."""

    seat: int
    legal: Bools  # its legal actions at all states [n, actions]; a single one where it does not move
    ids: Ints  # the states at which there are several [L]
    counts: Ints  # the samples there of each action [L, actions]
    first: Ints  # the indices in ids of states without those that share the samples of one before


class Regions(NamedTuple):
    """The region of each state, by its corners; there is a single one where the policy has no choice."""

    first: Ints  # index of the first corner of each state, and of the end of the last one's [n + 1]
    corners: Floats  # the distributions [c, actions]


@brief()
def exploitability_interval(game: Game, policy: SampledPolicy, confidence: float = 0.95) -> Bounds:
    """Returns an interval that holds the exploitability of a sampled policy, points per game.

    At each state the samples must be independent, from the same distribution. How many there are must not depend on
    them, and may differ from state to state.

    Args:
        game: The game.
        policy: The policy, in both seats; it is asked for its samples at every state.
        confidence: The probability that the interval holds.

    Raises:
        UsageError: the players do not see the whole state, the policy has no samples, or they are no numbers of legal
            actions.
        TooManyStatesError: there are too many states or actions.
    """
    sides = [_side(*known) for known in _known(game, policy, (0,) if game.symmetric else (0, 1), confidence)]
    total = sides[0] if game.symmetric else sides[0].plus(sides[1]).times(0.5)  # the game's value cancels, or is 0
    return Bounds(max(0.0, total.lower), total.upper)


@brief()
def value_interval(
    game: Game, policy: PolicyLike, opponent: SampledPolicy, seats: Sequence[int] = (0, 1), confidence: float = 0.95
) -> Bounds:
    """Returns an interval that holds what a policy wins from a sampled one, points per game.

    Args:
        game: The game.
        policy: The policy.
        opponent: The sampled policy, whose samples are as in :func:`exploitability_interval`.
        seats: The seats of the policy, over which its value is averaged.
        confidence: The probability that the interval holds.

    Raises:
        UsageError, TooManyStatesError: as from :func:`exploitability_interval`.
    """
    sides = []
    for states, regions, other in _known(game, opponent, [1 - seat for seat in seats], confidence):
        table, sign = table_of(states, policy, 1 - other), 1.0 - 2.0 * other
        least = _optimal(states, regions, other, table, sign).negative()
        sides.append(_optimal(states, regions, other, table, -sign)._replace(lower=least.lower))
    total = sides[0] if len(sides) == 1 else sides[0].plus(sides[1]).times(0.5)
    return total.bounds


def _known(
    game: Game, policy: SampledPolicy, seats: Sequence[int], confidence: float
) -> list[tuple[StateSpace, Regions, int]]:
    """Returns the states, the regions of a sampled policy there, and its seat, for each of its seats.

    Raises:
        UsageError, TooManyStatesError: as from :func:`exploitability_interval`.
    """
    check_seen(game, "no interval is known")
    if not (isinstance(confidence, float) and 0 < confidence < 1):
        raise UsageError(f"confidence must be a number between 0 and 1, not {confidence!r}")
    states = numbering(game)
    if len(states) > FEW:
        raise TooManyStatesError(f"{game} has {len(states):,} states; intervals are for games of up to {FEW:,}")
    sampled = [_sampled(states, policy, seat) for seat in seats]
    bounds = sum(2 * int(one.legal[one.ids[one.first]].sum()) for one in sampled)
    level = (1 - confidence) / max(1, bounds)
    return [(states, _regions(states, one, level), one.seat) for one in sampled]


def _sampled(states: StateSpace, policy: SampledPolicy, seat: int) -> Sampled:
    """Returns the samples of a policy at all states at which it chooses in a seat.

    Raises:
        UsageError: it has none, or they are no numbers of legal actions.
        TooManyStatesError: there are too many states or actions.
    """
    game = states.game
    check_plays(game, policy)
    if not hasattr(policy, "sample_counts"):
        raise UsageError(f"{name_of(policy)} has no sample_counts(observations, action_masks), which an interval needs")
    successors = states.successors_at(np.arange(len(states)))
    legal, others = (
        side[:, None] >> np.arange(game.num_actions) & 1 > 0
        for side in (successors.legal0, successors.legal1)[:: 1 - 2 * seat]
    )
    ids = np.flatnonzero(legal.sum(axis=1) > 1)
    transitions = sum(
        own * math.comb(own - 1, (own - 1) // 2) * own * other  # there are at most so many corners
        for own, other in zip(legal[ids].sum(axis=1).tolist(), others[ids].sum(axis=1).tolist(), strict=True)
    )
    if transitions > MOST_TRANSITIONS:
        raise TooManyStatesError(
            f"{game} has too many states or actions: an interval could need {transitions:,} transitions, and "
            f"{MOST_TRANSITIONS:,} is the most"
        )
    at = observed(game, states.codes_at(ids), seat)
    counts, shape = np.asarray(policy.sample_counts(at.observations, at.masks)), (len(ids), game.num_actions)
    if counts.shape != shape or counts.dtype.kind not in "iu" or (counts < 0).any() or counts[~legal[ids]].any():
        raise UsageError(f"sample_counts must be whole numbers of legal actions, of shape {shape}")
    first = np.arange(len(ids))
    if getattr(policy, "by_symmetry", False):
        canonical = [game.canonical(code) for code in at.codes.tolist()]
        _, first, shared = np.unique([code for code, _ in canonical], return_index=True, return_inverse=True)
        there = np.zeros_like(counts)
        for row, (_, numbers) in enumerate(canonical):
            there[row, list(numbers)] = counts[row]
        if (there != there[first[shared]]).any():
            raise UsageError(f"sample_counts of {name_of(policy)} differ at states that are the same by symmetry")
    return Sampled(seat, legal, ids, counts, first)


def _regions(states: StateSpace, sampled: Sampled, level: float) -> Regions:
    """Returns the regions of all states, each bound of which fails with a probability of at most ``level``."""
    from scipy.special import betainccinv, betaincinv

    counts, others = sampled.counts, sampled.counts.sum(axis=1, keepdims=True) - sampled.counts
    lower = np.nan_to_num(betaincinv(counts, others + 1, level), nan=0.0)  # without a sample
    upper = np.nan_to_num(betainccinv(counts + 1, others, level), nan=1.0)  # without another one
    regions = [legal[None].astype(np.float64) for legal in sampled.legal]
    for k, *bounds in zip(sampled.ids.tolist(), lower, upper, strict=True):
        legal = sampled.legal[k]
        within = corners(*(side[legal] for side in bounds))
        regions[k] = np.zeros((len(within), len(legal)))
        regions[k][:, legal] = within
    first = np.concatenate([[0], np.cumsum([len(region) for region in regions])])
    return Regions(first, np.concatenate(regions))


def corners(lower: Floats, upper: Floats) -> Floats:
    """Returns the corners of the distributions within bounds ``[c, m]``: all probabilities but one are at a bound.

    The bounds are moved outwards by ``MARGIN`` first. A corner may be there several times.

    >>> corners(np.array([0.2, 0.1, 0.0]), np.array([0.5, 1.0, 0.0])).round(2).tolist()
    [[0.2, 0.8, 0.0], [0.5, 0.5, 0.0], [0.2, 0.8, 0.0], [0.5, 0.5, 0.0]]
    """
    lower, upper = np.maximum(lower - MARGIN, 0.0), np.minimum(upper + MARGIN, 1.0)
    count = len(lower)
    above = np.arange(2**count)[:, None] >> np.arange(count) & 1 > 0
    at_bounds = np.where(above, upper, lower)
    rest = 1.0 - (at_bounds.sum(axis=1, keepdims=True) - at_bounds)
    fits = ~above & (lower - MARGIN <= rest) & (rest <= upper + MARGIN)
    sides, free = np.nonzero(fits)
    distributions = at_bounds[sides]
    distributions[np.arange(len(sides)), free] = rest[fits]
    return np.maximum(distributions, 0.0)


def _side(states: StateSpace, regions: Regions, seat: int) -> Estimate:
    """Returns bounds of what a best response wins from the policies in the regions; its value is that of the last."""
    own, other = (1.0, -1.0) if seat == 0 else (-1.0, 1.0)
    least = _optimal(states, regions, seat, _reply(states, regions, seat), own).negative()
    most = _optimal(states, regions, seat, None, other)
    return most._replace(lower=least.lower)


def _optimal(states: StateSpace, regions: Regions, seat: int, reply: Floats | None, sign: float) -> Estimate:
    """Returns the value of the best corners for a player, and of the opponent's best actions without a reply."""
    owners = np.repeat(np.arange(len(states)), np.diff(regions.first))
    other = None if reply is None else reply[owners]
    tables = (regions.corners, other) if seat == 0 else (other, regions.corners)
    decisions = decisions_at(states.successors_at(owners), tables)
    best = optimum(decisions._replace(first=decisions.first[regions.first]), sign)
    return start_estimate(states, Values(best.values, best.values - best.lower, best.upper - best.values))


def _reply(states: StateSpace, regions: Regions, seat: int) -> Floats:
    """Returns a policy of the opponent ``[n, actions]`` that wins much from every policy in the regions."""
    sign, units = 1 - 2 * seat, np.eye(states.game.num_actions)
    values, reply = np.zeros(len(states)), np.zeros((len(states), len(units)))
    for _ in range(MOST_SWEEPS if states.recurs else 1):
        before = values.copy()
        for ids, _ in states.layers:
            successors = states.successors_at(ids)
            won = [action_values(successors, values, np.tile(unit, (len(ids), 1)), 1 - seat) for unit in units]
            worth = np.stack(won, axis=1)  # of both players' actions, to the opponent
            first, last = regions.first[ids], regions.first[ids + 1]
            pure = last - first == 1
            known = worth[pure, regions.corners[first[pure]].argmax(axis=1)]
            values[ids[pure]], reply[ids[pure]] = -sign * known.max(axis=1), units[known.argmax(axis=1)]
            for k in np.flatnonzero(~pure).tolist():
                able = np.isfinite(worth[k, 0])
                solution = solve_matrix(-(regions.corners[first[k] : last[k]] @ worth[k][:, able]))
                values[ids[k]], reply[ids[k], able] = sign * solution.value, solution.column_strategy
        if np.abs(values - before).max() <= CLOSE * np.abs(values).max():
            break
    return reply
