"""What policies are worth, exactly: against each other, against perfect opponents, and how far from optimal.

All figures are in points per game, for the game's own start, and play that never ends is worth nothing. Layers of
positions are solved in order; where play can recur, sweeps from zero find the choices, and the values they lead to
are then solved for exactly as those of an absorbing Markov chain.

A policy chooses by the position alone, or is a :class:`nashzoo.envs.agent.FiniteMemoryAgent`, and then is measured
together with what it remembers.

Sources: exploitability and NashConv as in Lanctot et al. (2017), "A Unified Game-Theoretic Approach to Multiagent
Reinforcement Learning"; policy iteration from Howard (1960).
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import float64, int32, int64, void
from numpy.typing import NDArray

from nashzoo.baselines.backup import evaluation, replies
from nashzoo.baselines.memory import Measured, Remembered, ResponseToMemory
from nashzoo.baselines.numbers import Numbers
from nashzoo.baselines.parts import in_parts, overlapped
from nashzoo.baselines.policy import Asked, Chosen, Policy, Rows, TablePolicy, tabulate
from nashzoo.baselines.positions import FOLLOWING, MASKS, REWARDS, Positions, Successors
from nashzoo.baselines.retrograde import ELSEWHERE, respond_to_pure, ways_back
from nashzoo.baselines.table import Table, numbering
from nashzoo.envs.agent import FiniteMemoryAgent
from nashzoo.envs.batch import count_actions, nth_action
from nashzoo.envs.compiled import compiled
from nashzoo.envs.game import Floats, Game, Ints

STEADY = 1e-14  # a sweep that changes no value by more has converged, for values around 1
ROUNDING = 1e-15  # relative, of one backup
GAIN = 1e-11  # new choices that gain relatively less gain nothing but rounding errors
MAX_SWEEPS = 1_000  # then the exact solution of the chain takes over
MAX_IMPROVEMENTS = 100
ASKED_AT_ONCE = 131_072  # positions at which a policy is asked with one call
MAX_ITERATIONS = 2_000
LARGE = 5_000  # as many positions at once are solved for iteratively


Worth = TypeVar("Worth", float, Floats)


class BestResponse(NamedTuple):
    """The most that one player can get against a fixed policy, and how."""

    value: float  # to the responding player, points per game
    policy: TablePolicy | ResponseToMemory


def evaluate(game: Game, policy0: Measured, policy1: Measured) -> float:
    """Returns what ``policy0`` in seat 0 wins from ``policy1`` in seat 1, points per game.

    Raises:
        NoPolicyError: a policy is none whose probabilities are known.
        ValueError: a policy's probabilities are not a distribution over the legal actions.
    """
    positions = _seated(game, policy0, policy1)
    tables = probabilities(positions, policy0, 0), probabilities(positions, policy1, 1)
    return start_value(positions, evaluate_tables(positions, *tables))


def best_response(game: Game, policy: Measured, player: int) -> BestResponse:
    """Returns the best that ``player`` can do against ``policy`` in the other seat.

    Raises:
        NoPolicyError: the policy is none whose probabilities are known.
        ValueError: its probabilities are not a distribution over the legal actions, or there is no such player.
    """
    _check_player(player)
    positions = _against(game, policy, 1 - player)
    values, choices = respond(positions, probabilities(positions, policy, 1 - player), player)
    value = _to_player_0(start_value(positions, values), player)
    if isinstance(positions, Remembered):
        return BestResponse(value, ResponseToMemory(positions, choices, player))
    table = Chosen(choices, game.num_actions)
    return BestResponse(value, TablePolicy(positions, (table, None) if player == 0 else (None, table)))


def nash_conv(game: Game, policy: Measured, policy1: Measured | None = None) -> float:
    """Returns what two perfect opponents, one per seat, win from a policy together, points per game.

    Args:
        game: The game.
        policy: The policy in seat 0, and in seat 1 too unless ``policy1`` is given.
        policy1: The policy in seat 1.

    Raises:
        NoPolicyError: a policy is none whose probabilities are known.
        ValueError: a policy's probabilities are not a distribution over the legal actions.
    """
    secured = _secured(game, policy, 0)
    if game.symmetric and policy1 is None:
        return -2 * secured  # the other seat shows the policy the same
    return -secured - _secured(game, policy if policy1 is None else policy1, 1)


def exploitability(
    game: Game, policy: Measured, policy1: Measured | None = None, *, player: int | None = None
) -> float:
    """Returns how far a policy is from optimal: half of :func:`nash_conv`, points per game.

    With ``player`` it is one seat alone: how much less than the game's value the policy secures there.

    Raises:
        NoPolicyError: a policy is none whose probabilities are known.
        ValueError: a policy's probabilities are not a distribution over the legal actions, or there is no such
            player.
    """
    if player is None:
        return nash_conv(game, policy, policy1) / 2
    _check_player(player)
    seated = policy if player == 0 or policy1 is None else policy1
    secured = _secured(game, seated, player)
    if game.symmetric:  # and so worth nothing
        return -secured
    from nashzoo.baselines.solve import solve

    value = solve(game).start_value
    return (value if player == 0 else -value) - secured


def _seated(game: Game, policy0: Measured | None, policy1: Measured | None) -> Positions | Table | Remembered:
    """Returns the positions of a game, with what those who sit there remember."""
    positions = numbering(game)
    if isinstance(policy0, FiniteMemoryAgent) or isinstance(policy1, FiniteMemoryAgent):
        return Remembered(positions, (policy0, policy1))
    return positions


def _against(game: Game, policy: Measured, player: int) -> Positions | Table | Remembered:
    """Returns the positions of a game, with what a policy in the seat of ``player`` remembers."""
    return _seated(game, policy, None) if player == 0 else _seated(game, None, policy)


def probabilities(positions: Positions | Table | Remembered, policy: Measured, player: int) -> Rows:
    """Returns the probabilities of a policy by number, from the seat of ``player``; asks now or as they are needed."""
    if isinstance(positions, Remembered):
        return positions.probabilities(policy, player)
    if isinstance(positions, Table):
        return Asked(positions, cast(Policy, policy), player)
    return tabulate(positions.game, cast(Policy, policy), positions.codes, player)


def _secured(game: Game, policy: Measured, player: int) -> float:
    """Returns what ``player`` is sure to get with a policy, whatever the other does."""
    positions = _against(game, policy, player)
    table = probabilities(positions, policy, player)
    value = start_value(positions, respond(positions, table, 1 - player)[0])
    return value if player == 0 else -value


def _check_player(player: int) -> None:
    if player not in (0, 1):
        raise ValueError(f"player must be 0 or 1, not {player!r}")


def start_value(positions: Positions | Table | Remembered, values: Rows) -> float:
    """Returns the expected value ``[n]`` over the game's start positions."""
    game = positions.game
    return float(values[positions.ids(game.start_codes)] @ game.start_probabilities)


