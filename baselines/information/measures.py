"""Exact measures of policies in games with hidden information: values and best responses, with bounds of all rounding.

A policy is asked once at each information state, and becomes its sequence weights. All numbers that are added up are
products of probabilities and rewards, so an error bound is the number of roundings of any of them, times the same pass over
their magnitudes.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import LEAST, SLACK, UNIT, Estimate
from nashzoo.baselines.information.sequence_form import SequenceForm, sequence_form
from nashzoo.baselines.policies.tabular import tabulate
from nashzoo.envs.core.game import Floats, Game

KEPT = 2  # games whose sequence form is kept


@lru_cache(KEPT)
def form_of(game: Game) -> SequenceForm:
    """Returns the sequence form of a game, kept for the games used last."""
    return sequence_form(game)


class Response(NamedTuple):
    """A best response: what it wins for its player, and its probabilities by sequence ``[S]``."""

    value: Estimate
    probabilities: Floats


def weights_of(form: SequenceForm, policy: Any, player: int) -> Floats:
    """Returns the sequence weights ``[S]`` of a policy.

    Raises:
        NoPolicyError: the policy has no probabilities at information states.
        UsageError: its probabilities are no distribution over the legal actions.
    """
    plex = form.treeplexes[player]
    table = tabulate(form.game, policy, plex.codes, player)
    legal = (plex.legal[:, None] >> np.arange(form.game.num_actions) & 1).astype(np.bool_)
    return plex.weights(np.concatenate([[1.0], table[legal]]))


def value(form: SequenceForm, weights0: Floats, weights1: Floats) -> Estimate:
    """Returns the expected reward to player 0 of two policies, given by their sequence weights."""
    gained, magnitude = (float(weights0 @ (matrix @ weights1)) for matrix in (form.matrix, form.magnitudes))
    return _estimate(form, gained, magnitude)


def best_response(form: SequenceForm, weights: Floats, player: int) -> Response:
    """Returns a best response of ``player`` to the other's policy, given by its sequence weights."""
    plex = form.treeplexes[player]
    won, probabilities = plex.best_response(form.gains(player, weights))
    magnitudes = form.magnitudes if player == 0 else form.magnitudes.T
    return Response(_estimate(form, won, plex.best_response(magnitudes @ weights)[0]), probabilities)


def _estimate(form: SequenceForm, number: float, magnitude: float) -> Estimate:
    error = SLACK * (form.roundings * UNIT * magnitude + form.roundings * LEAST)
    return Estimate(number, number - error, number + error)
