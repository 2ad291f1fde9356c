"""Games with hidden information: policies and solutions are by information state, and no state has a value."""

import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from nashzoo.baselines.certificate.bounds import LEAST, SLACK, UNIT, Estimate
from nashzoo.baselines.certificate.checker import Progress
from nashzoo.baselines.information.departures import Departure, departures
from nashzoo.baselines.information.locked import measure_within, solve_within
from nashzoo.baselines.information.measures import (
    best_response,
    gap,
    measured_form,
    pair_of_weights,
    sequence_form_of,
    too_large,
    value,
    weights_of,
)
from nashzoo.baselines.information.program import SMALL
from nashzoo.baselines.information.sequence_form import InformationStates, SequenceForm, levels
from nashzoo.baselines.information.traversal import counted, traversed_form
from nashzoo.baselines.information.trust import trusting_weights
from nashzoo.baselines.information_mixes import SequenceAverage, SequencePopulation
from nashzoo.baselines.information_sets import InformationEquilibria
from nashzoo.baselines.information_solution import InformationSolution, solve_information
from nashzoo.baselines.policies.tabular import TabularPolicy, as_policy, asked
from nashzoo.baselines.solution import Solution
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Floats, Game

QUICK = 500_000  # histories, of which fewer are solved within seconds


@functools.cache
def _has_more_histories(game: Game, many: int) -> bool:
    """Returns whether a game has more than ``many`` histories."""
    return any(count > many for count in itertools.accumulate(len(level.codes) for level in levels(game)))


