"""Maximal end components, in which one player can stay forever without reward, each merged into one state.

Against a fixed policy the player can reach each state of such a component from each other with probability
1, though it may take long, and without reward. So all its states have the same value: that of the best way out, or 0
if no way out is better. After merging, play ends with probability 1 under every policy of the player, and the
value no longer depends on how long the player waits for a mistake of probability 1e-9.

Sources: de Alfaro (1997), "Formal Verification of Probabilistic Systems"; Haddad and Monmege (2018), "Interval
iteration algorithm for MDPs and IMDPs", for merging components.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.baselines.markov.elimination import OUT
from nashzoo.baselines.markov.transitions import STAY, Decisions
from nashzoo.baselines.states.components import components
from nashzoo.envs.core.code_index import Numbers
from nashzoo.envs.jit.compiled import Bools, Ints, compiled
from nashzoo.envs.jit.numba import boolean, int32, int64, void


@compiled(void(int64[::1], int64[::1], int32[::1], boolean[::1], boolean[::1]))
def _keep_safe(first: Ints, offsets: Ints, targets: Numbers, stays: Bools, safe: Bools) -> None:
    """Clears, until nothing changes, decisions that may lead out of the safe states, and states without any."""
    changed = True
    while changed:
        changed = False
        for k in range(len(safe)):
            if not safe[k]:
                continue
            safe[k] = False
            for decision in range(first[k], first[k + 1]):
                if stays[decision]:
                    for transition in range(offsets[decision], offsets[decision + 1]):
                        if not safe[targets[transition]] and targets[transition] != k:
                            stays[decision] = False
                            break
                safe[k] |= stays[decision]
            changed |= not safe[k]


@compiled(void(int64[::1], int64[::1], int32[::1], boolean[::1], boolean[::1], int64[::1]))
def _head_for(first: Ints, offsets: Ints, targets: Numbers, stays: Bools, reached: Bools, choices: Ints) -> None:
    """Fills, until nothing changes, decisions that stay and may lead to a state already reached."""
    length = len(reached)
    changed = True
    while changed:
        changed = False
        for step in range(2 * length):
            k = step if step < length else 2 * length - 1 - step
            if reached[k]:
                continue
            for decision in range(first[k], first[k + 1]):
                if stays[decision] and not reached[k]:
                    for transition in range(offsets[decision], offsets[decision + 1]):
                        if reached[targets[transition]]:
                            choices[k] = decision
                            reached[k] = changed = True
                            break


class EndComponentQuotient(NamedTuple):
    """A decision process in which every end component is one state."""

    decided: Decisions  # its decisions; their actions are the numbers of the original decisions, or STAY
    label: Ints  # the new state of each original state [L]
    stays: Bools  # whether an original decision stays within a component [d]

    def choices(self, before: Decisions, chosen: Ints) -> Ints:
        """Returns the original decision at each original state ``[L]``, given the decisions here."""
        choices = before.first[:-1].copy()
        owner = before.owners()
        numbers = np.flatnonzero(self.stays)
        choices[owner[numbers[::-1]]] = numbers[::-1]  # any that stays
        out = self.decided.actions[chosen]
        out = out[out != STAY]
        reached = np.zeros(len(choices), np.bool_)
        reached[owner[out]] = True
        choices[owner[out]] = out
        _head_for(before.first, before.offsets, before.targets, self.stays, reached, choices)
        return choices


def collapsed(decided: Decisions) -> EndComponentQuotient:
    """Returns decisions in which every maximal end component is one state."""
    label, stays = _components(decided)
    owner = decided.owners()
    leads = np.flatnonzero(~stays)
    place = label[owner[leads]]
    row = np.repeat(np.arange(len(leads)), decided.offsets[leads + 1] - decided.offsets[leads])
    at = decided.transition_ids(leads)
    target = decided.targets[at]
    target = np.where(target == OUT, OUT, label[target])
    # Transitions to the same state without reward are repeated until another one is taken.
    moving = (target != place[row]) | (decided.rewards[at] != 0.0)
    row, target, at = row[moving], target[moving], at[moving]

    leaves = np.flatnonzero(np.bincount(row, minlength=len(leads)) > 0)
    places = int(label.max()) + 1
    can_stay, has_way = np.zeros(places, np.bool_), np.zeros(places, np.bool_)
    can_stay[label[owner[stays]]] = True
    has_way[place[leaves]] = True
    staying = np.flatnonzero(can_stay | ~has_way)
    nothing = np.zeros(len(staying))
    both = Decisions(
        np.zeros(1, np.int64),
        np.r_[leads, np.full(len(staying), STAY)],
        np.r_[0, np.cumsum(np.r_[np.bincount(row, minlength=len(leads)), np.ones(len(staying), np.int64)])],
        np.r_[target, np.full(len(staying), OUT)].astype(np.int32),
        np.r_[decided.weights[at], nothing + 1],
        np.r_[decided.exponents[at], nothing].astype(np.int8),
        np.r_[decided.rewards[at], nothing],
    )
    numbers, places_of = np.r_[leaves, len(leads) + np.arange(len(staying))], np.r_[place[leaves], staying]
    order = np.argsort(places_of, kind="stable")
    first = np.searchsorted(places_of[order], np.arange(places + 1))
    return EndComponentQuotient(both.taken(numbers[order], first), label, stays)


def _components(decided: Decisions) -> tuple[Ints, Bools]:
    """Returns the result of :func:`end_components`."""
    leads_out = (decided.targets == OUT) | (decided.rewards != 0.0)
    stays = np.bincount(decided.transition_owners()[leads_out], minlength=len(decided.actions)) == 0
    return end_components(decided.first, decided.offsets, decided.targets, stays)


def end_components(first: Ints, offsets: Ints, targets: Numbers, stays: Bools) -> tuple[Ints, Bools]:
    """Returns a number for each state ``[n]``, shared within components, and whether decisions stay there ``[d]``.

    The arguments are as in :class:`nashzoo.baselines.markov.transitions.Decisions`; ``stays`` is which decisions pay
    nothing and do not end play.
    """
    length, targets = len(first) - 1, targets.copy()
    owner = np.repeat(np.arange(length), np.diff(first))
    decision = np.repeat(np.arange(len(owner)), np.diff(offsets))
    row = owner[decision]
    safe, label = np.ones(length, np.bool_), np.empty(length, np.int64)
    while True:
        _keep_safe(first, offsets, targets, stays, safe)
        targets[~stays[decision]] = OUT
        order, bounds = components(offsets[first], targets)
        label[order] = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        across = (targets != OUT) & (label[row] != label[targets])
        if not across.any():
            return label, stays
        stays[decision[across]] = False
