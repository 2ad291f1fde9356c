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
from typing import NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from nashzoo.baselines.backup import evaluation, replies
from nashzoo.baselines.chain import LARGE, chain_values, decisions, improved, sweep
from nashzoo.baselines.end_components import STAY, collapsed
from nashzoo.baselines.memory import Measured, Remembered, ResponseToMemory
from nashzoo.baselines.parts import in_parts, overlapped
from nashzoo.baselines.policy import Asked, Chosen, Policy, Rows, TablePolicy, tabulate
from nashzoo.baselines.positions import Positions, Successors
from nashzoo.baselines.retrograde import respond_to_pure
from nashzoo.baselines.table import Table, numbering
from nashzoo.envs.agent import FiniteMemoryAgent
from nashzoo.envs.game import BOTH, Floats, Game, Ints

STEADY = 1e-14  # a sweep that changes no value by more has converged, for values around 1
ROUNDING = 1e-15  # relative, of one backup
GAIN = 1e-11  # new choices that gain relatively less gain nothing but rounding errors
STEP_COST = 1e-13  # above a sweep's rounding errors; all the steps of a game together are far below any tolerance
MAX_SWEEPS = 1_000  # then the exact solution of the chain takes over
SETTLED = 20  # sweeps after which choices that do not change any more are tried
MAX_IMPROVEMENTS = 100
ASKED_AT_ONCE = 131_072  # positions at which a policy is asked with one call

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
            values[ids] = chain_values(decisions(successors, ids, values, policy0[ids], policy1[ids], BOTH))
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
    before = decisions(successors, ids, values, policy, policy, player)
    components = collapsed(before)
    decided = components.decided
    sign = 1.0 if player == 0 else -1.0
    found, choices = np.zeros(len(decided.first) - 1), decided.first[:-1].copy()

    # Many choices may be worth the same. Of them the one that ends play soonest is found by a hair that each step
    # costs; play that lasts a million steps more than it need makes equations that are hard to solve.
    hair = STEP_COST if len(ids) > LARGE else 0.0
    hurried = decided._replace(earned=decided.earned - sign * hair * (decided.actions != STAY))
    settled = 0
    for _ in range(MAX_SWEEPS):
        previous = choices.copy()
        if sweep(hurried, sign, STEADY, choices, found) <= STEADY:
            break
        settled = settled + 1 if (choices == previous).all() else 0
        if settled == SETTLED:
            break

    # What the choices are worth exactly; then policy iteration, which ends at once where the sweeps converged. A step
    # may gain next to nothing and yet much over the time that play lasts: what counts is the worth of new choices.
    noise = ROUNDING if len(ids) <= LARGE else GAIN
    found = chain_values(decided.chosen(choices), found, sure=False)
    for _ in range(MAX_IMPROVEMENTS):
        better = improved(decided, sign, noise, choices, found)
        if (better == choices).all():
            break
        better_values = chain_values(decided.chosen(better), found, sure=False)
        if (sign * (better_values - found) <= GAIN * np.abs(better_values)).all():
            break
        choices, found = better, better_values
    if len(ids) > LARGE:
        found = chain_values(decided.chosen(choices), found)
    return found[components.label], before.actions[components.choices(before, choices)]
