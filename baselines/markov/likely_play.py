"""Values of large Markov chains from their start, in rounds of likely transitions, with bounds for the rest.

In a round play goes on until an unlikely transition: the expected number of times of each transition is computed
by elimination without subtraction, so that play that almost never ends is not a problem. The probability of play that
goes on after the round, and where, is the start of the next round. If a round ends too little of it, its most frequent
unlikely transitions count as likely from then on: those with which play leaves the states where it stays longest.
States that are hardly ever reached need not be solved. When what goes on is negligible, its value is bounded by the
smallest and the largest terminal reward. Rounding errors add up over the rounds; so they are repeated with all the
transitions that were needed, and are few then.

Sources: Brazdil et al. (2014), "Verification of Markov decision processes using learning algorithms", for bounds from
a part of the states; Courtois (1977), "Decomposability", for states that play leaves rarely.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import LEAST, PROVEN, SLACK, UNIT, Estimate
from nashzoo.baselines.markov.elimination import OUT, visit_chain
from nashzoo.baselines.markov.transitions import Decisions, explored
from nashzoo.baselines.policies.tabular import Rows
from nashzoo.baselines.states.components import components
from nashzoo.baselines.states.space import StateSpace
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.core.reachable import TooManyStatesError
from nashzoo.envs.jit.compiled import Bools, Floats, Ints

LIKELY = 0.1  # transitions of at least this probability are always included
MOST_CONNECTED = 10_000_000  # connections of a component that is solved by elimination
SLOW = 0.5  # if a round leaves more of the probability of play, transitions are included
FREQUENT = 1e-6  # those with at least this part of the rest
NEGLIGIBLE = 1e-10  # probability of play that is left out
MAX_ROUNDS = 200


def likely_value(chain: Decisions, starts: Ints, chances: Floats) -> Estimate:
    """Returns the value of a chain with terminal rewards alone to player 0 from its start, and its bounds."""
    rows, weights = chain.transition_owners(), chain.plain_weights()
    likely = weights >= LIKELY * np.add.reduceat(weights, chain.offsets[:-1])[rows]
    begin = np.bincount(starts, chances, len(chain.first) - 1).astype(np.float64)
    estimate, stuck = _played(chain, begin, likely, again=False)
    return estimate if estimate.close or stuck else estimate.closer(_played(chain, begin, likely, again=True)[0])


def _played(chain: Decisions, begin: Floats, likely: Bools, again: bool) -> tuple[Estimate, bool]:
    """Returns the value of a chain, and its bounds, and whether a round was too hard, which repetition would not help.

    Play begins at states with probabilities ``[n]``. Slow rounds add to the ``likely`` transitions ``[w]``. Unless they
    are tried ``again``, rounds end when rounding errors are too large, but for slow ones.
    """
    ends, inside = chain.targets == OUT, np.maximum(chain.targets, 0)
    sides = np.maximum(chain.rewards[ends], 0.0), np.maximum(-chain.rewards[ends], 0.0)
    terms = int(np.bincount(chain.targets[~ends], minlength=1).max()) + int(ends.sum()) + MAX_ROUNDS  # of any sum
    flows = np.empty(len(chain.targets))
    inflow, before = begin.copy(), 1.0
    totals, off, error, unknown = [0.0, 0.0], 0.0, 0.0, 0.0
    changed = True
    for _ in range(MAX_ROUNDS):
        check_time()
        if changed:
            targets = np.where(likely, chain.targets, OUT).astype(np.int32)
            order, bounds = components(chain.offsets, targets)
        columns = chain.offsets, targets, chain.weights, chain.exponents
        rounding = visit_chain(order, bounds, *columns, MOST_CONNECTED, inflow, flows) + 2 * terms * UNIT * SLACK
        error += rounding
        stuck = bool(inflow.any()) or rounding > 2 * PROVEN  # components that are too large, or too densely connected
        for kind, pays in enumerate(sides):
            part = float(flows[ends] @ pays)
            totals[kind] += part
            off += part * error
        flows[likely | ends] = 0.0
        inflow += np.bincount(inside, flows, len(inflow))
        few = inflow <= NEGLIGIBLE / 10 / len(inflow)
        unknown += float(inflow[few].sum()) + len(flows) * LEAST
        inflow[few] = 0.0
        left = float(inflow.sum())
        changed = left > SLOW * before
        if stuck or left <= NEGLIGIBLE or not (changed or again or error <= PROVEN):
            break
        before = left
        if changed:
            likely |= flows >= FREQUENT * left
    value, beyond = totals[0] - totals[1], (unknown + float(inflow.sum())) * (1 + error) * SLACK
    least, most = float(min(chain.rewards.min(), 0.0)), float(max(chain.rewards.max(), 0.0))
    lower, upper = value - off * SLACK + beyond * least, value + off * SLACK + beyond * most
    return Estimate(value, lower, upper).within(least, most), stuck


class Visits(NamedTuple):
    """How often play takes each transition before it ends, or enters states that it never leaves."""

    flows: Floats  # the expected number of times of each transition [w]; 0 among states that play never leaves
    stays: Floats  # the probability that play first enters states that it never leaves at this one [n]
    reach: Floats  # the expected number of visits of each state; to states that play never leaves, of the first [n]


def expected_visits(chain: Decisions, begin: Floats) -> Visits:
    """Returns how often play takes each transition of a chain that begins at states with probabilities ``[n]``.

    Raises:
        TooManyStatesError: play returns to too many states.
    """
    rows, inside = chain.transition_owners(), np.maximum(chain.targets, 0)
    order, bounds = components(chain.offsets, chain.targets)
    label = np.empty(len(order), np.int64)
    label[order] = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    leaves = (chain.targets == OUT) | (label[rows] != label[inside])
    endless = np.bincount(label[rows[leaves]], minlength=len(bounds) - 1)[label] == 0
    enters = (chain.targets != OUT) & endless[inside]
    targets = np.where(enters, OUT, chain.targets).astype(np.int32)
    inflow, flows = np.where(endless, 0.0, begin), np.empty(len(targets))
    visit_chain(order, bounds, chain.offsets, targets, chain.weights, chain.exponents, MOST_CONNECTED, inflow, flows)
    if inflow.any():
        raise TooManyStatesError("play returns to too many states for their visits to be counted")
    stays: Floats = np.where(endless, begin, 0.0) + np.bincount(inside[enters], flows[enters], len(order))
    return Visits(flows, stays, np.bincount(rows, flows, len(order)) + stays)


def played_from_start(
    states: StateSpace, policies: tuple[Rows, Rows], games: float = 1.0
) -> tuple[Ints, Decisions, Floats]:
    """Returns the states that play of two policies reaches ``[n]``, its chain, and the games that begin at each."""
    starts = states.ids(states.game.start_codes)
    ids, chain = explored(states, policies, starts)
    place = np.zeros(len(states), np.int64)
    place[ids] = np.arange(len(ids))
    begin = np.bincount(place[starts], games * states.game.start_probabilities, len(ids))
    return ids, chain, begin.astype(np.float64)
