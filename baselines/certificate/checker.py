"""A proof of solutions that is independent of the solver.

A solver only provides claims: the value that each player's stored strategy guarantees at every state, and ranks. The
checker computes the successors of each state from the rules of the game, and checks one step. Let player 0 play the
stored strategy, let ``v`` be its claimed guarantee (0 at terminal states), and let the *slack* of a reply at a state be
``E[reward + v(next state)] - v(state)``. The claims hold if at every state and for every legal reply

1. the slack is not negative: ``v`` is a subsolution; and
2. the slack is positive, or the rank rises to no successor, and falls by at least 1 to each where ``v > 0``.

Proof. Up to step ``n`` the expected return of player 0 is ``v(start) - E[v(state n)] + E[all slack so far]``, against
all replies. By 2 there is a constant ``M`` such that the rank never rises in expectation by more than ``M`` times the
slack, and falls by 1 where ``v > 0``. So the expected number of visits of states with ``v > 0`` is at most
``rank + M E[all slack]``. Either this is finite, and then the limit of ``E[v(state n)]`` is not above 0, or the slack,
and with it the return of player 0, is unbounded. Play without end has no terminal reward.

Without 2 a player could claim a win that is postponed for ever. In turn-based games the rank is the distance to the end
along the claimed win; for a strategy that draws, ``v`` is claimed a little lower and all slack is positive. The same
with opposite signs bounds what player 1's strategy concedes. States in layers without recurring states need neither:
there the one-step losses along the way are summed.

All sums are bounded from below, rounding included: an expected value is the least value plus an average of
non-negative excesses, so that the average has a small relative error (Higham 2002, section 3.1). Expectations over
one outcome, or over outcomes of one value, are exact.

A chance state is a decision of a player with one strategy, with one reply; so all of this applies to it. The
probabilities of its outcomes are divided by their sum.

Sources: Puterman (1994), chapter 7, on total rewards; Filar and Vrieze (1997), chapter 4, and Condon (1992) on
stochastic games; Doob's optional stopping.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from nashzoo.envs.core.game import CHANCE, Bools, Floats, Game, Ints, Mask
from nashzoo.envs.core.kernels import (
    LOSE,
    ROOM,
    ChanceError,
    legal_all,
    outcomes_all,
    play_all,
    strategic_state_all,
    turn_all,
)

PART = 16_384  # states that are checked at once
OVER = -1  # the code of every terminal state
UNDECIDED = -1  # the distance of a state of value 0
AGREED = 1e-12  # tolerance of values around 1 outside of the proven interval, or its width if that is larger
SAME = 1e-12  # values that differ by less are the same for the distances
DISTRIBUTION = 1e-9  # tolerance of the sum of probabilities; guarantees are those of the normalised probabilities
CERTAIN = 1e-9  # a larger certificate, for values around 1, needs a game without optimal strategies
CONSISTENT = 1e-3  # tolerance of a value against its backup then, as iteration is limited if play lasts very long
ROUNDING = 2.0**-52  # relative, of two operations
TINY = 1e-290  # below, products lose their relative precision

Progress = Callable[[str, int, int], None]  # part of the work, states done of it, states in it


class CertificateError(ArithmeticError):
    """A solution is wrong, or the proof of it fails."""


class Witness(NamedTuple):
    """A solver's claims about the strategies at ``n`` states, which the checker proves."""

    secured: Floats  # [n], what player 0's strategy guarantees at least, to player 0
    conceded: Floats  # [n], what player 1's strategy concedes at most, to player 0
    ranks: tuple[Ints, Ints]  # [n] each, 0 or more, of player 0's strategy and of player 1's


class Claims(NamedTuple):
    """A solution of listed states, and the claims of its solver.

    Attributes:
        codes: The states' codes, ascending ``[n]``.
        values: Their values to player 0 ``[n]``.
        policies: Probabilities of player 0 and of player 1, ``[n, actions]`` each.
        witness: The guarantees of the policies.
        distances: The moves to the end of play ``[n]`` in a turn-based game, else None.
        allowed: Bit masks of the allowed actions of player 0 and player 1 ``[n]``, if not all legal ones are allowed.
    """

    codes: Ints
    values: Floats
    policies: tuple[Floats, Floats]
    witness: Witness
    distances: Ints | None
    allowed: tuple[Ints, Ints] | None = None


