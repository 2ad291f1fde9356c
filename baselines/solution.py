"""The solution of a game: values, strategies, and the certificate.

The certificate does not depend on the solver: :mod:`nashzoo.baselines.certificate.checker` proves it from the rules
of the game. At every state the value lies between what player 0's strategy guarantees and what player 1's concedes.
"""

import contextlib
from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, cast

import numpy as np

from nashzoo.baselines.certificate.bounds import Estimate
from nashzoo.baselines.certificate.checker import CERTAIN, Claims, Progress, Witness, certify
from nashzoo.baselines.certificate.witness import witness
from nashzoo.baselines.policies.tabular import Rows
from nashzoo.baselines.solvers.distance import UNDECIDED, optimal_actions
from nashzoo.baselines.state_values import Values, best_response_values, start_estimate
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.baselines.states.space import Numbered, StateSpace, StoredStates
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_seen
from nashzoo.envs.core.game import Bools, Floats, Game, Ints

LARGEST_CERTIFICATE = 1e-8  # of optimal strategies, relative to the largest reward or value
WIDE = 1e-11  # a gap, for values around 1, that best responses may make narrower


class Solution(ABC):
    """An exactly solved game.

    Where players see a part of the state each, only information states are numbered, and they have no values: what can
    be won from a state depends on what the players believe. Then values, distances and optimal actions are refused.

    Attributes:
        has_values: Whether its states have values.
        game: The game.
        states: Its numbered states, or information states.
        distances: In a turn-based game without chance, the number of moves to the end when the winner wins as soon as
            possible and the loser delays ``[n]``, ``UNDECIDED`` for a draw; None in other games.
        policies: Probabilities of player 0 and of player 1 ``[n, actions]``, where they are in memory.
        certificate: The largest gap, over all states, between what player 0's strategy guarantees and what
            player 1's concedes, proven. With hidden information it is that gap at the start.
    """

    has_values: bool = True
    game: Game
    states: Numbered
    distances: Ints | None = None
    policies: tuple[Floats, Floats]
    certificate: float

    @abstractmethod
    def verify(self, progress: Progress | None = None) -> float:
        """Proves the solution by the rules of the game alone, at every state; returns its certificate.

        Raises:
            CertificateError: the proof fails; the message names a state.
        """

    @property
    @abstractmethod
    def optimal(self) -> bool:
        """Whether the policies are optimal but for rounding; else the certificate bounds what they lose."""

    def strategies(self, codes: Ints) -> tuple[Floats, Floats]:
        """Returns equilibrium probabilities of player 0 and player 1 at states, ``[B, actions]`` each.

        With hidden information the states are information states, see :meth:`Game.information_state`; a player who has
        no such information state has zeros.

        Raises:
            KeyError: a state is not part of the solution.
        """
        ids = self.states.ids(codes)
        return self.policies[0][ids], self.policies[1][ids]

    @property
    def start_value(self) -> float:
        """The value of the game to player 0 from its start, points; it is within the certificate of the true one."""
        return self.start_estimate.value

    @cached_property
    def start_estimate(self) -> Estimate:
        """The value of the game to player 0 from its start, with bounds, points."""
        values = Values(cast(Floats, self.values), self.certificate, self.certificate)
        return start_estimate(cast(StateSpace, self.states), values)

    @property
    def num_states(self) -> int:
        """The number of non-terminal states, or of information states."""
        return len(self.states)

    @property
    def values(self) -> Rows:
        """The value of each state to player 0, by number, points.

        Raises:
            UsageError: the players do not see the whole state.
        """
        raise UsageError(
            f"a state of {self.game.name} has no value of its own: it depends on what the players, who do not see all "
            "of it, believe; ask for strategies, or for the start_value"
        )

    def value(self, code: int) -> float:
        """Returns the value of a state to player 0.

        Raises:
            KeyError: the state is not part of the solution.
            UsageError: as for :attr:`values`.
        """
        return float(self.values[self.states.ids(code)])

    def distance(self, code: int) -> int | None:
        """Returns the number of moves to the end; None for a draw, with simultaneous moves, and with chance.

        Raises:
            KeyError: the state is not part of the solution.
        """
        if self.distances is None:
            return None
        distance = int(self.distances[self.states.ids(code)])
        return None if distance == UNDECIDED else distance

    def optimal_actions(self, codes: Ints) -> Bools:
        """Returns whether actions of the player to move are optimal, in a turn-based game ``[B, actions]``.

        They preserve the value and, unless it is 0, the distance: the winner wins in the fewest moves, the loser
        loses in the most. At a draw all actions that preserve the value are optimal.

        Raises:
            KeyError: a state is not part of the solution.
            UsageError: moves are simultaneous, so that no single action need be optimal, the game has chance, so
                that no number of moves is certain, or the players do not see the whole state.
        """
        check_seen(self.game, "ask for strategies, since no action is optimal by itself")
        if self.game.has_chance:
            raise UsageError(f"chance decides in {self.game.name}: no number of moves is sure; ask for strategies")
        if self.distances is None:
            raise UsageError(f"the players of {self.game.name} move at once; ask for their strategies")
        states, values = cast(StateSpace, self.states), cast(Floats, self.values)
        return optimal_actions(states, self.states.ids(codes), values, self.distances)


