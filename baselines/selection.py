"""One equilibrium out of all: the most random, the least mixed, one that wins most from a player, or a sequential one.

By state the choice is among strategies that are optimal at every state, see :mod:`nashzoo.baselines.equilibrium_sets`.
Where something is hidden it is among all optimal strategies.
"""

from collections.abc import Callable
from functools import cache, partial
from itertools import chain
from typing import Any, NamedTuple, cast

import numpy as np

from nashzoo.baselines.certificate.bounds import Estimate
from nashzoo.baselines.certificate.steps import CertificateError
from nashzoo.baselines.equilibrium_sets import Equilibria, StateEquilibria
from nashzoo.baselines.information.measures import weights_of
from nashzoo.baselines.information.optimal_face import OptimalFace
from nashzoo.baselines.information.program import fewest_actions
from nashzoo.baselines.information.quasi_perfect import quasi_perfect
from nashzoo.baselines.information.treeplex import Treeplex
from nashzoo.baselines.information_sets import InformationEquilibria
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.baselines.policies.tabular import table_of
from nashzoo.baselines.solution import ListedSolution, Solution
from nashzoo.baselines.solvers.backup import action_values
from nashzoo.baselines.state_values import evaluated, start_evaluated
from nashzoo.baselines.states.listed import ListedStates
from nashzoo.baselines.states.space import StoredStates
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.jit.compiled import Floats

UNIFORM, PURE, SEQUENTIAL, GREEDY = WAYS = "uniform", "pure", "sequential", "greedy"
TINY = 1e-300  # in place of a probability 0, whose logarithm is not finite
NOTHING = 1e-10  # probabilities that rounding leaves
STEPS, PROGRAMS, CLOSE = 300, 60, 1e-9  # of the search for the largest entropy, and nats that end it
ALMOST = 1e-6  # nats that end it where each vertex needs a linear program


class Selected(NamedTuple):
    """An equilibrium that has as much as possible of what was asked for.

    Attributes:
        solution: The equilibrium, proven.
        figures: For player 0 and player 1: nats of entropy, actions in addition to one at each decision, points won, or
            the most points lost wherever play begins.
        best: What no equilibrium exceeds, or of actions falls below, but for rounding; infinite if it is not known.
    """

    solution: Solution
    figures: tuple[float, float]
    best: tuple[float, float]


def select(equilibria: Equilibria, how: str, opponent: Any = None) -> Selected:
    """Returns the most random equilibrium, one that mixes least, a sequential one, or one that wins most.

    Args:
        equilibria: All equilibria of a game.
        how: ``"uniform"``: the largest entropy, in the mean over the choices that the player's own choices lead to, or
            at each state; ``"pure"``: the fewest actions that are taken in addition to one at each decision;
            ``"sequential"``: optimal play also where play does not lead, by state as from all solvers, else by
            :mod:`nashzoo.baselines.information.quasi_perfect`; ``"greedy"``: the most points from the opponent.
        opponent: A player, or a policy.

    Raises:
        UsageError: there is no such way, an opponent is missing or not needed, or the game is too large.
        CertificateError: states recur, and a strategy that is chosen by state may put off a win for ever.
    """
    if how not in WAYS:
        raise UsageError(f"an equilibrium is selected by {', '.join(WAYS)}, not {how!r}")
    if (opponent is not None) != (how == GREEDY):
        raise UsageError(f"an opponent is for {GREEDY!r}, which needs one")
    if how == SEQUENTIAL:
        return _sequential(equilibria.solution)
    if isinstance(equilibria, StateEquilibria):
        return _ByState(equilibria, how, opponent).selected()
    return _of_information(cast(InformationEquilibria, equilibria), how, opponent)


def _sequential(solution: Solution) -> Selected:
    """Returns an equilibrium that is optimal wherever play begins; a certificate by state is of all states."""
    if isinstance(solution, InformationSolution):
        shares = [np.array([1.0, *map(float, chain.from_iterable(mix))]) for mix in quasi_perfect(solution.form)]
        solution = InformationSolution(solution.form, solution.weights, (shares[0], shares[1]))
        return Selected(solution, (0.0, 0.0), (0.0, 0.0))  # in fractions
    return Selected(solution, 2 * (solution.certificate,), (0.0, 0.0))


