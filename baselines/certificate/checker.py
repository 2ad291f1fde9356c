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
with opposite signs bounds what player 1's strategy concedes. States in layers that never recur need neither, see
:mod:`nashzoo.baselines.certificate.parts`.

A joint action that neither of the two strategies ever plays is not looked at: a player need only be sure of the claim
as long as it plays its own strategy.

All sums are bounded from below, rounding included: an expected value is the least value plus an average of
non-negative excesses, so that the average has a small relative error (Higham 2002, section 3.1). Expectations over
one outcome, or over outcomes of one value, are exact.

The loop over states is compiled, from the rules and this file alone, and runs on all processors. What it has left out
would count as not secured. The loop that solves states in layers looks ahead by the same :func:`look_ahead` and
:func:`find`. ``tests/support/plain_checker.py`` is the same in NumPy, and finds the same bounds.

A chance state is a decision of a player with one strategy, with one reply; so all of this applies to it. The
probabilities of its outcomes are divided by their sum.

Sources: Puterman (1994), chapter 7, on total rewards; Filar and Vrieze (1997), chapter 4, and Condon (1992) on
stochastic games; Doob's optional stopping.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.certificate.steps import NOT_HELD, reject
from nashzoo.baselines.certificate.steps import OVER as OVER
from nashzoo.baselines.certificate.steps import CertificateError as CertificateError
from nashzoo.baselines.certificate.steps import steps as steps
from nashzoo.baselines.solvers.threaded_loops import in_parts
from nashzoo.envs.core.game import CHANCE, Floats, Game, Ints
from nashzoo.envs.core.joint_steps import INVALID, JOINT_STEPS, LEFT_OUT, joint_steps
from nashzoo.envs.core.kernels import ROOM, ChanceError, count_actions, count_outcomes, pieces_of
from nashzoo.envs.jit.compiled import borrowed, compiled
from nashzoo.envs.jit.numba import float64, int64, types
from nashzoo.envs.rules.compiled_game import GAME

NOWHERE = OVER - 1  # the place of a state that is not listed
UNDECIDED = -1  # the distance of a state of value 0
NEVER = 1 << 62  # a distance above all
AGREED = 1e-12  # tolerance of values around 1 outside of the proven interval, or its width if that is larger
SAME = 1e-12  # values that differ by less are the same for the distances
DISTRIBUTION = 1e-9  # tolerance of the sum of probabilities; guarantees are those of the normalised probabilities
CERTAIN = 1e-9  # a larger certificate, for values around 1, needs a game without optimal strategies
CONSISTENT = 1e-3  # tolerance of a value against its backup then, as iteration is limited if play lasts very long
ROUNDING = 2.0**-52  # relative, of two operations
TINY = 1e-290  # below, products lose their relative precision

Progress = Callable[[str, int, int], None]  # part of the work, states done of it, states in it


class Witness(NamedTuple):
    """A solver's claims about the strategies at ``n`` states, which the checker proves.

    It is a witness in the sense of certifying algorithms, McConnell, Mehlhorn, Naeher and Schweitzer (2011).
    """

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


def readable(numbers: Any) -> Any:
    """Returns a view of an array that cannot be written."""
    view = np.ascontiguousarray(numbers).view()
    view.flags.writeable = False
    return view


NO_INTS, NO_FLOATS = readable(np.empty(0, np.int64)), readable(np.empty(0))


class Listing(NamedTuple):
    """States and what is claimed of them, for compiled code; an array that does not matter has no entries.

    They may be those of a file, and cannot be written.
    """

    codes: Ints  # [n]
    secured: Floats  # [n], as in a Witness
    conceded: Floats  # [n]
    ranks0: Ints = NO_INTS  # [n]
    ranks1: Ints = NO_INTS  # [n]
    allowed0: Ints = NO_INTS  # [n]
    allowed1: Ints = NO_INTS  # [n]
    values: Floats = NO_FLOATS  # [n], for the distances
    distances: Ints = NO_INTS  # [n]


READABLE_CODES, READABLE = (types.Array(of, 1, "C", readonly=True) for of in (int64, float64))
_KINDS = {Ints: READABLE_CODES, Floats: READABLE}
LISTING = types.NamedTuple([_KINDS[kind] for kind in Listing.__annotations__.values()], Listing)