class InformationForm:
    """An extensive-form game with information states, see :class:`nashzoo.baselines.state_form.StateForm`."""

    def __init__(self, game: Game) -> None:
        self.game = game

    trust = "during a whole game"

    @property
    def states(self) -> InformationStates:
        """The information states."""
        return sequence_form_of(self.game).states

    @property
    def num_states(self) -> int:
        """The number of information states; of histories, if they are walked."""
        return self.histories_walked or len(sequence_form_of(self.game).states)

    @property
    def histories_walked(self) -> int:
        """The number of histories, if they are too many to keep; else 0."""
        return counted(self.game)[0] if too_large(self.game) else 0

    @property
    def solved_in_seconds(self) -> bool:
        """Whether the exact solution takes seconds at most."""
        return not _has_more_histories(self.game, QUICK)

    def check_kept(self) -> None:
        """Checks that the sequence form can be kept: walks over histories that cannot be take minutes."""
        sequence_form_of(self.game)

    def tabulated(self, player: Any) -> TabularPolicy:
        """Returns a player as a table by information state."""
        form = sequence_form_of(self.game)
        policy, tables = as_policy(player, self.game), np.zeros((2, len(form.states), self.game.num_actions))
        for seat, plex in enumerate(form.treeplexes):
            tables[seat, form.states.ids(plex.codes)] = asked(policy, form.observed[seat])
        return TabularPolicy(form.states, (tables[0], tables[1]))

    def value(self, policy0: Any, policy1: Any) -> Estimate:
        """Returns the value of two policies to player 0."""
        form = measured_form(self.game)
        return value(form, *pair_of_weights(form, policy0, policy1))

    def best_response(self, policy: Any, player: int) -> tuple[Estimate, TabularPolicy]:
        """Returns the value of a best response to the player, and the response."""
        form = measured_form(self.game)
        won, probabilities = best_response(form, weights_of(form, policy, 1 - player), player)
        table = form.states.table(player, probabilities)
        return won, TabularPolicy(form.states, (table, None) if player == 0 else (None, table))

    def secured(self, policy: Any, player: int) -> Estimate:
        """Returns the value that a policy guarantees its player."""
        form = measured_form(self.game)
        return best_response(form, weights_of(form, policy, player), 1 - player)[0].negative()

    def nash_conv(self, policy: Any, policy1: Any = None) -> Estimate:
        """Returns the sum of what best responses in both seats win, in one walk over the histories."""
        if self.game.symmetric and policy1 is None:
            return self.secured(policy, 0).negative().times(2.0)
        form = measured_form(self.game)
        weights0, weights1 = pair_of_weights(form, policy, policy if policy1 is None else policy1)
        form.prepare(weights0, weights1)
        return gap(form, weights0, weights1)

    def wins(self, policy0: Any, policy1: Any) -> tuple[Estimate, Estimate]:
        """Returns the probabilities of a win and of a loss."""
        form, counts = sequence_form_of(self.game), [0.0, 0.0]
        weights0, weights1 = pair_of_weights(form, policy0, policy1)
        for level in levels(self.game):
            if not level.last.all():
                raise UsageError(f"{self.game.name} pays before its end: there is no one payment to tell who won")
            reached = level.reach * weights0[level.paid[0]] * weights1[level.paid[1]]
            for result, decided in enumerate((level.rewards > 0, level.rewards < 0)):
                counts[result] += float(reached[decided].sum())
        error = SLACK * (form.roundings + form.num_histories * self.game.num_actions) * (UNIT + LEAST)
        win, loss = (Estimate(count, count - error, count + error) for count in counts)
        return win, loss

    def trusting(self, policy: Any, trust: float, player: int) -> list[TabularPolicy]:
        """Returns what a player does best if the other one plays a policy in a whole game, with a probability."""
        form = sequence_form_of(self.game)
        own = form if player == 0 else form.mirrored()
        return [self._played(form, trusting_weights(own, weights_of(form, policy, 1 - player), trust), player)]

    def unrisked(self, solution: Solution, policy: Any, player: int) -> TabularPolicy:
        """Returns a player's optimal strategy that wins most from a policy; in a large game that of the solution."""
        form, weights = sequence_form_of(self.game), cast(InformationSolution, solution).weights[player]
        if form.matrix.nnz <= SMALL:
            face = self.equilibria(solution).faces[player]
            weights = face.largest(form.gains(player, weights_of(form, policy, 1 - player)))[0]
        return self._played(form, weights, player)

    def locked(self, player: int, mixes: Mapping[int, Floats]) -> tuple[Estimate, tuple[Floats, Floats], None]:
        """Returns the value to player 0 if a player is fixed at information states, and both players' tables.

        No state has a value.
        """
        form = sequence_form_of(self.game)
        own = form if player == 0 else form.mirrored()
        table = np.zeros((len(form.states), self.game.num_actions))
        table[form.states.ids(list(mixes))] = list(mixes.values())
        kept = np.isin(form.treeplexes[player].codes, list(mixes))
        probabilities = solve_within(own, kept, _by_sequence(form, player, table))
        first, second = map(form.states.table, (0, 1), probabilities[:: 1 - 2 * player])
        return self.within((first, second), player, mixes)[0], (first, second), None

    def within(self, tables: tuple[Floats, Floats], player: int, mixes: Mapping[int, Floats]) -> tuple[Estimate, None]:
        """Returns the value to player 0 with what both players' tables secure as bounds, if a player is fixed."""
        form = sequence_form_of(self.game)
        own, kept = form if player == 0 else form.mirrored(), np.isin(form.treeplexes[player].codes, list(mixes))
        value = measure_within(own, kept, *(_by_sequence(form, k, tables[k]) for k in (player, 1 - player)))
        return value if player == 0 else value.negative(), None

    def blended(self, policies: tuple[Any, Any], share: float, opponent: Any, player: int) -> TabularPolicy:
        """Returns two policies of a player of which one is drawn for each game, the second with probability share."""
        form = sequence_form_of(self.game)
        first, second = (weights_of(form, policy, player) for policy in policies)
        return self._played(form, (1.0 - share) * first + share * second, player)

    def _played(self, form: SequenceForm, weights: Floats, player: int) -> TabularPolicy:
        """Returns the policy of a player's sequence weights ``[S]``."""
        table = form.states.table(player, form.treeplexes[player].probabilities(weights))
        return TabularPolicy(form.states, (table, None) if player == 0 else (None, table))

    def average(self, representatives_only: bool = False) -> SequenceAverage:
        """Returns an average of no policies."""
        return SequenceAverage(self.game)

    def population(self, representatives_only: bool = False) -> SequencePopulation:
        """Returns an empty population."""
        return SequencePopulation(self.game)

    def solve(
        self, roots: Sequence[int] | None, progress: Progress | None, tolerance: float | None
    ) -> InformationSolution:
        """Returns the exact solution.

        Raises:
            UsageError: there are roots other than starts.
        """
        if roots is not None and not np.isin(roots, self.game.start_codes).all():
            raise UsageError(f"{self.game.name} hides a part of the state: it is solved from its start alone")
        return solve_information(self.game, tolerance, progress)

    def equilibria(self, solution: Solution) -> InformationEquilibria:
        """Returns all equilibria of the game, from its solution."""
        return InformationEquilibria(cast(InformationSolution, solution))

    def departures(self, policy: Any, player: int, value: Estimate) -> list[Departure]:
        """Returns where a policy departs from every equilibrium; see the function of this name."""
        return departures(self.game, policy, player, value)

    def problems(self) -> list[str]:
        """Returns the first place where a player does not see what it must remember or choose by."""
        try:
            measured_form(self.game)
            if hasattr(self.game.rules.written, "strategic_state"):
                traversed_form(self.game)  # which goes by it, and checks it
        except UsageError as error:
            return [str(error)]
        return []


def _by_sequence(form: SequenceForm, player: int, table: Floats) -> Floats:
    """Returns the probabilities of a player's table ``[n, actions]`` by sequence ``[S]``."""
    rows = table[form.states.ids(form.treeplexes[player].codes)]
    return np.concatenate([[1.0], rows.reshape(-1)[form.places[player]]])
