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

from nashzoo.baselines.certificate.bounds import PROVEN
from nashzoo.baselines.forms import form_of
from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.baselines.policy_average import Step
from nashzoo.envs.core.game import Game


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
    population = form_of(game).population(representatives_only=True)
    steps = population.respond(iterations, tolerance, measure_last)
    return population.policy(), steps
