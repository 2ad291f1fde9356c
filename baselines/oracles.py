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

With hidden information the same is done by sequences: one is allowed if a policy of its player plays it, and the
restricted game is one linear program.

Sources: McMahan, Gordon and Blum (2003), "Planning in the presence of cost functions controlled by an adversary", for
the double oracle; Bosansky et al. (2016), "Algorithms for computing strategies in two-player simultaneous move games",
for its use at each state; Bosansky et al. (2014), "An exact double-oracle algorithm for zero-sum extensive-form games
with imperfect information", for its use by sequences; Lanctot et al. (2017), "A unified game-theoretic approach to
multiagent reinforcement learning".
"""

import dataclasses

import numpy as np

from nashzoo.baselines.certificate.bounds import PROVEN
from nashzoo.baselines.equilibrium import solve_listed
from nashzoo.baselines.information.program import solve_program
from nashzoo.baselines.information.sequence_form import SequenceForm
from nashzoo.baselines.information.treeplex import Treeplex
from nashzoo.baselines.policies.tabular import TabularPolicy
from nashzoo.baselines.policy_average import Mix, SequenceMix, StateMix, Step
from nashzoo.baselines.states.restricted import RestrictedStates
from nashzoo.envs.core.game import Floats, Game, Ints
from nashzoo.envs.jit.compiled import Bools


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


class SequencePopulation(SequenceMix):
    """The equilibrium of the sequences that have been played.

    Attributes:
        kept: Whether player 0 and player 1 have played a sequence ``[S]``.
    """

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        first, second = (np.arange(plex.num_sequences) == 0 for plex in self.form.treeplexes)
        self.kept: tuple[Bools, Bools] = (first, second)

    def add(self, tables: tuple[Floats, Floats]) -> None:
        """Adds the most likely action of each player at each information state, given sequence weights ``[S]``."""
        num_actions = self.game.num_actions
        for plex, places, kept, weights in zip(self.form.treeplexes, self.form.places, self.kept, tables, strict=True):
            probabilities, pure = np.zeros(len(plex.codes) * num_actions), np.ones(plex.num_sequences)
            probabilities[places] = plex.probabilities(weights)[1:]
            likeliest = probabilities.reshape(-1, num_actions).argmax(axis=1)
            pure[1:] = np.eye(num_actions)[likeliest].ravel()[places]
            kept |= plex.weights(pure) > 0.0

    def policies(self) -> tuple[Floats, Floats]:
        """Returns the equilibrium of the restricted game, sequence weights ``[S]``."""
        small = _restricted(self.form, self.kept)
        policies = np.zeros(len(self.kept[0])), np.zeros(len(self.kept[1]))
        for plex, kept, policy, weights in zip(
            small.treeplexes, self.kept, policies, solve_program(small)[1], strict=True
        ):
            policy[kept] = plex.weights(plex.probabilities(weights))
        return policies


def _restricted(form: SequenceForm, kept: tuple[Bools, Bools]) -> SequenceForm:
    """Returns the game in which players have the sequences kept ``[S]`` alone, some at each information state."""
    treeplexes = []
    for plex, keep in zip(form.treeplexes, kept, strict=True):
        states, numbers = keep[plex.parents], np.cumsum(keep) - 1
        counts = np.add.reduceat(keep[1:].astype(np.int64), plex.first[:-1] - 1)[states]
        first = np.cumsum(np.concatenate([[1], counts]))
        treeplexes.append(Treeplex(plex.codes[states], numbers[plex.parents[states]], first, plex.legal[states]))
    matrix = form.matrix[kept[0]][:, kept[1]]
    return dataclasses.replace(
        form, treeplexes=(treeplexes[0], treeplexes[1]), matrix=matrix, transposed=matrix.T.tocsr()
    )


def population_of(game: Game, representatives_only: bool = False) -> Mix:
    """Returns an empty population, see :class:`Population` and :class:`SequencePopulation`."""
    return SequencePopulation(game) if game.hides else Population(game, representatives_only)


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
