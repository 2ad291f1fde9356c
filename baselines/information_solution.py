"""The solution of a game with hidden information, with its certificate.

Small games are solved by the linear program of the sequence form, others by regret minimization until the gap between
what both best responses win is small enough. The certificate is that gap, computed anew from the rules of the game by
:mod:`nashzoo.baselines.information.checker`.
"""

import contextlib
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from nashzoo.baselines.certificate.bounds import PROVEN, Estimate
from nashzoo.baselines.certificate.checker import Progress
from nashzoo.baselines.certificate.steps import UnprovenSolutionError
from nashzoo.baselines.information.checker import Claims, certify
from nashzoo.baselines.information.fractions import exact_value
from nashzoo.baselines.information.measures import best_response, gap, sequence_form_of, value
from nashzoo.baselines.information.program import SMALL, ProgramError, solve_program
from nashzoo.baselines.information.regret_minimization import DISCOUNTED, PREDICTIVE, RegretMinimizer
from nashzoo.baselines.information.sequence_form import InformationStates, SequenceForm, histories_in
from nashzoo.baselines.solution import LARGEST_CERTIFICATE, Solution
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Floats, Game, Ints

PER_CHECK = 200_000_000  # entries of the matrix times iterations of regret minimization between two gaps
MOST_ITERATIONS = 1_000_000
LARGE = 100.0  # points that can be paid in one play: tolerances are relative for more
TRIED = 4  # of two rules the one that is behind has so many times fewer iterations, for it depends on the game


class InformationSolution(Solution):
    """An equilibrium of a game with hidden information. Making one proves it, and sets the certificate.

    Args:
        form: The game in sequence form.
        weights: Both players' sequence weights ``[S]``.
        probabilities: Both players' probabilities, by sequence ``[S]``, also where their own choices never lead; by
            the weights, and there uniform, when None.

    Attributes:
        form: The game in sequence form.
        states: The information states of both players.
        probabilities: Both players' strategies, by sequence ``[S]``.

    Raises:
        CertificateError: the proof of the solution fails.
    """

    has_values = False
    states: InformationStates

    def __init__(
        self,
        form: SequenceForm,
        weights: tuple[Floats, Floats],
        probabilities: tuple[Floats, Floats] | None = None,
    ) -> None:
        self.form, self.game = form, form.game
        plex0, plex1 = form.treeplexes
        probabilities = probabilities or (plex0.probabilities(weights[0]), plex1.probabilities(weights[1]))
        self.probabilities = probabilities
        self.weights = plex0.weights(probabilities[0]), plex1.weights(probabilities[1])
        self.states = form.states
        self.policies = self.states.table(0, probabilities[0]), self.states.table(1, probabilities[1])
        self.certificate = self.verify()

    def verify(self, progress: Progress | None = None) -> float:
        """Proves the solution by the rules of the game alone, see :class:`nashzoo.baselines.solution.Solution`."""
        claims = []
        for player, plex in enumerate(self.form.treeplexes):
            codes = np.sort(plex.codes)
            claims.append(Claims(codes, self.policies[player][self.states.ids(codes)]))
        return certify(self.game, (claims[0], claims[1]))

    @property
    def optimal(self) -> bool:
        """Whether the policies are optimal but for rounding; else the certificate bounds what they lose."""
        return self.certificate <= LARGEST_CERTIFICATE * max(_scale(self.form), abs(self.start_value))

    @cached_property
    def start_estimate(self) -> Estimate:
        """The value of the game to player 0, with bounds."""
        played = value(self.form, *self.weights)
        return _widened(played, self.certificate)

    @cached_property
    def exact_value(self) -> Fraction | None:
        """The value of the game to player 0 as a fraction, proven without rounding; None if none is near enough."""
        return exact_value(self.form, self.probabilities)

    def reached(self, code: int, player: int) -> float:
        """Returns the probability that chance and the opponent lead to an information state, if its player wants to.

        Raises:
            UsageError: it is no information state of this player.
        """
        return float(self._histories(code, player)[1].sum())

    def beliefs(self, code: int, player: int) -> tuple[Ints, Floats]:
        """Returns the states in an information state ``[k]``, and their probabilities given that play is there ``[k]``.

        Where the opponent's strategy never leads, it has made as few mistakes as possible, each as likely as others.

        Raises:
            UsageError: it is no information state of this player.
        """
        states, reach = self._histories(code, player)
        if not reach.any():
            states, reach = self._histories(code, player, self._after_mistakes(code, player))
        return states, reach / reach.sum()

    def action_values(self, code: int, player: int, mistakes: bool = False) -> Floats:
        """Returns what ``player`` expects to win by each action at an information state ``[actions]``, points.

        The opponent plays the equilibrium, and the player as well as possible later. Illegal actions have nan. Where
        the opponent's strategy never leads, no belief follows from it, and all have nan; with ``mistakes`` it has got
        there by as few as possible, each as likely as others, and makes no more. That is the limit of rare mistakes,
        as in sequential equilibria: Kreps and Wilson (1982).

        Raises:
            UsageError: it is no information state of this player.
        """
        plex, reach, weights = self.form.treeplexes[player], self.reached(code, player), self.weights[1 - player]
        values = np.full(self.game.num_actions, np.nan)
        if reach == 0.0 and mistakes:
            weights = self._after_mistakes(code, player)
            reach = float(self._histories(code, player, weights)[1].sum())
        if reach > 0.0:
            number = int(np.flatnonzero(plex.codes == code)[0])
            totals, _ = plex.best_response(self.form.gains(player, weights))
            legal = np.array(self.game.legal_actions(code, player))
            values[legal] = totals[plex.first[number] : plex.first[number + 1]] / reach
        return values

    def exploited(self, code: int, player: int, mixes: Sequence[Floats] | Floats) -> Floats:
        """Returns what an opponent who knows them wins more per game than in equilibrium from mixes ``[m]``, points.

        Args:
            code: An information state of ``player``.
            player: The player, who keeps to the equilibrium elsewhere.
            mixes: Mixes of the legal actions there ``[m, k]``.
        """
        plex, probabilities = self.form.treeplexes[player], self.probabilities[player].copy()
        number = int(np.flatnonzero(plex.codes == code)[0])
        lost = np.full(len(mixes), self.start_value * (1 - 2 * player))
        for k, mix in enumerate(mixes):
            probabilities[plex.first[number] : plex.first[number + 1]] = mix
            lost[k] += best_response(self.form, plex.weights(probabilities), 1 - player)[0].value
        return np.where(lost > PROVEN, lost, 0.0)

    def _after_mistakes(self, code: int, player: int) -> Floats:
        """Returns the opponent's sequence weights ``[S]`` with the fewest actions it never takes on the way to a state.

        Each of these counts as one of so many, and sequences with fewer or more of them as 0.
        """
        plex, probabilities = self.form.treeplexes[1 - player], self.probabilities[1 - player]
        never = probabilities == 0.0
        likely, parents = np.where(never, plex.uniform(), probabilities), plex.by_sequence(plex.parents, 0)
        mistakes = never.astype(np.int64)
        for sequence in range(1, plex.num_sequences):  # parents come first
            mistakes[sequence] += mistakes[parents[sequence]]
        _, sequences, _ = histories_in(self.game, code, player)
        fewest = mistakes[sequences[1 - player]].min()
        weights: Floats = np.where(mistakes == fewest, plex.weights(likely), 0.0)
        return weights

    def _histories(self, code: int, player: int, weights: Floats | None = None) -> tuple[Ints, Floats]:
        """Returns the states in an information state, and the probabilities of chance times the opponent's weights."""
        if player not in (0, 1) or code not in self.form.treeplexes[player].codes:
            raise UsageError(
                f"{self.game.spell(code)} is no information state to which play leads and at which player {player} "
                "chooses; game.information_state(code, player) is that of a state"
            )
        codes, sequences, chances = histories_in(self.game, code, player)
        weights = self.weights[1 - player] if weights is None else weights
        states, rows = np.unique(codes, return_inverse=True)
        return states, np.bincount(rows, chances * weights[sequences[1 - player]]).astype(np.float64)


