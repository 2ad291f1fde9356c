"""Mixtures of policies, the common base of fictitious play and policy-space response oracles.

A *mix* holds the policies of each player so far, and makes one policy of them for each. Exact best responses to both
measure their exploitability.

Policies are mixed at each state, see :mod:`nashzoo.baselines.state_mixes`; with hidden information whole policies are,
see :mod:`nashzoo.baselines.information_mixes`.
"""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Floats, Game

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


class Mix(ABC):
    """The policies of each player so far, and one policy made of them for each.

    *Tables* are a policy of each player as the kind of mix keeps them.
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

    def fictitious(
        self, iterations: int, tolerance: float, measure_every: int = 1, measure_last: bool = False
    ) -> list[Step]:
        """Adds best responses to the average, and returns every so many steps and the last one."""
        made = self.respond(iterations, tolerance, measure_last)
        return [step for step in made if step.iteration % measure_every == 0 or step is made[-1]]
