"""Optimal policies of Markov decision processes, with proven bounds.

Maximal end components are merged first, so that play ends with probability 1 under every policy. If the player
can reach the largest payoff with probability 1, the graph alone proves it. Elsewhere value iteration finds a
policy, and policy iteration the best one (Howard 1960).

The value of this policy is a lower bound. The upper bound: no decision gains more than ``g`` a step on it, rounding
included, so no policy gains more than ``g`` times the largest expected number of steps. That number is the value of
another decision process, in which every step has the reward 1. Components of few states for which this bound is not
close are solved with many digits, see :mod:`nashzoo.baselines.markov.precise_process`.
"""

import contextlib
import itertools
from typing import NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import SLACK, UNIT
from nashzoo.baselines.markov.elimination import OUT
from nashzoo.baselines.markov.end_components import collapsed
from nashzoo.baselines.markov.markov_chain import chain_values
from nashzoo.baselines.markov.ordering import MOST_STATES
from nashzoo.baselines.markov.precise_process import FEW_STATES, precise_optimum
from nashzoo.baselines.markov.transitions import Decisions
from nashzoo.baselines.states.components import components
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.jit.compiled import Bools, Floats, Ints, compiled
from nashzoo.envs.jit.numba import boolean, float64, int32, int64, void

CONVERGENCE_TOLERANCE = 1e-14  # a sweep that changes no value by more, relative to the largest reward, has converged
MAX_SWEEPS = 200  # then policy iteration takes over
MAX_IMPROVEMENTS = 100
CLOSE = 1e-10  # bounds, relative to the largest reward, that are close enough
ROUGH = 1e-2  # error of the expected number of steps, which need not be close
CLEARLY = 1e-9  # a decision that loses more in a step, relative to the largest reward, is clearly suboptimal


class Optimum(NamedTuple):
    """The optimal values and decisions at each state."""

    values: Floats  # the value of each state to the player, as computed [n]
    lower: Floats  # a lower bound of the value of each state to the player [n]: the value of the choices
    upper: Floats  # an upper bound [n]
    choices: Ints  # a decision at each state [n]


@compiled(void(int64[::1], int64[::1], int32[::1], float64[::1], float64[::1], float64[::1], float64[::1]))
def _gains(
    first: Ints, offsets: Ints, targets: Numbers, weights: Floats, rewards: Floats, values: Floats, gains: Floats
) -> None:
    """Fills the gain of each decision on the value of its state, in one step that leaves it."""
    for k in range(len(values)):
        for decision in range(first[k], first[k + 1]):
            gain, moving = 0.0, 0.0
            for transition in range(offsets[decision], offsets[decision + 1]):
                target = targets[transition]
                if target == k:
                    gain += weights[transition] * rewards[transition]
                    continue
                after = values[target] if target >= 0 else 0.0
                gain += weights[transition] * (rewards[transition] + (after - values[k]))
                moving += weights[transition]
            gains[decision] = gain / moving if moving > 0.0 else 0.0


@compiled(
    float64(
        int64[::1], int64[::1], int64[::1], int32[::1], float64[::1], float64[::1], float64, int64[::1], float64[::1]
    )
)  # fmt: skip
def _sweep(
    order: Ints,
    first: Ints,
    offsets: Ints,
    targets: Numbers,
    weights: Floats,
    rewards: Floats,
    noise: float,
    choices: Ints,
    values: Floats,
) -> float:
    """Backs up every state in place, once in order and once in reverse; returns the largest change."""
    length = len(order)
    largest = 0.0
    for step in range(2 * length):
        k = order[step if step < length else 2 * length - 1 - step]
        best, best_decision, kept = -np.inf, -1, -np.inf
        for decision in range(first[k], first[k + 1]):
            gain, moving = 0.0, 0.0
            for transition in range(offsets[decision], offsets[decision + 1]):
                target = targets[transition]
                if target == k:
                    gain += weights[transition] * rewards[transition]
                    continue
                gain += weights[transition] * (rewards[transition] + (values[target] if target >= 0 else 0.0))
                moving += weights[transition]
            value = gain / moving if moving > 0.0 else 0.0
            if value > best:
                best, best_decision = value, decision
            if decision == choices[k]:
                kept = value
        if best > kept + noise:
            choices[k] = best_decision
        largest = max(largest, abs(best - values[k]))
        values[k] = best
    return largest


@compiled()
def _is_sure(decision: int, k: int, offsets: Ints, targets: Numbers, rewards: Floats, most: float, sure: Bools) -> bool:
    """Returns whether a decision at state ``k`` leads only to ``most``, to sure states, or back to ``k``."""
    for transition in range(offsets[decision], offsets[decision + 1]):
        target = targets[transition]
        if rewards[transition] != most if target == OUT else target != k and not sure[target]:
            return False
    return True


