"""The matrix game at a state: its payoffs, and the regret of each action against the equilibrium."""

from typing import NamedTuple

import numpy as np

from nashzoo.baselines.certificate.bounds import PROVEN
from nashzoo.baselines.solution import Solution
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Floats


class StageGame(NamedTuple):
    """A state as a matrix game of its legal actions; a player who is not to move has one action.

    Attributes:
        actions: Legal actions of player 0 ``[m]`` and of player 1 ``[n]``.
        payoffs: Reward plus value of the next state, for each pair of actions ``[m, n]``, points of player 0.
        strategies: Equilibrium probabilities of both, ``[m]`` and ``[n]``.
        value: Of the state, to player 0, points.
    """

    actions: tuple[tuple[int, ...], tuple[int, ...]]
    payoffs: Floats
    strategies: tuple[Floats, Floats]
    value: float

    def losses(self, player: int) -> Floats:
        """Returns the regret of each action of a player against the equilibrium, points.

        Shape ``[m]`` or ``[n]``. It is 0, up to rounding, for every action of the equilibrium.
        """
        if player == 0:
            losses: Floats = self.value - self.payoffs @ self.strategies[1]
        else:
            losses = self.strategies[0] @ self.payoffs - self.value
        return np.maximum(losses, 0.0)

    def exploited(self, player: int, probabilities: Floats) -> tuple[float, int]:
        """Returns what the other's best action wins from a player's probabilities of legal actions, and this action.

        Returns:
            The regret, points, 0 if it is no more than rounding; and the number of the other player's action.
        """
        worth = probabilities @ self.payoffs if player == 0 else -(self.payoffs @ probabilities)
        reply = int(worth.argmin())
        regret = (1 - 2 * player) * self.value - float(worth[reply])
        return regret if regret > PROVEN else 0.0, self.actions[1 - player][reply]


def stage_game(solution: Solution, code: int) -> StageGame:
    """Returns the matrix game at a state.

    Raises:
        UsageError: the state is terminal or a chance state.
        KeyError: the state is not part of the solution.
    """
    game = solution.game
    if not game.movers(code):
        raise UsageError(f"nobody chooses at {game.spell(code)}")
    actions = game.legal_actions(code, 0), game.legal_actions(code, 1)
    step = game.rules.step  # these actions are legal, which Game.step would check for each pair
    payoffs = np.array([[_worth(solution, step(game.params, code, a, b)) for b in actions[1]] for a in actions[0]])
    first, second = solution.strategies(np.array([code]))
    return StageGame(actions, payoffs, (first[0, list(actions[0])], second[0, list(actions[1])]), solution.value(code))


def _worth(solution: Solution, code: int) -> float:
    """Returns the reward on entering a state plus its value, points of player 0."""
    reward = solution.game.payoff(code)
    return reward if solution.game.terminal(code) else reward + solution.value(code)
