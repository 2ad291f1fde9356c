"""A game with hidden information in which player 0 is fixed at some information states.

A linear program finds the most that any strategy with the fixed probabilities secures. The solver is not trusted: the
value is proven from below by what the strategy secures, from above by a best response to the other player's that must
keep to the fixed probabilities.
"""

import numpy as np

from nashzoo.baselines.certificate.bounds import Estimate
from nashzoo.baselines.information.measures import best_response, estimate_of
from nashzoo.baselines.information.program import SMALL, solve_program
from nashzoo.baselines.information.sequence_form import SequenceForm
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Bools, Floats


def solve_within(form: SequenceForm, kept: Bools, fixed: Floats) -> tuple[Floats, Floats]:
    """Returns both players' probabilities by sequence ``[S]`` if player 0 is fixed.

    Args:
        form: The game.
        kept: The information states at which player 0 is fixed ``[I]``.
        fixed: Its probabilities there, by sequence ``[S]``.

    Raises:
        UsageError: the game is too large.
        ProgramError: the linear program cannot be solved.
    """
    if form.matrix.nnz > SMALL:
        raise UsageError(f"it has {form.matrix.nnz:,} entries in sequence form, more than {SMALL:,}")
    plex, other = form.treeplexes
    _, (mine, theirs) = solve_program(form, kept, fixed)
    own, reply = plex.probabilities(mine), other.probabilities(theirs)
    sequences = np.concatenate([[False], np.repeat(kept, np.diff(plex.first))])
    own[sequences] = fixed[sequences]
    return own, reply


def measure_within(form: SequenceForm, kept: Bools, own: Floats, reply: Floats) -> Estimate:
    """Returns the value to player 0 if it is fixed; its bounds are what both players' strategies secure.

    Args:
        form: The game.
        kept: The information states at which player 0 is fixed ``[I]``.
        own: Its probabilities, there and elsewhere, by sequence ``[S]``.
        reply: Those of player 1 ``[S]``.
    """
    plex, other = form.treeplexes
    won = best_response(form, plex.weights(own), 1)[0].negative()
    gains = form.gains(0, other.weights(reply)).copy()
    for state in range(len(kept) - 1, -1, -1):
        at = slice(plex.first[state], plex.first[state + 1])
        gains[plex.parents[state]] += own[at] @ gains[at] if kept[state] else gains[at].max()
    most = estimate_of(form, float(gains[0]))  # fixed probabilities are rounded too: that counts twice
    return Estimate(won.value, won.lower, max(won.lower, 2 * most.upper - most.value))
