"""The exact solution of a game, with its certificate.

Layers of states are solved in order, each state as a matrix game. If states can recur, the values are the
limit of value iteration from zero (Shapley 1953; Everett 1957 for play without end), and Newton's method on the
pair of strategies (Pollatschek and Avi-Itzhak 1969) jumps to the limit once the iterates are near it.
"""

import contextlib
from collections.abc import Sequence

import numpy as np

from nashzoo.baselines.certificate.checker import CertificateError, Progress
from nashzoo.baselines.clocked_solution import solve_clocked
from nashzoo.baselines.indexed_solution import solve_indexed
from nashzoo.baselines.markov.markov_chain import chain_values
from nashzoo.baselines.markov.transitions import within
from nashzoo.baselines.solution import LARGEST_CERTIFICATE, ListedSolution, Solution
from nashzoo.baselines.solvers.backup import action_values, backup_equilibrium
from nashzoo.baselines.solvers.distance import distances, optimal_actions
from nashzoo.baselines.solvers.retrograde import retrograde
from nashzoo.baselines.solvers.step_penalty import with_step_penalty
from nashzoo.baselines.states.clocked import ClockedStates
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.baselines.states.space import StateSpace, StoredStates, Successors
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_game
from nashzoo.envs.core.game import Floats, Game, Ints
from nashzoo.envs.core.reachable import MAX_STATES
from nashzoo.envs.jit.lazy import brief

CONVERGENCE_TOLERANCE = 1e-14  # a sweep that changes no value by more has converged, for values around 1
SWEEPS_PER_JUMP = 24
MAX_SWEEPS = 10_000
STEP_PENALTY = 1e-12  # far above rounding errors, far below every tolerance
CERTIFICATE_TOLERANCE = 1e-10


@brief()
def solve(
    game: Game,
    roots: Sequence[int] | None = None,
    progress: Progress | None = None,
    *,
    tolerance: float | None = None,
) -> Solution:
    """Solves a game exactly.

    A game whose rules give its states an index is solved for all of them, whatever the roots.

    Turn-based games with recurring states and without chance are solved backwards from their terminal states. With
    chance, and with simultaneous moves, iteration finds values and strategies, and the certificate bounds their error:
    it proves from the rules what each strategy guarantees. If players choose at once in recurring states, there may be
    only strategies that come arbitrarily near (Everett 1957): see ``Solution.optimal``.

    Args:
        game: The game.
        roots: Codes of states from which to solve; the game's start states when None.
        progress: Called during long work, from several threads.
        tolerance: The largest certificate in a game with hidden information, points; 1e-9 when None.

    Raises:
        CertificateError: the proof of the solution fails, or the certificate is above ``LARGEST_CERTIFICATE`` though
            the game has optimal strategies, which is an error of this library; or the tolerance is not reached.
        ValueError: a reward of the game is not finite, or a root is terminal.
        UsageError: a part of the state is hidden, and there are roots, a player has no perfect recall, or states
            recur; or nothing is hidden, and there is a tolerance.
    """
    check_game(game)
    if game.hides:
        if roots is not None and not np.isin(roots, game.start_codes).all():
            raise UsageError(f"{game.name} hides a part of the state: it is solved from its start alone")
        from nashzoo.baselines.information_solution import solve_information

        return solve_information(game, tolerance, progress)
    if tolerance is not None:
        raise UsageError(f"nothing is hidden in {game.name}: it is solved exactly, without a tolerance")
    if game.indexed_rules is not None:
        return solve_indexed(IndexedStates(game), progress)
    if game.rules.clock_shift is not None:
        states = ClockedStates(game, roots, progress)
        if len(states) > MAX_STATES:
            return solve_clocked(states, progress)
    return solve_listed(ListedStates(game, roots, representatives_only=True))


@brief()
def solve_listed(states: StoredStates) -> ListedSolution:
    """Solves a game on listed states exactly.

    Raises:
        CertificateError: the proof of the solution fails, or the certificate is above ``LARGEST_CERTIFICATE`` though
            the game has optimal strategies, which is an error of this library.
    """
    # A jump can reach a fixed point that is not the limit: then the certificate is large.
    with contextlib.suppress(CertificateError):
        solution = _solution(states, jump=True)
        if solution.certificate <= CERTIFICATE_TOLERANCE:
            return solution
    return _solution(states, jump=False)


