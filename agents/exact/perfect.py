"""Perfect play in turn-based games from the exact solution, and the same with mistakes."""

import numpy as np

from nashzoo.agents.basic.checks import check_probability, check_turn_based
from nashzoo.agents.exact.nash import NashAgent
from nashzoo.baselines.solution import Solution
from nashzoo.envs.core import kernels
from nashzoo.envs.core.agent import uniform_over
from nashzoo.envs.core.game import Bools, Features, Floats, Game, Mask


class PerfectAgent(NashAgent):
    """Plays every optimal move with the same probability.

    Optimal is what keeps the value; where that is a win only what wins soonest, and where it is a loss only what
    delays it longest.

    Args:
        game: The game, a turn-based one.
        seed: As for every player.
        solution: The game's solution, to share one; looked up or computed when None.

    Raises:
        ValueError: the game is not turn-based, or the solution is of another game.
    """

    def __init__(self, game: Game, seed: int | None = None, *, solution: Solution | None = None) -> None:
        check_turn_based(self, game)
        super().__init__(game, seed, solution=solution)

    def optimal(self, observations: Features, action_masks: Mask) -> Bools:
        """Returns which moves are optimal ``[B, actions]``: the one legal action, for the player who is not to move.

        Raises:
            KeyError: an observation shows a state that is not part of the solution.
        """
        codes, players = self.states_of(observations)
        movers = np.empty_like(players)
        kernels.turn_all(self.game.compiled, codes, movers)
        waits = (movers != players)[:, None]
        return np.where(waits, action_masks == 1, self.solution.optimal_actions(codes))

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns equal probabilities over the optimal moves ``[B, actions]``.

        Raises:
            KeyError: an observation shows a state that is not part of the solution.
        """
        return uniform_over(self.optimal(observations, action_masks))


class NoisyOptimalAgent(PerfectAgent):
    """A person who plays the best move with some probability, and else any legal one.

    Args:
        game: The game, a turn-based one.
        seed: As for every player.
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
            KeyError: an observation shows a state that is not part of the solution.
        """
        best = super().action_probabilities(observations, action_masks)
        return self.probability * best + (1.0 - self.probability) * uniform_over(action_masks)
