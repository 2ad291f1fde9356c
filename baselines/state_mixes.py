"""Mixtures of policies at each state, of games whose players see the whole state.

A policy that is drawn once for a whole game is not stationary: the distribution of actions at a state then depends on
which of the policies can have led there, and if states recur or are reached in several ways, the state alone does not
determine it. Mixed at each state, the result is a stationary policy, measured as exactly as any other.
"""

from typing import Any

import numpy as np

from nashzoo.baselines.equilibrium import solve_listed
from nashzoo.baselines.policies.tabular import Rows, TabularPolicy, tabulate
from nashzoo.baselines.policy_average import BestResponsePair, Choices, Mix, Step
from nashzoo.baselines.solvers.backup import action_values
from nashzoo.baselines.state_values import best_responses, start_estimate
from nashzoo.baselines.states.indexed import numbering
from nashzoo.baselines.states.restricted import RestrictedStates
from nashzoo.baselines.states.space import StoredStates
from nashzoo.envs.core.game import Floats, Game, Ints
from nashzoo.envs.core.reachable import MAX_STATES, TooManyStatesError


class StateMix(Mix):
    """A mix at each state; tables are probabilities by number ``[n, actions]``.

    In a symmetric game both players have the same policies, each from its own seat.

    Args:
        representatives_only: Whether all policies depend on the strategic state alone, as exact responses do; see
            :class:`nashzoo.baselines.states.listed.ListedStates`.

    Attributes:
        states: The numbered states.

    Raises:
        TooManyStatesError: there are too many states for tables of policies.
    """

    def __init__(self, game: Game, representatives_only: bool = False) -> None:
        self.game = game
        numbered = numbering(game, representatives_only=representatives_only)
        if len(numbered) > MAX_STATES:
            raise TooManyStatesError(
                f"{game} has {len(numbered):,} states; policies are mixed in games of up to {MAX_STATES:,}"
            )
        self.states: StoredStates = RestrictedStates(numbered)
        self.mirrored = self.states.ids(game.swap_players(self.states.codes)) if game.symmetric else None

    def tables(self, player: Any) -> tuple[Floats, Floats]:
        """Returns the probabilities of a player of both seats."""
        codes = self.states.codes
        return tabulate(self.game, player, codes, 0), tabulate(self.game, player, codes, 1)

    def played(self, tables: tuple[Floats, Floats], seed: int | None = None) -> TabularPolicy:
        """Returns policies as a player of both seats."""
        return TabularPolicy(self.states, tables, seed)

    def best_responses(self, tables: tuple[Rows, Rows]) -> BestResponsePair:
        """Returns the best responses to policies, given by their probabilities by number ``[n, actions]``.

        Raises:
            UnprovenValueError: the value of a response cannot be computed to within 1e-9.
        """
        lower, choices1 = self._best_response(tables[0], 1)
        if self.mirrored is not None:
            return BestResponsePair(lower, -lower, (choices1[self.mirrored], choices1))
        upper, choices0 = self._best_response(tables[1], 0)
        return BestResponsePair(lower, upper, (choices0, choices1))

    def _best_response(self, table: Rows, player: int) -> tuple[float, Choices]:
        best = best_responses(self.states, table, player, everywhere=True)
        return start_estimate(self.states, best.values).proven(), best.choices

    def uniform(self) -> tuple[Floats, Floats]:
        """Returns the uniform policies over all legal actions ``[n, actions]``."""
        bits = np.arange(self.game.num_actions)
        legal0, legal1, *_ = self.states.successors
        masks = ((legal[:, None] >> bits & 1).astype(np.float64) for legal in (legal0, legal1))
        first, second = (mask / mask.sum(axis=1, keepdims=True) for mask in masks)
        return first, second

    def pure(self, choices: tuple[Choices, Choices]) -> tuple[Floats, Floats]:
        """Returns the probabilities ``[n, actions]`` of deterministic policies."""
        actions = np.eye(self.game.num_actions)
        return actions[choices[0]], actions[choices[1]]


class StateAverage(StateMix):
    """At every state the mean of the strategies played there."""

    def __init__(self, game: Game, representatives_only: bool = False) -> None:
        super().__init__(game, representatives_only)
        shape = len(self.states), game.num_actions
        self.sums = np.zeros(shape), np.zeros(shape)
        self.added = 0

    def add(self, tables: tuple[Floats, Floats]) -> None:
        """Adds a policy of each player, probabilities by number ``[n, actions]``."""
        for total, table in zip(self.sums, tables, strict=True):
            total += table
        self.added += 1

    def policies(self) -> tuple[Floats, Floats]:
        """Returns the means, probabilities by number ``[n, actions]``."""
        return self.sums[0] / self.added, self.sums[1] / self.added

    def fictitious(
        self, iterations: int, tolerance: float, measure_every: int = 1, measure_last: bool = False
    ) -> list[Step]:
        """Adds responses to the averages so far, each for one step, see :mod:`nashzoo.baselines.fictitious`."""
        values = np.zeros(len(self.states))
        policies = self.uniform()
        steps: list[Step] = []
        for iteration in range(1, iterations + 1):
            tables = self.pure(self._one_step_responses(policies, values))
            self.add(tables)
            policies = self.policies()
            if iteration % measure_every == 0 or iteration == iterations:
                steps.append(self.measured(iteration, tables if measure_last else None)[0])
                if steps[-1].exploitability <= tolerance:
                    break
        return steps

    def _one_step_responses(self, policies: tuple[Floats, Floats], values: Floats) -> tuple[Choices, Choices]:
        """Returns each player's reply to the other's policy ``[n, actions]`` at all states, and updates the values."""
        choices0, choices1 = np.zeros((2, len(values)), np.int8)
        for ids, _ in self.states.layers:
            successors = self.states.successors_at(ids)
            values0, values1 = (action_values(successors, values, policies[1 - k][ids], k) for k in range(2))
            choices0[ids], choices1[ids] = values0.argmax(axis=1), values1.argmax(axis=1)
            values[ids] = (values0.max(axis=1) - values1.max(axis=1)) / 2
        return choices0, choices1


class StatePopulation(StateMix):
    """At every state the equilibrium of the actions that have been played there.

    Attributes:
        allowed: The actions of the policies of player 0 and of player 1, bit masks ``[n]``.
    """

    def __init__(self, game: Game, representatives_only: bool = False) -> None:
        super().__init__(game, representatives_only)
        self.allowed: tuple[Ints, Ints] = (np.zeros(len(self.states), np.int64), np.zeros(len(self.states), np.int64))

    def add(self, tables: tuple[Floats, Floats]) -> None:
        """Adds the most likely action of each player by number, given probabilities ``[n, actions]``.

        A best response need not be mixed, and a learned one is the better the less it is mixed.
        """
        for allowed, table in zip(self.allowed, tables, strict=True):
            allowed |= 1 << table.argmax(axis=1)

    def policies(self) -> tuple[Floats, Floats]:
        """Returns the equilibrium of the restricted game, probabilities by number ``[n, actions]``."""
        return solve_listed(RestrictedStates(self.states, *self.allowed)).policies