def most_random(
    points: list[Floats], slopes: Callable[[Floats], Floats], more: Callable[[Floats], Floats] | None = None
) -> tuple[Floats, float]:
    """Returns the mean of points ``[n]`` at which a concave function is largest, and how much larger it can be.

    Steps go from the point that is worst along the slope to the best one, as far as the function rises.

    Args:
        points: Points whose means are allowed.
        slopes: The derivatives of the function ``[n]``.
        more: Returns the best further point along a slope, if not all are given.

    Source: Guelat and Marcotte (1986), "Some comments on Wolfe's 'away step'".
    """
    weights = np.full(len(points), 1.0 / len(points))
    here, gap = np.mean(points, axis=0), np.inf
    for _ in range(PROGRAMS if more else 1):
        known = np.array(points)
        for _ in range(STEPS):
            gains = known @ slopes(here)
            best, worst = int(gains.argmax()), int(np.where(weights > 0.0, gains, np.inf).argmin())
            gap = float(gains[best] - gains @ weights)
            if gap <= CLOSE:
                break
            step = _rise(slopes, here, known[best] - known[worst], float(weights[worst]))
            weights[best], weights[worst] = weights[best] + step, max(0.0, weights[worst] - step)
            here = weights @ known
        if more is None:
            break
        along = slopes(here)
        points.append(more(along))
        weights = np.append(weights, 0.0)
        gap = max(gap, float((points[-1] - here) @ along))
        if gap <= ALMOST:
            break
    return here, gap


def _rise(slopes: Callable[[Floats], Floats], here: Floats, direction: Floats, most: float) -> float:
    """Returns how far a concave function rises along a direction, at most ``most``, by bisection."""
    low, high = 0.0, most
    if direction @ slopes(here + most * direction) >= 0.0:
        return most
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if direction @ slopes(here + middle * direction) > 0.0 else (low, middle)
    return low


def _log(probabilities: Floats) -> Floats:
    logarithms: Floats = np.log(np.maximum(probabilities, TINY))
    return logarithms