def evaluate_tables(
    positions: Positions | Table | Remembered,
    policy0: Rows,
    policy1: Rows,
    counted: Callable[[Successors], Successors] = lambda successors: successors,
) -> Floats:
    """Returns what every position is worth to player 0 ``[n]`` under two policies ``[n, actions]``.

    Args:
        positions: The numbered positions.
        policy0: Player 0's probabilities.
        policy1: Player 1's.
        counted: Exchanges the rewards for others.
    """
    values = np.zeros(len(positions))

    def ask(ids: Ints) -> tuple[Floats, Floats]:
        return policy0[ids], policy1[ids]

    def back_up(ids: Ints, asked: tuple[Floats, Floats]) -> None:
        asked0, asked1 = asked

        def part(rows: slice) -> None:
            successors = counted(positions.successors.at(ids[rows]))
            values[ids[rows]] = evaluation(successors, values, asked0[rows], asked1[rows])

        in_parts(part, len(ids))

    for ids, cyclic in positions.layers:
        if cyclic:
            successors = counted(positions.successors.at(ids))
            values[ids] = chain_values(successors, ids, values, policy0[ids], policy1[ids])
        else:
            overlapped(ask, back_up, _blocks(ids))
    return values


def respond(positions: Positions | Table | Remembered, policy: Rows, player: int) -> tuple[Floats, NDArray[np.int8]]:
    """Returns every position's value to player 0 ``[n]`` when ``player`` answers ``policy`` best, and the answers.

    Args:
        positions: The numbered positions.
        policy: The other player's probabilities ``[n, actions]``.
        player: Who responds.
    """
    values = np.zeros(len(positions))
    choices = np.zeros(len(positions), np.int8)

    def back_up(ids: Ints, asked: Floats) -> None:
        def part(rows: slice) -> None:
            worths = replies(positions.successors.at(ids[rows]), values, asked[rows], player)
            choices[ids[rows]] = worths.argmax(axis=1)
            values[ids[rows]] = _to_player_0(worths.max(axis=1), player)

        in_parts(part, len(ids))

    for ids, cyclic in positions.layers:
        if cyclic:
            successors = positions.successors.at(ids)
            values[ids], choices[ids] = _respond_in_cycle(successors, ids, values, policy[ids], player)
        else:
            overlapped(policy.__getitem__, back_up, _blocks(ids))
    return values, choices