class ListedSolution(Solution):
    """The solution of a game whose states are in memory. Making one proves it, and sets the certificate.

    Args:
        states: The states.
        values: The value of each state to player 0 ``[n]``, points.
        policies: Equilibrium probabilities of player 0 and of player 1, ``[n, actions]`` each.
        distances: In a turn-based game without chance, the moves to the end ``[n]``, else None.

    Raises:
        CertificateError: the proof of the solution fails.
    """

    def __init__(
        self, states: StoredStates, values: Floats, policies: tuple[Floats, Floats], distances: Ints | None
    ) -> None:
        self.game = states.game
        self.states: StoredStates = states
        self._values = values
        self.policies = policies
        self.distances = distances
        if _gap(self._witness) > CERTAIN * max(1.0, float(np.abs(values).max())):
            # If the iteration ended far from its limit, the strategies' bounds are nearer to it.
            self._values = np.clip(values, self._witness.secured, self._witness.conceded)
        self.certificate = self.verify()

    def verify(self, progress: Progress | None = None) -> float:
        """Proves the solution by the rules of the game alone, see :class:`Solution`."""
        return certify(self.game, self.claims(), progress)

    @cached_property
    def _witness(self) -> Witness:
        """The claimed guarantees: the values, or the policies' values against best responses if these are better."""
        states, unit = self.states.in_units()
        values = self._values / unit
        found = witness(states, (values, values), self.policies, self.distances)
        if _gap(found) > WIDE * max(1.0, float(np.abs(values).max())):
            with contextlib.suppress(ArithmeticError):  # play lasts too long for them
                left = [best_response_values(states, self.policies[k], 1 - k)[0] for k in (0, 1)]
                found = min(found, witness(states, (left[0], left[1]), self.policies, self.distances), key=_gap)
        return Witness(found.secured * unit, found.conceded * unit, found.ranks)

    def claims(self) -> Claims:
        """Returns what the checker is to prove."""
        codes, allowed = self.states.codes, self.states.allowed
        numbers: Any = slice(None)
        if not (np.diff(codes) > 0).all():  # states in the order of the rules' index may be in another order, and twice
            codes, numbers = np.unique(codes, return_index=True)
        secured, conceded, ranks = self._witness
        return Claims(
            codes,
            self.values[numbers],
            (self.policies[0][numbers], self.policies[1][numbers]),
            Witness(secured[numbers], conceded[numbers], (ranks[0][numbers], ranks[1][numbers])),
            None if self.distances is None else self.distances[numbers],
            None if allowed is None else (allowed[0][numbers], allowed[1][numbers]),
        )

    @property
    def values(self) -> Floats:
        """The value of each state to player 0 ``[n]``, points."""
        return self._values

    @property
    def optimal(self) -> bool:
        """Whether the policies are optimal but for rounding; else the certificate bounds what they lose."""
        _, unit = self.states.in_units()
        return self.certificate <= LARGEST_CERTIFICATE * max(unit, float(np.abs(self.values).max()))


def listed(solution: Solution) -> ListedSolution:
    """Returns a solution with its states in memory, and with claims.

    Raises:
        TooManyStatesError: there are too many.
    """
    if isinstance(solution, ListedSolution):
        return solution
    states = ListedStates(solution.game)
    values = solution.values[solution.states.ids(states.codes)]
    return ListedSolution(states, values, solution.strategies(states.codes), None)


def _gap(guarantees: Witness) -> float:
    return float((guarantees.conceded - guarantees.secured).max())
