"""The exact solution of a game, with its certificate.

Layers of states are solved in order, each state as a matrix game. If states can recur, the values are the
limit of value iteration from zero (Shapley 1953; Everett 1957 for play without end), and Newton's method on the
pair of strategies (Pollatschek and Avi-Itzhak 1969) jumps to the limit once the iterates are near it.

If both players can win in play without end, that limit need not be the value: value iteration ends after some steps,
and just before the end a player can take a risk that would cost points later. Then the values are the limit of those of
games that stop after each step with a small probability (Mertens and Neyman 1981, "Stochastic games"). Two strategies
that are optimal with the probability ``h`` are worth ``O(h^2)`` less or more without it, so a few probabilities, each a
tenth of the one before, come as near as rounding lets them.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from nashzoo.baselines.certificate.bounds import PROVEN, Bounds
from nashzoo.baselines.certificate.checker import CertificateError, Progress, scale_of
from nashzoo.baselines.certificate.steps import UnprovenSolutionError
from nashzoo.baselines.fraction_solution import solved_in_fractions
from nashzoo.baselines.layered_solution import solve_layers
from nashzoo.baselines.markov.markov_chain import chain_values
from nashzoo.baselines.markov.transitions import decisions_at
from nashzoo.baselines.solution import LARGEST_CERTIFICATE, ListedSolution, Solution
from nashzoo.baselines.solvers.backup import NOBODY, Trusted, action_values, backup_equilibrium
from nashzoo.baselines.solvers.distance import distances, optimal_actions
from nashzoo.baselines.solvers.retrograde import retrograde
from nashzoo.baselines.solvers.step_penalty import with_step_penalty
from nashzoo.baselines.states.clocked import ClockedStates
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.baselines.states.space import StateSpace, StoredStates, Successors
from nashzoo.envs.core.game import Floats, Game, Ints
from nashzoo.envs.core.reachable import MAX_STATES
from nashzoo.envs.jit.lazy import brief

CONVERGENCE_TOLERANCE = 1e-14  # a sweep that changes no value by more has converged, for values around 1
SWEEPS_PER_JUMP = 24
MAX_SWEEPS = 10_000
STEP_PENALTY = 1e-12  # far above rounding errors, far below every tolerance
FEW_SWEEPS = 1_000  # with the penalty, of a first attempt
STOPPING = 0.01  # the first probability of a stop
STOPS = 7  # probabilities, each a tenth of the one before
CERTIFICATE_TOLERANCE = 1e-10


def solve_states(game: Game, roots: Sequence[int] | None = None, progress: Progress | None = None) -> Solution:
    """Solves a game whose players see the whole state, see :func:`nashzoo.baselines.forms.solve`."""
    if game.indexed_rules is not None:
        return solve_layers(IndexedStates(game), progress)
    if game.rules.clock_shift is not None:
        states = ClockedStates(game, roots, progress)
        if len(states) > MAX_STATES:
            return solve_layers(states, progress)
    listed = ListedStates(game, roots, representatives_only=True)
    try:
        solution = solve_listed(listed)
    except CertificateError:
        if (exact := solved_in_fractions(listed)) is None:
            raise
        return exact
    is_close = solution.certificate <= PROVEN * scale_of(solution.values)
    return solution if is_close else solved_in_fractions(listed) or solution


@brief()
def solve_listed(states: StoredStates) -> ListedSolution:
    """Solves a game on listed states exactly.

    Raises:
        UnprovenSolutionError: the proof of every attempt fails, or its certificate is above ``LARGEST_CERTIFICATE``
            though the game has optimal strategies.
    """
    # Iteration and its jumps can reach a fixed point that is not the value: then the certificate is large.
    attempts = (_jumped, FEW_SWEEPS, True), (_stopped, FEW_SWEEPS, False), (_iterated, MAX_SWEEPS, True)
    scaled, unit = states.in_units()
    solutions: list[ListedSolution] = []
    failures: list[UnprovenSolutionError] = []
    for recurrent, most_sweeps, behind_too in attempts:
        try:
            solutions.append(_solution(states, scaled, unit, recurrent, most_sweeps, behind_too))
        except UnprovenSolutionError as error:
            failures.append(error)
        except CertificateError as error:
            failures.append(UnprovenSolutionError(str(error), _bounds_of_rewards(states)))
        else:
            if solutions[-1].certificate <= CERTIFICATE_TOLERANCE * unit:
                break
    if not solutions:
        bounds = min((failure.bounds for failure in failures), key=lambda bounds: bounds.upper - bounds.lower)
        raise UnprovenSolutionError(failures[-1].why, bounds)
    return min(solutions, key=lambda solution: solution.certificate)


def _bounds(solution: ListedSolution) -> Bounds:
    """Returns bounds of the value of a game, by the certificate too; none if its start is not among the states."""
    bounds = _bounds_of_rewards(solution.states)
    if not _has_start(solution.states):
        return bounds
    _, lower, upper = solution.start_estimate
    return Bounds(max(bounds.lower, lower), min(bounds.upper, upper))


def _has_start(states: StoredStates) -> bool:
    return all(code in states for code in states.game.start_codes.tolist())


def _bounds_of_rewards(states: StoredStates) -> Bounds:
    """Returns bounds of the value of a game: the rewards at its end, and 0, which is that of play without end.

    They are infinite if it pays on the way, or its start is not among the states.
    """
    rewards, ends = states.successors.rewards, states.successors.following < 0
    if rewards[~ends].any() or not _has_start(states):
        return Bounds(-np.inf, np.inf)
    return Bounds(min(0.0, float(rewards.min())), max(0.0, float(rewards.max())))


def equilibrium_values(
    states: StateSpace,
    recurrent: "RecurrentValues | None" = None,
    most_sweeps: int | None = None,
    trusted: Trusted = NOBODY,
) -> Floats:
    """Returns the values of all states ``[n]``, computed without a proof.

    Args:
        states: The states.
        recurrent: Finds those of states that can recur; value iteration when None.
        most_sweeps: Largest number of sweeps of a layer with recurring states; ``MAX_SWEEPS`` when None.
        trusted: How a player chooses at all states that is trusted, if one is.
    """
    num_actions = states.game.num_actions
    recurrent, most_sweeps = recurrent or _iterated, MAX_SWEEPS if most_sweeps is None else most_sweeps
    values = np.zeros(len(states))
    for ids, cyclic in states.layers:
        successors = states.successors_at(ids)
        if not cyclic:
            values[ids] = backup_equilibrium(successors, values, num_actions, trusted.at(ids))[0]
        elif trusted is not NOBODY:
            values[ids] = _iterated(successors, ids, values, num_actions, most_sweeps, True, trusted.at(ids))
        elif (solved := retrograde(successors, ids, values)) is not None:
            values[ids] = solved.values
        else:
            values[ids] = recurrent(successors, ids, values, num_actions, most_sweeps)
    return values


def _solution(
    states: StoredStates,
    scaled: StoredStates,
    unit: float,
    recurrent: "RecurrentValues",
    most_sweeps: int,
    behind_too: bool,
) -> ListedSolution:
    """Returns the solution that an algorithm finds for the states in units of their largest reward."""
    num_actions = states.game.num_actions
    values = equilibrium_values(scaled, recurrent)
    to_the_end = distances(scaled, values)
    if to_the_end is None:
        policy0, policy1, moved = with_step_penalty(
            scaled.successors, states.layers, values, num_actions, STEP_PENALTY, STEP_PENALTY / 100, most_sweeps,
            behind_too,
        )  # fmt: skip
        policies = policy0, policy1
    else:
        everywhere = np.arange(len(states))
        moves = optimal_actions(scaled, everywhere, values, to_the_end).argmax(axis=1)
        movers, pure = states.turns(everywhere), np.eye(num_actions)
        policies, moved = (pure[np.where(movers == 0, moves, 0)], pure[np.where(movers == 1, moves, 0)]), 0.0
    solution = ListedSolution(states, values * unit, policies, to_the_end)
    if not solution.optimal:
        _check_not_the_solvers_fault(scaled, values, policies, moved, _bounds(solution))
    return solution


def _check_not_the_solvers_fault(
    states: StoredStates, values: Floats, policies: tuple[Floats, Floats], moved: float, bounds: Bounds
) -> None:
    """Checks that a large certificate is not the fault of the solver: there may be no optimal strategies.

    Then both players choose at once where states can recur (Everett 1957), and the strategies still are equilibria of
    the matrix games of the values, up to the largest change ``moved`` of these by the step penalty.

    Raises:
        UnprovenSolutionError: the solver is at fault.
    """
    both_choose = np.logical_and(*(legal & (legal - 1) != 0 for legal in states.successors[:2]))
    highest = action_values(states.successors, values, policies[1], 0).max(axis=1)
    lowest = -action_values(states.successors, values, policies[0], 1).max(axis=1)
    allowed = LARGEST_CERTIFICATE * max(1.0, float(np.abs(values).max())) + 2 * moved
    recurrent = any(cyclic and both_choose[ids].any() for ids, cyclic in states.layers)
    if not recurrent or (highest - lowest).max() > allowed:
        raise UnprovenSolutionError(f"{states.game.name}: the certificate is larger than rounding explains", bounds)


# Return the values [L] of states that can recur, from their successors, their numbers [L], the values [n] of all that
# follow them, the number of actions, and the largest number of sweeps.
RecurrentValues = Callable[[Successors, Ints, Floats, int, int], Floats]


def _stopped(successors: Successors, ids: Ints, values: Floats, num_actions: int, most_sweeps: int) -> Floats:
    """Returns the limit of the values of games that stop after each step with a probability, without a reward."""
    values = values.copy()
    for _ in range(most_sweeps):
        swept, *strategies = _backup_that_stops(successors, ids, values, num_actions, STOPPING)
        change = np.abs(swept - values[ids]).max()
        values[ids] = swept
        if change <= CONVERGENCE_TOLERANCE:
            break
    slope = np.zeros(len(ids))
    for k in range(STOPS):
        limit = chain_values(decisions_at(successors, (strategies[0], strategies[1])).within(ids, values)).values
        if k == 0:
            slope = (values[ids] - limit) / STOPPING
        stop = STOPPING / 10 ** (k + 1)
        values[ids] = limit + stop * slope
        _, *strategies = _backup_that_stops(successors, ids, values, num_actions, stop)
    return _without_rounding(limit)


def _without_rounding(values: Floats) -> Floats:
    """Returns the same number ``[L]`` for values that differ by rounding: in a circle even the least loss adds up."""
    order = np.argsort(values)
    first = np.flatnonzero(np.diff(values[order], prepend=-np.inf) > STEP_PENALTY / 10)
    alike = np.empty(len(values))
    alike[order] = np.repeat(values[order][first], np.diff(first, append=len(values)))
    return alike


def _backup_that_stops(
    successors: Successors, ids: Ints, values: Floats, num_actions: int, stop: float
) -> tuple[Floats, Floats, Floats]:
    """Returns values and strategies at states if play may stop before the next of them, with a probability."""
    lower = values.copy()
    lower[ids] *= 1.0 - stop
    return backup_equilibrium(successors, lower, num_actions)


def _iterated(
    successors: Successors,
    ids: Ints,
    values: Floats,
    num_actions: int,
    most_sweeps: int,
    jump: bool = False,
    trusted: Trusted = NOBODY,
) -> Floats:
    """Returns the limit of value iteration; a ``jump`` skips sweeps by the values of the strategies so far."""
    values = values.copy()
    single0, single1 = (legal & (legal - 1) == 0 for legal in (successors.legal0, successors.legal1))
    # In turn-based games without chance the sweeps end after finitely many.
    jump = jump and not (trusted is NOBODY and successors.deterministic and bool((single0 | single1).all()))
    for sweep in range(1, most_sweeps + 1):
        swept, *strategies = backup_equilibrium(successors, values, num_actions, trusted)
        change = np.abs(swept - values[ids]).max()
        values[ids] = swept
        if change <= CONVERGENCE_TOLERANCE:
            break
        if jump and sweep % SWEEPS_PER_JUMP == 0:
            jumped = values.copy()
            chain = decisions_at(successors, trusted.played(strategies)).within(ids, values)
            jumped[ids] = chain_values(chain).values
            after_jump = backup_equilibrium(successors, jumped, num_actions, trusted)[0]
            if np.abs(after_jump - jumped[ids]).max() < change / 2:
                values = jumped
    return values[ids]


_jumped = partial(_iterated, jump=True)