def _blocks(ids: Ints) -> list[Ints]:
    return [ids[first : first + ASKED_AT_ONCE] for first in range(0, len(ids), ASKED_AT_ONCE)]


def _to_player_0(values: Worth, player: int) -> Worth:
    return values if player == 0 else -values


def _respond_in_cycle(
    successors: Successors, ids: Ints, values: Floats, policy: Floats, player: int
) -> tuple[Floats, Ints]:
    answered = respond_to_pure(successors, ids, values, policy, player)
    if answered is not None:
        return answered
    values = values.copy()
    rows = np.arange(len(ids))
    own = successors.legal0 if player == 0 else successors.legal1
    choices: Ints = np.array([(int(mask) & -int(mask)).bit_length() - 1 for mask in own], np.int64)
    one_hot = np.eye(policy.shape[1])

    # Sweeps from zero: a choice is given up for a strictly better one only, so that a way to win is not
    # exchanged for one that merely keeps the win.
    for _ in range(MAX_SWEEPS):
        worths = replies(successors, values, policy, player)
        better = worths.max(axis=1) > worths[rows, choices] + STEADY
        choices[better] = worths[better].argmax(axis=1)
        swept = _to_player_0(worths.max(axis=1), player)
        change = np.abs(swept - values[ids]).max()
        values[ids] = swept
        if change <= STEADY:
            break

    # What the choices are worth exactly; then policy iteration, which ends at once where the sweeps converged. A step
    # may gain next to nothing and yet much over the time that play lasts: what counts is the worth of new choices.
    def worth(choices: Ints) -> Floats:
        pair = (one_hot[choices], policy) if player == 0 else (policy, one_hot[choices])
        return chain_values(successors, ids, values, *pair)

    endless = _endless(successors, ids, len(values), policy, player)
    noise = ROUNDING if len(ids) <= LARGE else GAIN
    values[ids] = worth(choices)
    for _ in range(MAX_IMPROVEMENTS):
        worths = replies(successors, values, policy, player)
        best = worths.max(axis=1)
        better = best > worths[rows, choices] + noise * np.abs(best)
        losing = _to_player_0(values[ids], player) < 0
        improved: Ints = np.where(better, worths.argmax(axis=1), choices)
        improved = np.where(losing & (endless >= 0), endless, improved)
        if (improved == choices).all():
            break
        improved_values = worth(improved)
        gains = _to_player_0(improved_values - values[ids], player)
        if (gains <= GAIN * np.abs(improved_values)).all():
            break
        choices, values[ids] = improved, improved_values
    return values[ids], choices


