"""The solution of a game with hidden information, with its certificate.

Small games are solved by the linear program of the sequence form, others by regret minimization until the certificate
is small enough. The certificate is proven: what both best responses win together, rounding included.
"""

from nashzoo.baselines.certificate.bounds import PROVEN, Estimate
from nashzoo.baselines.certificate.checker import CertificateError, Progress
from nashzoo.baselines.information.measures import InformationStates, best_response, form_of, value
from nashzoo.baselines.information.program import solve_program
from nashzoo.baselines.information.regret_minimization import RegretMinimizer
from nashzoo.baselines.information.sequence_form import SequenceForm
from nashzoo.envs.core.game import Floats, Game, Ints

SMALL = 200_000  # entries of the matrix, up to which the linear program is solved
PER_CHECK = 200  # iterations of regret minimization between two certificates
MOST_ITERATIONS = 1_000_000


class InformationSolution:
    """An equilibrium of a game with hidden information.

    A state has no value of its own there: what can be won from it depends on what the players believe.

    Args:
        form: The game in sequence form.
        weights: Both players' sequence weights ``[S]``.

    Attributes:
        game: The game.
        start_value: The value of the game to player 0, points.
        certificate: The most that the two players could win together by other strategies, proven.
    """

    def __init__(self, form: SequenceForm, weights: tuple[Floats, Floats]) -> None:
        self.form, self.game = form, form.game
        self.probabilities = tuple(
            plex.probabilities(each) for plex, each in zip(form.treeplexes, weights, strict=True)
        )
        played = tuple(plex.weights(each) for plex, each in zip(form.treeplexes, self.probabilities, strict=True))
        self.estimate = value(form, *played)
        won = best_response(form, played[1], 0)[0].plus(best_response(form, played[0], 1)[0])
        self.certificate = max(0.0, won.upper)
        self.start_value = self.estimate.value
        self.states = InformationStates(form)
        self.tables = tuple(self.states.table(player, each) for player, each in enumerate(self.probabilities))

    def bounds_of_value(self, player: int) -> Estimate:
        """Returns the value of the game to a player, with bounds."""
        estimate = Estimate(
            self.start_value, self.estimate.lower - self.certificate, self.estimate.upper + self.certificate
        )
        return estimate if player == 0 else estimate.negative()

    def strategies(self, codes: Ints) -> tuple[Floats, Floats]:
        """Returns the probabilities of player 0 and player 1 at information states, ``[B, actions]`` each.

        Where a player has no such information state, it has zeros.

        Raises:
            KeyError: a code is an information state of neither player.
        """
        ids = self.states.ids(codes)
        return self.tables[0][ids], self.tables[1][ids]


def solve_information(game: Game, tolerance: float = PROVEN, progress: Progress | None = None) -> InformationSolution:
    """Solves a game with hidden information.

    Args:
        game: The game.
        tolerance: The largest certificate, points.
        progress: Called during long work.

    Raises:
        CertificateError: the tolerance is not reached.
    """
    form = form_of(game)
    if form.matrix.nnz <= SMALL:
        solution = InformationSolution(form, solve_program(form)[1])
        if solution.certificate <= tolerance:
            return solution
    learner = RegretMinimizer(form)
    while learner.iterations < MOST_ITERATIONS:
        learner.run(PER_CHECK)
        solution = InformationSolution(form, learner.average())
        if solution.certificate <= tolerance:
            return solution
        if progress is not None:
            progress(f"certificate {solution.certificate:.1e}", learner.iterations, MOST_ITERATIONS)
    raise CertificateError(
        f"{game.name}: the certificate is {solution.certificate:.1e} after {learner.iterations:,} steps"
    )
