"""The checker of solutions a second time, in NumPy: slow, and plain.

What it proves, and how, is in :mod:`nashzoo.baselines.certificate.checker` and
:mod:`nashzoo.baselines.certificate.parts`; all joint actions are looked at.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.certificate.checker import (
    AGREED,
    CERTAIN,
    CONSISTENT,
    DISTRIBUTION,
    ROUNDING,
    SAME,
    TINY,
    UNDECIDED,
    Claims,
)
from nashzoo.baselines.certificate.steps import OVER, CertificateError, Steps, allowed_masks, reject, steps
from nashzoo.baselines.layered_solution import LayeredSolution
from nashzoo.envs.core.game import Floats, Game, Ints, Mask
from nashzoo.envs.core.kernels import strategic_state_all

PART = 16_384  # states that are checked at once


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


def guaranteed_in_layers(weights: Floats, rewards: Floats, values: Floats) -> Floats:
    """Returns the same for states in layers, where the bounds are simpler, and wider by some rounding errors."""
    worths = rewards + values
    average = (weights[:, None] * worths).sum(axis=0) * (1 / weights.sum(axis=0))
    lower: Floats = average - ((len(weights) + 2) * ROUNDING * np.abs(worths).max(axis=(0, 1)) + TINY)
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


def certify(game: Game, claims: Claims) -> float:
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
    for here, step in _listed(game, claims):
        after = _places(game, codes, step)
        if claims.distances is not None:
            _check_distances(game, claims, claims.distances, here, after, step)
        for player, weights, rewards, following in _sides(step, after, (policies[0][here], policies[1][here])):
            own = claimed[player][here]
            lower = guaranteed(weights, rewards, claimed[player][following])
            short = (lower < own).any(axis=0)
            reject(game, codes[here[short]], f"player {player}'s strategy does not secure what is claimed")
            highest = np.where((weights > 0)[:, None], ranks[player][following], 0).max(axis=0)
            lasting = (lower <= own) & (highest + (own > 0) > ranks[player][here])
            reject(game, codes[here[lasting.any(axis=0)]], f"player {player}'s strategy need not end play")
    certificate = _difference(np.maximum(witness.conceded, values), np.minimum(witness.secured, values))
    if certificate > CERTAIN * _scale(values):
        for here, step in _listed(game, claims):
            values_after = np.append(values, 0.0)[_places(game, codes, step)]
            strategies = policies[0][here], policies[1][here]
            _check_backups(game, codes[here], values[here], strategies, step, values_after, CONSISTENT * _scale(values))
    return certificate


def _listed(game: Game, claims: Claims) -> Iterator[tuple[Ints, Steps]]:
    """Yields numbers of states ``[B]`` and their successors, in parts, for all states."""
    codes = claims.codes
    for first in range(0, len(codes), PART):
        part = slice(first, first + PART)
        allowed = None if claims.allowed is None else (claims.allowed[0][part], claims.allowed[1][part])
        for step in steps(game, codes[part], allowed):
            yield first + step.rows, step


def _check_numbers(game: Game, claims: Claims) -> None:
    """Raises an error for codes out of order, invalid policies, values outside of the claims, and negative ranks."""
    codes, values, policies, witness, _, allowed_actions = claims
    if not (np.diff(codes) > 0).all():
        raise CertificateError(f"{game.name}: the states are not listed in order")
    masks = allowed_masks(game, codes, allowed_actions)
    for player in range(2):
        _check_distributions(game, codes, policies[player], masks[player], player)
        reject(game, codes[witness.ranks[player] < 0], f"player {player}'s rank is negative")
    reject(game, codes[~np.isfinite(values)], "the value is not finite")
    finite = np.isfinite(witness.secured) & np.isfinite(witness.conceded)
    reject(game, codes[~finite], "it is not shown what the strategies secure, play may last too long")
    allowed = max(AGREED * _scale(values), _difference(witness.conceded, witness.secured))
    within = (witness.secured - allowed <= values) & (values <= witness.conceded + allowed)
    reject(game, codes[~within], "the value is not between what the two strategies secure")


def _check_distributions(game: Game, codes: Ints, policy: Floats, mask: Mask, player: int) -> None:
    good = ((policy >= 0) & ((policy == 0) | (mask > 0))).all(axis=1)
    good &= np.abs(policy.sum(axis=1) - 1) <= DISTRIBUTION
    reject(game, codes[~good], f"player {player}'s strategy is no distribution over the legal actions")


def _places(game: Game, codes: Ints, step: Steps) -> Ints:
    """Returns the indices of the successors in the list of states, its length for terminal ones ``[m, n, B]``."""
    after = step.after.reshape(-1)
    listed = np.append(codes, OVER)
    places: Ints = np.searchsorted(codes, after)
    missing = np.flatnonzero((listed[places] != after) & (after != OVER))
    others = after[missing]
    strategic_state_all(game.compiled, others)  # its representative is listed
    places[missing] = np.searchsorted(codes, others)
    reject(game, others[listed[places[missing]] != others], "play leads here, but it is not part of the solution")
    places[after == OVER] = len(codes)
    return places.reshape(step.after.shape)


def _check_distances(game: Game, claims: Claims, distances: Ints, here: Ints, after: Ints, step: Steps) -> None:
    """Raises an error for a distance that is not one more than that of the optimal successor."""
    codes, (m, n) = claims.codes[here], step.rewards.shape[:2]
    reject(game, codes if m > 1 and n > 1 else codes[:0], "there is a distance where the players move at once")
    values = np.append(claims.values, 0.0)
    value, distance, drawn = values[here], distances[here], np.abs(values[here]) <= SAME
    left = np.where(np.abs(values[after]) <= SAME, 0, np.append(distances, 0)[after]).reshape(m * n, -1)
    keeps = np.abs((step.rewards + values[after]).reshape(m * n, -1) - value) <= SAME
    soonest = np.where(keeps, left, np.iinfo(np.int64).max).min(axis=0)
    latest = np.where(keeps, left, UNDECIDED).max(axis=0)
    right = np.where(np.where(value > 0, m > 1, n > 1), soonest, latest) == distance - 1
    unfit = np.where(drawn, distance != UNDECIDED, ~right)
    reject(game, codes[unfit], "the distance to the end is not one more than that of what follows")
    mover = 1 if n > 1 else 0
    played = claims.policies[mover][here, step.actions[mover]] > 0
    strays = ((left != distance - 1) & played).any(axis=0) & ~drawn
    reject(game, codes[strays], f"player {mover}'s strategy does not keep the distance to the end")


def _check_backups(
    game: Game,
    codes: Ints,
    values: Floats,
    strategies: tuple[Floats, Floats],
    step: Steps,
    values_after: Floats,
    allowed: float,
    guarantee: Callable[[Floats, Floats, Floats], Floats] = guaranteed,
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
        guarantee: Returns lower bounds of the value of a mixed action against each reply.
    """
    most = 0.0
    for player, weights, rewards, after in _sides(step, values_after, strategies):
        sign = 1.0 if player == 0 else -1.0
        lower = guarantee(weights, rewards, sign * after).min(axis=0)
        short = ~(lower >= sign * values - allowed)
        reject(game, codes[short], f"player {player}'s strategy secures less than the value in one step")
        most = max(most, _difference(sign * values, lower))
    return most