GOOD, NO_ACTION, NOT_FINITE, NO_CHANCE, UNLISTED, LATER, NOT_MIRRORED, AT_ONCE, NOT_ONE_MORE = range(9)
NO_DISTRIBUTION, STRAYS, UNFIT = 9, 11, 13  # and these, the first two plus the player: what loops return
FAULTS = {
    NO_ACTION: "there is no legal action",
    NOT_FINITE: "there is a reward that is not finite",
    NO_CHANCE: "it is the turn of chance in a game without",
    UNLISTED: "play leads here, but it is not part of the solution",
    LATER: "play leads here, but this is no state of the layer before",
    NOT_MIRRORED: "the players do not have the legal actions of its mirror image",
    AT_ONCE: "there is a distance where the players move at once",
    NOT_ONE_MORE: "the distance to the end is not one more than that of what follows",
    NO_DISTRIBUTION: "player 0's strategy is no distribution over the legal actions",
    NO_DISTRIBUTION + 1: "player 1's strategy is no distribution over the legal actions",
    STRAYS: "player 0's strategy does not keep the distance to the end",
    UNFIT: NOT_HELD,
    STRAYS + 1: "player 1's strategy does not keep the distance to the end",
}


@compiled(int64(READABLE_CODES, int64))
def place_of(codes: Ints, code: int) -> int:
    """Returns the index of a code in an ascending list, or ``NOWHERE``."""
    low, high = 0, len(codes)
    while low < high:
        middle = (low + high) >> 1
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low if low < len(codes) and codes[low] == code else NOWHERE


@compiled(inline="early")
def look_ahead(
    pieces: Any, joint: Any, may_chance: bool, code: int, within0: int, within1: int, played0: int, played1: int,
    masks: Ints, after: Ints, numbers: Ints, rewards: Floats, probabilities: Floats,
) -> tuple[int, int, int, bool]:  # fmt: skip
    """Looks from a state to all that may follow it, by the rules alone.

    It fills ``masks`` ``[2]`` with both players' actions, out of the bit masks ``within0`` and ``within1``, and the
    other arrays as :func:`nashzoo.envs.core.joint_steps.joint_steps` says; joint actions of two that are not in
    ``played0`` and ``played1`` are left out. For either player the outcomes of chance are its actions, and there is
    one reply; they have probabilities, and no numbers.

    Returns:
        ``GOOD``, or a fault; the numbers of actions of both players; and whether chance decides.

    Raises:
        ChanceError: the outcomes are no distribution.
    """
    params, m, n = pieces.params, 0, 1
    by_chance = pieces.turn(params, code) == CHANCE
    masks[0] = masks[1] = 1
    if by_chance:
        if not may_chance:
            return NO_CHANCE, m, n, by_chance
        m = count_outcomes(pieces.chance, params, code, after, probabilities)
        for i in range(m):
            rewards[i] = pieces.payoff(params, after[i])
            if pieces.terminal(params, after[i]):
                after[i] = OVER
    else:
        masks[0], masks[1] = pieces.legal(params, code, 0) & within0, pieces.legal(params, code, 1) & within1
        m, n = count_actions(masks[0]), count_actions(masks[1])
        joint(params, code, masks[0], masks[1], played0, played1, after, numbers, rewards)
    return GOOD if m * n > 0 else NO_ACTION, m, n, by_chance


@compiled(inline="early")
def find(
    swap_players: Any, strategic_state: Any, params: Ints, codes: Ints, count: int, first: int, numbered: bool,
    code: int, number: int,
) -> tuple[int, float, int]:  # fmt: skip
    """Returns where a next state is listed, or ``NOWHERE``, or ``OVER`` after the end; a sign; and its code.

    The ``count`` codes that are listed ascend, or stand in the order of the rules' numbers from ``first``. A number
    only says where to look, unless no codes are given. Instead of a numbered state its mirror image may be listed,
    whose value is the negative: then the sign is -1, and the code is that of the image.
    """
    place, sign = OVER, 1.0
    if code != OVER and numbered:
        place = number
        if place < 0:
            place, sign, code = ~place, -1.0, swap_players(params, code)
        place -= first
        if not (0 <= place < count and (len(codes) == 0 or codes[place] == code)):
            place = NOWHERE
    elif code != OVER:
        place = place_of(codes, code)
        if place == NOWHERE:  # then its representative is listed
            place = place_of(codes, strategic_state(params, code))
    return place, sign, code


