"""Games whose players see the whole state: policies, values and solutions are by state.

A policy may remember more, see :class:`nashzoo.envs.core.agent.FiniteMemoryAgent`; then it is measured on pairs of a
state and a memory state.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np

from nashzoo.baselines.bounded.response import ResponseToMemory
from nashzoo.baselines.certificate.bounds import Estimate
from nashzoo.baselines.certificate.checker import Progress
from nashzoo.baselines.equilibrium import solve_states
from nashzoo.baselines.equilibrium_sets import StateEquilibria
from nashzoo.baselines.fraction_solution import start_in_fractions
from nashzoo.baselines.policies.tabular import PurePolicyTable, Rows, TabularPolicy, table_of
from nashzoo.baselines.policies.with_memory import Seated, StatesWithMemory, seated
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.state_mixes import StateAverage, StatePopulation
from nashzoo.baselines.state_values import Values, best_responses, response_within, start_estimate, start_evaluated
from nashzoo.baselines.states.indexed import numbering
from nashzoo.baselines.states.space import StateSpace, Successors
from nashzoo.baselines.trust import BlendedRows, LockedRows, SolvedRows, confidence, is_by_decision, trusting
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import FiniteMemoryAgent
from nashzoo.envs.core.game import Floats, Game
from nashzoo.envs.core.reachable import MAX_STATES, TooManyStatesError

QUICK = 1_000_000  # states, of which fewer are solved within seconds


class StateForm:
    """A stochastic game as its policies are measured, and as it is solved; figures are in points per game.

    Policies are asked at all states at which they choose.

    Raises:
        NoPolicyError: by all that asks policies: one has no probabilities by state.
        UsageError: by the same: probabilities are no distribution over the legal actions.
        TooManyStatesError: by all: the game has too many states.
    """

    def __init__(self, game: Game) -> None:
        self.game = game

    @property
    def trust(self) -> str:
        """When the opponent is trusted."""
        return "at every decision" if is_by_decision(self.states) else "during a whole game"

    @property
    def states(self) -> StateSpace:
        """The states."""
        return numbering(self.game)

    @property
    def num_states(self) -> int:
        """The number of states."""
        return len(numbering(self.game))

    histories_walked = 0

    @property
    def solved_in_seconds(self) -> bool:
        """Whether the exact solution takes seconds at most; states without an index are too few for minutes."""
        return self.game.indexed_rules is None or self.num_states < QUICK

    def check_kept(self) -> None:
        """Does nothing: figures do not take minutes without a table of the states."""

    def tabulated(self, player: Any) -> Any:
        """Returns a player as a table by state; unchanged where the rules' index lists many states."""
        if self.game.indexed_rules is not None:
            return player
        states = numbering(self.game)
        first = table_of(states, player, 0)
        return TabularPolicy(states, (first, first if self.game.symmetric else table_of(states, player, 1)))

    def value(self, policy0: Any, policy1: Any) -> Estimate:
        """Returns the value of two policies to player 0."""
        states, tables = seated(self.game, policy0, policy1)
        estimate = start_evaluated(states, *tables)
        return estimate if estimate.close else start_in_fractions(states, tables) or estimate

    def best_response(self, policy: Any, player: int) -> tuple[Estimate, TabularPolicy | ResponseToMemory]:
        """Returns the value of a best response to the player, and the response."""
        if self.game.symmetric and isinstance(policy, FiniteMemoryAgent):
            player = 0  # the policy and the response observe the same in both seats
        states, tables = self._alone(policy, 1 - player)
        best = best_responses(states, tables[1 - player], player)
        estimate = start_estimate(states, best.values if player == 0 else best.values.negative())
        return estimate, _played(states, PurePolicyTable(states, best.choices, player), player)

    def secured(self, policy: Any, player: int) -> Estimate:
        """Returns the value that a policy guarantees its player."""
        states, tables = self._alone(policy, player)
        estimate = start_estimate(states, best_responses(states, tables[player], 1 - player).values)
        if not estimate.close:
            estimate = start_in_fractions(states, (tables[0], None) if player == 0 else (None, tables[1])) or estimate
        return estimate if player == 0 else estimate.negative()

    def nash_conv(self, policy: Any, policy1: Any = None) -> Estimate:
        """Returns the sum of what best responses in both seats win; without ``policy1`` from a policy in both seats."""
        first = self.secured(policy, 0).negative()
        if self.game.symmetric and policy1 is None:
            return first.times(2.0)  # both seats are the same in a symmetric game
        return first.plus(self.secured(policy if policy1 is None else policy1, 1).negative())

    def _alone(self, policy: Any, player: int) -> Seated:
        """Returns the states for a policy in the seat of ``player``."""
        return seated(self.game, policy, None) if player == 0 else seated(self.game, None, policy)

    def wins(self, policy0: Any, policy1: Any) -> tuple[Estimate, Estimate]:
        """Returns the probabilities of a win and of a loss: the values of games in which this alone gives a point."""
        states, tables = seated(self.game, policy0, policy1)
        win, loss = (start_evaluated(states, *tables, partial(_won, self.game, winner)) for winner in (0, 1))
        return win, loss

    def trusting(self, policy: Any, trust: float, player: int) -> list[TabularPolicy | ResponseToMemory]:
        """Returns what may be best by state if the other one plays a policy with a probability.

        A policy that is known by samples is trusted less where these are few.
        """
        states, tables = self._alone(policy, 1 - player)
        known = confidence(states, policy, 1 - player)
        return [_played(states, rows, player) for rows in trusting(states, tables[1 - player], trust, known, player)]

    def unrisked(self, solution: Solution, policy: Any, player: int) -> TabularPolicy | ResponseToMemory:
        """Returns a player's optimal strategy, that of the solution whatever the policy of the other player."""
        return _played(self.states, SolvedRows(self.states, solution, player), player)

    def locked(self, player: int, mixes: Mapping[int, Floats]) -> tuple[Estimate, tuple[Floats, Floats], Values | None]:
        """Returns the value to player 0 if a player is fixed at states, by code; both's tables, and the states' values.

        Raises:
            TooManyStatesError: there are too many.
        """
        states = numbering(self.game)
        if len(states) > MAX_STATES:
            raise TooManyStatesError(f"{self.game} has {len(states):,} states, too many to fix a player at some")
        ids, everywhere = states.ids(list(mixes)), np.arange(len(states))
        table, locked = np.zeros((len(states), self.game.num_actions)), np.zeros(len(states), np.bool_)
        table[ids], locked[ids] = list(mixes.values()), True
        rows = LockedRows(states, table, locked.astype(np.float64), 1 - player)
        tables = rows.of(0, everywhere), rows.of(1, everywhere)
        tables[player][locked] = table[locked]
        start, values = self.within(tables, player, mixes)
        return start, tables, values

    def within(
        self, tables: tuple[Floats, Floats], player: int, mixes: Mapping[int, Floats]
    ) -> tuple[Estimate, Values]:
        """Returns the value to player 0 with what both players' tables secure as bounds, and those of states.

        The player is fixed at some states.
        """
        states = numbering(self.game)
        locked = np.zeros(len(states), np.bool_)
        locked[states.ids(list(mixes))] = True
        secured = best_responses(states, tables[player], 1 - player, everywhere=True).values
        conceded = response_within(states, tables, player, locked)
        low, high = (secured, conceded) if player == 0 else (conceded, secured)
        most = high.values + high.above
        values = Values(low.values, low.below, np.maximum(np.nextafter(most - low.values, np.inf), 0.0))
        return start_estimate(states, values), values

    def blended(
        self, policies: tuple[Any, Any], share: float, opponent: Any, player: int
    ) -> TabularPolicy | ResponseToMemory:
        """Returns two policies of a player against an opponent mixed at every state, ``share`` of the second."""
        (states, first), (_, second) = (seated(self.game, *(one, opponent)[:: 1 - 2 * player]) for one in policies)
        return _played(states, BlendedRows(first[player], second[player], share), player)

    def average(self, representatives_only: bool = False) -> StateAverage:
        """Returns an average of no policies, for fictitious play."""
        return StateAverage(self.game, representatives_only)

    def population(self, representatives_only: bool = False) -> StatePopulation:
        """Returns an empty population, for response oracles."""
        return StatePopulation(self.game, representatives_only)

    def solve(self, roots: Sequence[int] | None, progress: Progress | None, tolerance: float | None) -> Solution:
        """Returns the exact solution, see :func:`nashzoo.baselines.forms.solve`.

        Raises:
            UsageError: there is a tolerance.
        """
        if tolerance is not None:
            raise UsageError(f"nothing is hidden in {self.game.name}: it is solved exactly, without a tolerance")
        return solve_states(self.game, roots, progress)

    def equilibria(self, solution: Solution) -> StateEquilibria:
        """Returns all equilibria of the game, from its solution."""
        return StateEquilibria(solution)

    def departures(self, policy: Any, player: int, value: Estimate) -> NoReturn:
        """Raises a UsageError: where a policy loses at a state is a question of its weaknesses."""
        raise UsageError(f"nothing is hidden in {self.game.name}; nashzoo weaknesses shows where a player loses")

    def problems(self) -> list[str]:
        """Returns nothing: a state has all that a policy needs."""
        return []


def _played(states: StateSpace, rows: Rows, player: int) -> TabularPolicy | ResponseToMemory:
    """Returns a player's probabilities by number as a policy."""
    if not isinstance(states, StatesWithMemory):
        return TabularPolicy(states, (rows, None) if player == 0 else (None, rows))
    known = rows if isinstance(rows, PurePolicyTable) else rows[np.arange(len(states))]
    unseen = [player] * any((states.turns(ids) == 1 - player).any() for ids, _ in states.layers)
    return ResponseToMemory(states.game, {player: known}, {player: states}, unseen)


def _won(game: Game, winner: int, successors: Successors) -> Successors:
    """Returns successors with a point for each win of ``winner`` in place of the rewards."""
    if (successors.rewards[successors.following >= 0] != 0).any():
        raise UsageError(f"{game.name} pays before its end: there is no one payment to tell who won")
    won = successors.rewards > 0 if winner == 0 else successors.rewards < 0
    return successors._replace(rewards=won.astype(np.float64))