class Steps(NamedTuple):
    """The successors of ``B`` states at which player 0 has ``m`` legal actions and player 1 has ``n``.

    The states are the last axis: the others are short, and NumPy is slow if the last axis is short.
    """

    rows: Ints  # [B], indices among the given states
    actions: tuple[Ints, Ints]  # [m, B] and [n, B]
    after: Ints  # [m, n, B], codes, OVER for terminal states
    rewards: Floats  # [m, n, B], to player 0
    chances: Floats | None = None  # [m, B], at chance states: then ``m`` is the number of outcomes


def _masks(game: Game, codes: Ints, allowed: tuple[Ints, Ints] | None) -> Mask:
    """Returns the allowed actions of player 0 and player 1 ``[2, B, actions]``: action 0 at chance states."""
    masks = np.empty((2, len(codes), game.num_actions), np.int8)
    chance = _by_chance(game, codes)
    if chance.any():  # for which the rules define no actions
        masks[:] = np.eye(1, game.num_actions, dtype=np.int8)
        left = None if allowed is None else (allowed[0][~chance], allowed[1][~chance])
        masks[:, ~chance] = _masks(game, codes[~chance], left)
        return masks
    for player in range(2):
        legal_all(game.compiled, codes, np.full(len(codes), player), masks[player])
        if allowed is not None:
            masks[player] &= (allowed[player][:, None] >> np.arange(game.num_actions) & 1).astype(np.int8)
    return masks


def _by_chance(game: Game, codes: Ints) -> Bools:
    """Returns whether states ``[B]`` are chance states."""
    turns = np.empty(len(codes), np.int64)
    turn_all(game.compiled, codes, turns)
    chance: Bools = turns == CHANCE
    return chance


def steps(game: Game, codes: Ints, allowed: tuple[Ints, Ints] | None = None) -> Iterator[Steps]:
    """Yields the successors of states ``[B]``, grouped by numbers of actions.

    Raises:
        CertificateError: a player has no legal action, or a reward is not finite.
    """
    masks = _masks(game, codes, allowed)
    counts = masks.sum(axis=2, dtype=np.int64)
    shapes = counts[0] * (game.num_actions + 1) + counts[1]
    chance = np.flatnonzero(_by_chance(game, codes))
    if len(chance) > 0:
        yield from _by_outcomes(game, codes, chance)
        shapes[chance] = 0  # which no other state has
    for shape in np.flatnonzero(np.bincount(shapes)).tolist():
        if shape == 0 and len(chance) > 0:
            continue
        rows = np.flatnonzero(shapes == shape)
        m, n = divmod(shape, game.num_actions + 1)
        own, other = (
            np.ascontiguousarray(np.nonzero(masks[player, rows])[1].reshape(len(rows), count).T)
            for player, count in enumerate((m, n))
        )
        grid = np.empty((3, m, n, len(rows)), np.int64)
        grid[0], grid[1], grid[2] = codes[rows], own[:, None], other
        after, rewards = grid[0].reshape(-1), np.empty(grid[0].size)
        over, illegal = np.empty(len(after), np.bool_), np.empty(len(after), np.int64)
        play_all(game.compiled, after, grid[1].reshape(-1), grid[2].reshape(-1), LOSE, rewards, over, illegal)
        faulty = rows if m * n == 0 else rows[np.flatnonzero(~np.isfinite(rewards)) % len(rows)]
        _object(game, codes[faulty], "there is no legal action, or a reward that is not finite")
        after[over] = OVER
        yield Steps(rows, (own, other), grid[0], rewards.reshape(m, n, -1))


