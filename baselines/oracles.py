"""Double oracle, and policy-space response oracles: best responses to an equilibrium of the policies so far.

Each player has a population of policies. They define a restricted game: at every state an action is legal if one of the
player's policies takes it there. This game is solved exactly, with a linear program at each state and the values of the
next states. Best responses to its equilibrium in the whole game are added to the populations. When they gain nothing,
the equilibrium of the restricted game is one of the whole game. As every other best response adds an action somewhere,
this happens after finitely many of them.

In the literature the linear program is over the policies: its matrix has the value of each policy against each, and one
is drawn for a whole game. Then the opponent is not stationary (see
:mod:`nashzoo.baselines.policy_average`), and every game is played by one member of a population. Mixed at
each state, parts of different policies are combined. This allows more policies than the literature's mixture, so fewer
best responses are needed, but the restricted game must be solved by state.

Sources: McMahan, Gordon and Blum (2003), "Planning in the presence of cost functions controlled by an adversary", for
the double oracle; Bosansky et al. (2016), "Algorithms for computing strategies in two-player simultaneous move games",
for its use at each state; Lanctot et al. (2017), "A unified game-theoretic approach to
multiagent reinforcement learning".
"""

import numpy as np

from nashzoo.baselines.certificate.bounds import PROVEN
from nashzoo.baselines.equilibrium import solve_listed
from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.baselines.policy_average import Mix, StateMix, Step
from nashzoo.baselines.states.restricted import RestrictedStates
from nashzoo.envs.core.game import Floats, Game, Ints


class Population(StateMix):
    """At every state the equilibrium of the actions that have been played there.

    Attributes:
        allowed: The actions of the policies of player 0 and of player 1, bit masks ``[n]``.
    """

    def __init__(self, game: Game, representatives_only: bool = False) -> None:
        super().__init__(game, representatives_only)
        self.allowed: tuple[Ints, Ints] = (np.zeros(len(self.states), np.int64), np.zeros(len(self.states), np.int64))

    def add(self, tables: tuple[Floats, Floats]) -> None:
        """Adds the most likely action of each player by number, given probabilities ``[n, actions]``.

        A best response need not be mixed, and a learned one is the better the less it is mixed.
        """
        for allowed, table in zip(self.allowed, tables, strict=True):
            allowed |= 1 << table.argmax(axis=1)

    def policies(self) -> tuple[Floats, Floats]:
        """Returns the equilibrium of the restricted game, probabilities by number ``[n, actions]``."""
        return solve_listed(RestrictedStates(self.states, *self.allowed)).policies


def population_of(game: Game, representatives_only: bool = False) -> Mix:
    """Returns an empty population, of whole policies if the game hides anything."""
    if not game.hides:
        return Population(game, representatives_only)
    from nashzoo.baselines.information_mixes import SequencePopulation

    return SequencePopulation(game)


def double_oracle(
    game: Game, iterations: int, tolerance: float = PROVEN, measure_last: bool = False
) -> tuple[TabularPolicy, list[Step]]:
    """Returns the equilibrium of populations of exact best responses, and its steps.

    The first best response of each player is to uniformly random play.

    Args:
        game: The game.
        iterations: The largest number of best responses of each player.
        tolerance: The exploitability, in points per game, at which to stop; due to rounding it need not become 0.
        measure_last: Whether to measure the last best responses alone as well.

    Raises:
        ValueError: there are no iterations.
        TooManyStatesError: the game has too many states to keep tables of.
    """
    population = population_of(game, representatives_only=True)
    steps = population.respond(iterations, tolerance, measure_last)
    return population.policy(), steps