def _endless(successors: Successors, ids: Ints, positions: int, policy: Floats, player: int) -> Ints:
    """Returns an action for each position ``[L]`` with which play goes on for ever, for nothing; -1 without one."""
    place = np.full(positions, ELSEWHERE, np.int32)
    place[ids] = np.arange(len(ids))
    actions = np.empty(len(ids), np.int64)
    _keep_on(*successors, place, *ways_back(successors.following, place), policy, player, actions)
    return actions


@compiled(
    void(
        MASKS, MASKS, FOLLOWING, REWARDS, int32[::1], int64[::1], int64[::1], float64[:, ::1], int64, int64[::1]
    )
)  # fmt: skip
def _keep_on(
    legal0: Ints,
    legal1: Ints,
    following: Numbers,
    rewards: Floats,
    place: Numbers,
    ways: Ints,
    first: Ints,
    policy: Floats,
    player: int,
    actions: Ints,
) -> None:
    """Fills the actions of ``player`` that keep play for ever where it is, for nothing; -1 where there is none."""
    length, choices = following.shape
    num_actions = policy.shape[1]
    spoilt = np.zeros((length, num_actions), np.int64)  # in how many ways an own action can go wrong
    good = np.zeros(length, np.int64)  # own actions that cannot
    stack = np.empty(length, np.int64)
    height = 0
    for k in range(length):
        count0, count1 = count_actions(legal0[k]), count_actions(legal1[k])
        for choice in range(count0 * count1):
            i, j = nth_action(legal0[k], choice // count1), nth_action(legal1[k], choice % count1)
            own, other = (i, j) if player == 0 else (j, i)
            after = following[k, choice]
            stays = after >= 0 and place[after] >= 0 and rewards[k, choice] == 0.0
            if policy[k, other] > 0.0 and not stays:
                spoilt[k, own] += 1
        own_legal = legal0[k] if player == 0 else legal1[k]
        for action in range(num_actions):
            if own_legal >> action & 1 and spoilt[k, action] == 0:
                good[k] += 1
        if good[k] == 0:
            stack[height] = k
            height += 1
    while height > 0:
        height -= 1
        here = stack[height]
        for way in range(first[here], first[here + 1]):
            k, choice = ways[way] // choices, ways[way] % choices
            count1 = count_actions(legal1[k])
            i, j = nth_action(legal0[k], choice // count1), nth_action(legal1[k], choice % count1)
            own, other = (i, j) if player == 0 else (j, i)
            if policy[k, other] > 0.0 and rewards[k, choice] == 0.0:
                spoilt[k, own] += 1
                if spoilt[k, own] == 1:
                    good[k] -= 1
                    if good[k] == 0:
                        stack[height] = k
                        height += 1
    for k in range(length):
        actions[k] = -1
        own_legal = legal0[k] if player == 0 else legal1[k]
        for action in range(num_actions):
            if own_legal >> action & 1 and spoilt[k, action] == 0:
                actions[k] = action
                break


@compiled(
    void(MASKS, MASKS, FOLLOWING, int32[::1], float64[:, ::1], float64[:, ::1], int64[:, ::1], float64[:, ::1])
)  # fmt: skip
def _transitions(
    legal0: Ints,
    legal1: Ints,
    following: Numbers,
    place: Numbers,
    policy0: Floats,
    policy1: Floats,
    targets: Ints,
    weights: Floats,
) -> None:
    """Fills where each joint choice leads among the ``L`` positions, ``L`` for out of them, and how likely it is."""
    length, choices = following.shape
    for k in range(length):
        count1 = count_actions(legal1[k])
        count = count_actions(legal0[k]) * count1
        for choice in range(choices):
            targets[k, choice], weights[k, choice] = length, 0.0
            if choice < count:
                i, j = nth_action(legal0[k], choice // count1), nth_action(legal1[k], choice % count1)
                weights[k, choice] = policy0[k, i] * policy1[k, j]
                after = following[k, choice]
                if after >= 0 and place[after] >= 0:
                    targets[k, choice] = place[after]


def chain_values(successors: Successors, ids: Ints, values: Floats, policy0: Floats, policy1: Floats) -> Floats:
    """Returns the values ``[L]`` of positions among which play moves as a Markov chain until it leaves them.

    Positions from which play cannot leave are worth nothing.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    length = len(ids)
    outside = values.copy()
    outside[ids] = 0.0
    policy0, policy1 = np.ascontiguousarray(policy0), np.ascontiguousarray(policy1)
    earned = evaluation(successors, outside, policy0, policy1)
    place = np.full(len(values), ELSEWHERE, np.int32)
    place[ids] = np.arange(length)
    shape = successors.following.shape
    targets, weights = np.empty(shape, np.int64), np.empty(shape)
    _transitions(successors.legal0, successors.legal1, successors.following, place, policy0, policy1, targets, weights)
    row, choice = np.nonzero(weights > 0)
    weight, target = weights[row, choice], targets[row, choice]
    backward = csr_array((np.ones(len(row)), (target, row)), shape=(length + 1, length + 1))
    can_leave = breadth_first_order(backward, length, return_predecessors=False)
    live = np.sort(can_leave[can_leave < length])

    # Number the live positions alone. Staying in place only takes time: left out, it leaves weights that are sums
    # of probabilities, not what remains of 1, so that small ones keep their precision.
    number = np.full(length + 1, len(live))
    number[live] = np.arange(len(live))
    moving = (number[row] < len(live)) & (row != target)
    row, target, weight = number[row[moving]], number[target[moving]], weight[moving]
    outflow = np.bincount(row, weight, minlength=len(live))
    weight /= outflow[row]
    stays = target < len(live)
    moves = csr_array((weight[stays], (row[stays], target[stays])), shape=(len(live), len(live)))
    leaving: Floats = np.bincount(row[~stays], weight[~stays], minlength=len(live)).astype(np.float64)
    result = np.zeros(length)
    if len(live):
        result[live] = _until_it_leaves(moves, earned[live] / outflow, leaving)
    return result


def _until_it_leaves(moves: Any, earned: Floats, leaving: Floats) -> Floats:
    """Returns what a Markov chain earns in all from each position ``[L]``, before it leaves, which is certain.

    Args:
        moves: Sparse, ``[L, L]``, the probabilities to move from row to column.
        earned: In one step from each position ``[L]``.
        leaving: The probabilities to leave ``[L]``, what the rows of ``moves`` lack to 1.
    """
    from scipy.sparse import identity
    from scipy.sparse.linalg import bicgstab, splu

    system = identity(len(earned), format="csr") - moves
    if len(earned) > LARGE:  # the factors would fill the memory
        with np.errstate(all="ignore"):  # where it breaks down, it says so
            (found, failed), (certain, _) = (
                bicgstab(system, right, rtol=1e-14, atol=0.0, maxiter=MAX_ITERATIONS) for right in (earned, leaving)
            )
        if not failed and np.abs(certain - 1).max() < 1e-11:
            return np.asarray(found)
    # That the chain leaves for certain tells how far rounding has spoilt the factors, and makes up for it. Where it
    # stays so long that nothing is left of them, a hair of a chance to be stopped at every step restores them.
    for stopped in (0.0, 1e-13):
        try:
            # Pivots on the diagonal keep every small chance free of cancellation.
            factors = splu((system + stopped * moves).tocsc(), diag_pivot_thresh=0.0)
        except RuntimeError:  # singular
            continue
        found, certain = (factors.solve(right) for right in (earned, leaving))
        if stopped or np.abs(certain - 1).max() < 0.1:
            break
    result = np.zeros(len(earned))
    np.divide(found, certain, out=result, where=certain > 0)
    return result