def _by_outcomes(game: Game, codes: Ints, rows: Ints) -> Iterator[Steps]:
    """Yields the outcomes of the chance states among some states, grouped by numbers of outcomes.

    Raises:
        CertificateError: the outcomes are no distribution, or a reward is not finite.
    """
    if not game.has_chance:
        _object(game, codes[rows], "it is the turn of chance in a game without")
    outcomes, counts = np.empty((len(rows), ROOM), np.int64), np.empty(len(rows), np.int64)
    probabilities, rewards = np.empty((2, len(rows), ROOM))
    try:
        outcomes_all(game.compiled, codes[rows], outcomes, probabilities, rewards, counts)
    except ChanceError as error:
        raise CertificateError(str(game.chance_error(error))) from None
    _object(game, codes[rows[~np.isfinite(rewards).all(axis=1)]], "there is a reward that is not finite")
    for count in np.unique(counts).tolist():
        here = np.flatnonzero(counts == count)
        paid, chances = (columns[here, :count].T.copy() for columns in (rewards, probabilities))
        after, nobody = outcomes[here, :count].T.copy(), np.zeros((1, len(here)), np.int64)
        yield Steps(rows[here], (nobody, nobody), after[:, None], paid[:, None], chances)


def guaranteed(weights: Floats, rewards: Floats, values: Floats) -> Floats:
    """Returns lower bounds ``[n, B]`` of the value of a mixed action against each reply, rounding included.

    Args:
        weights: In proportion to the probabilities of the actions ``[m, B]``, not negative.
        rewards: Of the next step ``[m, n, B]``.
        values: Of the next states ``[m, n, B]``.
    """
    values_after = rewards + values
    if not ((rewards == 0) | (values == 0)).all():
        exact = (values_after - rewards == values) & (values_after - values == rewards)
        values_after = np.where(exact, values_after, np.nextafter(values_after, -np.inf))
    if len(weights) == 1:
        return values_after[0]  # type: ignore[no-any-return]
    drawn = (weights > 0)[:, None]
    least = np.where(drawn, values_after, np.inf).min(axis=0)
    average = (weights[:, None] * np.where(drawn, values_after - least, 0.0)).sum(axis=0) / weights.sum(axis=0)
    average = np.where(average > TINY, average * (1 - (len(weights) + 2) * ROUNDING), 0.0)
    lower: Floats = np.where(average > 0, np.nextafter(least + average, -np.inf), least)
    return lower


class Side(NamedTuple):
    """``B`` states for one player, who mixes ``m`` actions, while the other replies with one of ``n``."""

    player: int
    weights: Floats  # [m, B], of the player's strategy
    rewards: Floats  # [m, n, B], to the player
    after: Any  # [m, n, B], data of the successors


def _sides(step: Steps, after: Any, strategies: tuple[Floats, Floats]) -> Iterator[Side]:
    """Yields both players' sides of states at which they play by strategies ``[B, actions]``."""
    rows = np.arange(len(step.rows))
    if step.chances is not None:
        yield Side(0, step.chances, step.rewards, after)
        yield Side(1, step.chances, -step.rewards, after)
        return
    yield Side(0, strategies[0][rows, step.actions[0]], step.rewards, after)
    yield Side(1, strategies[1][rows, step.actions[1]], -step.rewards.swapaxes(0, 1), after.swapaxes(0, 1))