@compiled(inline=True)
def rounded_sum(reward: float, value: float) -> float:
    """Returns the sum, rounded down if it is not exact."""
    total = reward + value
    exact = total - reward == value and total - value == reward
    return total if exact else np.nextafter(total, -np.inf)


@compiled(inline=True)
def guaranteed(
    worths: Floats, player: int, first: int, stride: int,
    drawn: Ints, weights: Floats, mixer: int, count: int, most: int,
) -> float:  # fmt: skip
    """Returns a lower bound of the worth of a mixed action against one reply, rounding included.

    Args:
        worths: Of the joint actions to each player ``[2, ...]``.
        player: The player whose guarantee it is.
        first: The joint action of the reply and the first action.
        stride: From one action to the next.
        drawn: The actions that are drawn ``[2, ...]``.
        weights: In proportion to their probabilities ``[2, ...]``, positive.
        mixer: The row of those two arrays.
        count: The number of actions that are drawn.
        most: The number of actions.
    """
    least = worths[player, first + stride * drawn[mixer, 0]]
    if count == 1:
        return least  # type: ignore[no-any-return]
    total = average = 0.0
    for k in range(count):
        least = min(least, worths[player, first + stride * drawn[mixer, k]])
        total += weights[mixer, k]
    for k in range(count):
        average += weights[mixer, k] * (worths[player, first + stride * drawn[mixer, k]] - least)
    average /= total
    if average > TINY:
        return np.nextafter(least + average * (1.0 - (most + 2) * ROUNDING), -np.inf)  # type: ignore[no-any-return]
    return least  # type: ignore[no-any-return]