class _ByState:
    """Selects at each state among the vertices of both players' sets, and their means."""

    def __init__(self, equilibria: StateEquilibria, how: str, opponent: Any) -> None:
        self.equilibria, self.how, self.solution = equilibria, how, equilibria.solution
        self.game, solution = equilibria.game, equilibria.solution
        self.states: StoredStates = solution.states if isinstance(solution, ListedSolution) else ListedStates(self.game)
        self.tables = [table.copy() for table in solution.strategies(self.states.codes)]
        self.others = [table_of(self.states, opponent, seat) for seat in (1, 0)] if how == GREEDY else []
        self.won = np.zeros((2, len(self.states)))  # by each player from the opponent, at each state
        self.figures, self.differs = [0.0, 0.0], False

    def selected(self) -> Selected:
        """Returns the equilibrium.

        Raises:
            CertificateError: states recur, and such a strategy may put off a win for ever.
        """
        order = [state for layer in self.states.layers for state in layer.ids.tolist()]
        for _ in range(PROGRAMS):  # where states recur, what follows may change again
            before, self.figures = [table.copy() for table in self.tables], [0.0, 0.0]
            for state in order:
                self._choose(state)
            if not (self.how == GREEDY and self.states.recurs) or all(map(np.array_equal, before, self.tables)):
                break
            self.won = np.array([self._against(player)[0] for player in (0, 1)])
        solution = self.solution
        if self.differs:
            values = np.array([solution.value(code) for code in self.states.codes.tolist()])
            solution = ListedSolution(self.states, values, (self.tables[0], self.tables[1]), None)
            if not solution.optimal:
                raise CertificateError(
                    f"{self.game.name}: what is selected state by state may put off the end of play for ever"
                )
        figures = best = (self.figures[0], self.figures[1])
        if self.how == GREEDY:
            first, second = self._against(0)[1], self._against(1)[1]
            figures = first.value, second.value
            best = (np.inf, np.inf) if self.states.recurs and self.differs else (first.upper, second.upper)
        return Selected(solution, figures, best)

    def _against(self, player: int) -> tuple[Floats, Estimate]:
        """Returns what a player wins from the opponent at each state, and from the start."""
        tables = (self.tables[0], self.others[0]) if player == 0 else (self.others[1], self.tables[1])
        start, values = start_evaluated(self.states, *tables), evaluated(self.states, *tables).values
        return (values, start) if player == 0 else (-values, start.negative())

    def _choose(self, state: int) -> None:
        """Selects what both players do at a state; what follows has been selected."""
        code = int(self.states.codes[state])
        for player in self.game.movers(code):
            legal = list(self.game.legal_actions(code, player))
            is_pure = self.how == PURE and self.tables[player][state].max() == 1.0
            if not is_pure and not self.equilibria.at(code, player).unique:
                self.differs = True
                chosen = self._selected(self._vertices(code)[player], state, player)
                chosen[chosen < NOTHING] = 0.0
                self.tables[player][state] = 0.0
                self.tables[player][state, legal] = chosen / chosen.sum()
            mix = self.tables[player][state, legal]
            self.figures[player] += _entropy(mix) if self.how == UNIFORM else int((mix > NOTHING).sum()) - 1
        if self.how == GREEDY:
            for player in (0, 1):
                worth, mix = self._worth(state, player)
                self.won[player, state] = worth @ mix

    @cache  # noqa: B019 - as long as the selection
    def _vertices(self, code: int) -> tuple[Floats, Floats]:
        first, second, _ = self.equilibria.strategies(code)
        return np.array(first, np.float64), np.array(second, np.float64)

    def _selected(self, vertices: Floats, state: int, player: int) -> Floats:
        """Returns a mean of vertices ``[k, actions]``."""
        if self.how == PURE:
            chosen = int((vertices > NOTHING).sum(axis=1).argmin())
        elif self.how == GREEDY:
            chosen = int((vertices @ self._worth(state, player)[0]).argmax())
        else:
            return most_random([*vertices], lambda mix: -_log(mix))[0]
        picked: Floats = vertices[chosen].copy()
        return picked

    def _worth(self, state: int, player: int) -> tuple[Floats, Floats]:
        """Returns what a player wins by each of its legal actions, or of the outcomes of chance, and their shares."""
        at, won = self.states.successors.at(np.array([state])), (1 - 2 * player) * self.won[player]
        worth = action_values(at, won, self.others[player][[state]], player)[0]
        legal = np.isfinite(worth)
        return worth[legal], self.tables[player][state, legal]


def _entropy(mix: Floats) -> float:
    return -float(mix @ _log(mix))


def _of_information(equilibria: InformationEquilibria, how: str, opponent: Any) -> Selected:
    form = cast(InformationSolution, equilibria.solution).form
    weights, figures, best = [], [], []
    for player, face in enumerate(equilibria.faces):
        if how == GREEDY:
            goal = form.gains(player, weights_of(form, opponent, 1 - player))
            chosen, most = face.largest(goal)
            figure = float(chosen @ goal)
        elif how == UNIFORM:
            entropy = _Entropy(face.plex)
            start = cast(InformationSolution, equilibria.solution).weights[player]
            chosen, more = most_random([start], entropy.slopes, partial(_largest, face))
            figure = entropy(chosen)
            most = figure + more
        else:
            chosen, figure, most = fewest_actions(face.form, face.value)
        weights.append(chosen)
        figures.append(figure)
        best.append(most)
    solution = InformationSolution(form, (weights[0], weights[1]))
    return Selected(solution, (figures[0], figures[1]), (best[0], best[1]))


def _largest(face: OptimalFace, goal: Floats) -> Floats:
    return face.largest(goal)[0]


class _Entropy:
    """The entropy of a player's choices, in the mean over its information states by their weights, nats."""

    def __init__(self, plex: Treeplex) -> None:
        self.parents = plex.by_sequence(plex.parents, 0)
        self.after = np.bincount(plex.parents, minlength=plex.num_sequences)  # information states after each sequence

    def __call__(self, weights: Floats) -> float:
        return -float(weights[1:] @ self._logs(weights)[1:])

    def slopes(self, weights: Floats) -> Floats:
        """Returns its derivatives by weights ``[S]``."""
        slopes = self.after - 1.0 - self._logs(weights)
        slopes[0] = self.after[0]
        return slopes

    def _logs(self, weights: Floats) -> Floats:
        return _log(weights) - _log(weights[self.parents])
