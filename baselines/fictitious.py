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

import numpy as np

from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.baselines.policy_average import Choices, Mix, StateMix, Step, check_iterations
from nashzoo.baselines.solvers.backup import action_values
from nashzoo.envs.core.game import Floats, Game


class Average(StateMix):
    """At every state the mean of the strategies played there."""

    def __init__(self, game: Game, representatives_only: bool = False) -> None:
        super().__init__(game, representatives_only)
        shape = len(self.states), game.num_actions
        self.sums = np.zeros(shape), np.zeros(shape)
        self.added = 0

    def add(self, tables: tuple[Floats, Floats]) -> None:
        """Adds a policy of each player, probabilities by number ``[n, actions]``."""
        for total, table in zip(self.sums, tables, strict=True):
            total += table
        self.added += 1

    def policies(self) -> tuple[Floats, Floats]:
        """Returns the means, probabilities by number ``[n, actions]``."""
        return self.sums[0] / self.added, self.sums[1] / self.added


def average_of(game: Game) -> Mix:
    """Returns an average of no policies, of whole policies if the game hides anything."""
    if not game.hides:
        return Average(game)
    from nashzoo.baselines.information_mixes import SequenceAverage

    return SequenceAverage(game)


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
    if game.hides:
        mix = average_of(game)
        made = mix.respond(iterations, tolerance, measure_last)
        return mix.policy(), [step for step in made if step.iteration % measure_every == 0 or step is made[-1]]
    average = Average(game, representatives_only=True)
    values = np.zeros(len(average.states))
    policies = average.uniform()
    steps: list[Step] = []
    for iteration in range(1, iterations + 1):
        tables = average.pure(_best_responses(average, policies, values))
        average.add(tables)
        policies = average.policies()
        if iteration % measure_every == 0 or iteration == iterations:
            steps.append(average.measured(iteration, tables if measure_last else None)[0])
            if steps[-1].exploitability <= tolerance:
                break
    return average.policy(), steps


def _best_responses(average: Average, policies: tuple[Floats, Floats], values: Floats) -> tuple[Choices, Choices]:
    """Returns each player's reply to the other's policy ``[n, actions]`` at all states, and updates the values."""
    choices0, choices1 = np.zeros((2, len(values)), np.int8)
    for ids, _ in average.states.layers:
        successors = average.states.successors_at(ids)
        values0, values1 = (action_values(successors, values, policies[1 - player][ids], player) for player in range(2))
        choices0[ids], choices1[ids] = values0.argmax(axis=1), values1.argmax(axis=1)
        values[ids] = (values0.max(axis=1) - values1.max(axis=1)) / 2
    return choices0, choices1
