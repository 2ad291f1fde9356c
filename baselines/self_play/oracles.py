"""Policy-space response oracles: both players answer the best mix of all that was played so far.

Each player has a population of policies. They define a smaller game: at every state an action is legal if one of the
player's policies takes it there. This game is solved exactly, a linear program at each state with the values of the
next states; so both have an equilibrium of the smaller game. Best responses in the whole game join the populations.
When they gain nothing, the equilibrium of the smaller game is one of the whole game. As every other best response adds
an action somewhere, that happens after finitely many of them.

In the literature the linear program is over the policies: its matrix is what each wins from each, and one is drawn
for a whole game. Then the opponent is no policy by state (see :mod:`nashzoo.baselines.self_play.policy_average`),
and a population only ever plays what one of its members would have played throughout. Mixed at each state, parts of
different policies go together. That is more than the literature's mix can do, so fewer best responses are needed; the
price is that the smaller game must be solved by state.

Sources: McMahan, Gordon and Blum (2003), "Planning in the presence of cost functions controlled by an adversary", for
the double oracle; Bosansky et al. (2016), "Algorithms for computing strategies in two-player simultaneous move games",
for its use at each state; Lanctot et al. (2017), "A unified game-theoretic approach to multiagent reinforcement
learning".
"""

import numpy as np

from nashzoo.baselines.equilibrium import solve_listed
from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.baselines.proof.bounds import PROVEN
from nashzoo.baselines.self_play.policy_average import Mix, Step, check_iterations
from nashzoo.baselines.states.restricted import RestrictedStates
from nashzoo.envs.core.game import Floats, Game, Ints


class Population(Mix):
    """At every state the equilibrium among the actions that have been played there, see :class:`Mix`.

    Attributes:
        allowed: What the policies of player 0 and of player 1 do, bit masks of actions ``[n]``.
    """

    def __init__(self, game: Game, essential: bool = False) -> None:
        super().__init__(game, essential)
        self.allowed: tuple[Ints, Ints] = (
            np.zeros(len(self.states), np.int64),
            np.zeros(len(self.states), np.int64),
        )

    def add(self, tables: tuple[Floats, Floats]) -> None:
        """Adds the likeliest action of each player by number, given probabilities ``[n, actions]``.

        A best response need not draw between actions, and that of a learner is one the better the less it does.
        """
        for allowed, table in zip(self.allowed, tables, strict=True):
            allowed |= 1 << table.argmax(axis=1)

    def policies(self) -> tuple[Floats, Floats]:
        """Returns the equilibrium of the smaller game, probabilities by number ``[n, actions]``."""
        return solve_listed(RestrictedStates(self.states, *self.allowed)).policies


def double_oracle(
    game: Game, iterations: int, tolerance: float = PROVEN, measure_last: bool = False
) -> tuple[TabularPolicy, list[Step]]:
    """Returns the equilibrium of populations of exact best responses, and how it came about.

    The first of each population answers uniformly random play.

    Args:
        game: The game.
        iterations: How many best responses of each player there are at most.
        tolerance: The exploitability, in points per game, at which to stop; rounding keeps it from being 0.
        measure_last: Whether to measure the last best responses alone as well.

    Raises:
        ValueError: there are no iterations.
        TooManyStatesError: the game has too many states to keep tables of.
    """
    check_iterations(iterations)
    population = Population(game, essential=True)
    answers = population.best_responses(population.uniform())
    steps: list[Step] = []
    while len(steps) < iterations and not (steps and steps[-1].exploitability <= tolerance):
        tables = population.pure(answers.choices)
        population.add(tables)
        step, answers = population.measured(len(steps) + 1, tables if measure_last else None)
        steps.append(step)
    return population.policy(), steps
