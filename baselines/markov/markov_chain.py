"""Values of absorbing Markov chains, with bounds that include all rounding.

Components of the chain are solved one after the other, the last ones first: by elimination without
subtraction, see :mod:`nashzoo.baselines.markov.elimination`; the few that are too large for it by iteration, with
values of twice the precision. For these, a residual of at most ``r`` in the equations means an error of at most
``r`` times the expected number of steps of play; a bound of it is computed likewise, and checked.

Play that never leaves the states has no further rewards.
"""

from typing import NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import UNIT
from nashzoo.baselines.markov.elimination import solve_chain
from nashzoo.baselines.markov.iteration import MAX_ITERATIONS, iterated_values
from nashzoo.baselines.markov.ordering import MOST_STATES
from nashzoo.baselines.markov.transitions import Decisions
from nashzoo.baselines.states.components import components
from nashzoo.envs.base.deadlines import check_time
from nashzoo.envs.jit.compiled import Floats

FEW_ITERATIONS = 30  # for a component that can also be solved by elimination
LARGE = 400  # states of a component for which iteration is tried first
MOST_CONNECTED = 2_000_000  # connections of a component that is solved by elimination
CLOSE = 1e-10  # tolerance of iteration, relative to the largest reward


class Values(NamedTuple):
    """The values of states to player 0 ``[n]``, and bounds of their errors ``[n]``."""

    values: Floats
    errors: Floats


def chain_values(chain: Decisions, close: float = CLOSE) -> Values:
    """Returns the values of states with one decision each to player 0.

    States from which play cannot leave have the value 0; if rewards recur among them, the error is infinite.

    Args:
        chain: One decision at each state.
        close: The error of iteration, relative to the largest reward, above which elimination takes over.
    """
    check_time()
    count = len(chain.offsets) - 1
    order, bounds = components(chain.offsets, chain.targets)
    columns = chain.offsets, chain.targets, chain.weights, chain.exponents
    earned = np.stack([np.maximum(chain.rewards, 0.0), np.maximum(-chain.rewards, 0.0)], axis=1)
    sums, relative = np.zeros((count, 2)), np.zeros(count)
    absolute, begin = 0.0, 0
    for large in np.flatnonzero(np.diff(bounds) > LARGE).tolist():
        check_time()
        solve_chain(order, bounds[begin : large + 1], *columns, earned, MOST_CONNECTED, sums, relative)
        begin = large + 1
        members = np.sort(order[bounds[large] : bounds[begin]])
        beyond = float((relative * sums.sum(axis=1)).max())  # of the successors of the members, among others
        either = len(members) <= MOST_STATES
        component = iterated_values(
            chain, members, sums[:, 0] - sums[:, 1], FEW_ITERATIONS if either else MAX_ITERATIONS, close / 10
        )
        known = component.error <= close * component.largest or not either
        if not known and solve_chain(
            order, bounds[large : begin + 1], *columns, earned, MOST_CONNECTED, sums, relative
        ):
            continue
        sums[members] = np.stack([np.maximum(component.values, 0.0), np.maximum(-component.values, 0.0)], axis=1)
        absolute += beyond + component.error
    solve_chain(order, bounds[begin:], *columns, earned, MOST_CONNECTED, sums, relative)
    with np.errstate(invalid="ignore"):  # infinite rewards on both sides
        values = sums[:, 0] - sums[:, 1]
        errors = (relative + 2 * UNIT) * sums.sum(axis=1) + absolute
    unknown = ~np.isfinite(values)
    values[unknown], errors[unknown] = 0.0, np.inf
    return Values(values, errors)
