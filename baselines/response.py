"""What policies are worth, exactly: against each other, against perfect opponents, and how far from optimal.

All figures are in points per game, for the game's own start, and play that never ends is worth nothing. Layers of
positions are solved in order; where play can recur, sweeps from zero find the choices, and the values they lead to
are then solved for exactly as those of an absorbing Markov chain.

Sources: exploitability and NashConv as in Lanctot et al. (2017), "A Unified Game-Theoretic Approach to Multiagent
Reinforcement Learning"; policy iteration from Howard (1960).
"""

from typing import NamedTuple

import numpy as np

from nashzoo.baselines.backup import evaluation, replies
from nashzoo.baselines.policy import Policy, TablePolicy, tabulate
from nashzoo.baselines.positions import Positions, Successors
from nashzoo.envs.game import Floats, Game, Ints

STEADY = 1e-14  # a sweep that changes no value by more has converged, for values around 1
MAX_SWEEPS = 2_000  # then the exact solution of the chain takes over
MAX_IMPROVEMENTS = 1_000


class BestResponse(NamedTuple):
    """The most that one player can get against a fixed policy, and how."""

    value: float  # to the responding player, points per game
    policy: TablePolicy


def evaluate(game: Game, policy0: Policy, policy1: Policy) -> float:
    """Returns what ``policy0`` in seat 0 wins from ``policy1`` in seat 1, points per game.

    Raises:
        TypeError: a policy remembers more than the position.
        ValueError: a policy's probabilities are not a distribution over the legal actions.
    """
    positions = Positions(game)
    tables = tabulate(game, policy0, positions.codes, 0), tabulate(game, policy1, positions.codes, 1)
    return start_value(positions, evaluate_tables(positions, *tables))


def best_response(game: Game, policy: Policy, player: int) -> BestResponse:
    """Returns the best that ``player`` can do against ``policy`` in the other seat.

    Raises:
        TypeError: the policy remembers more than the position.
        ValueError: its probabilities are not a distribution over the legal actions, or there is no such player.
    """
    _check_player(player)
    positions = Positions(game)
    values, choices = respond(positions, tabulate(game, policy, positions.codes, 1 - player), player)
    table = np.eye(game.num_actions)[choices]
    value = start_value(positions, values)
    if player == 0:
        return BestResponse(value, TablePolicy(positions, (table, None)))
    return BestResponse(-value, TablePolicy(positions, (None, table)))


def nash_conv(game: Game, policy: Policy, policy1: Policy | None = None) -> float:
    """Returns what two perfect opponents, one per seat, win from a policy together, points per game.

    Args:
        game: The game.
        policy: The policy in seat 0, and in seat 1 too unless ``policy1`` is given.
        policy1: The policy in seat 1.

    Raises:
        TypeError: a policy remembers more than the position.
        ValueError: a policy's probabilities are not a distribution over the legal actions.
    """
    positions = Positions(game)
    secured = _secured(positions, policy, 0)
    return -secured - _secured(positions, policy if policy1 is None else policy1, 1)


def exploitability(game: Game, policy: Policy, policy1: Policy | None = None, *, player: int | None = None) -> float:
    """Returns how far a policy is from optimal: half of :func:`nash_conv`, points per game.

    With ``player`` it is one seat alone: how much less than the game's value the policy secures there.

    Raises:
        TypeError: a policy remembers more than the position.
        ValueError: a policy's probabilities are not a distribution over the legal actions, or there is no such
            player.
    """
    if player is None:
        return nash_conv(game, policy, policy1) / 2
    from nashzoo.baselines.solve import solve

    _check_player(player)
    value = solve(game).start_value
    seated = policy if player == 0 or policy1 is None else policy1
    return (value if player == 0 else -value) - _secured(Positions(game), seated, player)


def _secured(positions: Positions, policy: Policy, player: int) -> float:
    """Returns what ``player`` is sure to get with a policy, whatever the other does."""
    table = tabulate(positions.game, policy, positions.codes, player)
    value = start_value(positions, respond(positions, table, 1 - player)[0])
    return value if player == 0 else -value


def _check_player(player: int) -> None:
    if player not in (0, 1):
        raise ValueError(f"player must be 0 or 1, not {player!r}")


