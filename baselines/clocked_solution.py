"""The exact solution of a game with a clock and too many states to list with their successors: only values are stored.

The states of each value of the clock are solved as matrix games from the values of later ones, backwards from the end.
The strategies of a state are computed from its own matrix game whenever they are asked for. The certificate is twice
the sum of the largest losses of one step of all layers, which the checker proves (``certify_layers``).
"""

from functools import partial

import numpy as np

from nashzoo.baselines.certificate.checker import Progress
from nashzoo.baselines.certificate.layers import Known, Storage, certify_layers
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.solvers.backup import backup_equilibrium
from nashzoo.baselines.states.clocked import ClockedStates
from nashzoo.envs.core.game import Floats, Ints


class ClockedSolution(Solution):
    """The exact solution of a game with a clock.

    Args:
        states: The game's states.
        values: Their values to player 0 ``[n]``, points.
        certificate: An upper bound of the gap, at every state, between what player 0's strategy guarantees and what
            player 1's concedes.
    """

    def __init__(self, states: ClockedStates, values: Floats, certificate: float) -> None:
        self.game = states.game
        self.states: ClockedStates = states
        self._values = values
        self.certificate = certificate

    def verify(self, progress: Progress | None = None) -> float:
        """Proves the solution by the rules of the game alone, see :class:`nashzoo.baselines.solution.Solution`."""
        bounds, codes, solver = self.states.bounds, self.states.codes, partial(_solved, self.states, self.values)
        return certify_layers(self.game, Storage(self.values), bounds, solver, progress, stored=True, codes=codes)

    @property
    def values(self) -> Floats:
        """The value of each state to player 0 ``[n]``, points."""
        return self._values

    @property
    def optimal(self) -> bool:
        """Whether the policies are optimal but for rounding, as the proof of each step shows."""
        return True

    def strategies(self, codes: Ints) -> tuple[Floats, Floats]:
        """Returns equilibrium probabilities of both players, see :class:`nashzoo.baselines.solution.Solution`."""
        _, own, other = _equilibria_at(self.states, self.values, self.states.ids(codes))
        return own, other


def solve_clocked(states: ClockedStates, progress: Progress | None = None) -> ClockedSolution:
    """Solves every state of a game with a clock.

    Args:
        states: The states.
        progress: Called during the work, from several threads, but once at a time.

    Raises:
        ValueError: a reward of the game is not finite.
    """
    values = np.zeros(len(states))
    storage, solver = Storage(values), partial(_solved, states, values)
    certificate = certify_layers(states.game, storage, states.bounds, solver, progress, codes=states.codes)
    return ClockedSolution(states, values, certificate)


def _solved(states: ClockedStates, values: Floats, known: Known, rows: slice) -> tuple[Floats, Floats, Floats]:
    """Solves states of a layer, see :class:`nashzoo.baselines.certificate.layers.Part`; all values are known."""
    return _equilibria_at(states, values, np.arange(rows.start, rows.stop))


def _equilibria_at(states: ClockedStates, values: Floats, ids: Ints) -> tuple[Floats, Floats, Floats]:
    """Returns the values of states ``[L]`` and strategies ``[L, actions]`` each."""
    return backup_equilibrium(states.successors_at(ids), values, states.game.num_actions)
