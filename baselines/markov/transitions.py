"""The transitions of a Markov decision process, or of a Markov chain: games in which at most one player decides."""

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.baselines.markov.elimination import LOW, OUT, STEP_UP
from nashzoo.baselines.policies.tabular import Rows
from nashzoo.baselines.states.space import SUCCESSORS, StateSpace, Successors
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.core.game import BOTH
from nashzoo.envs.core.kernels import count_actions, nth_action
from nashzoo.envs.core.reachable import TooManyStatesError
from nashzoo.envs.jit.compiled import Bools, Floats, Ints, compiled
from nashzoo.envs.jit.numba import float64, int8, int32, int64, types

Exponents = NDArray[np.int8]

STAY = -1  # the decision to stay in an end component for ever
MAX_TRANSITIONS = 100_000_000  # some gigabytes
AT_ONCE = 131_072  # states for one call of a policy

Edit = Callable[[Successors], Successors]


def unchanged(successors: Successors) -> Successors:
    """Returns the successors unchanged."""
    return successors


class Decisions(NamedTuple):
    """The decisions at each of ``n`` states, and their transitions."""

    first: Ints  # index of the first decision of each state, and of the end of the last one's [n + 1]
    actions: Ints  # the action of each decision [d]
    offsets: Ints  # index of the first transition of each decision, and of the end of the last one's [d + 1]
    targets: Numbers  # the target of each transition, OUT if play ends [w]
    weights: Floats  # in proportion to the probabilities of a decision's transitions [w]
    exponents: Exponents  # additional exponents of the weights, in steps of 2**512, for very small products [w]
    rewards: Floats  # to player 0, on each transition [w]

    def owners(self) -> Ints:
        """Returns the state of each decision ``[d]``."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    def transition_owners(self) -> Ints:
        """Returns the decision of each transition ``[w]``."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def plain_weights(self, ignored: Bools | bool = False) -> Floats:
        """Returns the weights without exponents, those of each decision in proportion ``[w]``; 0 where ignored."""
        exponents = np.where(ignored, np.int64(-128), self.exponents)
        largest = np.repeat(np.maximum.reduceat(exponents, self.offsets[:-1]), np.diff(self.offsets))
        weights: Floats = np.where(ignored, 0.0, np.ldexp(self.weights, 512 * (exponents - largest)))
        return weights

    def transition_ids(self, decisions: Ints) -> Ints:
        """Returns the numbers of the transitions of some decisions, one decision after the other."""
        begin, count = self.offsets[decisions], self.offsets[decisions + 1] - self.offsets[decisions]
        numbers: Ints = np.arange(count.sum()) + np.repeat(begin - np.cumsum(count) + count, count)
        return numbers

    def taken(self, decisions: Ints, first: Ints) -> "Decisions":
        """Returns some of the decisions, with a new ``first``."""
        offsets = np.concatenate([[0], np.cumsum(self.offsets[decisions + 1] - self.offsets[decisions])])
        at = self.transition_ids(decisions)
        targets, weights, exponents, rewards = self.targets[at], self.weights[at], self.exponents[at], self.rewards[at]
        return Decisions(first, self.actions[decisions], offsets, targets, weights, exponents, rewards)

    def chosen(self, choices: Ints) -> "Decisions":
        """Returns the Markov chain of these decisions, one at each state ``[n]``."""
        return self.taken(choices, np.arange(len(choices) + 1))

    def within(self, ids: Ints, values: Floats) -> "Decisions":
        """Returns these decisions, of the states ``ids`` ``[L]`` alone; elsewhere play ends with the state's value.

        Targets, which were numbers of all states ``[n]``, become places among ``ids``.
        """
        place = np.full(len(values), OUT, np.int32)
        place[ids] = np.arange(len(ids), dtype=np.int32)
        targets = np.where(self.targets >= 0, place[self.targets], OUT).astype(np.int32)
        beyond = (self.targets >= 0) & (targets < 0)
        return self._replace(targets=targets, rewards=self.rewards + np.where(beyond, values[self.targets], 0.0))


@compiled(inline=True)
def _product(x: float, y: float) -> tuple[float, int]:
    """Returns the product of two probabilities, and its additional exponent, in steps of 2**512."""
    if x == 0.0 or y == 0.0:
        return 0.0, 0
    exponent = 0
    while x < LOW:
        x *= STEP_UP
        exponent -= 1
    while y < LOW:
        y *= STEP_UP
        exponent -= 1
    product = x * y
    if product < LOW:
        product *= STEP_UP
        exponent -= 1
    return product, exponent


