"""Where one player can keep play going for ever, for nothing, taken together: an end component.

Against a fixed policy the player gets from anywhere in such a component to anywhere else in it, surely though it may
take long, and pays nothing for it. So all its positions are worth the same: the best way out, from wherever that is,
or nothing where no way out is better. Taken as one position each, components leave play that ends surely, whatever the
player does, and its worth no longer depends on how long the player waits for a mistake of probability 1e-9.

Sources: de Alfaro (1997), "Formal Verification of Probabilistic Systems"; Haddad and Monmege (2018), "Interval
iteration algorithm for MDPs and IMDPs", for taking components together.
"""

from typing import NamedTuple

import numpy as np
from numba import boolean, int32, int64, void

from nashzoo.baselines.chain import Decisions
from nashzoo.baselines.numbers import Numbers
from nashzoo.envs.compiled import Bools, Ints, compiled

STAY = -1  # stands for the decision to stay in a component for ever


@compiled(void(int64[::1], int64[::1], int32[::1], boolean[::1], boolean[::1]))
def _keep_safe(first: Ints, ways: Ints, targets: Numbers, stays: Bools, safe: Bools) -> None:
    """Clears, until nothing changes, decisions that may lead out of the safe positions, and positions without any."""
    changed = True
    while changed:
        changed = False
        for k in range(len(safe)):
            if not safe[k]:
                continue
            safe[k] = False
            for decision in range(first[k], first[k + 1]):
                if stays[decision]:
                    for way in range(ways[decision], ways[decision + 1]):
                        if not safe[targets[way]] and targets[way] != k:
                            stays[decision] = False
                            break
                safe[k] |= stays[decision]
            changed |= not safe[k]


@compiled(void(int64[::1], int64[::1], int32[::1], boolean[::1], boolean[::1], int64[::1]))
def _head_for(first: Ints, ways: Ints, targets: Numbers, stays: Bools, reached: Bools, choices: Ints) -> None:
    """Fills, until nothing changes, decisions that stay and may lead to a position already reached."""
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
                    for way in range(ways[decision], ways[decision + 1]):
                        if reached[targets[way]]:
                            choices[k] = decision
                            reached[k] = changed = True
                            break


class Collapsed(NamedTuple):
    """Decisions in which every end component is one position.

    Attributes:
        decided: What they lead to; in place of actions the numbers of the decisions before, or ``STAY``.
        label: The place of each position before ``[L]``.
        stays: Which of the decisions before stay within a component ``[d]``.
    """

    decided: Decisions
    label: Ints
    stays: Bools

    def choices(self, before: Decisions, chosen: Ints) -> Ints:
        """Returns which of the decisions before to take at each position ``[L]``, given those taken here."""
        choices = before.first[:-1].copy()
        owner = before.owners()
        numbers = np.flatnonzero(self.stays)
        choices[owner[numbers[::-1]]] = numbers[::-1]  # any that stays
        out = self.decided.actions[chosen]
        out = out[out != STAY]
        reached = np.zeros(len(choices), np.bool_)
        reached[owner[out]] = True
        choices[owner[out]] = out
        _head_for(before.first, before.ways, before.targets, self.stays, reached, choices)
        return choices


def collapsed(decided: Decisions) -> Collapsed:
    """Returns decisions in which every maximal end component is one position."""
    label, stays = _components(decided)
    owner = decided.owners()
    leads = np.flatnonzero(~stays)
    taken, place = decided.chosen(leads), label[owner[leads]]
    # What comes back to where it was is tried again, until it leads elsewhere.
    row, target = taken.owners_of_ways(), label[taken.targets]
    moving = target != place[row]
    row, target, weight = row[moving], target[moving], taken.weights[moving]
    outflow = np.bincount(row, weight, minlength=len(leads)) + taken.leaving
    leaves = np.flatnonzero(outflow > 0)
    places = int(label.max()) + 1
    can_stay, has_way = np.zeros(places, np.bool_), np.zeros(places, np.bool_)
    can_stay[label[owner[stays]]] = True
    has_way[place[leaves]] = True
    staying = np.flatnonzero(can_stay | ~has_way)

    scale = np.where(outflow > 0, outflow, 1.0)
    count = np.bincount(row, minlength=len(leads) + len(staying))
    nothing = np.zeros(len(staying))
    both = Decisions(
        np.arange(len(count) + 1),
        np.r_[leads, np.full(len(staying), STAY)],
        np.r_[taken.earned / scale, nothing],
        np.r_[taken.leaving / scale, nothing + 1],
        np.zeros(len(count), np.bool_),
        np.r_[0, np.cumsum(count)],
        target.astype(np.int32),
        weight / scale[row],
    )
    numbers, places_of = np.r_[leaves, len(leads) + np.arange(len(staying))], np.r_[place[leaves], staying]
    order = np.argsort(places_of, kind="stable")
    first = np.searchsorted(places_of[order], np.arange(places + 1))
    return Collapsed(both.chosen(numbers[order])._replace(first=first), label, stays)


def _components(decided: Decisions) -> tuple[Ints, Bools]:
    """Returns a number for each position ``[L]``, shared within components, and which decisions stay there ``[d]``."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    length = len(decided.first) - 1
    safe, stays = np.ones(length, np.bool_), decided.stays.copy()
    owner, decision = decided.owners(), decided.owners_of_ways()
    row = owner[decision]
    while True:
        _keep_safe(decided.first, decided.ways, decided.targets, stays, safe)
        used = stays[decision]
        graph = csr_array((np.ones(used.sum()), (row[used], decided.targets[used])), shape=(length, length))
        _, label = connected_components(graph, directed=True, connection="strong")
        across = used & (label[row] != label[decided.targets])
        if not across.any():
            return label.astype(np.int64), stays
        stays[decision[across]] = False