def _widened(value: Estimate, gap: float) -> Estimate:
    """Returns the estimate with bounds that are a gap farther away, rounded outward."""
    lower, upper = math.nextafter(value.lower - gap, -math.inf), math.nextafter(value.upper + gap, math.inf)
    return Estimate(value.value, lower, upper)


def _scale(form: SequenceForm) -> float:
    """Returns what tolerances are multiplied by, points: 1, but for very small and very large rewards."""
    return float(max(min(1.0, form.most), form.most / LARGE)) or 1.0


def solve_information(
    game: Game, tolerance: float | None = None, progress: Progress | None = None
) -> InformationSolution:
    """Solves a game with hidden information.

    Args:
        game: The game.
        tolerance: The largest certificate, points; ``PROVEN`` when None, or in proportion to very large rewards.
        progress: Called during long work.

    Raises:
        UnprovenSolutionError: the tolerance is not reached.
        UsageError: the tolerance is not positive, a player has no perfect recall, or states recur.
        TooManyStatesError: there are too many histories.
    """
    if tolerance is not None and not tolerance > 0:
        raise UsageError(f"tolerance must be a positive number of points, not {tolerance!r}")
    form = sequence_form_of(game)
    tolerance = PROVEN * _scale(form) if tolerance is None else tolerance
    if form.matrix.nnz <= SMALL:
        with contextlib.suppress(ProgramError):
            solution = InformationSolution(form, solve_program(form)[1])
            if solution.certificate <= tolerance:
                return solution
    discounted = RegretMinimizer(form, DISCOUNTED)
    learners = discounted, RegretMinimizer(form, PREDICTIVE, like=discounted)
    scores = [0.0, 0.0]  # gap times iterations: gaps fall in proportion to the iterations, or faster
    while (done := sum(learner.iterations for learner in learners)) < MOST_ITERATIONS:
        number = scores.index(min(scores))
        if TRIED * learners[1 - number].iterations < learners[number].iterations:
            number = 1 - number
        learner = learners[number]
        learner.run(max(1, PER_CHECK // max(1, form.matrix.nnz)))
        conceded = gap(form, *learner.average())
        scores[number] = conceded.value * learner.iterations
        if conceded.upper <= tolerance:
            solution = InformationSolution(form, learner.average())
            if solution.certificate <= tolerance:
                return solution
        if progress is not None:
            about = f"{game.name}: gap {conceded.value:.1e} after {learner.iterations:,} iterations; steps"
            progress(about, done, MOST_ITERATIONS)
    played = value(form, *learner.average())
    bounds = _widened(played, conceded.upper).bounds
    raise UnprovenSolutionError(
        f"{game.name}: the gap is {conceded.upper:.1e} after {done:,} iterations, and not {tolerance:.1e}, so that a "
        "larger tolerance is needed",
        bounds,
    )
