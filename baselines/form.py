"""The form of a game, which answers what measures and solvers ask of it.

Where both players see the whole state, a game is a stochastic game: policies, values and solutions are by state. Where
a part is hidden it is an extensive-form game with information states, and policies and solutions are by these. Both
forms have the same operations, so that nothing else asks whether a game hides anything. See
:func:`nashzoo.baselines.forms.form_of`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from nashzoo.baselines.certificate.bounds import Estimate
from nashzoo.baselines.certificate.checker import Progress
from nashzoo.baselines.policy_average import Mix
from nashzoo.baselines.solution import Solution
from nashzoo.envs.core.game import Game


class Form(ABC):
    """A game as its policies are measured, and as it is solved; figures are in points per game.

    Policies are asked at all states at which they choose.

    Args:
        game: The game.

    Raises:
        NoPolicyError: by all that asks policies: one has no probabilities by what its player sees.
        UsageError: by the same: probabilities are no distribution over the legal actions.
        TooManyStatesError: by all: the game has too many states, or histories.
    """

    def __init__(self, game: Game) -> None:
        self.game = game

    @property
    @abstractmethod
    def num_states(self) -> int:
        """The number of states, or of information states, that an exact figure passes over."""

    def check_kept(self) -> None:  # noqa: B027  by default nothing is kept
        """Checks that what a figure needs can be kept, so that none takes minutes."""

    @abstractmethod
    def check_mixable(self, representatives_only: bool = False) -> None:
        """Checks that policies can be mixed; ``representatives_only`` is as for :meth:`population`."""

    @abstractmethod
    def tabulated(self, player: Any) -> Any:
        """Returns a player as a table; unchanged where tables would be too large."""

    @abstractmethod
    def value(self, policy0: Any, policy1: Any) -> Estimate:
        """Returns the value of two policies to player 0."""

    @abstractmethod
    def best_response(self, policy: Any, player: int) -> tuple[Estimate, Any]:
        """Returns the value of a best response of ``player`` to a policy in the other seat, to it, and the response."""

    @abstractmethod
    def secured(self, policy: Any, player: int) -> Estimate:
        """Returns the value that a policy guarantees ``player``, against every opponent."""

    def nash_conv(self, policy: Any, policy1: Any = None) -> Estimate:
        """Returns the sum of what best responses in both seats win; without ``policy1`` from a policy in both seats."""
        first = self.secured(policy, 0).negative()
        if self.game.symmetric and policy1 is None:
            return first.times(2.0)  # both seats are the same in a symmetric game
        return first.plus(self.secured(policy if policy1 is None else policy1, 1).negative())

    @abstractmethod
    def wins(self, policy0: Any, policy1: Any) -> tuple[Estimate, Estimate]:
        """Returns the probabilities that player 0's return is positive, and negative.

        Raises:
            UsageError: the game pays before its end.
        """

    @abstractmethod
    def average(self, representatives_only: bool = False) -> Mix:
        """Returns an average of no policies, for fictitious play."""

    @abstractmethod
    def population(self, representatives_only: bool = False) -> Mix:
        """Returns an empty population, for response oracles.

        Args:
            representatives_only: Whether all policies depend on the strategic state alone, as exact responses do.
        """

    @abstractmethod
    def solve(self, roots: Sequence[int] | None, progress: Progress | None, tolerance: float | None) -> Solution:
        """Returns the exact solution, see :func:`nashzoo.baselines.forms.solve`."""

    @abstractmethod
    def problems(self) -> list[str]:
        """Returns what keeps the game from being measured, a sentence each."""
