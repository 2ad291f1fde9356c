"""Values of large Markov chains from their start, computed from likely transitions, with bounds for the others.

Unlikely transitions are left out: their value is only bounded by the smallest and the largest terminal reward. The
expected number of times of each transition is computed without subtraction, and the most frequent transitions of those
left out are included again, until the rest is negligible. So states that are hardly ever reached need not be
solved, and play that almost never ends is not a problem. Source:
Brazdil et al. (2014), "Verification of Markov decision processes using learning algorithms", for bounds from a part
of the states.
"""

import numpy as np

from nashzoo.baselines.certificate.bounds import SLACK, UNIT, Estimate
from nashzoo.baselines.markov.elimination import OUT, visit_chain
from nashzoo.baselines.markov.transitions import Decisions
from nashzoo.baselines.states.components import components
from nashzoo.envs.jit.compiled import Floats, Ints

LIKELY = 1e-3  # transitions of at least this probability are always included
MOST_CONNECTED = 1_000_000  # connections of a component that is solved by elimination
MOST_STATES = 8_192  # of such a component
PUT_BACK = 1e-14  # expected number of times from which a transition is included again
OFTEN = 1e6  # expected visits from which all transitions of a state are included
NEGLIGIBLE = 1e-11  # tolerance of the part that is left out
MAX_ROUNDS = 100


def likely_value(chain: Decisions, starts: Ints, chances: Floats) -> Estimate | None:
    """Returns the value of a chain to player 0 from its start, and its bounds.

    Args:
        chain: One decision at each state; all rewards are terminal.
        starts: The start states.
        chances: Their probabilities.

    Returns:
        None if a component of likely states is too large.
    """
    rows, weights = chain.transition_owners(), chain.plain_weights()
    ends = chain.targets == OUT
    kept = weights >= LIKELY * np.add.reduceat(weights, chain.offsets[:-1])[rows]
    least, most = float(min(chain.rewards.min(), 0.0)), float(max(chain.rewards.max(), 0.0))
    flows = np.empty(len(weights))
    found = None
    for _ in range(MAX_ROUNDS):
        targets = np.where(kept, chain.targets, OUT).astype(np.int32)
        order, bounds = components(chain.offsets, targets)
        if np.diff(bounds).max() > MOST_STATES:
            break
        inflow = np.bincount(starts, chances, len(chain.first) - 1).astype(np.float64)
        columns = chain.offsets, targets, chain.weights, chain.exponents
        error = visit_chain(order, bounds, *columns, MOST_CONNECTED, inflow, flows)
        open_flows = np.where(kept | ends, 0.0, flows)
        unknown = float(open_flows.sum() + inflow.sum())
        wins, losses = (float(flows[ends] @ np.maximum(side * chain.rewards[ends], 0.0)) for side in (1, -1))
        error += 2 * len(flows) * UNIT * SLACK
        off, beyond = error * (wins + losses), unknown * (1 + error)
        found = Estimate(wins - losses, wins - losses - off + beyond * least, wins - losses + off + beyond * most)
        if unknown <= NEGLIGIBLE or inflow.any():
            break
        visits = np.add.reduceat(flows, chain.offsets[:-1])[rows]
        kept |= (open_flows >= min(PUT_BACK, 1e-10 * unknown)) | (visits >= OFTEN)
    return found