@compiled(
    types.UniTuple(int64, 2)(
        GAME, JOINT_STEPS, LISTING, int64, int64, float64[:, ::1], float64[:, ::1], float64[:, ::1], int64[:, ::1],
    )
)  # fmt: skip
def _verify_states(
    game: Any, joint: Any, listing: Listing, first: int, last: int,
    policy0: Floats, policy1: Floats, lower: Floats, needed: Ints,
) -> tuple[int, int]:  # fmt: skip
    """Looks one step ahead from the states ``first <= k < last``, and fills a row of the results for each.

    Args:
        game: The game.
        joint: Its joint actions, see :func:`nashzoo.envs.core.joint_steps.joint_steps`.
        listing: The states and claims.
        first: The first of the states.
        last: The one after the last.
        policy0: Probabilities of player 0 at these states ``[L, actions]``.
        policy1: Of player 1.
        lower: Filled with what each player's strategy guarantees it ``[L, 2]``, by the claims at the next states.
        needed: Filled with the lowest ranks that prove the claims here ``[L, 2]``, by the ranks of the next states.

    Returns:
        ``GOOD``, or a fault; and the state that has it.

    Raises:
        ChanceError: the outcomes at a state are no distribution.
    """
    codes, secured, conceded, ranks0, ranks1, allowed0, allowed1, values, distances = borrowed(listing)
    swap_players, strategic_state = game.swap_players, game.strategic_state
    pieces, params, num_actions = pieces_of(game), borrowed(game.params), game.num_actions
    every_action, room = (1 << num_actions) - 1, max(num_actions * num_actions, ROOM)
    probabilities = np.empty(ROOM)
    drawn, weights = np.empty((2, room), np.int64), np.empty((2, room))
    after, places, left = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    rewards, worths = np.empty(room), np.empty((2, room))
    masks, counts = np.empty(2, np.int64), np.empty(2, np.int64)
    for k in range(first, last):
        row, code = k - first, codes[k]
        played0 = played1 = 0
        for action in range(num_actions):
            played0 |= (policy0[row, action] > 0.0) << action
            played1 |= (policy1[row, action] > 0.0) << action
        within0 = every_action & allowed0[k] if len(allowed0) > 0 else every_action
        within1 = every_action & allowed1[k] if len(allowed1) > 0 else every_action
        fault, m, n, by_chance = look_ahead(
            pieces, joint, pieces.has_chance > 0, code, within0, within1, played0, played1,
            borrowed(masks), borrowed(after), borrowed(places), borrowed(rewards), borrowed(probabilities),
        )  # fmt: skip
        if fault != GOOD:
            return fault, code

        # The actions that are drawn.
        for player in range(2):
            size = count = 0
            total = 0.0
            for action in range(num_actions):
                probability = policy0[row, action] if player == 0 else policy1[row, action]
                total += probability
                is_legal = masks[player] >> action & 1
                if not (probability >= 0.0 and (probability == 0.0 or is_legal)):
                    return NO_DISTRIBUTION + player, code
                if probability > 0.0:
                    drawn[player, count], weights[player, count] = size, probability
                    count += 1
                size += is_legal
            if not abs(total - 1.0) <= DISTRIBUTION:
                return NO_DISTRIBUTION + player, code
            counts[player] = count
        if by_chance:
            counts[0] = m
            for i in range(m):
                drawn[0, i], weights[0, i] = i, probabilities[i]

        # What they lead to.
        for choice in range(m * n):
            next_code, reward = after[choice], rewards[choice]
            if next_code == LEFT_OUT:
                continue
            if next_code == INVALID or not abs(reward) < np.inf:
                return UNFIT if next_code == INVALID else NOT_FINITE, code
            place, _, _ = find(swap_players, strategic_state, params, codes, len(codes), 0, False, next_code, 0)
            if place == NOWHERE:
                return UNLISTED, next_code
            places[choice] = place
            value0, value1 = (secured[place], -conceded[place]) if place >= 0 else (0.0, 0.0)
            worths[0, choice], worths[1, choice] = rounded_sum(reward, value0), rounded_sum(-reward, value1)

        # What the strategies guarantee.
        for player in range(2):
            mixer = 0 if by_chance else player
            own = secured[k] if player == 0 else -conceded[k]
            size, replies = (m, n) if mixer == 0 else (n, m)
            lowest, rank = np.inf, 0
            for reply in range(replies):
                start, stride = (reply, n) if mixer == 0 else (reply * n, 1)
                worth = guaranteed(worths, player, start, stride, drawn, weights, mixer, counts[mixer], size)
                lowest = min(lowest, worth)
                if len(ranks0) > 0 and worth <= own:
                    highest = 0
                    for draw in range(counts[mixer]):
                        place = places[start + stride * drawn[mixer, draw]]
                        if place >= 0:
                            highest = max(highest, ranks0[place] if player == 0 else ranks1[place])
                    rank = max(rank, highest + (own > 0.0))
            lower[row, player], needed[row, player] = lowest, rank

        # In a turn-based game the joint actions are those of the player to move.
        if len(distances) > 0:
            if m > 1 and n > 1:
                return AT_ONCE, code
            soonest, latest = NEVER, UNDECIDED
            for choice in range(m * n):
                place = places[choice]
                value = values[place] if place >= 0 else 0.0
                left[choice] = distances[place] if abs(value) > SAME else 0
                if abs(rewards[choice] + value - values[k]) <= SAME:
                    soonest, latest = min(soonest, left[choice]), max(latest, left[choice])
            if abs(values[k]) <= SAME:
                if distances[k] != UNDECIDED:
                    return NOT_ONE_MORE, code
                continue
            hurries = m > 1 if values[k] > 0.0 else n > 1
            if (soonest if hurries else latest) != distances[k] - 1:
                return NOT_ONE_MORE, code
            mover = 1 if n > 1 else 0
            for draw in range(counts[mover]):
                if left[drawn[mover, draw]] != distances[k] - 1:
                    return STRAYS + mover, code
    return GOOD, 0


def without_fault(game: Game, loop: Callable[..., tuple[int, int]], *arguments: Any) -> None:
    """Calls a loop over states with a game, its joint actions, and arguments.

    Raises:
        CertificateError: a state has a fault.
    """
    try:
        fault, code = loop(game.compiled, joint_steps(game), *arguments)
    except ChanceError as error:
        raise CertificateError(str(game.chance_error(error))) from None
    if fault != GOOD:
        reject(game, np.array([code]), FAULTS[fault])


