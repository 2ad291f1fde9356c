"""One equilibrium out of all: the most random, the least mixed, one that wins most from a player, or a sequential one.

By state the choice is among strategies that are optimal at every state, see :mod:`nashzoo.baselines.equilibrium_sets`.
Where something is hidden it is among all optimal strategies.
"""

from collections.abc import Callable
from functools import cache
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
from nashzoo.baselines.information_sets import InformationEquilibria
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.baselines.policies.tabular import table_of
from nashzoo.baselines.solution import ListedSolution, Solution, listed
from nashzoo.baselines.solvers.backup import action_values
from nashzoo.baselines.state_values import evaluated, start_evaluated
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.jit.compiled import Bools, Floats

UNIFORM, PURE, SEQUENTIAL, GREEDY = WAYS = "uniform", "pure", "sequential", "greedy"
TINY = 1e-300  # in place of a probability 0, whose logarithm is not finite
DIGITS = 7  # of probabilities that are not alike
NOTHING = 1e-10  # probabilities that rounding leaves
STEPS, ROUNDS, CLOSE = 300, 60, 1e-9  # of the search for the largest entropy, and nats that end it
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
    form = cast(InformationSolution, equilibria.solution).form
    found = [
        _of_face(face, how, None if opponent is None else form.gains(player, weights_of(form, opponent, 1 - player)))
        for player, face in enumerate(cast(InformationEquilibria, equilibria).faces)
    ]
    weights, figures, best = zip(*found, strict=True)
    return Selected(InformationSolution(form, weights), figures, best)


def _sequential(solution: Solution) -> Selected:
    """Returns an equilibrium that is optimal wherever play begins; a certificate by state is of all states."""
    if isinstance(solution, InformationSolution):
        shares = [np.array([1.0, *map(float, chain.from_iterable(mix))]) for mix in quasi_perfect(solution.form)]
        solution = InformationSolution(solution.form, solution.weights, (shares[0], shares[1]))
        return Selected(solution, (0.0, 0.0), (0.0, 0.0))  # in fractions
    return Selected(solution, 2 * (solution.certificate,), (0.0, 0.0))


def most_random(
    start: Floats, slopes: Callable[[Floats], Floats], best: Callable[[Floats], Floats], close: float
) -> tuple[Floats, float]:
    """Returns the point ``[n]`` of a convex set at which a concave function is largest, and how much it can rise yet.

    Steps go from the known point that is worst along the slope to the best one, as far as the function rises.

    Args:
        start: A point of the set.
        slopes: The derivatives of the function ``[n]``.
        best: Returns the best point of the set along a slope.
        close: A rise that is small enough.

    Source: Guelat and Marcotte (1986), "Some comments on Wolfe's 'away step'".
    """
    here, known, weights = start, start[None], np.ones(1)
    for _ in range(ROUNDS):
        for _ in range(STEPS):
            gains = known @ slopes(here)
            steepest, worst = int(gains.argmax()), int(np.where(weights > 0.0, gains, np.inf).argmin())
            if gains[steepest] - gains @ weights <= CLOSE:
                break
            step = _rise(slopes, here, known[steepest] - known[worst], float(weights[worst]))
            weights[steepest], weights[worst] = weights[steepest] + step, max(0.0, weights[worst] - step)
            here = weights @ known
        along = slopes(here)
        farthest = best(along)
        rise = float((farthest - here) @ along)
        if rise <= close:
            break
        known, weights = np.vstack([known, farthest]), np.append(weights, 0.0)
    return here, max(0.0, rise)