@compiled(
    types.Tuple(
        (int64[::1], int64[::1], int64[::1], int32[::1], float64[::1], int8[::1], float64[::1])
    )(SUCCESSORS, float64[:, ::1], float64[:, ::1], int64)
)  # fmt: skip
def _decisions(
    successors: Successors, policy0: Floats, policy1: Floats, decides: int
) -> tuple[Ints, Ints, Ints, Numbers, Floats, Exponents, Floats]:
    legal0, legal1, following, rewards, chances = successors
    length = len(following)
    first = np.zeros(length + 1, np.int64)
    most = 0
    for k in range(length):
        count0, count1 = count_actions(legal0[k]), count_actions(legal1[k])
        first[k + 1] = first[k] + (1 if decides == BOTH else count0 if decides == 0 else count1)
        most += max(count0 * count1, chances.shape[1])
    number = first[length]
    actions, offsets = np.zeros(number, np.int64), np.zeros(number + 1, np.int64)
    targets, weights = np.empty(most, np.int32), np.empty(most)
    exponents, pays = np.empty(most, np.int8), np.empty(most)
    filled = 0
    for k in range(length):
        count0, count1 = count_actions(legal0[k]), count_actions(legal1[k])
        drawn = chances.shape[1] > 0 and chances[k, 0] > 0.0  # then there is one joint choice, with all outcomes
        for own in range(first[k + 1] - first[k]):
            decision = first[k] + own
            for choice in range(count0 * count1):
                row, column = choice // count1, choice % count1
                if (decides == 0 and row != own) or (decides == 1 and column != own):
                    continue
                i, j = nth_action(legal0[k], row), nth_action(legal1[k], column)
                actions[decision] = j if decides == 1 else i
                joint, exponent = _product(
                    policy0[k, i] if decides != 0 else 1.0, policy1[k, j] if decides != 1 else 1.0
                )
                if joint == 0.0:
                    continue
                for at in range(choice, choice + (chances.shape[1] if drawn else 1)):
                    weight, less = _product(joint, chances[k, at]) if drawn else (joint, 0)
                    if weight > 0.0:
                        targets[filled] = following[k, at] if following[k, at] >= 0 else OUT
                        weights[filled], exponents[filled], pays[filled] = weight, exponent + less, rewards[k, at]
                        filled += 1
            offsets[decision + 1] = filled
    return (
        first, actions, offsets, targets[:filled].copy(), weights[:filled].copy(), exponents[:filled].copy(),
        pays[:filled].copy(),
    )  # fmt: skip


def decisions_at(successors: Successors, policies: tuple[Floats | None, Floats | None]) -> Decisions:
    """Returns the decisions of a player against a policy at some states, or those of a Markov chain of two policies.

    Args:
        successors: The successors of the states.
        policies: The probabilities of player 0 and of player 1 at the states ``[L, actions]``; None for the player who
            decides.
    """
    check_time()
    decides = next((player for player in range(2) if policies[player] is None), BOTH)
    row0, row1 = (np.empty((0, 0)) if policy is None else np.ascontiguousarray(policy) for policy in policies)
    return Decisions(*_decisions(successors, row0, row1, decides))


class ReachableDecisions(NamedTuple):
    """The states that play can reach, and the decisions there."""

    ids: Ints  # the numbers of the states [n]; the decisions' targets are places here
    decisions: Decisions


def explored(
    states: StateSpace, policies: tuple[Rows | None, Rows | None], starts: Ints | None = None, edit: Edit = unchanged
) -> ReachableDecisions:
    """Returns the decision process of a player against a policy, or the Markov chain of two policies.

    Args:
        states: The numbered states of a game.
        policies: Probabilities by number of player 0 and of player 1; None for the player who decides.
        starts: The start states; all states when None.
        edit: Replaces the rewards by others.

    Raises:
        TooManyStatesError: there are more transitions than fit into memory.
    """
    policy0, policy1 = policies
    place = np.full(len(states), OUT, np.int32)
    fresh = np.arange(len(states)) if starts is None else np.unique(starts)
    reached: list[Ints] = []
    parts: list[Decisions] = []
    known = transitions = 0
    while len(fresh) > 0:
        place[fresh] = np.arange(known, known + len(fresh), dtype=np.int32)
        known += len(fresh)
        reached.append(fresh)
        level = len(parts)
        for begin in range(0, len(fresh), AT_ONCE):
            ids = fresh[begin : begin + AT_ONCE]
            successors = edit(states.successors_at(ids))
            rows = None if policy0 is None else policy0[ids], None if policy1 is None else policy1[ids]
            parts.append(decisions_at(successors, rows))
            transitions += len(parts[-1].targets)
            if transitions > MAX_TRANSITIONS:
                raise TooManyStatesError(
                    f"play of {states.game} branches too often: more than {MAX_TRANSITIONS:,} transitions"
                )
        if starts is None:
            break
        after = np.concatenate([part.targets[part.targets >= 0] for part in parts[level:]])
        fresh = np.unique(after[place[after] < 0]).astype(np.int64)
    decisions = joined(parts)
    inside = decisions.targets >= 0
    decisions.targets[inside] = place[decisions.targets[inside]]
    return ReachableDecisions(np.concatenate(reached), decisions)


def joined(parts: list[Decisions]) -> Decisions:
    """Returns the concatenation of several parts of decisions."""
    if len(parts) == 1:
        return parts[0]
    first, actions, offsets, *columns = zip(*parts, strict=True)
    return Decisions(
        _one_after_the_other(first),
        np.concatenate(actions),
        _one_after_the_other(offsets),
        *map(np.concatenate, columns),
    )


def _one_after_the_other(bounds: Sequence[Ints]) -> Ints:
    """Returns bounds ``[0, ..., last]`` of several lists as those of one list."""
    begins = itertools.accumulate((int(part[-1]) for part in bounds), initial=0)
    shifted = [part[:-1] + begin for part, begin in zip(bounds, begins, strict=False)]
    return np.concatenate([*shifted, [sum(int(part[-1]) for part in bounds)]])
