"""A choice of a player by the exact solution: the equilibrium there, and what each action loses against it."""

from typing import NamedTuple

import numpy as np

from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.stage_game import stage_game
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Floats


class Choice(NamedTuple):
    """A choice of a player.

    The regret of an action is the value less what the action brings if the other player keeps to the equilibrium, and
    this one plays as well as possible later. So every action of the equilibrium has the regret 0, though each by itself
    could be exploited, and in a game that ends the expected sum of regrets is what a player loses against the
    equilibrium.

    Attributes:
        actions: The player's legal actions ``[k]``.
        value: What the player wins from there between players of the equilibrium, points.
        probabilities: Of the equilibrium ``[k]``.
        regrets: The regret of each action ``[k]``, points. With hidden information these and the value are nan where
            the other player's strategy never leads.
    """

    actions: tuple[int, ...]
    value: float
    probabilities: Floats
    regrets: Floats

    def regret(self, action: int) -> float:
        """Returns the regret of a legal action."""
        return float(self.regrets[self.actions.index(action)])


def choice_at(solution: Solution, code: int, player: int) -> Choice:
    """Returns a player's choice at a state; with hidden information at what the player sees of it.

    Raises:
        UsageError: the player does not choose there, or play never comes there.
        KeyError: the state is not part of the solution.
    """
    game = solution.game
    if player not in game.movers(code):
        raise UsageError(f"player {player} does not choose at {game.spell(code)}")
    actions = game.legal_actions(code, player)
    if isinstance(solution, InformationSolution):
        known = game.information_state(code, player)
        values = solution.action_values(known, player)[list(actions)]
        probabilities = solution.strategies(np.array([known]))[player][0, list(actions)]
        return Choice(actions, float(values.max()), probabilities, values.max() - values)
    stage = stage_game(solution, code)
    value = stage.value if player == 0 else -stage.value
    return Choice(actions, value, stage.strategies[player], stage.losses(player))