def most_random_mean(vertices: Floats) -> Floats:
    """Returns the mean of strategies ``[k, actions]`` that has the largest entropy."""
    known = vertices[np.unique(vertices.round(DIGITS), axis=0, return_index=True)[1]]  # rounding makes many of one
    return most_random(
        known.mean(axis=0), lambda mix: -_log(mix), lambda slope: known[(known @ slope).argmax()], CLOSE
    )[0]


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
        self.equilibria, self.how, self.game = equilibria, how, equilibria.game
        solution = listed(equilibria.solution)
        self.states, self.values = solution.states, solution.values
        self.tables = solution.policies[0].copy(), solution.policies[1].copy()
        self.others = [table_of(self.states, opponent, seat) for seat in (1, 0)] if how == GREEDY else []
        self.won = np.zeros((2, len(self.states)))  # by each player from the opponent, at each state
        self.figures, self.differs = [0.0, 0.0], False
        self.vertices = cache(lambda code: [np.array(each, np.float64) for each in equilibria.strategies(code)[:2]])

    def selected(self) -> Selected:
        """Returns the equilibrium.

        Raises:
            CertificateError: states recur, and such a strategy may put off a win for ever.
        """
        order = [state for layer in self.states.layers for state in layer.ids.tolist()]
        for _ in range(ROUNDS):  # where states recur, what follows may change again
            before, self.figures = [table.copy() for table in self.tables], [0.0, 0.0]
            for state in order:
                self._choose(state)
            if not (self.how == GREEDY and self.states.recurs) or all(map(np.array_equal, before, self.tables)):
                break
            self.won = np.array([self._against(player)[0] for player in (0, 1)])
        solution = self.equilibria.solution
        if self.differs and not (solution := ListedSolution(self.states, self.values, self.tables, None)).optimal:
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
            mix = self.tables[player][state, legal]
            is_pure = self.how == PURE and mix.max() == 1.0
            if not is_pure and not self.equilibria.at(code, player).unique:
                self.differs = True
                mix = self._mix(self.vertices(code)[player], state, player)
                mix = np.where(mix < NOTHING, 0.0, mix)
                mix /= mix.sum()
                self.tables[player][state] = 0.0
                self.tables[player][state, legal] = mix
            self.figures[player] += -float(mix @ _log(mix)) if self.how == UNIFORM else int((mix > NOTHING).sum()) - 1
        if self.how == GREEDY:
            for player in (0, 1):
                worth, legal_ones = self._worth(state, player)
                self.won[player, state] = worth @ self.tables[player][state, legal_ones]

    def _mix(self, vertices: Floats, state: int, player: int) -> Floats:
        """Returns a mean of vertices ``[k, actions]``."""
        if self.how == UNIFORM:
            return most_random_mean(vertices)
        scores = -(vertices > NOTHING).sum(axis=1) if self.how == PURE else vertices @ self._worth(state, player)[0]
        picked: Floats = vertices[scores.argmax()]
        return picked

    def _worth(self, state: int, player: int) -> tuple[Floats, Bools]:
        """Returns what a player wins by each of its legal actions, or of chance's outcomes, and which are legal."""
        at, won = self.states.successors.at(np.array([state])), (1 - 2 * player) * self.won[player]
        worth = action_values(at, won, self.others[player][[state]], player)[0]
        return worth[np.isfinite(worth)], np.isfinite(worth)


def _of_face(face: OptimalFace, how: str, goal: Floats | None) -> tuple[Floats, float, float]:
    """Returns sequence weights ``[S]``, their figure, and what none exceeds or falls below."""
    if how == PURE:
        return fewest_actions(face.form, face.value)
    if goal is not None:
        chosen, most = face.largest(goal)
        return chosen, float(chosen @ goal), most
    parents = face.plex.by_sequence(face.plex.parents, 0)
    after = np.bincount(face.plex.parents, minlength=face.plex.num_sequences)  # information states, by sequence

    def logs(weights: Floats) -> Floats:
        return _log(weights) - _log(weights[parents])

    chosen, more = most_random(
        face.known, lambda weights: after - 1.0 - logs(weights), lambda slope: face.largest(slope)[0], ALMOST
    )
    entropy = -float(chosen @ logs(chosen))  # of choices, in the mean over information states by their weights
    return chosen, entropy, entropy + more
