"""Exact measures of policies in games with hidden information: values and best responses, with bounds of all rounding.

A policy is asked at each information state, and becomes its sequence weights. All numbers that are added up are
products of probabilities and rewards, and the magnitudes of those that one game adds are at most its rewards' sum; so
an error bound is the number of roundings of any of them, times the largest such sum.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from nashzoo.baselines.certificate.bounds import LEAST, SLACK, UNIT, Estimate
from nashzoo.baselines.information.sequence_form import MOST_HISTORIES, Form, SequenceForm, sequence_form, too_many
from nashzoo.baselines.information.traversal import counted, traversed_form
from nashzoo.baselines.policies.tabular import TabularPolicy, answers, as_policy, check_again, no_distribution
from nashzoo.baselines.policies.with_memory import check_no_memory
from nashzoo.envs.core.agent import FiniteMemoryAgent
from nashzoo.envs.core.game import Floats, Game
from nashzoo.envs.core.reachable import TooManyStatesError

KEPT = 2  # games whose sequence form is kept


@lru_cache(KEPT)
def form_or_reason(game: Game) -> SequenceForm | str:
    """Returns the sequence form of a game, kept for the games used last; or why it has too many histories for one."""
    try:
        if hasattr(game.rules.written, "strategic_state") and counted(game)[0] > MOST_HISTORIES:
            raise too_many(game)
        return sequence_form(game)
    except TooManyStatesError as error:
        return str(error)


def sequence_form_of(game: Game) -> SequenceForm:
    """Returns the sequence form of a game.

    Raises:
        UsageError, TooManyStatesError: as from :func:`sequence_form`.
    """
    form = form_or_reason(game)
    if isinstance(form, str):
        raise TooManyStatesError(form)
    return form


def too_large(game: Game) -> bool:
    """Returns whether a game has too many histories to keep."""
    return isinstance(form_or_reason(game), str)


def measured_form(game: Game) -> Form:
    """Returns what policies of a game are measured with: its sequence form, or walks if that is too large."""
    return traversed_form(game) if too_large(game) else sequence_form_of(game)


def weights_of(form: Form, policy: Any, player: int) -> Floats:
    """Returns the sequence weights ``[S]`` of a policy.

    Raises:
        NoPolicyError: the policy has no probabilities at information states, or others when it is asked again.
        UsageError: its probabilities are no distribution over the legal actions.
    """
    check_no_memory(policy)
    plex, at = form.treeplexes[player], form.observed[player]
    table, rows = None, form.states.ids(plex.codes)
    if isinstance(policy, TabularPolicy) and policy.numbering is form.states and not form.game.symmetric:
        table = policy.tables[player]  # which need not be copied
    if not isinstance(table, np.ndarray):
        policy = as_policy(policy, form.game)
        table, rows = answers(policy, at), np.arange(len(plex.codes))
    weights, faulty = plex.table_weights(np.ascontiguousarray(table, np.float64), rows)
    if faulty >= 0:
        raise no_distribution(at, faulty, table[rows[faulty]])
    check_again(policy, at, table)
    return weights


def pair_of_weights(form: Form, policy0: Any, policy1: Any) -> tuple[Floats, Floats]:
    """Returns the sequence weights of a policy in each seat, as from :func:`weights_of`."""
    if policy0 is policy1 and not isinstance(policy0, FiniteMemoryAgent):
        policy0 = policy1 = as_policy(policy0, form.game)  # a network, which is looked at once
    return weights_of(form, policy0, 0), weights_of(form, policy1, 1)


def own_reach(game: Game, policy: Any, player: int) -> dict[int, float]:
    """Returns the probability of a player's own choices up to each of its information states, by code.

    Raises:
        NoPolicyError, UsageError: as from :func:`weights_of`.
    """
    form = sequence_form_of(game)
    plex = form.treeplexes[player]
    return dict(zip(plex.codes.tolist(), weights_of(form, policy, player)[plex.parents].tolist(), strict=True))


def gap(form: Form, weights0: Floats, weights1: Floats) -> Estimate:
    """Returns what best responses win together from two policies, given by their sequence weights."""
    return best_response(form, weights0, 1)[0].plus(best_response(form, weights1, 0)[0])


def value(form: Form, weights0: Floats, weights1: Floats) -> Estimate:
    """Returns the expected reward to player 0 of two policies, given by their sequence weights."""
    return estimate_of(form, form.value(weights0, weights1))


def best_response(form: Form, weights: Floats, player: int) -> tuple[Estimate, Floats]:
    """Returns what a best response of ``player`` to sequence weights wins, and its probabilities by sequence ``[S]``.

    The weights are those of the other player's policy.
    """
    totals, probabilities = form.treeplexes[player].best_response(form.gains(player, weights))
    return estimate_of(form, totals[0]), probabilities


def estimate_of(form: Form, number: float) -> Estimate:
    """Returns a sum of products of probabilities and rewards with bounds of its rounding."""
    error = SLACK * form.roundings * (UNIT * form.most + LEAST)
    return Estimate(float(number), float(number) - error, float(number) + error)
