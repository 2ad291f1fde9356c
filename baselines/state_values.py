"""Values of policies at every numbered state, against each other or against the best response, with bounds.

States that cannot recur are backed up in layers, last first. If states can recur, the reachable states form a
Markov chain, or, for the responder, a Markov decision process: see :mod:`nashzoo.baselines.markov.markov_chain` and
:mod:`nashzoo.baselines.markov.decision_process`. Play that never ends has the value 0.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.baselines.certificate.bounds import LEAST, SLACK, UNIT, Estimate, Rounding
from nashzoo.baselines.indexed_values import indexed_values
from nashzoo.baselines.markov.decision_process import optimum
from nashzoo.baselines.markov.likely_play import likely_value
from nashzoo.baselines.markov.markov_chain import chain_values
from nashzoo.baselines.markov.ordering import MOST_STATES
from nashzoo.baselines.markov.transitions import AT_ONCE, Edit, explored, joined, unchanged
from nashzoo.baselines.policies.tabular import Rows
from nashzoo.baselines.solvers.backup import action_values, evaluation
from nashzoo.baselines.solvers.threaded_loops import in_parts, overlapped
from nashzoo.baselines.states.indexed import IndexedStates
from nashzoo.baselines.states.space import StateSpace, Successors
from nashzoo.envs.core.game import Bools, Floats, Ints


class Values(NamedTuple):
    """The values of states to player 0."""

    values: Floats  # as computed, by number [n]; 0 at states that were left out
    below: Floats | float  # bounds of how much the true values are less [n], or one number for all
    above: Floats | float  # bounds of how much they are more

    def negative(self) -> "Values":
        """Returns the values of the states to the other player."""
        return Values(-self.values, self.above, self.below)


class BestResponses(NamedTuple):
    """The best response to a policy."""

    values: Values  # its values of states to player 0
    choices: NDArray[np.int8]  # its action at each state [n], -1 where it was left out


def start_value(states: StateSpace, values: Rows) -> float:
    """Returns the expected value ``[n]`` over the game's start states."""
    game = states.game
    return float(values[states.ids(game.start_codes)] @ game.start_probabilities)


def start_estimate(states: StateSpace, by_number: Values) -> Estimate:
    """Returns the expected value over the game's start states, and its bounds."""
    ids, chances = states.ids(states.game.start_codes), states.game.start_probabilities
    value = float(by_number.values[ids] @ chances)
    below, above = (
        float((side[ids] if isinstance(side, np.ndarray) else np.full(len(ids), side)) @ chances)
        for side in (by_number.below, by_number.above)
    )
    largest = float(np.abs(by_number.values[ids]).max()) + min(below + above, 1.0)
    rounding = (2 * len(ids) + 8) * (UNIT * SLACK * largest + (LEAST if largest > 0.0 else 0.0))
    return Estimate(value, value - below - rounding, value + above + rounding)


def start_evaluated(states: StateSpace, policy0: Rows, policy1: Rows, edit: Edit = unchanged) -> Estimate:
    """Returns the value of two policies from the game's start, see :func:`evaluated`."""
    if not states.recurs:
        return start_estimate(states, evaluated(states, policy0, policy1, edit))
    starts = states.ids(states.game.start_codes)
    ids, chain = explored(states, (policy0, policy1), starts, edit)
    chances = states.game.start_probabilities
    likely = None
    if len(ids) > MOST_STATES and not chain.rewards[chain.targets >= 0].any():
        place = np.zeros(len(states), np.int64)
        place[ids] = np.arange(len(ids))
        likely = likely_value(chain, place[starts], chances)
        if likely.close:
            return likely
    values, errors = _scattered(len(states), ids, *chain_values(chain))
    solved = start_estimate(states, Values(values, errors, errors))
    if not chain.rewards[chain.targets >= 0].any():
        solved = solved.within(min(float(chain.rewards.min()), 0.0), max(float(chain.rewards.max()), 0.0))
    return solved if likely is None else solved.closer(likely)


def evaluated(
    states: StateSpace, policy0: Rows, policy1: Rows, edit: Edit = unchanged, everywhere: bool = False
) -> Values:
    """Returns the values of states under two policies ``[n, actions]``: of those that play reaches, or ``everywhere``.

    ``edit`` replaces the rewards by others.
    """
    if states.recurs:
        starts = None if everywhere else states.ids(states.game.start_codes)
        ids, chain = explored(states, (policy0, policy1), starts, edit)
        values, errors = _scattered(len(states), ids, *chain_values(chain))
        return Values(values, errors, errors)
    tables = policy0, policy1
    if isinstance(states, IndexedStates) and edit is unchanged:
        values, error, _ = indexed_values(states, tables, everywhere)
        return Values(values, error, error)
    return backed_up(states, tables, lambda _, successors, values, rows: evaluation(successors, values, *rows), edit)


