"""A check of solutions that trusts no solver.

It needs from a solver only claims: for each player's stored strategy what it secures at every state, and ranks. From
the rules of the game it lists itself what follows on each state, and looks there alone. Let player 0 play by the
stored strategy, ``v`` be what it is claimed to secure (0 at the end of play), and let a reply's *slack* at a state be
``E[reward + v(next state)] - v(state)``. The claims hold if at every state and for every legal reply

1. the slack is not negative: ``v`` is a subsolution; and
2. the slack is positive, or the rank falls, by 1 where ``v > 0``, to every state that may follow.

Proof. Up to step ``n`` player 0 is paid ``v(start) - E[v(state n)] + E[all slack so far]`` on average, whatever the
replies. By 2 there is a constant ``M`` such that the rank never rises in expectation by more than ``M`` times the
slack, and falls by 1 where ``v > 0``. So states with ``v > 0`` are visited at most ``rank + M E[all slack]`` times on
average. Either that is finite, and then ``E[v(state n)]`` tends to something not above 0, or the slack, and with it
what player 0 is paid, grows beyond every bound. Play without end pays nothing but what came on the way.

Without 2 a player could claim a win that is put off for ever. In turn-based games the rank is the distance to the end
along the claimed win; where a strategy draws, ``v`` is claimed a little lower and all slack is positive. The same with
the signs turned says what player 1's strategy concedes at most. States in layers that play passes one after another
need neither: there the local shortfalls along the way add up.

All sums are bounded from below, rounding included: a draw between worths is the least of them plus an average of
excesses, none of them negative, so that the average has a small relative error (Higham 2002, section 3.1). What has
one outcome, or only outcomes of one worth, is exact.

Where chance decides, it draws as a player does who has one strategy, and there is one reply; so all of this holds
as it stands. Its outcomes count with the shares that their probabilities have of the sum.

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
OVER = -1  # stands for the end of play where a code is asked for
UNDECIDED = -1  # the distance of a state of value 0
AGREED = 1e-12  # what values around 1 may lie outside of what is proven, or more if that is wider
SAME = 1e-12  # worths that differ by less are the same to the distances
DISTRIBUTION = 1e-9  # what probabilities may lack to 1; what a strategy secures is told of the shares that they are
CERTAIN = 1e-9  # a larger certificate, for values around 1, needs a game without optimal strategies
CONSISTENT = 1e-3  # what a value may then differ from its backup: iteration has its limits where play lasts and lasts
ROUNDING = 2.0**-52  # relative, of two operations
TINY = 1e-290  # below, products lose their relative precision

Progress = Callable[[str, int, int], None]  # part of the work, states done of it, states in it


class CertificateError(ArithmeticError):
    """A solution does not hold, or it is not shown that it does."""


class Witness(NamedTuple):
    """What a solver claims of the strategies at ``n`` states, for the checker to prove."""

    secured: Floats  # [n], what player 0's strategy secures at least, to player 0
    conceded: Floats  # [n], what player 1's strategy concedes at most, to player 0
    ranks: tuple[Ints, Ints]  # [n] each, 0 or more, of player 0's strategy and of player 1's


class Claims(NamedTuple):
    """A solution of listed states, and what its solver says for it.

    Attributes:
        codes: The states' codes, ascending ``[n]``.
        values: What they are worth to player 0 ``[n]``.
        policies: Probabilities of player 0 and of player 1, ``[n, actions]`` each.
        witness: What the policies secure.
        distances: The moves to the end of play ``[n]`` in a turn-based game, else None.
        allowed: Bit masks of what player 0 and what player 1 may do ``[n]`` where that is not all that is legal.
    """

    codes: Ints
    values: Floats
    policies: tuple[Floats, Floats]
    witness: Witness
    distances: Ints | None
    allowed: tuple[Ints, Ints] | None = None


class Steps(NamedTuple):
    """What follows on ``B`` states at which player 0 has ``m`` legal actions and player 1 has ``n``.

    The states stand on the last axis: the others are short, and NumPy is slow where the last one is.
    """

    rows: Ints  # [B], which of the states that were asked for
    actions: tuple[Ints, Ints]  # [m, B] and [n, B]
    after: Ints  # [m, n, B], codes, OVER where play ends
    rewards: Floats  # [m, n, B], to player 0
    chances: Floats | None = None  # [m, B], where chance decides: then the rows are its outcomes


def _masks(game: Game, codes: Ints, allowed: tuple[Ints, Ints] | None) -> Mask:
    """Returns what player 0 and what player 1 may do ``[2, B, actions]``: action 0 where chance decides."""
    masks = np.empty((2, len(codes), game.num_actions), np.int8)
    chance = _by_chance(game, codes)
    if chance.any():  # where rules say nothing of actions
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
    """Returns at which states ``[B]`` chance decides."""
    turns = np.empty(len(codes), np.int64)
    turn_all(game.compiled, codes, turns)
    found: Bools = turns == CHANCE
    return found


def steps(game: Game, codes: Ints, allowed: tuple[Ints, Ints] | None = None) -> Iterator[Steps]:
    """Yields what follows on states ``[B]``, those with as many actions together.

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
        strange = rows if m * n == 0 else rows[np.flatnonzero(~np.isfinite(rewards)) % len(rows)]
        _object(game, codes[strange], "there is no legal action, or a reward that is not finite")
        after[over] = OVER
        yield Steps(rows, (own, other), grid[0], rewards.reshape(m, n, -1))