def certify(game: Game, claims: Claims, progress: Progress | None = None) -> float:
    """Proves a solution of listed states; returns its certificate.

    It is the largest proven difference, at any state, between what player 0's policy guarantees and what player 1's
    concedes, the values included. If it is larger than rounding explains, values must still equal their backups:
    then the game has no optimal strategies, or none was found.

    Raises:
        CertificateError: the proof of a claim fails; the message names a state.
    """
    codes, values, policies, witness, *_ = claims
    _check_numbers(game, claims)
    claimed = np.append(witness.secured, 0.0), np.append(-witness.conceded, 0.0)  # to the player of the strategy
    ranks = np.append(witness.ranks[0], 0), np.append(witness.ranks[1], 0)
    for here, step in _listed(game, claims, progress):
        after = _places(game, codes, step)
        if claims.distances is not None:
            _check_distances(game, claims, claims.distances, here, after, step)
        for player, weights, rewards, following in _sides(step, after, (policies[0][here], policies[1][here])):
            own = claimed[player][here]
            lower = guaranteed(weights, rewards, claimed[player][following])
            short = (lower < own).any(axis=0)
            _object(game, codes[here[short]], f"player {player}'s strategy does not secure what is claimed")
            highest = np.where((weights > 0)[:, None], ranks[player][following], 0).max(axis=0)
            lasting = (lower <= own) & (highest + (own > 0) > ranks[player][here])
            _object(game, codes[here[lasting.any(axis=0)]], f"player {player}'s strategy need not end play")
    certificate = _difference(np.maximum(witness.conceded, values), np.minimum(witness.secured, values))
    if certificate > CERTAIN * _scale(values):
        for here, step in _listed(game, claims, None):
            values_after = np.append(values, 0.0)[_places(game, codes, step)]
            strategies = policies[0][here], policies[1][here]
            _check_backups(game, codes[here], values[here], strategies, step, values_after, CONSISTENT * _scale(values))
    return certificate


def _listed(game: Game, claims: Claims, progress: Progress | None) -> Iterator[tuple[Ints, Steps]]:
    """Yields numbers of states ``[B]`` and their successors, in parts, for all states."""
    codes = claims.codes
    for first in range(0, len(codes), PART):
        part = slice(first, first + PART)
        allowed = None if claims.allowed is None else (claims.allowed[0][part], claims.allowed[1][part])
        for step in steps(game, codes[part], allowed):
            yield first + step.rows, step
        if progress is not None:
            progress("states", min(first + PART, len(codes)), len(codes))


def _check_numbers(game: Game, claims: Claims) -> None:
    """Raises an error for codes out of order, invalid policies, values outside of the claims, and negative ranks."""
    codes, values, policies, witness, _, allowed_actions = claims
    if not (np.diff(codes) > 0).all():
        raise CertificateError(f"{game.name}: the states are not listed in order")
    masks = _masks(game, codes, allowed_actions)
    for player in range(2):
        _check_distributions(game, codes, policies[player], masks[player], player)
        _object(game, codes[witness.ranks[player] < 0], f"player {player}'s rank is negative")
    _object(game, codes[~np.isfinite(values)], "the value is not finite")
    finite = np.isfinite(witness.secured) & np.isfinite(witness.conceded)
    _object(game, codes[~finite], "it is not shown what the strategies secure, play may last too long")
    allowed = max(AGREED * _scale(values), _difference(witness.conceded, witness.secured))
    within = (witness.secured - allowed <= values) & (values <= witness.conceded + allowed)
    _object(game, codes[~within], "the value is not between what the two strategies secure")


def _check_distributions(game: Game, codes: Ints, policy: Floats, mask: Mask, player: int) -> None:
    good = ((policy >= 0) & ((policy == 0) | (mask > 0))).all(axis=1)
    good &= np.abs(policy.sum(axis=1) - 1) <= DISTRIBUTION
    _object(game, codes[~good], f"player {player}'s strategy is no distribution over the legal actions")


def _places(game: Game, codes: Ints, step: Steps) -> Ints:
    """Returns the indices of the successors in the list of states, its length for terminal ones ``[m, n, B]``."""
    after = step.after.reshape(-1)
    listed = np.append(codes, OVER)
    places: Ints = np.searchsorted(codes, after)
    missing = np.flatnonzero((listed[places] != after) & (after != OVER))
    others = after[missing]
    strategic_state_all(game.compiled, others)  # its representative is listed
    places[missing] = np.searchsorted(codes, others)
    _object(game, others[listed[places[missing]] != others], "play leads here, but it is not part of the solution")
    places[after == OVER] = len(codes)
    return places.reshape(step.after.shape)


