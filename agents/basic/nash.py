"""The exact solution as a player."""

import numpy as np

from nashzoo.agents.basic.checks import check_probability
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.store import solution_of
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.agent import PolicyAgent, uniform_over
from nashzoo.envs.core.game import Features, Floats, Game, Mask


class NashAgent(PolicyAgent):
    """Plays an equilibrium strategy: no opponent wins more than the game's value from it.

    Args:
        mistakes: The probability that an action is drawn from all legal ones alike instead.
        solution: The game's solution, if it is at hand; looked up or computed when None.

    Raises:
        UsageError: the solution is none, or is of another game.
    """

    def __init__(
        self, game: Game, seed: int | None = None, *, mistakes: float = 0.0, solution: Solution | None = None
    ) -> None:
        super().__init__(game, seed)
        self.mistakes = check_probability("mistakes", mistakes)
        if solution is not None and not hasattr(solution, "strategies"):
            raise UsageError(f"solution must be what solve(game) returns, not {solution!r}; left out, it is looked up")
        if solution is not None and solution.game != game:
            raise UsageError(f"the solution is of {solution.game}, not of {game}")
        self.solution = solution_of(game) if solution is None else solution

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns equilibrium probabilities, those of mistakes included ``[B, actions]``.

        Raises:
            KeyError: an observation is of an unreachable state.
        """
        codes, players = self.states_of(observations)
        strategies0, strategies1 = self.solution.strategies(codes)
        exact: Floats = np.where((players == 0)[:, None], strategies0, strategies1)
        return (1 - self.mistakes) * exact + self.mistakes * uniform_over(action_masks) if self.mistakes else exact
