"""Perfect play in turn-based games from the exact solution, and the same with mistakes."""

import numpy as np

from nashzoo.agents.basic.checks import check_probability, check_turn_based
from nashzoo.agents.basic.nash import NashAgent
from nashzoo.baselines.solution import Solution
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core import kernels
from nashzoo.envs.core.agent import uniform_over
from nashzoo.envs.core.checks import check_seen, name_of
from nashzoo.envs.core.game import Bools, Features, Floats, Game, Mask


class PerfectAgent(NashAgent):
    """Plays every optimal move with the same probability.

    Optimal moves keep the value of the state. In a won state only the fastest wins are optimal, in a lost state only
    the longest delays.

    Args:
        game: The game, a turn-based one without chance: with chance no number of moves is certain.
        solution: The game's solution, if it is at hand; looked up or computed when None.

    Raises:
        ValueError: the game is not turn-based, or the solution is of another game.
    """

    def __init__(self, game: Game, seed: int | None = None, *, solution: Solution | None = None) -> None:
        check_seen(game, f"{name_of(self)} needs the whole state")
        if game.has_chance:
            raise UsageError(f"{name_of(self)} plays games without chance; in {game.name} chance decides as well")
        check_turn_based(self, game)
        super().__init__(game, seed, solution=solution)

    def optimal(self, observations: Features, action_masks: Mask) -> Bools:
        """Returns the optimal moves as a mask ``[B, actions]``: the only legal action for a player not to move.

        Raises:
            KeyError: an observation is of a state that is not part of the solution.
        """
        codes, players = self.states_of(observations)
        movers = np.empty_like(players)
        kernels.turn_all(self.game.compiled, codes, movers)
        waits = (movers != players)[:, None]
        return np.where(waits, action_masks == 1, self.solution.optimal_actions(codes))

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns equal probabilities over the optimal moves ``[B, actions]``.

        Raises:
            KeyError: an observation is of a state that is not part of the solution.
        """
        return uniform_over(self.optimal(observations, action_masks))


class NoisyOptimalAgent(PerfectAgent):
    """A model of a person: plays an optimal move with some probability, and else a random legal one.

    Args:
        game: The game, a turn-based one.
        probability: Of playing one of the optimal moves. Else the move is uniformly random, which may be optimal too.
        solution: As for :class:`PerfectAgent`.

    Raises:
        ValueError: the probability is not one, the game is not turn-based, or the solution is of another game.
    """

    def __init__(
        self, game: Game, seed: int | None = None, *, probability: float = 0.7, solution: Solution | None = None
    ) -> None:
        super().__init__(game, seed, solution=solution)
        self.probability = check_probability("probability", probability)

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns the mixture of perfect and random play ``[B, actions]``.

        Raises:
            KeyError: an observation is of a state that is not part of the solution.
        """
        best = super().action_probabilities(observations, action_masks)
        return self.probability * best + (1.0 - self.probability) * uniform_over(action_masks)
