"""The exact solution of a game, with its certificate.

Layers of positions are solved in order, each position as a matrix game. Where play can recur, the values are the
limit of sweeps from zero (Shapley 1953; Everett 1957 for play that may go on for ever), and Newton's method on the
pair of strategies (Pollatschek and Avi-Itzhak 1969) jumps to the limit once the sweeps are near.
"""

import contextlib
from collections.abc import Sequence

import numpy as np

from nashzoo.baselines.backup import equilibrium
from nashzoo.baselines.decisions import within
from nashzoo.baselines.distance import distances, optimal_actions, turns
from nashzoo.baselines.markov_chain import chain_values
from nashzoo.baselines.positions import Positions, Successors
from nashzoo.baselines.retrograde import retrograde
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.table import Table, numbering
from nashzoo.baselines.table_solution import solve_table
from nashzoo.baselines.verify import CertificateError, Progress
from nashzoo.envs.game import Floats, Game, Ints
from nashzoo.envs.kernel import brief

STEADY = 1e-14  # a sweep that changes no value by more has converged, for values around 1
SWEEPS_PER_JUMP = 24
MAX_SWEEPS = 10_000
STEP_COST = 1e-12  # far above rounding errors, far below every tolerance
HURRY_SWEEPS = 64
CERTAIN = 1e-10


@brief()
def solve(game: Game, roots: Sequence[int] | None = None, progress: Progress | None = None) -> Solution:
    """Solves a game exactly.

    A game whose rules number its positions is solved for all of them, whatever the roots.

    Args:
        game: The game.
        roots: Codes of positions from which to solve; the game's start positions when None.
        progress: Called as the work goes on, from several threads, where it takes long.

    Raises:
        CertificateError: the solution does not hold, which is an error of this library.
        ValueError: the game pays something that is not finite, or a root is a position at which it is over.
    """
    positions = numbering(game, roots, essential=True)
    if isinstance(positions, Table):
        return solve_table(positions, progress)
    return solve_listed(positions)


@brief()
def solve_listed(positions: Positions) -> Solution:
    """Solves the game that is played at listed positions exactly.

    Raises:
        CertificateError: the solution does not hold, which is an error of this library.
    """
    # A jump can land on values that are consistent but not the limit: then the certificate is no good.
    with contextlib.suppress(CertificateError):
        solution = _solution(positions, jump=True)
        if solution.certificate <= CERTAIN:
            return solution
    return _solution(positions, jump=False)


def _solution(positions: Positions, jump: bool) -> Solution:
    num_actions = positions.game.num_actions
    values = np.zeros(len(positions))
    for ids, cyclic in positions.layers:
        successors = positions.successors.at(ids)
        if not cyclic:
            values[ids] = equilibrium(successors, values, num_actions)[0]
        elif (solved := retrograde(successors, ids, values)) is not None:
            values[ids] = solved.values
        else:
            values[ids] = _recurrent_values(successors, ids, values, num_actions, jump)
    to_the_end = distances(positions, values)
    if to_the_end is None:
        policies = _hurried(positions, values, 1)[0], _hurried(positions, values, -1)[1]
    else:
        everywhere = np.arange(len(positions))
        moves = optimal_actions(positions, everywhere, values, to_the_end).argmax(axis=1)
        movers, pure = turns(positions, everywhere), np.eye(num_actions)
        policies = pure[np.where(movers == 0, moves, 0)], pure[np.where(movers == 1, moves, 0)]
    return Solution(positions, values, policies, to_the_end)


def _recurrent_values(successors: Successors, ids: Ints, values: Floats, num_actions: int, jump: bool) -> Floats:
    """Returns the values ``[L]`` of positions among which play can recur."""
    values = values.copy()
    single0, single1 = (legal & (legal - 1) == 0 for legal in (successors.legal0, successors.legal1))
    jump = jump and not (single0 | single1).all()  # the sweeps of turn-based games end by themselves
    for sweep in range(1, MAX_SWEEPS + 1):
        swept, strategies0, strategies1 = equilibrium(successors, values, num_actions)
        change = np.abs(swept - values[ids]).max()
        values[ids] = swept
        if change <= STEADY:
            break
        if jump and sweep % SWEEPS_PER_JUMP == 0:
            jumped = values.copy()
            jumped[ids] = chain_values(within(successors, ids, values, (strategies0, strategies1))).values
            after_jump = equilibrium(successors, jumped, num_actions)[0]
            if np.abs(after_jump - jumped[ids]).max() < change / 2:
                values = jumped
    return values[ids]


def _hurried(positions: Positions, values: Floats, payer: int) -> tuple[Floats, Floats]:
    """Returns the equilibrium strategies ``[n, actions]`` when every step costs one player a hair.

    Many strategies may secure the same values, and where play can recur some of them merely keep a win for ever. Of
    them all, whoever pays the hair has the one that brings play to an end soonest, and loses by it no more than a
    hair per step.

    Args:
        positions: The numbered positions.
        values: What they are worth ``[n]``.
        payer: 1 for player 0, -1 for player 1.
    """
    ahead = payer * values > STEADY
    values = values.copy()
    num_actions = positions.game.num_actions
    strategies0, strategies1 = np.zeros((2, len(positions), num_actions))
    for ids, cyclic in positions.layers:
        successors = positions.successors.at(ids)
        for sweep in range(MAX_SWEEPS if cyclic else 1):
            swept, strategies0[ids], strategies1[ids] = equilibrium(successors, values, num_actions)
            change = swept - payer * STEP_COST - values[ids]
            if sweep >= HURRY_SWEEPS:  # only who is ahead must come to an end; others may have to pay for ever
                change[~ahead[ids]] = 0.0
            values[ids] += change
            if np.abs(change).max() <= STEP_COST / 100:
                break
    return strategies0, strategies1
