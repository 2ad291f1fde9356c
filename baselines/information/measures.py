"""Exact measures of policies in games with hidden information: values and best responses, with bounds of all rounding.

A policy is asked at each information state, and becomes its sequence weights. All numbers that are added up are
products of probabilities and rewards, and the magnitudes of those that one game adds are at most its rewards' sum; so
an error bound is the number of roundings of any of them, times the largest such sum.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import LEAST, SLACK, UNIT, Estimate
from nashzoo.baselines.information.sequence_form import Form, SequenceForm, levels, sequence_form
from nashzoo.baselines.information.traversal import traversed_form
from nashzoo.baselines.policies.tabular import TabularPolicy, answers, as_policy, check_again, no_distribution
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import FiniteMemoryAgent, NoPolicyError
from nashzoo.envs.core.checks import name_of
from nashzoo.envs.core.game import Floats, Game
from nashzoo.envs.core.reachable import TooManyStatesError

KEPT = 2  # games whose sequence form is kept


@lru_cache(KEPT)
def form_of(game: Game) -> SequenceForm:
    """Returns the sequence form of a game, kept for the games used last."""
    return sequence_form(game)


@lru_cache(KEPT)
def _too_large(game: Game) -> bool:
    """Returns whether a game has too many histories to keep."""
    try:
        form_of(game)
    except TooManyStatesError:
        return True
    return False


def measured_form(game: Game) -> Form:
    """Returns what policies of a game are measured with: its sequence form, or walks if that is too large."""
    return traversed_form(game) if _too_large(game) else form_of(game)


class Response(NamedTuple):
    """A best response: what it wins for its player, and how it plays."""

    value: Estimate
    policy: TabularPolicy


def weights_of(form: Form, policy: Any, player: int) -> Floats:
    """Returns the sequence weights ``[S]`` of a policy.

    Raises:
        NoPolicyError: the policy has no probabilities at information states, or others when it is asked again.
        UsageError: its probabilities are no distribution over the legal actions.
    """
    if isinstance(policy, FiniteMemoryAgent):
        raise NoPolicyError(
            f"{name_of(policy)} chooses by more than its information state: in games with hidden information, exact "
            "measures need a policy that depends on what the player sees alone; measure it by playing games with it"
        )
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


def evaluated(game: Game, policy0: Any, policy1: Any) -> Estimate:
    """Returns the value of two policies to player 0."""
    form = measured_form(game)
    return value(form, weights_of(form, policy0, 0), weights_of(form, policy1, 1))


def response(game: Game, policy: Any, player: int) -> Response:
    """Returns a best response of ``player`` to a policy in the other seat."""
    form = measured_form(game)
    won, probabilities = best_response(form, weights_of(form, policy, 1 - player), player)
    table = form.states.table(player, probabilities)
    return Response(won, TabularPolicy(form.states, (table, None) if player == 0 else (None, table)))


def conceded(game: Game, policy: Any, player: int) -> Estimate:
    """Returns the most that the opponent of a policy in the seat of ``player`` wins from it."""
    form = measured_form(game)
    return best_response(form, weights_of(form, policy, player), 1 - player)[0]


def conceded_together(game: Game, policy0: Any, policy1: Any) -> Estimate:
    """Returns the sum of what the opponents of two policies win from them at most."""
    form = measured_form(game)
    weights0, weights1 = weights_of(form, policy0, 0), weights_of(form, policy1, 1)
    form.prepare(weights0, weights1)
    return gap(form, weights0, weights1)


def gap(form: Form, weights0: Floats, weights1: Floats) -> Estimate:
    """Returns what best responses win together from two policies, given by their sequence weights."""
    return best_response(form, weights0, 1)[0].plus(best_response(form, weights1, 0)[0])


def win_and_loss(game: Game, policy0: Any, policy1: Any) -> tuple[Estimate, Estimate]:
    """Returns the probabilities that player 0's return is positive, and negative.

    Raises:
        UsageError: the game pays before its end.
    """
    form, counts = form_of(game), [0.0, 0.0]
    weights0, weights1 = weights_of(form, policy0, 0), weights_of(form, policy1, 1)
    for level in levels(game):
        if not level.last.all():
            raise UsageError(f"{game.name} pays before its end: there is no one payment to tell who won")
        reached = level.reach * weights0[level.paid[0]] * weights1[level.paid[1]]
        for result, decided in enumerate((level.rewards > 0, level.rewards < 0)):
            counts[result] += float(reached[decided].sum())
    error = SLACK * (form.roundings + form.num_histories * game.num_actions) * (UNIT + LEAST)
    win, loss = (Estimate(count, count - error, count + error) for count in counts)
    return win, loss


def value(form: Form, weights0: Floats, weights1: Floats) -> Estimate:
    """Returns the expected reward to player 0 of two policies, given by their sequence weights."""
    return _estimate(form, form.value(weights0, weights1))


def best_response(form: Form, weights: Floats, player: int) -> tuple[Estimate, Floats]:
    """Returns what a best response of ``player`` wins, and its probabilities by sequence ``[S]``.

    Args:
        form: The game in sequence form.
        weights: The sequence weights of the other player's policy.
        player: The player who responds.
    """
    totals, probabilities = form.treeplexes[player].best_response(form.gains(player, weights))
    return _estimate(form, totals[0]), probabilities


def _estimate(form: Form, number: float) -> Estimate:
    error = SLACK * form.roundings * (UNIT * form.most + LEAST)
    return Estimate(float(number), float(number) - error, float(number) + error)
