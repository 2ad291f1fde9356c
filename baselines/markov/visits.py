"""Expected numbers of visits of play to the states of a Markov chain."""

from typing import NamedTuple

import numpy as np

from nashzoo.baselines.markov.elimination import OUT, visit_chain
from nashzoo.baselines.markov.likely_play import MOST_CONNECTED
from nashzoo.baselines.markov.transitions import Decisions
from nashzoo.baselines.states.components import components
from nashzoo.envs.core.reachable import TooManyStatesError
from nashzoo.envs.jit.compiled import Floats


class Visits(NamedTuple):
    """How often play takes each transition before it ends, or enters states that it never leaves."""

    flows: Floats  # the expected number of times of each transition [w]; 0 among states that play never leaves
    stays: Floats  # the probability that play first enters states that it never leaves at this one [n]


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
    return Visits(flows, np.where(endless, begin, 0.0) + np.bincount(inside[enters], flows[enters], len(order)))
