"""Fictitious play: both players best-respond to the other's average strategy so far.

At every state both best-respond to the other's average there, for one step: the value of a next state is the middle of
what the two averages guarantee, as computed so far. So both use the same matrix at each state. If no
state recurs, the matrices converge from the end of the game on and the averages with them, by Robinson's theorem;
vanishing errors do not prevent the convergence of fictitious play (Leslie and Collins 2006). If states recur, each
iteration is also one of value iteration. With best responses to the whole future instead of one step,
both may expect for ever to win by waiting. Convergence with recurring states and without discounting is not
proven; the exact exploitability shows it.

It is slow: the exploitability of the averages falls about as the inverse square root of the iterations. In
turn-based games with recurring states an average may be highly exploitable: it keeps a positive probability of every
past mistake, and an opponent who can wait without end meets each. There use the last responses alone,
most of which are optimal after a while; with simultaneous moves these never converge, and only averages do.

With hidden information both best-respond to the other's average in the whole game.

Sources: Brown (1951), "Iterative solution of games by fictitious play"; Robinson (1951), "An iterative method of
solving a game"; Leslie and Collins (2006), "Generalised weakened fictitious play"; Leslie, Perkins and Xu (2020),
"Best-response dynamics in zero-sum stochastic games"; Heinrich, Lanctot and Silver (2015), "Fictitious self-play in
extensive-form games"; Sayin, Parise and Ozdaglar (2022), "Fictitious play in zero-sum
stochastic games".
"""

from nashzoo.baselines.forms import form_of
from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.baselines.policy_average import Step, check_iterations
from nashzoo.envs.core.game import Game


def fictitious_play(
    game: Game, iterations: int, tolerance: float = 0.0, measure_every: int = 1, measure_last: bool = False
) -> tuple[TabularPolicy, list[Step]]:
    """Returns the average policy of fictitious play, and its steps.

    The first response of each player is to uniformly random play.

    Args:
        game: The game.
        iterations: The largest number of responses of each player in the average.
        tolerance: The exploitability, in points per game, at which to stop.
        measure_every: Iterations between measurements; the last is always measured.
        measure_last: Whether to measure the last responses alone as well.

    Raises:
        ValueError: there are no iterations, or none between measurements.
        TooManyStatesError: the game has too many states to keep tables of.
    """
    check_iterations(iterations)
    check_iterations(measure_every)
    average = form_of(game).average(representatives_only=True)
    steps = average.fictitious(iterations, tolerance, measure_every, measure_last)
    return average.policy(), steps
