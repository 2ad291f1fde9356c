"""Mixtures of policies, the common base of fictitious play and policy-space response oracles.

A *mix* holds the policies of each player so far, and makes one policy of them for each. Exact best responses to both
measure their exploitability.

Policies are mixed at each state. A policy that is drawn once for a whole game is not stationary: the distribution of
actions at a state then depends on which of the policies can have led there, and if states recur or are
reached in several ways, the state alone does not determine it. Mixed at each state, the result is a stationary policy,
measured as exactly as any other.

With hidden information whole policies are mixed, see :mod:`nashzoo.baselines.information_mixes`.
"""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.baselines.policies.tabular import Rows, TabularPolicy, tabulate
from nashzoo.baselines.state_values import best_responses, start_estimate
from nashzoo.baselines.states.indexed import numbering
from nashzoo.baselines.states.restricted import RestrictedStates
from nashzoo.baselines.states.space import StoredStates
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Floats, Game
from nashzoo.envs.core.reachable import MAX_STATES, TooManyStatesError

Choices = NDArray[np.int8]  # [n], an action at each state


class BestResponsePair(NamedTuple):
    """The best responses of both players to each other's policies, and so the guarantees of the policies."""

    lower: float  # what player 0's policy guarantees, points per game
    upper: float  # what player 1's policy concedes to player 0
    choices: tuple[Any, Any]  # the responses of player 0 and of player 1, see :meth:`Mix.pure`

    @property
    def exploitability(self) -> float:
        """Half of the sum of what the best responses win from the policies."""
        return (self.upper - self.lower) / 2


class Step(NamedTuple):
    """The measurement of a mix after one iteration."""

    iteration: int  # number of mixed policies of each player
    lower: float  # what player 0's policy guarantees, points per game
    upper: float  # what player 1's policy concedes; the value of the game lies between
    exploitability: float  # of the mix
    last: float | None  # exploitability of the last policies alone, if measured


def check_iterations(iterations: int) -> None:
    """Checks a number of iterations.

    Raises:
        UsageError: it is not at least 1.
    """
    if iterations < 1:
        raise UsageError(f"iterations must be at least 1, not {iterations!r}")


def check_mixable(game: Game, representatives_only: bool = False) -> None:
    """Checks that policies can be mixed in a game; ``representatives_only`` is as for :class:`Mix`.

    Raises:
        TooManyStatesError: there are too many states for tables of policies.
    """
    if game.hides:
        from nashzoo.baselines.information.measures import form_of

        form_of(game)
        return
    numbered = numbering(game, representatives_only=representatives_only)
    if len(numbered) > MAX_STATES:
        raise TooManyStatesError(
            f"{game} has {len(numbered):,} states; policies are mixed in games of up to {MAX_STATES:,}"
        )


class Mix(ABC):
    """The policies of each player so far, and one policy made of them for each.

    *Tables* are a policy of each player as the kind of mix keeps them.

    Attributes:
        game: The game.
    """

    game: Game

    @abstractmethod
    def add(self, tables: tuple[Floats, Floats]) -> None:
        """Adds a policy of each player."""

    @abstractmethod
    def policies(self) -> tuple[Floats, Floats]:
        """Returns the mix of each player."""

    @abstractmethod
    def tables(self, player: Any) -> tuple[Floats, Floats]:
        """Returns the policy of a player of both seats."""

    @abstractmethod
    def played(self, tables: tuple[Floats, Floats], seed: int | None = None) -> TabularPolicy:
        """Returns policies as a player of both seats."""

    @abstractmethod
    def uniform(self) -> tuple[Floats, Floats]:
        """Returns the uniform policies over all legal actions."""

    @abstractmethod
    def pure(self, choices: tuple[Any, Any]) -> tuple[Floats, Floats]:
        """Returns the policies that are best responses."""

    @abstractmethod
    def best_responses(self, tables: Any) -> BestResponsePair:
        """Returns the best responses to policies.

        Raises:
            UnprovenValueError: the value of a response cannot be computed to within 1e-9.
        """

    def policy(self, seed: int | None = None) -> TabularPolicy:
        """Returns the mix as a player of both seats."""
        return self.played(self.policies(), seed)

    def measured(self, iteration: int, last: Any = None) -> tuple[Step, BestResponsePair]:
        """Returns a measurement of the mix, and the best responses to it.

        Args:
            iteration: The number of the step.
            last: The last policies, to be measured alone as well.
        """
        pair = self.best_responses(self.policies())
        alone = None if last is None else self.best_responses(last).exploitability
        return Step(iteration, pair.lower, pair.upper, pair.exploitability, alone), pair

    def respond(self, iterations: int, tolerance: float, measure_last: bool) -> list[Step]:
        """Adds best responses to the mix, first to uniformly random play, and returns the steps.

        Args:
            iterations: The largest number of best responses of each player.
            tolerance: The exploitability, in points per game, at which to stop.
            measure_last: Whether to measure the last best responses alone as well.

        Raises:
            UsageError: there are no iterations.
        """
        check_iterations(iterations)
        answers = self.best_responses(self.uniform())
        steps: list[Step] = []
        while len(steps) < iterations and not (steps and steps[-1].exploitability <= tolerance):
            tables = self.pure(answers.choices)
            self.add(tables)
            step, answers = self.measured(len(steps) + 1, tables if measure_last else None)
            steps.append(step)
        return steps


class StateMix(Mix):
    """A mix at each state; tables are probabilities by number ``[n, actions]``.

    In a symmetric game both players have the same policies, each from its own seat.

    Args:
        game: The game.
        representatives_only: Whether all policies depend on the strategic state alone, as exact responses do; see
            :class:`nashzoo.baselines.states.listed.ListedStates`.

    Attributes:
        states: The numbered states.

    Raises:
        TooManyStatesError: there are too many states for tables of policies.
    """

    def __init__(self, game: Game, representatives_only: bool = False) -> None:
        check_mixable(game, representatives_only)
        self.game = game
        self.states: StoredStates = RestrictedStates(numbering(game, representatives_only=representatives_only))
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
