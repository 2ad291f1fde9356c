"""Policies made of policies: what fictitious play and policy-space response oracles have in common.

A *mix* holds what each player has played so far, and makes one policy of it for each. Both policies are answered by
best responses, exactly, which says how exploitable they are.

What is mixed is mixed at each position. A policy that is drawn once for a whole game is no policy by position: what
is played at a position then depends on which of the policies can have led there, and where positions recur or are
reached in several ways, nothing that is attached to positions says so. Mixed at each position the result is a policy
in the sense of this package, measured as exactly as any other.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.baselines.policy import Rows, TablePolicy
from nashzoo.baselines.positions import MAX_POSITIONS, Positions, TooManyPositionsError
from nashzoo.baselines.response import best_responses, start_estimate
from nashzoo.baselines.restricted import RestrictedPositions
from nashzoo.baselines.table import numbering
from nashzoo.envs.errors import UsageError
from nashzoo.envs.game import Floats, Game

Choices = NDArray[np.int8]  # [n], an action at each position


class Answers(NamedTuple):
    """The best responses of both players to each other's policies, and so what the policies are sure of."""

    lower: float  # what player 0's policy secures, points per game
    upper: float  # what player 1's policy concedes to player 0
    choices: tuple[Choices, Choices]  # the responses of player 0 and of player 1, by number

    @property
    def exploitability(self) -> float:
        """Half of what the best responses win from the policies together."""
        return (self.upper - self.lower) / 2


class Step(NamedTuple):
    """How good a mix was at one moment."""

    iteration: int  # how many policies of each player were mixed
    lower: float  # what player 0's policy secures, points per game
    upper: float  # what player 1's policy concedes; the value of the game lies between
    exploitability: float  # of the mix
    last: float | None  # exploitability of the last policies alone, where it was asked for


def check_iterations(iterations: int) -> None:
    """Checks a number of iterations.

    Raises:
        UsageError: it is not at least 1.
    """
    if iterations < 1:
        raise UsageError(f"iterations must be at least 1, not {iterations!r}")


def check_mixable(game: Game, essential: bool = False) -> None:
    """Checks that policies can be mixed in a game; ``essential`` is as for :class:`Mix`.

    Raises:
        TooManyPositionsError: there are too many for tables of what is played at them.
    """
    numbered = numbering(game, essential=essential)
    if len(numbered) > MAX_POSITIONS:
        raise TooManyPositionsError(
            f"{game} has {len(numbered):,} positions; policies are mixed in games of up to {MAX_POSITIONS:,}"
        )


class Mix(ABC):
    """What each player has played so far, and one policy made of it for each.

    In a symmetric game both players have played the same, each seen from the own seat.

    Args:
        game: The game.
        essential: Whether no policy heeds what has no bearing on what can still be won, as exact responses need not;
            see :class:`nashzoo.baselines.positions.Positions`.

    Attributes:
        positions: The numbered positions.

    Raises:
        TooManyPositionsError: there are too many for tables of what is played at them.
    """

    def __init__(self, game: Game, essential: bool = False) -> None:
        check_mixable(game, essential)
        self.game = game
        self.positions: Positions = RestrictedPositions(numbering(game, essential=essential))
        self.mirrored = self.positions.ids(game.mirror(self.positions.codes)) if game.symmetric else None

    @abstractmethod
    def add(self, tables: tuple[Floats, Floats]) -> None:
        """Adds what each player plays, probabilities by number ``[n, actions]``."""

    @abstractmethod
    def policies(self) -> tuple[Floats, Floats]:
        """Returns the mix of each player, probabilities by number ``[n, actions]``."""

    def policy(self, seed: int | None = None) -> TablePolicy:
        """Returns the mix as a player of both seats."""
        return TablePolicy(self.positions, self.policies(), seed)

    def answers(self, tables: tuple[Rows, Rows]) -> Answers:
        """Returns the best responses to policies, given by their probabilities by number ``[n, actions]``.

        Raises:
            UnprovenValueError: what a response is worth cannot be computed to within 1e-9.
        """
        lower, choices1 = self._answer(tables[0], 1)
        if self.mirrored is not None:
            return Answers(lower, -lower, (choices1[self.mirrored], choices1))
        upper, choices0 = self._answer(tables[1], 0)
        return Answers(lower, upper, (choices0, choices1))

    def _answer(self, table: Rows, player: int) -> tuple[float, Choices]:
        found = best_responses(self.positions, table, player, everywhere=True)
        return start_estimate(self.positions, found.values).proven(), found.choices

    def uniform(self) -> tuple[Floats, Floats]:
        """Returns the policies that draw between all legal actions alike ``[n, actions]``."""
        bits = np.arange(self.game.num_actions)
        legal0, legal1, _, _ = self.positions.successors
        masks = ((legal[:, None] >> bits & 1).astype(np.float64) for legal in (legal0, legal1))
        first, second = (mask / mask.sum(axis=1, keepdims=True) for mask in masks)
        return first, second

    def pure(self, choices: tuple[Choices, Choices]) -> tuple[Floats, Floats]:
        """Returns the probabilities ``[n, actions]`` of policies that always choose the same."""
        actions = np.eye(self.game.num_actions)
        return actions[choices[0]], actions[choices[1]]

    def measured(self, iteration: int, last: tuple[Rows, Rows] | None = None) -> tuple[Step, Answers]:
        """Returns how good the mix is, and what answers it best.

        Args:
            iteration: What the step is to be numbered.
            last: The last policies, to be measured alone as well.
        """
        found = self.answers(self.policies())
        alone = None if last is None else self.answers(last).exploitability
        return Step(iteration, found.lower, found.upper, found.exploitability, alone), found