@compiled(void(int64[::1], int64[::1], int64[::1], int32[::1], float64[::1], float64, boolean[::1], int64[::1]))
def _keep_sure(
    order: Ints, first: Ints, offsets: Ints, targets: Numbers, rewards: Floats, most: float, sure: Bools, choices: Ints
) -> None:
    """Clears, until nothing changes, states at which every decision may lead elsewhere than to ``most`` or sure states.

    Fills, at the remaining states, a decision on a shortest path there.
    """
    changed = True
    while changed:
        changed = False
        for at in range(len(order)):
            k = order[at]
            if sure[k]:
                sure[k] = False  # a decision that stays is not enough
                for decision in range(first[k], first[k + 1]):
                    if _is_sure(decision, k, offsets, targets, rewards, most, sure):
                        sure[k] = True
                        break
                changed |= not sure[k]
    steps = np.zeros(len(order), np.int64)  # 0 for unknown
    step, changed = 0, True
    while changed:
        step, changed = step + 1, False
        for at in range(len(order)):
            k = order[at]
            if not sure[k] or steps[k] > 0:
                continue
            for decision in range(first[k], first[k + 1]):
                soon = False
                for transition in range(offsets[decision], offsets[decision + 1]):
                    target = targets[transition]
                    soon |= step == 1 if target == OUT else 0 < steps[target] < step
                if soon and _is_sure(decision, k, offsets, targets, rewards, most, sure):
                    steps[k], choices[k], changed = step, decision, True
                    break


def optimum(decided: Decisions, sign: float) -> Optimum:
    """Returns the optimal values and decisions of a player; ``sign`` is 1 for player 0, -1 for player 1."""
    decided = decided._replace(rewards=sign * decided.rewards)
    components_of = collapsed(decided)
    process = components_of.decided
    order, _ = components(process.offsets[process.first], process.targets)
    choices = process.first[:-1].copy()
    sure = _sure_of_the_most(process, order, choices)
    most = float(process.rewards[process.targets == OUT].max(initial=-np.inf))
    figures = np.where(sure, most, np.zeros((3, len(sure))))
    rest = np.flatnonzero(~sure)
    if len(rest) > 0:
        left, numbers = _without(process, sure, most)
        best = _improved(left)
        if not (best.upper - best.lower).max() <= CLOSE * np.abs(left.rewards).max():
            best = _by_component(left, best)
        figures[:, rest] = best[:3]
        choices[rest] = numbers[best.choices]
    if not decided.rewards[decided.targets >= 0].any():  # then no return is outside of the rewards at the end
        figures[1] = np.maximum(figures[1], min(float(decided.rewards.min()), 0.0))
        figures[2] = np.minimum(figures[2], max(float(decided.rewards.max()), 0.0))
    values, lower, upper = figures[:, components_of.label]
    return Optimum(values, lower, upper, components_of.choices(decided, choices))


def _sure_of_the_most(process: Decisions, order: Ints, choices: Ints) -> Bools:
    """Returns the states that can reach the largest reward with probability 1 ``[n]``; fills choices there.

    Play ends with probability 1; so decisions that cannot lead to another end are enough. If there are rewards before
    the end, there are no such states.
    """
    ends = process.targets == OUT
    if process.rewards[~ends].any() or not ends.any():
        return np.zeros(len(choices), np.bool_)
    sure = np.ones(len(choices), np.bool_)
    most = process.rewards[ends].max()
    _keep_sure(order, process.first, process.offsets, process.targets, process.rewards, most, sure, choices)
    return sure


def _without(process: Decisions, gone: Bools, value: float | Floats) -> tuple[Decisions, Ints]:
    """Returns the decisions at the other states, and their numbers; at removed states play ends with a value."""
    left = np.flatnonzero(~gone)
    count = process.first[left + 1] - process.first[left]
    first = np.concatenate([[0], np.cumsum(count)])
    numbers = np.arange(first[-1]) + np.repeat(process.first[left] - first[:-1], count)
    return process.taken(numbers, first).within(left, np.broadcast_to(value, gone.shape)), numbers


def _improved(process: Decisions) -> Optimum:
    """Returns the optimum if play ends with probability 1: value iteration, policy iteration, bounds."""
    order, _ = components(process.offsets[process.first], process.targets)
    weights = process.plain_weights()
    graph = process.first, process.offsets, process.targets, weights
    largest = float(np.abs(process.rewards).max()) or 1.0
    values, choices = np.zeros(len(order)), process.first[:-1].copy()
    for _ in range(MAX_SWEEPS):
        check_time()
        if (
            _sweep(order, *graph, process.rewards, CONVERGENCE_TOLERANCE * largest, choices, values)
            <= CONVERGENCE_TOLERANCE * largest
        ):
            break

    terms = int(np.diff(process.offsets).max())
    gains = np.empty(len(process.actions))
    most = np.inf if process.rewards[process.targets >= 0].any() else process.rewards.max()  # largest possible return
    current = chain_values(process.chosen(choices))
    for _ in range(MAX_IMPROVEMENTS):
        _gains(*graph, process.rewards, current.values, gains)
        better = _best(process.first, gains, choices, _rounding(terms, current.values, largest))
        if (better == choices).all():
            break
        improved = chain_values(process.chosen(better))
        if not (improved.values > current.values).any():
            break
        choices, current = better, improved
    lower = current.values - current.errors

    _gains(*graph, process.rewards, current.values, gains)
    gain = max(float(gains.max()), 0.0) + _rounding(terms, current.values, largest)
    upper = current.values + _excess(process, choices, gains, gain, CLEARLY * largest, CLEARLY * largest)
    return Optimum(current.values, lower, np.minimum(upper, most), choices)


