"""Exact measures of policies in games with hidden information: values and best responses, with bounds of all rounding.

A policy is asked once at each information state, and becomes its sequence weights. All numbers that are added up are
products of probabilities and rewards, so an error bound is the number of roundings of any of them, times the same pass
over their magnitudes.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import LEAST, SLACK, UNIT, Estimate
from nashzoo.baselines.information.sequence_form import SequenceForm, sequence_form
from nashzoo.baselines.policies.tabular import TabularPolicy, as_policy, asked
from nashzoo.baselines.states.space import Numbered
from nashzoo.envs.core.agent import FiniteMemoryAgent, NoPolicyError
from nashzoo.envs.core.checks import name_of
from nashzoo.envs.core.game import Floats, Game, Ints

KEPT = 2  # games whose sequence form is kept


@lru_cache(KEPT)
def form_of(game: Game) -> SequenceForm:
    """Returns the sequence form of a game, kept for the games used last."""
    return sequence_form(game)


class Response(NamedTuple):
    """A best response: what it wins for its player, and how it plays."""

    value: Estimate
    policy: TabularPolicy


class InformationStates(Numbered):
    """The information states of both players, numbered in one list.

    Args:
        form: The game in sequence form.
    """

    def __init__(self, form: SequenceForm) -> None:
        self.game, self.form = form.game, form
        self.codes = np.unique(np.concatenate([plex.codes for plex in form.treeplexes]))

    def __len__(self) -> int:
        return len(self.codes)

    def ids(self, codes: Any) -> Ints:
        """Returns the numbers of information states ``[B]``.

        Raises:
            KeyError: a code is none.
        """
        codes = np.asarray(codes)
        ids = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        unknown = np.flatnonzero(self.codes[ids] != codes)
        if len(unknown):
            raise KeyError(int(codes[unknown[0]]))
        return ids

    def codes_at(self, ids: Ints) -> Ints:
        """Returns the codes of information states ``[L]``."""
        return self.codes[ids]

    def table(self, player: int, probabilities: Floats) -> Floats:
        """Returns a player's probabilities by sequence ``[S]`` as a table by number ``[n, actions]``."""
        table = np.zeros((len(self.codes), self.game.num_actions))
        rows = np.zeros(self.form.legal[player].shape)
        rows[self.form.legal[player]] = probabilities[1:]
        table[self.ids(self.form.treeplexes[player].codes)] = rows
        return table


def weights_of(form: SequenceForm, policy: Any, player: int) -> Floats:
    """Returns the sequence weights ``[S]`` of a policy.

    Raises:
        NoPolicyError: the policy has no probabilities at information states.
        UsageError: its probabilities are no distribution over the legal actions.
    """
    if isinstance(policy, FiniteMemoryAgent):
        raise NoPolicyError(
            f"{name_of(policy)} chooses by more than its information state: in games with hidden information, exact "
            "measures need a policy that depends on what the player sees alone; measure it by playing games with it"
        )
    table = asked(as_policy(policy, form.game), form.observed[player])
    return form.treeplexes[player].weights(np.concatenate([[1.0], table[form.legal[player]]]))


def evaluated(game: Game, policy0: Any, policy1: Any) -> Estimate:
    """Returns the value of two policies to player 0."""
    form = form_of(game)
    return value(form, weights_of(form, policy0, 0), weights_of(form, policy1, 1))


def response(game: Game, policy: Any, player: int) -> Response:
    """Returns a best response of ``player`` to a policy in the other seat."""
    form = form_of(game)
    won, probabilities = best_response(form, weights_of(form, policy, 1 - player), player)
    states = InformationStates(form)
    table = states.table(player, probabilities)
    return Response(won, TabularPolicy(states, (table, None) if player == 0 else (None, table)))


def conceded(game: Game, policy: Any, player: int) -> Estimate:
    """Returns the most that the opponent of a policy in the seat of ``player`` wins from it."""
    form = form_of(game)
    return best_response(form, weights_of(form, policy, player), 1 - player)[0]


def value(form: SequenceForm, weights0: Floats, weights1: Floats) -> Estimate:
    """Returns the expected reward to player 0 of two policies, given by their sequence weights."""
    gained, magnitude = (float(weights0 @ (matrix @ weights1)) for matrix in (form.matrix, form.magnitudes))
    return _estimate(form, gained, magnitude)


def best_response(form: SequenceForm, weights: Floats, player: int) -> tuple[Estimate, Floats]:
    """Returns what a best response of ``player`` wins, and its probabilities by sequence ``[S]``.

    Args:
        form: The game in sequence form.
        weights: The sequence weights of the other player's policy.
        player: The player who responds.
    """
    plex = form.treeplexes[player]
    won, probabilities = plex.best_response(form.gains(player, weights))
    magnitudes = form.magnitudes if player == 0 else form.magnitudes.T
    most, _ = plex.best_response(magnitudes @ weights)
    return _estimate(form, float(won[0]), float(most[0])), probabilities


def _estimate(form: SequenceForm, number: float, magnitude: float) -> Estimate:
    error = SLACK * (form.roundings * UNIT * magnitude + form.roundings * LEAST)
    return Estimate(number, number - error, number + error)