def backed_up(
    states: StateSpace, tables: tuple[Rows, ...], back_up: Callable[..., Floats], edit: Edit = unchanged
) -> Values:
    """Returns the values of states that cannot recur, layer by layer.

    ``back_up`` returns those of some states, from their numbers, their successors, all values, and the tables' rows.
    """
    values, rounding = np.zeros(len(states)), Rounding()

    def work(ids: Ints, asked: list[Floats]) -> None:
        def part(rows: slice) -> None:
            successors = edit(states.successors_at(ids[rows]))
            values[ids[rows]] = back_up(ids[rows], successors, values, [each[rows] for each in asked])
            rounding.count(successors.rewards.shape[1], float(np.abs(successors.rewards).max()))

        in_parts(part, len(ids))

    for ids, _ in states.layers:
        overlapped(lambda block: [table[block] for table in tables], work, _blocks(ids))
        rounding.next_layer(values[ids])
    return Values(values, rounding.total, rounding.total)


def best_response_values(states: StateSpace, policy: Rows, player: int) -> tuple[Floats, NDArray[np.int8]]:
    """Returns every state's value to player 0 ``[n]`` under the best response to ``policy``, and its actions."""
    best = best_responses(states, policy, player, everywhere=True)
    return best.values.values, best.choices


def best_responses(states: StateSpace, policy: Rows, player: int, everywhere: bool = False) -> BestResponses:
    """Returns the best response to a policy ``[n, actions]`` at the states that play reaches, or ``everywhere``."""
    tables = (None, policy) if player == 0 else (policy, None)
    if states.recurs:
        ids, decided = explored(states, tables, None if everywhere else states.ids(states.game.start_codes))
        optimal = optimum(decided, 1.0 if player == 0 else -1.0)
        columns = optimal.values, optimal.values - optimal.lower, optimal.upper - optimal.values
        own = Values(*_scattered(len(states), ids, *columns))
        choices = np.full(len(states), -1, np.int8)
        choices[ids] = decided.actions[optimal.choices]
        return BestResponses(own if player == 0 else own.negative(), choices)
    if isinstance(states, IndexedStates):
        values, error, choices = indexed_values(states, tables, everywhere)
        return BestResponses(Values(values, error, error), choices)
    choices = np.zeros(len(states), np.int8)

    def respond(ids: Ints, successors: Successors, values: Floats, rows: list[Floats]) -> Floats:
        worth = action_values(successors, values, rows[0], player)
        choices[ids] = worth.argmax(axis=1)
        best: Floats = worth.max(axis=1)
        return best if player == 0 else -best

    return BestResponses(backed_up(states, (policy,), respond), choices)


def response_within(states: StateSpace, policies: tuple[Rows, Rows], player: int, locked: Bools) -> Values:
    """Returns the values to player 0 if a player responds to the other's policy, but plays its own where it is locked.

    Args:
        states: The states.
        policies: Both players' policies, by number ``[n, actions]``.
        player: The player who responds.
        locked: At which states it plays its policy ``[n]``.
    """
    free = explored(states, (None, policies[1]) if player == 0 else (policies[0], None)).decisions
    decisions = joined([free, explored(states, policies).decisions])
    owners = decisions.owners() % len(states)
    kept = np.flatnonzero(locked[owners] == (np.arange(len(owners)) >= len(free.actions)))
    kept = kept[np.argsort(owners[kept], kind="stable")]
    first = np.searchsorted(owners[kept], np.arange(len(states) + 1))
    best = optimum(decisions.taken(kept, first), 1.0 if player == 0 else -1.0)
    values = Values(best.values, best.values - best.lower, best.upper - best.values)
    return values if player == 0 else values.negative()


def _blocks(ids: Ints) -> list[Ints]:
    return [ids[first : first + AT_ONCE] for first in range(0, len(ids), AT_ONCE)]


def _scattered(length: int, ids: Ints, *columns: Floats) -> list[Floats]:
    """Returns columns ``[n]`` with the given values at some places, and 0 elsewhere."""
    scattered = [np.zeros(length) for _ in columns]
    for whole, column in zip(scattered, columns, strict=True):
        whole[ids] = column
    return scattered