def _by_outcomes(game: Game, codes: Ints, rows: Ints) -> Iterator[Steps]:
    """Yields what follows on those of some states at which chance decides, those with as many outcomes together.

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
        raise CertificateError(str(game.told(error))) from None
    _object(game, codes[rows[~np.isfinite(rewards).all(axis=1)]], "there is a reward that is not finite")
    for count in np.unique(counts).tolist():
        here = np.flatnonzero(counts == count)
        paid, chances = (columns[here, :count].T.copy() for columns in (rewards, probabilities))
        after, nobody = outcomes[here, :count].T.copy(), np.zeros((1, len(here)), np.int64)
        yield Steps(rows[here], (nobody, nobody), after[:, None], paid[:, None], chances)


def guaranteed(weights: Floats, rewards: Floats, values: Floats) -> Floats:
    """Returns lower bounds ``[n, B]`` of what a draw earns against each reply, no higher than in exact arithmetic.

    Args:
        weights: Of the draw ``[m, B]``, not negative; it is by their shares of their sum.
        rewards: Of the next step ``[m, n, B]``.
        values: Of what follows it ``[m, n, B]``.
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
    """``B`` states as one player sees them, who draws one of ``m`` actions; the other replies with one of ``n``."""

    player: int
    weights: Floats  # [m, B], of the player's strategy
    rewards: Floats  # [m, n, B], to the player
    after: Any  # [m, n, B], what is asked for of what follows


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

    That is the largest proven difference, at any state, between what player 0's policy secures and what player 1's
    concedes, the values included. Where it is more than rounding explains, values must still be their backups:
    then the game has no optimal strategies, or none was found.

    Raises:
        CertificateError: something claimed does not hold; the message names a state.
    """
    codes, values, policies, witness, *_ = claims
    _check_numbers(game, claims)
    claimed = np.append(witness.secured, 0.0), np.append(-witness.conceded, 0.0)  # to the player who claims it
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
    """Yields numbers of states ``[B]`` and what follows on them, until all have come."""
    codes = claims.codes
    for first in range(0, len(codes), PART):
        part = slice(first, first + PART)
        allowed = None if claims.allowed is None else (claims.allowed[0][part], claims.allowed[1][part])
        for step in steps(game, codes[part], allowed):
            yield first + step.rows, step
        if progress is not None:
            progress("states", min(first + PART, len(codes)), len(codes))


def _check_numbers(game: Game, claims: Claims) -> None:
    """Objects to codes out of order, policies that are none, values not within what is claimed, and negative ranks."""
    codes, values, policies, witness, _, allowed_actions = claims
    if not (np.diff(codes) > 0).all():
        raise CertificateError(f"{game.name}: the states are not listed in order")
    masks = _masks(game, codes, allowed_actions)
    for player in range(2):
        _check_distributions(game, codes, policies[player], masks[player], player)
        _object(game, codes[witness.ranks[player] < 0], f"player {player}'s rank is negative")
    _object(game, codes[~np.isfinite(values)], "the value is not finite")
    shown = np.isfinite(witness.secured) & np.isfinite(witness.conceded)
    _object(game, codes[~shown], "it is not shown what the strategies secure, play may last too long")
    allowed = max(AGREED * _scale(values), _difference(witness.conceded, witness.secured))
    within = (witness.secured - allowed <= values) & (values <= witness.conceded + allowed)
    _object(game, codes[~within], "the value is not between what the two strategies secure")


def _check_distributions(game: Game, codes: Ints, policy: Floats, mask: Mask, player: int) -> None:
    good = ((policy >= 0) & ((policy == 0) | (mask > 0))).all(axis=1)
    good &= np.abs(policy.sum(axis=1) - 1) <= DISTRIBUTION
    _object(game, codes[~good], f"player {player}'s strategy is no distribution over the legal actions")


def _places(game: Game, codes: Ints, step: Steps) -> Ints:
    """Returns where what follows stands in the list of states, its length where play is over ``[m, n, B]``."""
    after = step.after.reshape(-1)
    listed = np.append(codes, OVER)
    places: Ints = np.searchsorted(codes, after)
    missing = np.flatnonzero((listed[places] != after) & (after != OVER))
    others = after[missing]
    strategic_state_all(game.compiled, others)  # another one stands for it
    places[missing] = np.searchsorted(codes, others)
    _object(game, others[listed[places[missing]] != others], "play leads here, but it is not part of the solution")
    places[after == OVER] = len(codes)
    return places.reshape(step.after.shape)


def _check_distances(game: Game, claims: Claims, distances: Ints, here: Ints, after: Ints, step: Steps) -> None:
    """Objects where a distance is not one more than what follows when the winner hurries and the loser delays."""
    codes, (m, n) = claims.codes[here], step.rewards.shape[:2]
    _object(game, codes if m > 1 and n > 1 else codes[:0], "there is a distance where the players move at once")
    values = np.append(claims.values, 0.0)
    value, distance, drawn = values[here], distances[here], np.abs(values[here]) <= SAME
    left = np.where(np.abs(values[after]) <= SAME, 0, np.append(distances, 0)[after]).reshape(m * n, -1)
    keeps = np.abs((step.rewards + values[after]).reshape(m * n, -1) - value) <= SAME
    soonest = np.where(keeps, left, np.iinfo(np.int64).max).min(axis=0)
    latest = np.where(keeps, left, UNDECIDED).max(axis=0)
    right = np.where(np.where(value > 0, m > 1, n > 1), soonest, latest) == distance - 1
    wrong = np.where(drawn, distance != UNDECIDED, ~right)
    _object(game, codes[wrong], "the distance to the end is not one more than that of what follows")
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
    """Objects where a strategy secures less than the value in one step, by more than allowed; returns the most.

    Args:
        game: The game.
        codes: The states ``[B]``.
        values: Theirs, to player 0 ``[B]``.
        strategies: Theirs, of player 0 and of player 1, ``[B, actions]`` each.
        step: What follows on them.
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
    """Returns by how much a player's strategy falls short of the value in one step, at the worst of some states.

    Args:
        game: The game.
        codes: The states ``[B]``.
        values: Theirs, to player 0 ``[B]``.
        strategies: Theirs, of player 0 and of player 1, ``[B, actions]`` each.
        values_of: Returns the values of what follows, from codes ``[m, n, B]``, 0 where they are ``OVER``.

    Raises:
        CertificateError: a strategy is no distribution over the legal actions, or falls short by no mere rounding.
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
    """Returns the largest difference ``[B]``, or 0; rounded up where it is no floating-point number."""
    found = upper - lower
    exact = (lower + found == upper) & (upper - found == lower)
    return max(0.0, float(np.where(exact, found, np.nextafter(found, np.inf)).max()))


def _object(game: Game, codes: Ints, objection: str) -> None:
    """Raises an error that names the first of some states, if there is one."""
    if len(codes) > 0:
        raise CertificateError(f"{game.name}: {objection}, at {game.spell(int(codes[0]))}")
