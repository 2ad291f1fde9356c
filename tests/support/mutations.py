"""Ways to break the equilibrium, each with a game whose solution it spoils, and what the checker says to it."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import nim
import repeated_rps
from made_games import graph
from nashzoo.baselines import equilibrium, layered_solution, solution
from nashzoo.baselines.certificate import parts, witness
from nashzoo.baselines.solvers import backup, distance, matrix, retrograde
from nashzoo.baselines.states import listed
from nashzoo.envs import bodega_brawl_v0, footsies_v0, roshambo_v0
from nashzoo.envs.core import reachable
from nashzoo.envs.core.game import Game
from nashzoo.envs.jit.compiled import compiled

Function = Callable[..., Any]


class Mutation(NamedTuple):
    """What is broken, for which game, and what the checker says."""

    game: Callable[[], Game]
    where: Any  # module or class
    name: str  # of a function there, or of a number
    broken: Callable[[Any], Any]  # makes it from the one that works
    says: str  # a pattern
    also: tuple[tuple[Any, str, Function], ...] = ()  # what else is exchanged


# Not by games that may stop, whose values do not rest on sweeps.
ITERATED = ((equilibrium, "_stopped", equilibrium._iterated),)

# Player 0 walks to the right end, where it wins: a step back, none or one forward.
walk = functools.partial(graph, [[[max(k - 1, 0)], [k], [k + 1]] for k in range(5)] + [None], {5: 1.0})
# The same, and both players have what they do twice, so that they move at once.
walk_at_once = functools.partial(graph, [[[max(k - 1, 0)] * 2, [k + 1] * 2] for k in range(5)] + [None], {5: 1.0})
# Player 1 walks, to a loss for player 0.
loss = functools.partial(graph, [[[max(k - 1, 0), k, k + 1]] for k in range(5)] + [None], {5: -1.0})
# Player 0 may take half a point, or go on to where player 1 must give a whole one or go back.
choice = functools.partial(graph, [[[1], [2], [0]], [[0], [3]], None, None], {2: 0.5, 3: 1.0})
# Nobody need end play: player 0 would lose by moving on.
draw = functools.partial(graph, [[[0], [1]], [[0, 2]], None], {2: -1.0})
# The square root of 2 less 1, and its negative (tests/baselines/test_equilibrium.py); play may last for ever.
irrational = functools.partial(graph, [[[1, 2], [2, 3]], [[0, 4], [4, 3]], None, None, None], {2: 1.0, 4: -1.0})
# A matrix game without a saddle point, worth 3/5: 1/5 and 4/5 against 2/5 and 3/5.
once = functools.partial(graph, [[[1, 2], [3, 4]], None, None, None, None], {1: 3.0, 2: -1.0, 3: 0.0, 4: 1.0})
# A fair coin between that game and one that is worth -1/3: 2/3 and 1/3 against 1/3 and 2/3.
twice = functools.partial(
    graph, [[[1, 2], [2, 1]], [[3, 4], [5, 6]], [[4, 5], [6, 4]], *[None] * 4], {3: 3.0, 4: -1.0, 5: 0.0, 6: 1.0}
)
# Player 1 loses at once, or by way of 2.
delay = functools.partial(graph, [[[1, 2]], None, [[1], [1]]], {1: 1.0})
take = functools.partial(Game, nim, heap=7, first="random")
throws = functools.partial(Game, repeated_rps, rounds=3)
footsies = functools.partial(footsies_v0.game, blocks=1)
roshambo = functools.partial(roshambo_v0.game, rounds=5)
brawl = functools.partial(bodega_brawl_v0.game, preset="tiny")
GAMES = (walk, walk_at_once, loss, choice, draw, irrational, once, twice, take, throws, footsies, roshambo, brawl)


def nothing(works: Function) -> Function:
    """Does nothing."""
    return lambda *arguments: None


def before(change: Callable[..., Any]) -> Callable[[Function], Function]:
    """Changes what the function is given: ``change`` returns the arguments."""
    return lambda works: lambda *arguments: works(*change(*arguments))


def after(change: Callable[..., Any]) -> Callable[[Function], Function]:
    """Changes what the function has done: ``change(result, *arguments)`` returns another result."""

    def broken(works: Function) -> Function:
        return lambda *arguments: change(works(*arguments), *arguments)

    return broken


def filled(number: int, spoil: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """Spoils the array that the function fills, its argument of this number."""

    def change(result: Any, *arguments: Any) -> Any:
        arguments[number][...] = spoil(arguments[number])
        return result

    return after(change)


def evenly(strategies: Any) -> Any:
    """Returns strategies that play every action that those at hand play, as often as others."""
    return (strategies > 0) / (strategies > 0).sum(axis=1, keepdims=True)


def only_action(action: int) -> Callable[[Any], Any]:
    """Returns what makes of an array with a row for each state one in which all play this action."""
    return lambda rows: np.zeros_like(rows) + (np.arange(rows.shape[1]) == action).astype(rows.dtype)


def without_last_bit(numbers: Any) -> Any:
    """Returns codes or numbers that are not negative without their last bit."""
    return np.where(numbers < 0, numbers, numbers & ~1)


def only_first(result: Any, *arguments: Any) -> Any:
    """Returns the ways back to the first state alone."""
    ways, first = result
    return ways[: first[1]], np.minimum(first, first[1])


def changed_by(amount: float) -> Callable[[Function], Function]:
    """Gives a solution other values than were found."""
    return before(lambda self, listed, values, *rest: (self, listed, values + amount, *rest))


def with_policies(change: Callable[[Any, Any], Any]) -> Callable[[Function], Function]:
    """Gives a solution other policies than were found."""
    return before(lambda self, listed, values, both, to_end: (self, listed, values, change(*both), to_end))


def for_player(player: int, works: Function) -> Function:
    """Returns a ``_force`` that does nothing for a player."""
    return lambda winner, *rest: None if winner == player else works(winner, *rest)


@compiled(parts.EQUILIBRIUM.signature)
def helpless(payoff: Any, m: int, n: int, mix0: Any, mix1: Any, numbers: Any, places: Any) -> None:
    """Stands for a quick method that solves no matrix game, so that the careful one is asked."""
    mix0[:], mix1[:] = 0.0, 0.0


def careful_alone(change: Callable[..., Any]) -> Callable[[Any], parts.Solver]:
    """Asks the careful method alone: ``change(solve, matrix)`` returns two strategies instead of ``solve(matrix)``."""

    def broken(solver: Any) -> parts.Solver:
        def solve(matrix: Any) -> Any:
            return solver.careful(matrix)[1:3]

        return parts.Solver(helpless, lambda matrix: (0.0, *change(solve, matrix), 0.0))

    return broken


def spread(share: float, own: Any, other: Any) -> Any:
    """Returns a strategy that plays all actions evenly for a share of the time, and another as it is."""
    return (1 - share) * own + share / len(own), other


SECURE = "strategy does not secure what is claimed"
END = "strategy need not end play"
SHOWN = "it is not shown what the strategies secure"
BETWEEN = "the value is not between"
BACKUP = "strategy secures less than the value in one step"
DISTANCE = "the distance to the end is not one more"
KEEP = "strategy does not keep the distance"
UNLISTED = "play leads here, but it is not part of the solution"
NONE = "strategy is no distribution over the legal actions"

# Where the faults are put.
FORCE, WAYS_OUT, EDGES_BACK = (retrograde, "_force"), (retrograde, "_ways_out"), (retrograde, "edges_back")
DISTANCES, OPTIMAL = (distance, "_distances"), (distance, "_optimal_actions")
EQUILIBRIUM, CLASSES = (backup, "_equilibrium"), (listed, "_classes")
EXPAND, LEGAL = (reachable, "_expand"), (reachable, "_legal")
SOLUTION, LARGE = (solution.ListedSolution, "__init__"), (layered_solution, "SOLVER")
GUARANTEE, RANK, SWEEP = (witness, "_guarantee"), (witness, "_rank"), (witness, "_sweep")
STRATEGIC, MOST_SWEEPS = (listed, "strategic_state_all"), (equilibrium, "MAX_SWEEPS")

MUTATIONS: dict[str, Mutation] = {
    "nothing is forced": Mutation(walk, *FORCE, nothing, SECURE),
    "player 0 forces nothing": Mutation(walk, *FORCE, functools.partial(for_player, 0), SECURE),
    "player 1 forces nothing": Mutation(loss, *FORCE, functools.partial(for_player, 1), SECURE),
    "the worst way out is taken for the best": Mutation(
        choice, *FORCE, filled(7, lambda values: np.minimum(values, 0.5)), SECURE
    ),
    "what is forced is worth a little more": Mutation(
        walk, *FORCE, filled(7, lambda values: values * (1 + 2.0**-50)), SECURE
    ),
    "the last way out is overlooked": Mutation(choice, *WAYS_OUT, after(lambda found, *_: max(found - 1, -1)), SECURE),
    "ways out are worth the opposite": Mutation(walk, *WAYS_OUT, filled(4, lambda values: -values), SECURE),
    "ways back lead to the first state alone": Mutation(walk, *EDGES_BACK, after(only_first), SECURE),
    "distances are one too long": Mutation(
        walk, *DISTANCES, filled(4, lambda result: np.where(result > 0, result + 1, result)), DISTANCE
    ),
    "one distance is shorter": Mutation(
        take, *DISTANCES, filled(4, lambda result: np.where(result == result.max(), 1, result)), DISTANCE
    ),
    "a draw has a distance": Mutation(draw, *DISTANCES, filled(4, np.ones_like), DISTANCE),
    "the first action is always optimal": Mutation(walk, *OPTIMAL, filled(5, only_action(0)), KEEP),
    "the last action is always optimal": Mutation(take, *OPTIMAL, filled(5, only_action(2)), NONE),
    "who loses does not delay": Mutation(delay, *OPTIMAL, filled(5, only_action(0)), KEEP),
    "strategies are uniform": Mutation(once, *EQUILIBRIUM, filled(5, evenly), BACKUP),
    "actions stand in another order": Mutation(once, *EQUILIBRIUM, filled(6, lambda mix: mix[:, ::-1]), NONE),
    "matrices are worth a billionth more": Mutation(
        once, *EQUILIBRIUM, filled(3, lambda values: values + 1e-9), BETWEEN
    ),
    "matrices are worth a billionth more where play recurs": Mutation(
        irrational, *EQUILIBRIUM, filled(3, lambda values: values + 1e-9), BETWEEN, ITERATED
    ),
    "the first action is an equilibrium": Mutation(twice, *EQUILIBRIUM, filled(5, only_action(0)), BACKUP),
    "all states are one layer": Mutation(take, *CLASSES, after(lambda found, *_: (0 * found[0], found[1])), SECURE),
    "layers are in the wrong order": Mutation(
        twice, *CLASSES, after(lambda found, *_: (found[0].max() - found[0], found[1])), SECURE
    ),
    "no state recurs": Mutation(irrational, *CLASSES, after(lambda found, *_: (found[0], found[1] & False)), SECURE),
    "rewards have the wrong sign": Mutation(once, *EXPAND, filled(5, lambda pays: -pays), SECURE),
    "joint actions lead where others do": Mutation(
        take, *EXPAND, filled(4, lambda to: np.where(np.arange(to.shape[1]) == 0, to[:, -1:], to)), f"{UNLISTED}|{KEEP}"
    ),
    "an action of player 1 is overlooked": Mutation(once, *LEGAL, filled(3, lambda legal: legal & 1), SECURE),
    "an action of player 0 is overlooked": Mutation(take, *LEGAL, filled(2, lambda legal: legal & 3), SECURE),
    "states that differ are taken for one": Mutation(
        roshambo, *STRATEGIC, filled(1, without_last_bit), f"{SHOWN}|{UNLISTED}"
    ),
    "values are a billionth off": Mutation(once, *SOLUTION, changed_by(1e-9), BETWEEN),
    "values are a billionth off where play recurs": Mutation(irrational, *SOLUTION, changed_by(-1e-9), BETWEEN),
    "values are a billionth off in a turn-based game": Mutation(walk, *SOLUTION, changed_by(-1e-9), DISTANCE),
    "the players have each other's strategies": Mutation(
        once, *SOLUTION, with_policies(lambda own, other: (other, own)), BACKUP
    ),
    "the strategies of two states are exchanged": Mutation(
        twice, *SOLUTION, with_policies(lambda own, other: (own[::-1], other)), BACKUP
    ),
    "a strategy has a probability below 0": Mutation(
        once, *SOLUTION, with_policies(lambda own, other: (-own, other)), NONE
    ),
    "more is claimed than is secured": Mutation(irrational, *GUARANTEE, filled(8, lambda lower: lower + 1e-9), SECURE),
    "more is claimed where play passes on": Mutation(once, *GUARANTEE, filled(8, lambda lower: lower + 1e-13), SECURE),
    "there are no ranks": Mutation(walk_at_once, *RANK, filled(6, np.zeros_like), END),
    "values are not lowered": Mutation(
        irrational, *SWEEP, after(lambda done, *all_: bool(all_[7].fill(0.0) or True)), SECURE
    ),
    "large: the players have each other's aims": Mutation(
        brawl, *LARGE, careful_alone(lambda solve, matrix: solve(matrix.T)[::-1]), BACKUP
    ),
    "large: a strategy is a millionth off": Mutation(
        brawl, *LARGE, careful_alone(lambda solve, matrix: spread(1e-6, *solve(matrix))), BACKUP
    ),
    "large: a strategy has a probability below 0": Mutation(
        brawl, *LARGE, careful_alone(lambda solve, matrix: spread(-1e-6, *solve(matrix))), NONE
    ),
    "large: probabilities do not add up to 1": Mutation(
        brawl, *LARGE, careful_alone(lambda solve, matrix: spread(0.0, *(2 * mix for mix in solve(matrix)))), NONE
    ),
    "sweeps stop early": Mutation(irrational, *MOST_SWEEPS, lambda number: 2, BACKUP, ITERATED),
}


def unrepaired(matrix: Any, result: Any) -> Any:
    """Stands for the second method for matrix games, which would repair what the first has spoilt."""
    return result


def badly(payoff: Any, rows: int, columns: int, row_strategy: Any, column_strategy: Any, *space: Any) -> None:
    """Stands for the simplex method: plays everything evenly."""
    row_strategy[:rows] = 1 / rows
    column_strategy[:columns] = 1 / columns


REPAIR = ((backup, "better_by_fractions", unrepaired),)

# Kernels that only compiled code calls: they can be exchanged where nothing is compiled.
INNER: dict[str, Mutation] = {
    "simplex: all actions evenly": Mutation(once, matrix, "_simplex", lambda works: badly, BACKUP, REPAIR),
    "simplex: stops at the first step": Mutation(
        once, matrix, "_choose_pivot", after(lambda result, *_: (-1, -1)), NONE, REPAIR
    ),
    "simplex: pivots change nothing": Mutation(once, matrix, "_pivot", nothing, NONE, REPAIR),
    "a saddle point everywhere": Mutation(
        once,
        matrix,
        "_saddle_point",
        lambda works: lambda *matrix: (0, 0, 0.0, 0.0),
        BACKUP,
        ((backup, "try_again", unrepaired), *REPAIR),
    ),
    "a matrix game is worth more": Mutation(
        once, backup, "solve_into", after(lambda result, *_: (result[0] + 1e-6, result[1])), BETWEEN
    ),
}
