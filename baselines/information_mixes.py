"""Mixtures of policies in games with hidden information.

A player remembers its own actions there, and so a policy drawn once for a whole game is one policy: its sequence
weights are the mean of theirs (Kuhn 1953). In the double oracle a sequence is allowed if a policy of its player plays
it, and the restricted game is one linear program.

Sources: Kuhn (1953), "Extensive games and the problem of information"; Bosansky et al. (2014), "An exact double-oracle
algorithm for zero-sum extensive-form games with imperfect information".
"""

import dataclasses
from typing import Any

import numpy as np

from nashzoo.baselines.information.measures import best_response, sequence_form_of, weights_of
from nashzoo.baselines.information.program import solve_program
from nashzoo.baselines.information.sequence_form import SequenceForm
from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.baselines.policy_average import BestResponsePair, Mix
from nashzoo.envs.core.game import Floats, Game
from nashzoo.envs.jit.compiled import Bools


class SequenceMix(Mix):
    """A mix in a game with hidden information; tables are sequence weights ``[S]``.

    In a symmetric game player 1 plays as player 0.

    Attributes:
        form: The game in sequence form.

    Raises:
        TooManyStatesError: there are too many histories.
    """

    def __init__(self, game: Game) -> None:
        self.game, self.form = game, sequence_form_of(game)

    def tables(self, player: Any) -> tuple[Floats, Floats]:
        """Returns the sequence weights of a player of both seats."""
        return weights_of(self.form, player, 0), weights_of(self.form, player, 1)

    def played(self, tables: tuple[Floats, Floats], seed: int | None = None) -> TabularPolicy:
        """Returns policies as a player of both seats."""
        return self.form.policy(tables, seed)

    def uniform(self) -> tuple[Floats, Floats]:
        """Returns the uniform policies over all legal actions."""
        first, second = (plex.weights(plex.uniform()) for plex in self.form.treeplexes)
        return first, second

    def pure(self, choices: tuple[Any, Any]) -> tuple[Floats, Floats]:
        """Returns the policies that are best responses, given by their probabilities by sequence."""
        first, second = (plex.weights(each) for plex, each in zip(self.form.treeplexes, choices, strict=True))
        return self._mirrored((first, second))

    def _mirrored(self, tables: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        return self.tables(self.played(tables)) if self.game.symmetric else tables

    def best_responses(self, tables: tuple[Floats, Floats]) -> BestResponsePair:
        """Returns the best responses to policies.

        Raises:
            UnprovenValueError: the value of a response cannot be computed to within 1e-9.
        """
        tables = self._mirrored(tables)
        (won0, choices0), (won1, choices1) = (best_response(self.form, tables[1 - k], k) for k in (0, 1))
        return BestResponsePair(-won1.proven(), won0.proven(), (choices0, choices1))


class SequenceAverage(SequenceMix):
    """The mean of whole policies."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.sums = tuple(np.zeros(plex.num_sequences) for plex in self.form.treeplexes)

    def add(self, tables: tuple[Floats, Floats]) -> None:
        """Adds a policy of each player, sequence weights ``[S]``."""
        for total, weights in zip(self.sums, tables, strict=True):
            total += weights

    def policies(self) -> tuple[Floats, Floats]:
        """Returns the means, sequence weights ``[S]``."""
        return self.sums[0] / self.sums[0][0], self.sums[1] / self.sums[1][0]


class SequencePopulation(SequenceMix):
    """The equilibrium of the sequences that have been played.

    Attributes:
        kept: Whether player 0 and player 1 have played a sequence ``[S]``.
    """

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        first, second = (np.arange(plex.num_sequences) == 0 for plex in self.form.treeplexes)
        self.kept: tuple[Bools, Bools] = (first, second)

    def add(self, tables: tuple[Floats, Floats]) -> None:
        """Adds the most likely action of each player at each information state, given sequence weights ``[S]``."""
        num_actions = self.game.num_actions
        for plex, places, kept, weights in zip(self.form.treeplexes, self.form.places, self.kept, tables, strict=True):
            probabilities, pure = np.zeros(len(plex.codes) * num_actions), np.ones(plex.num_sequences)
            probabilities[places] = plex.probabilities(weights)[1:]
            likeliest = probabilities.reshape(-1, num_actions).argmax(axis=1)
            pure[1:] = np.eye(num_actions)[likeliest].ravel()[places]
            kept |= plex.weights(pure) > 0.0

    def policies(self) -> tuple[Floats, Floats]:
        """Returns the equilibrium of the restricted game, sequence weights ``[S]``."""
        small = _restricted(self.form, self.kept)
        policies = np.zeros(len(self.kept[0])), np.zeros(len(self.kept[1]))
        for plex, kept, policy, weights in zip(
            small.treeplexes, self.kept, policies, solve_program(small)[1], strict=True
        ):
            policy[kept] = plex.weights(plex.probabilities(weights))
        return policies


def _restricted(form: SequenceForm, kept: tuple[Bools, Bools]) -> SequenceForm:
    """Returns the game in which players have the sequences kept ``[S]`` alone, some at each information state."""
    first, second = (
        plex.restricted(np.flatnonzero(keep)[1:]) for plex, keep in zip(form.treeplexes, kept, strict=True)
    )
    matrix = form.matrix[kept[0]][:, kept[1]]
    return dataclasses.replace(form, treeplexes=(first, second), matrix=matrix, transposed=matrix.T.tocsr())
