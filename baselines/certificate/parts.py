"""A proof of the values of some states of a layer, while they are solved.

Play never leads from a layer to itself or a later one. So neither ranks nor claims other than the values are needed.
The *loss* of a strategy at a state is the value less what it guarantees in one step, if the values of the next states
are. By induction over the layers, a strategy guarantees the value less the sum of the largest losses of all layers up
to that of the state. The certificate is twice the sum of the largest loss of each layer, once for each player, and
holds for every state.

The checker computes the matrix game of a state by itself: the next states by the rules of the game, their values from
earlier layers, which are proven. It hands a copy of the matrix to a solver, of which it trusts nothing. What comes back
is a number for each action of each player. If they are no distribution, they guarantee nothing; else the checker
computes from its own matrix what they guarantee against every reply, and takes the middle of both guarantees for the
value. Whatever the solver does, the loss is that of the strategies at hand. Where it is large, the solver is asked
again for its careful method, and if it remains large, the proof fails.

The number of a next state, where the rules number the states, only says where to look for its value: the code there
must be that of the next state, or of its mirror image. A state that is its own mirror image is worth 0.

Rounding: a matrix holds sums ``x`` of reward and value, rounded once. A guarantee is the sum of ``n`` products of
weights and entries, divided by the sum of the weights. With ``u`` as the largest relative error of an operation, the
errors of that are at most ``n u`` in the numerator and ``(n - 1) u`` in the denominator (Higham 2002, section 3.1),
``u`` each for ``x``, the reciprocal, the last product, and the subtraction of the bound itself, all times the largest
``|x|``, as no weight is negative. That, and the products of errors, is less than ``(n + 2) ROUNDING`` times it.
``TINY`` is more than the errors of products below the smallest normal number.

A chance state is a decision of a player with one strategy, with one reply; the probabilities of its outcomes are
divided by their sum.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.certificate.checker import (
    CERTAIN,
    DISTRIBUTION,
    GOOD,
    LATER,
    NO_DISTRIBUTION,
    NOT_FINITE,
    NOT_MIRRORED,
    NOWHERE,
    READABLE,
    READABLE_CODES,
    ROUNDING,
    TINY,
    UNFIT,
    find,
    largest_loss,
    look_ahead,
    readable,
    scale_of,
    without_fault,
)
from nashzoo.baselines.certificate.steps import allowed_masks
from nashzoo.envs.core.game import Floats, Game, Ints
from nashzoo.envs.core.joint_steps import INVALID, JOINT_STEPS, OVER
from nashzoo.envs.core.kernels import ROOM, pieces_of
from nashzoo.envs.jit.compiled import borrowed, compiled
from nashzoo.envs.jit.numba import boolean, float64, int64, types, void
from nashzoo.envs.rules.compiled_game import GAME

LARGE_GAP = 1e-12  # a gap, for payoffs around 1, that is left to the careful method
MARGIN = 4  # the working space of a quick method is the square of so much more than the number of actions

EQUILIBRIUM = types.FunctionType(void(float64[::1], int64, int64, float64[::1], float64[::1], float64[::1], int64[::1]))


class Solver(NamedTuple):
    """Two methods for a matrix game, of which nothing is trusted.

    Attributes:
        quick: A compiled function. Its arguments are the entries ``[m n]``, row by row, ``m``, ``n``, the probabilities
            of both players to fill in, ``[m]`` and ``[n]``, and as working space floats ``[(actions + MARGIN)^2]``, and
            integers ``[2 actions]``. Arrays may be longer.
        careful: Returns the value of a matrix ``[m, n]``, the probabilities of both players, and a gap.
    """

    quick: Any
    careful: Callable[[Floats], tuple[float, Floats, Floats, float]]


class Proven(NamedTuple):
    """The states that play leads to from a layer, whose values are proven."""

    codes: Ints  # [n], by number, or ascending; none if numbers are trusted
    values: Floats  # [n], to player 0
    first: int = 0  # the number of the first, if the rules number the states


class Solved(NamedTuple):
    """Some states of a layer, solved and proven."""

    values: Floats  # [L], to player 0
    loss: float  # the largest, of either player


class _Ahead(NamedTuple):
    """What is seen from some states, one step ahead."""

    middles: Floats  # [L], of what the two strategies guarantee
    gaps: Floats  # [L], between these, relative where payoffs are above 1
    lower: Floats  # [2, L], what each player's strategy guarantees it, rounding included
    mixes: Floats  # [2, L, actions], probabilities of the legal actions; no rows if they are not wanted
    matrices: Floats  # [L, actions^2], row by row, but not of chance states; no rows if they are not wanted


def _nothing_yet(game: Game, length: int, whole: bool) -> _Ahead:
    """Returns results to be filled in, for some states: the whole, or values and guarantees only."""
    rows, actions = length if whole else 0, game.num_actions
    lower, mixes, matrices = np.empty((2, length)), np.zeros((2, rows, actions)), np.zeros((rows, actions * actions))
    return _Ahead(np.empty(length), np.empty(length), lower, mixes, matrices)


_KINDS = float64[::1], float64[::1], float64[:, ::1], float64[:, :, ::1], float64[:, ::1]
AHEAD, PROVEN = types.NamedTuple(_KINDS, _Ahead), types.NamedTuple([READABLE_CODES, READABLE, int64], Proven)


@compiled(
    types.UniTuple(int64, 2)(GAME, JOINT_STEPS, EQUILIBRIUM, PROVEN, boolean, boolean, boolean, int64[::1], AHEAD)
)
def _solve_states(
    game: Any, joint: Any, quick: Any, proven: Proven, numbered: bool, mirrored: bool, asks: bool,
    codes: Ints, ahead: _Ahead,
) -> tuple[int, int]:  # fmt: skip
    """Solves some states, one step ahead, and bounds what the strategies guarantee there.

    Args:
        game: The game.
        joint: Its joint actions, see :func:`nashzoo.envs.core.joint_steps.joint_steps`.
        quick: See :class:`Solver`.
        proven: Earlier layers.
        numbered: Whether the rules number the states; else the codes of earlier layers ascend.
        mirrored: Whether to look from the mirror images too, at which the players have each other's strategies.
        asks: Whether the solver is asked for strategies; else they are given.
        codes: The states ``[L]``.
        ahead: Filled, a row for each state.

    Returns:
        ``GOOD``, or a fault; and the state that has it.

    Raises:
        ChanceError: the outcomes at a state are no distribution.
    """
    known, values, first = borrowed(proven)
    middles, gaps, lower, all_mixes, matrices = borrowed(ahead)
    swap_players, strategic_state = game.swap_players, game.strategic_state
    pieces, params, num_actions = pieces_of(game), borrowed(game.params), game.num_actions
    every_action, room = (1 << num_actions) - 1, max(num_actions * num_actions, ROOM)
    after, places = np.empty(room, np.int64), np.empty(room, np.int64)
    matrix, copy, sums = np.empty(room), np.empty(room), np.empty(room)
    space, basis = np.empty((num_actions + MARGIN) ** 2), np.empty(2 * num_actions, np.int64)
    mixes, guarantees, masks = np.empty((2, room)), np.empty(2), np.empty(2, np.int64)
    may_chance, mask0, mask1 = pieces.has_chance > 0 and not numbered, 0, 0
    mix0, mix1 = mixes[0], mixes[1]
    whole = len(matrices) > 0
    for k in range(len(codes)):
        lower[0, k] = lower[1, k] = np.inf
        for image in range(2 if mirrored else 1):
            code = swap_players(params, codes[k]) if image == 1 else codes[k]
            fault, m, n, by_chance = look_ahead(
                pieces, joint, may_chance, code, every_action, every_action, every_action, every_action,
                borrowed(masks), borrowed(after), borrowed(places), borrowed(matrix), borrowed(mix0),
            )  # fmt: skip
            if fault != GOOD:
                return fault, code
            if image == 1 and not (masks[0] == mask1 and masks[1] == mask0):
                return NOT_MIRRORED, code
            mask0, mask1 = masks[0], masks[1]

            # The matrix: the values of the next states are added.
            largest = 0.0
            for choice in range(m * n):
                if after[choice] == INVALID:
                    return UNFIT, code
                place, sign, next_code = find(
                    swap_players, strategic_state, params, known, len(values), first, numbered,
                    after[choice], places[choice],
                )  # fmt: skip
                if place == NOWHERE:
                    return LATER, next_code
                if place != OVER:
                    matrix[choice] += sign * values[place]
                if not abs(matrix[choice]) < np.inf:
                    return NOT_FINITE, code
                copy[choice] = matrix[choice]
                largest = max(largest, abs(matrix[choice]))

            # The strategies.
            if image == 0 and not by_chance:
                if asks:
                    quick(copy, m, n, mix0, mix1, space, basis)
                else:
                    for player in range(2):
                        for i in range(n if player == 1 else m):
                            mixes[player, i] = all_mixes[player, k, i]

            # What they guarantee. For either player the outcomes of chance are its actions, and there is one reply.
            for player in range(2):
                mixer = 0 if by_chance else player
                count, replies, stride, skip = (m, n, n, 1) if mixer == 0 else (n, m, 1, n)
                total, valid = 0.0, True
                for reply in range(replies):
                    sums[reply] = 0.0
                for i in range(count):
                    weight = mixes[mixer ^ image, i]
                    valid &= weight >= 0.0
                    total += weight
                    if weight > 0.0:
                        for reply in range(replies):
                            sums[reply] += weight * matrix[stride * i + skip * reply]
                guarantees[player] = -np.inf
                if valid and abs(total - 1.0) <= DISTRIBUTION:
                    least, inverse = np.inf, 1.0 / total
                    for reply in range(replies):
                        least = min(least, sums[reply] if player == 0 else -sums[reply])
                    guarantees[player] = least * inverse
                elif not asks:
                    return NO_DISTRIBUTION + player, code
                error = (count + 2) * ROUNDING * largest + TINY
                lower[player ^ image, k] = min(lower[player ^ image, k], guarantees[player] - error)
            if image == 0:
                itself = numbered and swap_players(params, code) == code
                middles[k] = 0.0 if itself else 0.5 * (guarantees[0] - guarantees[1])
                gaps[k] = (-guarantees[1] - guarantees[0]) / max(largest, 1.0)
            if image == 0 and whole and by_chance:
                all_mixes[0, k, 0] = all_mixes[1, k, 0] = 1.0
            elif image == 0 and whole:
                for choice in range(m * n):
                    matrices[k, choice] = matrix[choice]
                for player in range(2):
                    for i in range(n if player == 1 else m):
                        all_mixes[player, k, i] = mixes[player, i]
    return GOOD, 0


def _looked_ahead(
    game: Game, solver: Solver, proven: Proven, numbered: bool, mirrored: bool, codes: Ints, whole: bool
) -> _Ahead:
    """Returns the results of :func:`_solve_states` for some states; the careful method is asked where a gap is large.

    Raises:
        CertificateError: a state has a fault.
    """
    ahead, proven = (
        _nothing_yet(game, len(codes), whole),
        Proven(readable(proven.codes), readable(proven.values), proven.first),
    )
    without_fault(game, _solve_states, solver.quick, proven, numbered, mirrored, True, codes, ahead)
    left = np.flatnonzero(~(ahead.gaps <= LARGE_GAP))
    if len(left) > 0:
        again = _nothing_yet(game, len(left), True)
        arguments = solver.quick, proven, numbered, mirrored
        without_fault(game, _solve_states, *arguments, True, codes[left], again)
        sizes = allowed_masks(game, codes[left], None).sum(axis=2, dtype=np.int64)
        for row, (m, n) in enumerate(sizes.T.tolist()):
            _, mix0, mix1, _ = solver.careful(again.matrices[row, : m * n].reshape(m, n))
            again.mixes[0, row, :m], again.mixes[1, row, :n] = mix0, mix1
        without_fault(game, _solve_states, *arguments, False, codes[left], again)
        better = ~(ahead.gaps[left] <= again.gaps)
        for old, new in zip(ahead[:3], again[:3], strict=True):
            old[..., left[better]] = new[..., better]
        if whole:
            ahead.mixes[:, left[better]] = again.mixes[:, better]
    return ahead


def prove_part(
    game: Game,
    solver: Solver,
    proven: Proven,
    rows: slice,
    allowed: float,
    codes: Ints | None = None,
    stored: Floats | None = None,
) -> Solved:
    """Solves and proves some states of a layer.

    Args:
        game: The game.
        solver: What finds strategies.
        proven: The states of earlier layers.
        rows: The numbers of the states, if the rules number them.
        allowed: The largest loss of a strategy that is no error, points; more where the states are worth more.
        codes: The codes of the states, ascending ``[L]``, if the rules do not number them.
        stored: Their values, if they are there already ``[L]``; then the mirror images of numbered states are looked at
            too, at which all is exchanged. Else that the rules call the game symmetric is their proof.

    Raises:
        CertificateError: the loss of a strategy in one step is larger than allowed, or play leads elsewhere than to an
            earlier layer.
    """
    assert len(proven.codes) == len(proven.values)
    numbered = codes is None
    if codes is None:
        codes = np.empty(rows.stop - rows.start, np.int64)
        fill_codes(game.compiled, rows.start, codes)
    ahead = _looked_ahead(game, solver, proven, numbered, numbered and stored is not None, codes, whole=False)
    values = ahead.middles if stored is None else stored
    allowed = max(allowed, CERTAIN * scale_of(ahead.middles))
    return Solved(values, largest_loss(game, codes, values, ahead.lower, allowed))


@compiled(void(GAME, int64, int64[::1]))
def fill_codes(game: Any, first: int, codes: Ints) -> None:
    """Fills the codes of states ``[L]``, by the number of the first."""
    code_at, params = game.code_at, game.params
    for k in range(len(codes)):
        codes[k] = code_at(params, first + k)


def strategies_at(game: Game, solver: Solver, proven: Proven, numbered: bool, codes: Ints) -> tuple[Floats, Floats]:
    """Returns the strategies at some states for which a certificate holds, ``[L, actions]`` each.

    Only the states of earlier layers in ``proven`` matter; ``numbered`` is whether the rules number the states.
    """
    mixes = _looked_ahead(game, solver, proven, numbered, False, codes, whole=True).mixes
    legal = allowed_masks(game, codes, None) > 0
    policies = np.zeros(mixes.shape)
    policies[legal] = mixes[np.arange(mixes.shape[2]) < legal.sum(axis=2, keepdims=True)]
    return policies[0], policies[1]