def certify_table(solution: LayeredSolution) -> float:
    """Proves the solution of a game whose rules number the states, mirror images included; returns its certificate.

    Raises:
        CertificateError: the proof fails; the message names a state.
    """
    game, table, worst = solution.game, solution.states, []
    codes = table.codes_at(np.arange(len(table)))
    values, strategies = solution.values[np.arange(len(table))], solution.strategies(codes)
    for first, last in itertools.pairwise(table.bounds.tolist()):
        masks, here, lost = allowed_masks(game, codes[first:last], None), slice(first, last), 0.0
        for player in range(2):
            _check_distributions(game, codes[here], strategies[player][here], masks[player], player)
        earlier, numbers = np.unique(codes[:first], return_index=True)
        for step in steps(game, codes[here]):
            rows = first + step.rows
            values_after = np.append(values[numbers], 0.0)[_places(game, earlier, step)]
            both = strategies[0][rows], strategies[1][rows]
            allowed = CERTAIN * _scale(values_after)
            known = step, values_after, allowed, guaranteed_in_layers
            lost = max(lost, _check_backups(game, codes[rows], values[rows], both, *known))
        worst.append(lost)
    return 2 * math.fsum(worst) * (1 + ROUNDING)


def _scale(values: Floats) -> float:
    return max(1.0, float(np.abs(values).max(initial=0.0)))


def _difference(upper: Floats, lower: Floats) -> float:
    """Returns the largest difference ``[B]``, or 0; rounded up if it is inexact."""
    difference = upper - lower
    exact = (lower + difference == upper) & (upper - difference == lower)
    return max(0.0, float(np.where(exact, difference, np.nextafter(difference, np.inf)).max()))
