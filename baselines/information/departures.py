"""Where a policy with hidden information departs from every equilibrium, and what that costs.

A player's information states are taken in the order of play, those after as many own actions in that of their codes.
Some equilibrium may play as the policy does at the first of them, at the first two, and so on. The first at which there
is none any more is where the policy departs: with these probabilities fixed, the most that any strategy can still
secure falls below the value of the game, see :mod:`nashzoo.baselines.information.locked`.
"""

from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import PROVEN, Bounds, Estimate
from nashzoo.baselines.information.locked import measure_within, solve_within
from nashzoo.baselines.information.measures import sequence_form_of, weights_of
from nashzoo.baselines.information.sequence_form import SequenceForm
from nashzoo.envs.core.game import Floats, Game, Ints

HALF = 0.5


class Departure(NamedTuple):
    """An information state at which a policy departs from every equilibrium."""

    player: int
    code: int  # the information state
    plays: Floats  # the policy's probabilities [actions]
    equilibrium: Floats  # those of a strategy that secures as much as any that plays like the policy before [actions]
    cost: Bounds  # how much less than before a strategy secures that plays like the policy here too, points
    alone: Bounds  # the same for one that plays like the policy here alone
    lost: Bounds  # bounds of how much less than the game's value a strategy can secure that plays like it up to here
    total: Bounds  # bounds of how much less the policy secures


def departures(game: Game, policy: Any, player: int, value: Estimate) -> list[Departure]:
    """Returns the first departure of a policy, and that by which half of what it gives up is lost, if it is another.

    The game is one with hidden information, and has this value to player 0.

    Raises:
        UsageError: the game is too large.
        ProgramError: a linear program cannot be solved.
    """
    form = sequence_form_of(game)
    search = _Search(form if player == 0 else form.mirrored(), weights_of(form, policy, player))
    value = value if player == 0 else value.negative()
    states = np.lexsort((search.plex.codes, search.plex.lengths[search.plex.parents]))  # in the order of play
    total = _less(value, search.secured(states))
    found: list[int] = []
    for limit in (PROVEN, HALF * total.upper):
        low, high = 0, len(states)  # up to low nothing is lost
        while high - low > 1 and total.lower > PROVEN:
            middle = (low + high) // 2
            low, high = (low, middle) if _less(value, search.secured(states[:middle])).lower > limit else (middle, high)
        if total.lower > PROVEN and high not in found:
            found.append(high)
    return [search.departure(player, value, states[:count], total) for count in found]


def _less(more: Estimate, other: Estimate) -> Bounds:
    """Returns bounds of how much a value is below another one; not below 0, as it cannot be above."""
    lower, upper = more.plus(other.negative()).bounds
    return Bounds(max(0.0, lower), max(0.0, upper))


class _Search:
    """What player 0 can secure if it plays like a policy at some information states."""

    def __init__(self, form: SequenceForm, weights: Floats) -> None:
        self.form, self.plex = form, form.treeplexes[0]
        self.fixed = self.plex.probabilities(weights)
        self._known: dict[tuple[int, ...], tuple[Estimate, Floats]] = {}

    def departure(self, player: int, value: Estimate, states: Ints, total: Bounds) -> Departure:
        """Returns what is lost at the last of some information states, after the others."""
        before, here = states[:-1], int(states[-1])
        rows = self.row(self.fixed, here), self.row(self._solved(before)[1], here)
        costs = (
            _less(self.secured(before), self.secured(states)),
            _less(value, self.secured(states[-1:])),
            _less(value, self.secured(states)),
        )
        return Departure(player, int(self.plex.codes[here]), *rows, *costs, total)

    def row(self, probabilities: Floats, state: int) -> Floats:
        """Returns probabilities by sequence ``[S]`` at an information state ``[actions]``."""
        row = np.zeros(self.form.game.num_actions)
        legal = self.plex.legal[state] >> np.arange(len(row)) & 1 == 1
        row[legal] = probabilities[self.plex.first[state] : self.plex.first[state + 1]]
        return row

    def secured(self, states: Ints) -> Estimate:
        """Returns the most that a strategy secures that plays like the policy at some information states."""
        return self._solved(states)[0]

    def _solved(self, states: Ints) -> tuple[Estimate, Floats]:
        key = tuple(sorted(states.tolist()))
        if key not in self._known:
            kept = np.zeros(len(self.plex.parents), np.bool_)
            kept[states] = True
            played = solve_within(self.form, kept, self.fixed)
            self._known[key] = measure_within(self.form, kept, *played), played[0]
        return self._known[key]