def _check_distances(game: Game, claims: Claims, distances: Ints, here: Ints, after: Ints, step: Steps) -> None:
    """Raises an error for a distance that is not one more than that of the optimal successor."""
    codes, (m, n) = claims.codes[here], step.rewards.shape[:2]
    _object(game, codes if m > 1 and n > 1 else codes[:0], "there is a distance where the players move at once")
    values = np.append(claims.values, 0.0)
    value, distance, drawn = values[here], distances[here], np.abs(values[here]) <= SAME
    left = np.where(np.abs(values[after]) <= SAME, 0, np.append(distances, 0)[after]).reshape(m * n, -1)
    keeps = np.abs((step.rewards + values[after]).reshape(m * n, -1) - value) <= SAME
    soonest = np.where(keeps, left, np.iinfo(np.int64).max).min(axis=0)
    latest = np.where(keeps, left, UNDECIDED).max(axis=0)
    right = np.where(np.where(value > 0, m > 1, n > 1), soonest, latest) == distance - 1
    unfit = np.where(drawn, distance != UNDECIDED, ~right)
    _object(game, codes[unfit], "the distance to the end is not one more than that of what follows")
    mover = 1 if n > 1 else 0
    played = claims.policies[mover][here, step.actions[mover]] > 0
    strays = ((left != distance - 1) & played).any(axis=0) & ~drawn
    _object(game, codes[strays], f"player {mover}'s strategy does not keep the distance to the end")


def _check_backups(
    game: Game,
    codes: Ints,
    values: Floats,
    strategies: tuple[Floats, Floats],
    step: Steps,
    values_after: Floats,
    allowed: float,
) -> float:
    """Raises an error if a strategy guarantees less than the value in one step, by more than allowed.

    Returns the largest loss.

    Args:
        game: The game.
        codes: The states ``[B]``.
        values: Their values to player 0 ``[B]``.
        strategies: Their strategies of player 0 and of player 1, ``[B, actions]`` each.
        step: Their successors.
        values_after: The values of the next states, to player 0 ``[m, n, B]``.
        allowed: Points.
    """
    most = 0.0
    for player, weights, rewards, after in _sides(step, values_after, strategies):
        sign = 1.0 if player == 0 else -1.0
        lower = guaranteed(weights, rewards, sign * after).min(axis=0)
        short = ~(lower >= sign * values - allowed)
        _object(game, codes[short], f"player {player}'s strategy secures less than the value in one step")
        most = max(most, _difference(sign * values, lower))
    return most


def shortfall(
    game: Game, codes: Ints, values: Floats, strategies: tuple[Floats, Floats], values_of: Callable[[Ints], Floats]
) -> float:
    """Returns the largest one-step loss of a player's strategy against the value, over some states.

    Args:
        game: The game.
        codes: The states ``[B]``.
        values: Their values to player 0 ``[B]``.
        strategies: Their strategies of player 0 and of player 1, ``[B, actions]`` each.
        values_of: Returns the values of successors, from codes ``[m, n, B]``, 0 for ``OVER``.

    Raises:
        CertificateError: a strategy is no distribution over the legal actions, or its loss is larger than rounding.
    """
    worst, masks = 0.0, _masks(game, codes, None)
    for player in range(2):
        _check_distributions(game, codes, strategies[player], masks[player], player)
    for step in steps(game, codes):
        rows, values_after = step.rows, values_of(step.after)
        here = strategies[0][rows], strategies[1][rows]
        allowed = CERTAIN * _scale(values_after)
        worst = max(worst, _check_backups(game, codes[rows], values[rows], here, step, values_after, allowed))
    return worst


def _scale(values: Floats) -> float:
    return max(1.0, float(np.abs(values).max(initial=0.0)))


def _difference(upper: Floats, lower: Floats) -> float:
    """Returns the largest difference ``[B]``, or 0; rounded up if it is inexact."""
    difference = upper - lower
    exact = (lower + difference == upper) & (upper - difference == lower)
    return max(0.0, float(np.where(exact, difference, np.nextafter(difference, np.inf)).max()))


def _object(game: Game, codes: Ints, objection: str) -> None:
    """Raises an error that names the first of some states, if there is one."""
    if len(codes) > 0:
        raise CertificateError(f"{game.name}: {objection}, at {game.spell(int(codes[0]))}")