def start_value(positions: Positions, values: Floats) -> float:
    """Returns the expected value ``[n]`` over the game's start positions."""
    game = positions.game
    return float(values[positions.ids(game.start_codes)] @ game.start_probabilities)


def evaluate_tables(positions: Positions, policy0: Floats, policy1: Floats) -> Floats:
    """Returns what every position is worth to player 0 ``[n]`` under two policies ``[n, actions]``."""
    values = np.zeros(len(positions))
    for ids, cyclic in positions.layers:
        successors = positions.successors.at(ids)
        if cyclic:
            values[ids] = chain_values(successors, ids, values, policy0[ids], policy1[ids])
        else:
            values[ids] = evaluation(successors, values, policy0[ids], policy1[ids])
    return values


def respond(positions: Positions, policy: Floats, player: int) -> tuple[Floats, Ints]:
    """Returns every position's value to player 0 ``[n]`` when ``player`` answers ``policy`` best, and the answers.

    Args:
        positions: The numbered positions.
        policy: The other player's probabilities ``[n, actions]``.
        player: Who responds.
    """
    values = np.zeros(len(positions))
    choices = np.zeros(len(positions), np.int64)
    for ids, cyclic in positions.layers:
        successors = positions.successors.at(ids)
        if cyclic:
            values[ids], choices[ids] = _respond_in_cycle(successors, ids, values, policy[ids], player)
        else:
            worths = replies(successors, values, policy[ids], player)
            choices[ids] = worths.argmax(axis=1)
            values[ids] = _to_player_0(worths.max(axis=1), player)
    return values, choices


def _to_player_0(values: Floats, player: int) -> Floats:
    return values if player == 0 else -values


def _respond_in_cycle(
    successors: Successors, ids: Ints, values: Floats, policy: Floats, player: int
) -> tuple[Floats, Ints]:
    values = values.copy()
    rows = np.arange(len(ids))
    own = successors.legal0 if player == 0 else successors.legal1
    choices = np.array([(int(mask) & -int(mask)).bit_length() - 1 for mask in own])
    one_hot = np.eye(successors.following.shape[1])

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

    # What the choices are worth exactly; then policy iteration, which ends at once where the sweeps converged.
    for _ in range(MAX_IMPROVEMENTS):
        pair = (one_hot[choices], policy) if player == 0 else (policy, one_hot[choices])
        values[ids] = chain_values(successors, ids, values, *pair)
        worths = replies(successors, values, policy, player)
        better = worths.max(axis=1) > worths[rows, choices] + 1e-12
        if not better.any():
            break
        choices[better] = worths[better].argmax(axis=1)
    return values[ids], choices


def chain_values(successors: Successors, ids: Ints, values: Floats, policy0: Floats, policy1: Floats) -> Floats:
    """Returns the values ``[L]`` of positions among which play moves as a Markov chain until it leaves them.

    Positions from which play cannot leave are worth nothing.
    """
    from scipy.sparse import csc_array, identity
    from scipy.sparse.csgraph import breadth_first_order
    from scipy.sparse.linalg import splu

    length = len(ids)
    outside = values.copy()
    outside[ids] = 0.0
    earned = evaluation(successors, outside, policy0, policy1)
    weights = policy0[:, :, None] * policy1[:, None, :]
    place = np.full(len(values), -1)
    place[ids] = np.arange(length)
    row, i, j = np.nonzero(weights > 0)
    after = successors.following[row, i, j]
    target = np.where(after >= 0, place[after], -1)
    inside = target >= 0
    # Column `length` stands for everywhere outside.
    leaving = csc_array(
        (np.ones(len(row)), (np.where(inside, target, length), row)), shape=(length + 1, length + 1)
    ).tocsr()
    can_leave = breadth_first_order(leaving, length, return_predecessors=False)
    live = np.sort(can_leave[can_leave < length])
    result = np.zeros(length)
    if len(live):
        moves = csc_array((weights[row, i, j][inside], (row[inside], target[inside])), shape=(length, length))[live][
            :, live
        ]
        result[live] = splu((identity(len(live), format="csc") - moves).tocsc()).solve(earned[live])
    return result