def certify(game: Game, claims: Claims, progress: Progress | None = None) -> float:
    """Proves a solution of listed states; returns its certificate.

    It is the largest proven difference, at any state, between what player 0's policy guarantees and what player 1's
    concedes, the values included. If it is larger than rounding explains, values must still equal their backups:
    then the game has no optimal strategies, or none was found.

    Args:
        game: The game.
        claims: The solution.
        progress: Called during the work, from several threads, but once at a time.

    Raises:
        CertificateError: the proof of a claim fails; the message names a state.
    """
    codes, values, policies, witness, distances, allowed = claims
    if not (np.diff(codes) > 0).all():
        raise CertificateError(f"{game.name}: the states are not listed in order")
    restrictions = (NO_INTS, NO_INTS) if allowed is None else allowed
    moves = NO_INTS if distances is None else distances
    secured, conceded, ranks = witness
    listing = Listing(*map(readable, (codes, secured, conceded, *ranks, *restrictions, values, moves)))
    lower, needed = _from_all(game, listing, policies, progress)
    _check_numbers(game, claims)
    for player, claimed in enumerate((witness.secured, -witness.conceded)):
        reject(game, codes[lower[:, player] < claimed], f"player {player}'s strategy does not secure what is claimed")
        lasting = needed[:, player] > witness.ranks[player]
        reject(game, codes[lasting], f"player {player}'s strategy need not end play")
    certificate = _difference(np.maximum(witness.conceded, values), np.minimum(witness.secured, values))
    if certificate > CERTAIN * scale_of(values):
        by_values = listing._replace(secured=listing.values, conceded=listing.values)
        lower, _ = _from_all(game, by_values, policies, None)
        largest_loss(game, codes, values, lower.T, CONSISTENT * scale_of(values))
    return certificate


def _from_all(
    game: Game, listing: Listing, policies: tuple[Floats, Floats], progress: Progress | None
) -> tuple[Floats, Ints]:
    """Returns what :func:`_verify_states` fills in, for all states."""
    codes = listing.codes
    lower, needed = np.full((len(codes), 2), -np.inf), np.empty((len(codes), 2), np.int64)

    def part(rows: slice) -> None:
        own, other = (np.ascontiguousarray(policy[rows], np.float64) for policy in policies)
        without_fault(game, _verify_states, listing, rows.start, rows.stop, own, other, lower[rows], needed[rows])

    in_parts(part, len(codes), None if progress is None else partial(progress, "states"))
    return lower, needed


def largest_loss(game: Game, codes: Ints, values: Floats, lower: Floats, allowed: float) -> float:
    """Returns what a strategy guarantees less than the value in one step, at most.

    ``values`` ``[L]`` are to player 0; ``lower`` is what each player's strategy guarantees it ``[2, L]``, in points.

    Raises:
        CertificateError: it is more than allowed.
    """
    for player, claimed in enumerate((values, -values)):
        short = ~(lower[player] >= claimed - allowed)
        reject(game, codes[short], f"player {player}'s strategy secures less than the value in one step")
    return max(_difference(values, lower[0]), _difference(-values, lower[1]))


def _check_numbers(game: Game, claims: Claims) -> None:
    """Raises an error for values that are not finite or outside of the claims, and negative ranks."""
    codes, values, _, witness, *_ = claims
    for player in range(2):
        reject(game, codes[witness.ranks[player] < 0], f"player {player}'s rank is negative")
    reject(game, codes[~np.isfinite(values)], "the value is not finite")
    finite = np.isfinite(witness.secured) & np.isfinite(witness.conceded)
    reject(game, codes[~finite], "it is not shown what the strategies secure, play may last too long")
    allowed = max(AGREED * scale_of(values), _difference(witness.conceded, witness.secured))
    within = (witness.secured - allowed <= values) & (values <= witness.conceded + allowed)
    reject(game, codes[~within], "the value is not between what the two strategies secure")


def scale_of(values: Floats) -> float:
    """Returns the largest absolute value, or 1 if that is larger."""
    return max(1.0, float(np.abs(values).max(initial=0.0)))


def _difference(upper: Floats, lower: Floats) -> float:
    """Returns the largest difference ``[B]``, or 0; rounded up if it is inexact."""
    differences = upper - lower
    most = differences.max()
    at = differences == most  # all others are at most that, exactly
    exact = (lower[at] + most == upper[at]) & (upper[at] - most == lower[at])
    return max(0.0, float(most if exact.all() else np.nextafter(most, np.inf)))
