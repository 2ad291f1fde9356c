"""The linear program of a game in sequence form: a strategy that secures as much as possible.

Player 0's weights ``x`` maximize what a best response of player 1 leaves. By duality of linear programming that
response is a number ``v`` for each of player 1's information states and for the start, the most that player 1 can
still gain from there.

Source: Koller, Megiddo and von Stengel (1994), "Fast Algorithms for Finding Randomized Strategies in Game Trees".
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from nashzoo.baselines.information.sequence_form import SequenceForm
from nashzoo.baselines.information.treeplex import Treeplex
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.jit.compiled import Bools, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array


SMALL = 200_000  # entries of the matrix, up to which the linear program is solved


class ProgramError(UsageError, RuntimeError):
    """HiGHS does not solve a linear program."""


def constraints(plex: Treeplex) -> "csr_array":
    """Returns the matrix ``[1 + I, S]`` that is ``(1, 0, ...)`` times sequence weights: children share the parent's."""
    from scipy.sparse import coo_array

    count = len(plex.parents)
    own = np.repeat(np.arange(1, count + 1), np.diff(plex.first))
    rows = np.concatenate([[0], own, np.arange(1, count + 1)])
    columns = np.concatenate([[0], np.arange(1, plex.num_sequences), plex.parents])
    ones = np.concatenate([np.ones(plex.num_sequences), -np.ones(count)])
    return coo_array((ones, (rows, columns)), shape=(1 + count, plex.num_sequences)).tocsr()


def kept_shares(plex: Treeplex, kept: Bools, probabilities: Floats) -> "csr_array":
    """Returns the matrix ``[k, S]`` that is 0 times sequence weights with given probabilities at some states.

    ``probabilities`` are by sequence ``[S]``, ``kept`` marks the states ``[I]``.
    """
    from scipy.sparse import coo_array

    counts = np.diff(plex.first)
    columns = np.flatnonzero(np.concatenate([[False], np.repeat(kept, counts)]))
    rows, parents = np.arange(len(columns)), np.repeat(plex.parents[kept], counts[kept])
    entries = np.concatenate([np.ones(len(columns)), -probabilities[columns]])
    places = np.concatenate([rows, rows]), np.concatenate([columns, parents])
    return coo_array((entries, places), shape=(len(columns), plex.num_sequences)).tocsr()


def _parts(form: SequenceForm) -> tuple[float, Any, "csr_array", Any]:
    """Returns the unit of rewards in a program, the bounds of what player 1's sequences gain, and both's constraints.

    The bounds are ``other' v - matrix' x <= 0``, with player 0's weights and a number for each state of player 1.
    """
    from scipy import sparse  # whose import takes long

    # The tolerances of HiGHS are absolute, so rewards are divided by a power of two near the largest.
    unit = 2.0 ** (math.frexp(float(np.abs(form.matrix.data).max(initial=1e-300)))[1] - 1)
    own, other = (constraints(plex) for plex in form.treeplexes)
    return unit, sparse.hstack([-form.transposed / unit, other.T], format="csr"), own, other


def solve_program(
    form: SequenceForm,
    kept: Bools | None = None,
    probabilities: Floats | None = None,
    most: Floats | None = None,
) -> tuple[float, tuple[Floats, Floats]]:
    """Returns the value to player 0, and both players' sequence weights, as HiGHS finds them.

    Args:
        form: The game in sequence form.
        kept: Information states of player 0 at which its probabilities are given ``[I]``; none when left out.
        probabilities: These probabilities, by sequence ``[S]``.
        most: The largest weights of player 0's sequences ``[S]``; no bound when left out.

    Raises:
        ProgramError: HiGHS fails.
    """
    from scipy import optimize, sparse

    # max v0 such that x is in its treeplex and other' v <= matrix' x; the duals are player 1's weights.
    unit, below, own, other = _parts(form)
    sequences, states = own.shape[1], other.shape[0]
    if kept is not None and probabilities is not None:
        own = sparse.vstack([own, kept_shares(form.treeplexes[0], kept, probabilities)], format="csr")
    equal: Any = sparse.hstack([own, sparse.csr_array((own.shape[0], states))], format="csr")
    upper = [None] * sequences if most is None else most.tolist()
    result: Any = optimize.linprog(
        -unit_vector(sequences, sequences + states), A_ub=below, b_ub=np.zeros(below.shape[0]), A_eq=equal,
        b_eq=unit_vector(0, own.shape[0]), bounds=[(0, one) for one in upper] + [(None, None)] * states, method="highs",
    )  # fmt: skip
    if result.status != 0:
        raise ProgramError(f"the linear program of {form.game.name} could not be solved: {result.message}")
    return -float(result.fun) * unit, (result.x[:sequences], -result.ineqlin.marginals)


def unit_vector(place: int, length: int) -> Floats:
    """Returns 1 at a place, and 0 elsewhere."""
    unit: Floats = np.eye(1, length, place)[0]
    return unit


def fewest_actions(form: SequenceForm, value: float, seconds: float = 60.0) -> tuple[Floats, int, int]:
    """Returns a strategy of player 0 that secures the value and is least mixed, as HiGHS finds it in so many seconds.

    Returns:
        Its sequence weights; the number of actions that it takes in addition to one at each information state to which
        it leads; and a number that no such strategy is below, as HiGHS says.

    Raises:
        ProgramError: HiGHS finds none.
    """
    from scipy import optimize, sparse

    # Variables are x, v, and for each sequence whether it is played.
    unit, below, own, other = _parts(form)
    sequences, rest, each = own.shape[1], other.shape[0], sparse.eye_array(own.shape[1])
    first, goes_on = (sparse.hstack([one, sparse.csr_array((one.shape[0], rest))]) for one in (own, each))
    rows: Any = [[below, None], [first, None], [goes_on, -each], [None, -own[1:]]]  # where it leads it acts
    least, most = np.full(2 * sequences + rest, -np.inf), np.full(2 * sequences + rest, np.inf)
    least[:sequences] = least[-sequences:] = 0.0
    least[sequences], most[-sequences:] = value / unit, 1.0
    sums = unit_vector(below.shape[0], below.shape[0] + 2 * own.shape[0] - 1 + sequences)
    exact = slice(below.shape[0], below.shape[0] + own.shape[0])
    lower = np.full(len(sums), -np.inf)
    lower[exact] = sums[exact]
    result: Any = optimize.milp(
        np.concatenate([np.zeros(sequences + rest), own[1:].sum(axis=0)]),
        integrality=np.repeat([0.0, 1.0], [sequences + rest, sequences]), bounds=optimize.Bounds(least, most),
        constraints=optimize.LinearConstraint(sparse.block_array(rows), lower, sums), options={"time_limit": seconds},
    )  # fmt: skip
    if result.x is None:
        raise ProgramError(
            f"no strategy of {form.game.name} that mixes least was found in {seconds:g} s: the game is too large for it"
        )
    _, (weights, _) = solve_program(form, most=np.round(result.x[-sequences:]))
    return weights, round(result.fun), math.ceil(result.mip_dual_bound - 1e-6)