def equilibrium_values(states: StateSpace, jump: bool = False, most_sweeps: int | None = None) -> Floats:
    """Returns the values of all states ``[n]``, computed without a proof.

    Args:
        states: The states.
        jump: Whether to skip sweeps by the values of the strategies so far; such values can be false.
        most_sweeps: Largest number of sweeps of a layer with recurring states; ``MAX_SWEEPS`` when None.
    """
    num_actions = states.game.num_actions
    most_sweeps = MAX_SWEEPS if most_sweeps is None else most_sweeps
    values = np.zeros(len(states))
    for ids, cyclic in states.layers:
        successors = states.successors_at(ids)
        if not cyclic:
            values[ids] = backup_equilibrium(successors, values, num_actions)[0]
        elif (solved := retrograde(successors, ids, values)) is not None:
            values[ids] = solved.values
        else:
            values[ids] = _recurrent_values(successors, ids, values, num_actions, jump, most_sweeps)
    return values


def _solution(states: StoredStates, jump: bool) -> ListedSolution:
    num_actions = states.game.num_actions
    values = equilibrium_values(states, jump)
    to_the_end = distances(states, values)
    if to_the_end is None:
        policy0, policy1, moved = with_step_penalty(
            states.successors, states.layers, values, num_actions, STEP_PENALTY, STEP_PENALTY / 100, MAX_SWEEPS
        )
        policies = policy0, policy1
    else:
        everywhere = np.arange(len(states))
        moves = optimal_actions(states, everywhere, values, to_the_end).argmax(axis=1)
        movers, pure = states.turns(everywhere), np.eye(num_actions)
        policies, moved = (pure[np.where(movers == 0, moves, 0)], pure[np.where(movers == 1, moves, 0)]), 0.0
    solution = ListedSolution(states, values, policies, to_the_end)
    if not solution.optimal:
        _check_not_the_solvers_fault(states, values, policies, moved)
    return solution


def _check_not_the_solvers_fault(
    states: StoredStates, values: Floats, policies: tuple[Floats, Floats], moved: float
) -> None:
    """Checks that a large certificate is not the fault of the solver: there may be no optimal strategies.

    Then both players choose at once where states can recur (Everett 1957), and the strategies still are equilibria of
    the matrix games of the values, up to the largest change ``moved`` of these by the step penalty.

    Raises:
        CertificateError: the solver is at fault.
    """
    both_choose = np.logical_and(*(legal & (legal - 1) != 0 for legal in states.successors[:2]))
    highest = action_values(states.successors, values, policies[1], 0).max(axis=1)
    lowest = -action_values(states.successors, values, policies[0], 1).max(axis=1)
    allowed = LARGEST_CERTIFICATE * max(1.0, float(np.abs(values).max())) + 2 * moved
    recurrent = any(cyclic and both_choose[ids].any() for ids, cyclic in states.layers)
    if not recurrent or (highest - lowest).max() > allowed:
        raise CertificateError(f"{states.game.name}: the certificate is larger than rounding explains")


def _recurrent_values(
    successors: Successors, ids: Ints, values: Floats, num_actions: int, jump: bool, most_sweeps: int
) -> Floats:
    """Returns the values ``[L]`` of states that can recur."""
    values = values.copy()
    single0, single1 = (legal & (legal - 1) == 0 for legal in (successors.legal0, successors.legal1))
    # In turn-based games without chance the sweeps end after finitely many.
    jump = jump and not (successors.deterministic and bool((single0 | single1).all()))
    for sweep in range(1, most_sweeps + 1):
        swept, strategies0, strategies1 = backup_equilibrium(successors, values, num_actions)
        change = np.abs(swept - values[ids]).max()
        values[ids] = swept
        if change <= CONVERGENCE_TOLERANCE:
            break
        if jump and sweep % SWEEPS_PER_JUMP == 0:
            jumped = values.copy()
            jumped[ids] = chain_values(within(successors, ids, values, (strategies0, strategies1))).values
            after_jump = backup_equilibrium(successors, jumped, num_actions)[0]
            if np.abs(after_jump - jumped[ids]).max() < change / 2:
                values = jumped
    return values[ids]