def _by_component(process: Decisions, before: Optimum) -> Optimum:
    """Returns the optimum, as :func:`_improved`, one strongly connected component after the other."""
    order, bounds = components(process.offsets[process.first], process.targets)
    whole = Optimum(before.values.copy(), before.lower.copy(), before.upper.copy(), before.choices.copy())
    for begin, end in itertools.pairwise(bounds):
        members = np.sort(order[begin:end])
        if len(members) > MOST_STATES and 2 * len(members) > len(order):
            continue  # alone it is no easier to solve
        gone = np.ones(len(order), np.bool_)
        gone[members] = False
        own, numbers = _without(process, gone, whole.values)
        outside = process.targets[process.transition_ids(numbers)]
        outside = outside[(outside >= 0) & gone[outside]]
        below = float((whole.values - whole.lower)[outside].max(initial=0.0))
        above = float((whole.upper - whole.values)[outside].max(initial=0.0))
        best = _improved(own)
        if not (best.upper - best.lower).max() <= CLOSE * np.abs(own.rewards).max() and len(members) <= FEW_STATES:
            with contextlib.suppress(ArithmeticError):  # unbounded returns have no bound
                values, off, choices = precise_optimum(own, best.choices)
                best = Optimum(values, values - off, values + off, choices)
        whole.values[members] = best.values
        rounding = UNIT * float(np.abs(own.rewards).max())  # of sums of rewards and values
        whole.lower[members] = best.lower - below - rounding
        whole.upper[members] = best.upper + above + rounding
        whole.choices[members] = numbers[best.choices]
    return whole


def _rounding(terms: int, values: Floats, largest: float) -> float:
    """Returns a bound of the rounding error of the gain of a decision in one step."""
    return (2 * terms + 8) * UNIT * SLACK * (2 * float(np.abs(values).max()) + largest)


def _best(first: Ints, gains: Floats, choices: Ints, noise: float) -> Ints:
    """Returns the decisions ``[n]`` that gain most if this is more than noise, and otherwise the former ones."""
    most = np.maximum.reduceat(gains, first[:-1])
    reached = np.flatnonzero(gains == np.repeat(most, np.diff(first)))
    best = reached[np.searchsorted(reached, first[:-1])]
    better: Ints = np.where(most > gains[choices] + noise, best, choices)
    return better


def _excess(process: Decisions, choices: Ints, gains: Floats, gain: float, clearly: float, enough: float) -> float:
    """Returns a proven bound of the advantage of any policy over one on which no decision gains more than ``gain``.

    Only decisions that are not clearly suboptimal are counted: one clear loss is more than the gains of all others,
    however often, as long as the returned bound is no more than this loss. A bound of more than ``enough`` is not
    looked for: it is infinite.
    """
    good = gains > gain - clearly
    good[choices] = True
    numbers = np.flatnonzero(good)
    first = np.concatenate([[0], np.cumsum(good)])[process.first]
    excess = gain * _most_steps(process.taken(numbers, first), first[:-1], enough / gain)
    return excess if excess + 2 * gain <= clearly or good.all() else np.inf


def _most_steps(process: Decisions, choices: Ints, enough: float) -> float:
    """Returns a proven bound on the number of steps of play under every policy; infinite if it is above ``enough``.

    If no decision leaves more than ``steps - 1/2`` of ``steps`` expected remaining steps, play lasts no longer than
    twice ``steps``.
    """
    weights = process.plain_weights()
    owner = np.repeat(process.owners(), np.diff(process.offsets))
    moving = process._replace(rewards=(process.targets != owner).astype(np.float64))
    gains, terms = np.empty(len(process.actions)), int(np.diff(process.offsets).max())
    for _ in range(MAX_IMPROVEMENTS):
        steps = chain_values(moving.chosen(choices), ROUGH)
        if not np.isfinite(steps.errors).all() or not steps.values.max() <= enough:
            return np.inf
        _gains(process.first, process.offsets, process.targets, weights, moving.rewards, steps.values, gains)
        if gains.max() + _rounding(terms, steps.values, 1.0) <= 0.5:
            return 2 * float(steps.values.max())
        better = _best(process.first, gains, choices, 0.25)
        if (better == choices).all():
            return np.inf
        choices = better
    return np.inf
