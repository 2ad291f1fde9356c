"""The form of a game, which answers what measures and solvers ask of it; and its exact solution.

Where both players see the whole state, a game is a stochastic game: policies, values and solutions are by state. Where
a part is hidden it is an extensive-form game with information states, and policies and solutions are by these. Both
forms have the same operations, so that nothing else asks whether a game hides anything.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nashzoo.baselines.certificate.checker import Progress
from nashzoo.baselines.equilibrium_sets import Equilibria
from nashzoo.baselines.locked import LockedSolution, fixed
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.state_form import StateForm
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.checks import check_game
from nashzoo.envs.core.game import Game
from nashzoo.envs.jit.lazy import brief

if TYPE_CHECKING:
    from nashzoo.baselines.information_form import InformationForm


def form_of(game: Game) -> "StateForm | InformationForm":
    """Returns the form of a game."""
    if not check_game(game).hides:
        return StateForm(game)
    from nashzoo.baselines.information_form import InformationForm

    return InformationForm(game)


@brief()
def solve(
    game: Game,
    roots: Sequence[int] | None = None,
    progress: Progress | None = None,
    *,
    tolerance: float | None = None,
    locked: Any = None,
    player: int | None = None,
    where: Mapping[str, Any] | None = None,
) -> Solution:
    """Solves a game exactly.

    A game whose rules give its states an index is solved for all of them, whatever the roots.

    Turn-based games with recurring states and without chance are solved backwards from their terminal states. With
    chance, and with simultaneous moves, iteration finds values and strategies, and the certificate bounds their error:
    it proves from the rules what each strategy guarantees. If players choose at once in recurring states, there may be
    only strategies that come arbitrarily near (Everett 1957): see ``Solution.optimal``.

    Args:
        game: The game.
        roots: Codes of states from which to solve; the game's start states when None.
        progress: Called during long work, from several threads.
        tolerance: The largest certificate in a game with hidden information, points; 1e-9 when None.
        locked: What a player is fixed to play, while the rest is solved: anything with probabilities, as for
            :func:`nashzoo.baselines.evaluate`. A table, such as ``{code: [0.5, 0.5]}``, may have rows at some states:
            it fixes the player there alone. Then the solution is a :class:`nashzoo.baselines.LockedSolution`.
        player: The player who is fixed; 1 when None.
        where: Values of fields, as numbers or words, that the player sees where it is fixed; everywhere when None.

    Raises:
        UnprovenSolutionError: no solution could be proven, though the game has optimal strategies; or the tolerance is
            not reached. It is a CertificateError, and has bounds of the value.
        CertificateError: the proof of a game whose states have an index, or many states and a clock, fails, as where a
            reward is not finite.
        ValueError: a reward of another game is not finite, or a root is terminal.
        UsageError: a part of the state is hidden, and there are roots, a player has no perfect recall, or states
            recur; or nothing is hidden, and there is a tolerance; or what is locked has no probabilities there.

    >>> from nashzoo import agents
    >>> from nashzoo.envs import footsies_v0
    >>> game = footsies_v0.game()
    >>> round(solve(game, locked=agents.make("random", game)).start_value, 4)
    0.3333
    """
    form = form_of(game)
    if locked is None:
        if (player, where) != (None, None):
            raise UsageError("player and where are of what is locked: say locked=..., the policy that is fixed there")
        return form.solve(roots, progress, tolerance)
    if (roots, tolerance) != (None, None):
        raise UsageError("a game with a locked player is solved from its start, without a tolerance")
    player = 1 if player is None else player
    return LockedSolution(form, player, fixed(game, locked, player, where))


def equilibria(game: Game, solution: Solution | None = None) -> Equilibria:
    """Returns all equilibria of a game: whether there is one, and the range of each action's probability over all.

    Args:
        game: The game.
        solution: Its solution; solved when None.

    Raises:
        UsageError: the game has no optimal strategies, or as from :func:`solve`.

    >>> from nashzoo.envs import matrix_game
    >>> found = equilibria(matrix_game([[0, 0], [0, 1]]))
    >>> print(found.text(found))
    player 0 at number=0:
      any of action 0 and action 1, and any mix of them
    player 1 at number=0:
      action 0 1
    """
    return form_of(game).equilibria(solve(game) if solution is None else solution)
