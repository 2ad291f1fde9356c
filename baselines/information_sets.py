"""All equilibria of a game with hidden information: at each information state the range of each probability."""

from collections.abc import Iterator

import numpy as np

from nashzoo.baselines.equilibrium_sets import Decision, Equilibria, number_text
from nashzoo.baselines.information.optimal_face import Family, OptimalFace
from nashzoo.baselines.information.program import SMALL
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.baselines.solvers.face import ALIKE
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.jit.compiled import Floats


class InformationEquilibria(Equilibria):
    """All equilibria of a game with hidden information.

    Ranges are over the strategies whose own choices lead to an information state with a probability of 0.001 at least.

    Raises:
        UsageError: the game is too large, or its equilibrium is not near enough.
    """

    def __init__(self, solution: InformationSolution) -> None:
        super().__init__(solution)
        form, (_, lower, upper), weights = solution.form, solution.start_estimate, solution.weights
        if form.matrix.nnz > SMALL:
            raise UsageError(
                f"{self.game.name} has {form.matrix.nnz:,} entries in sequence form, more than {SMALL:,}: of so many "
                "the equilibria are not computed"
            )
        self.faces = OptimalFace(form, lower, weights), OptimalFace(form.mirrored(), -upper, weights[::-1])

    @property
    def lost(self) -> float:
        """The most that a strategy at the end of a range so far loses, points."""
        return max(face.lost for face in self.faces)

    @property
    def apart(self) -> float:
        """The largest distance of an end of a range so far from the probability that such a strategy has."""
        return max(face.apart for face in self.faces)

    def at(self, code: int, player: int) -> Decision:
        """Returns what a player's optimal strategies do at an information state, see :class:`Equilibria`."""
        known = self.game.information_state(code, player)
        if player not in (0, 1) or not len(found := np.flatnonzero(self.faces[player].plex.codes == known)):
            raise UsageError(f"player {player} does not choose at {self.game.spell(code)}, or play never comes there")
        return self._decision(player, int(found[0]))

    def _decision(self, player: int, state: int) -> Decision:
        face = self.faces[player]
        code = int(face.plex.codes[state])
        actions, ends = self.game.legal_actions(code, player), face.ends(state)
        if ends is None:
            return Decision(player, code, actions, [0.0] * len(actions), [1.0] * len(actions), reached=False)
        return Decision(player, code, actions, ends[0].tolist(), ends[1].tolist())

    def __iter__(self) -> Iterator[Decision]:
        order = [
            (int(face.plex.lengths[parent]), player, int(code), state)
            for player, face in enumerate(self.faces)
            for state, (parent, code) in enumerate(zip(face.plex.parents, face.plex.codes, strict=True))
        ]
        families: dict[int, Family | None] = {}
        for _, player, _, state in sorted(order):
            decision, face = self._decision(player, state), self.faces[player]
            if not decision.unique:
                if player not in families:
                    families[player] = face.family(int(face.plex.first[state + 1]) - 1)
                if (family := families[player]) is not None:
                    decision = decision._replace(formulas=_formulas(face, state, family))
            if decision.reached:
                yield decision


def _formulas(face: OptimalFace, state: int, family: Family) -> tuple[str, ...]:
    """Returns the probabilities at an information state as functions of ``alpha``, in words."""
    own = range(face.plex.first[state], face.plex.first[state + 1])
    terms = np.stack([family.constants, family.slopes])
    whole = terms[:, face.plex.parents[state]]
    return tuple(_ratio(terms[:, sequence], whole) for sequence in own)


def _ratio(part: Floats, whole: Floats) -> str:
    """Returns the ratio of two linear functions of ``alpha`` in words.

    >>> _ratio(np.array([1.0, -3.0]), np.array([1.0, 0.0])), _ratio(np.array([0.5, 1.0]), np.array([1.0, 2.0]))
    ('1 - 3 alpha', '1/2')
    """
    if abs(whole[1]) <= ALIKE:
        return _linear(part / whole[0])
    if abs(part[0] * whole[1] - part[1] * whole[0]) <= ALIKE:
        return number_text(part[1] / whole[1])
    return f"({_linear(part)}) / ({_linear(whole)})"


def _linear(terms: Floats) -> str:
    constant, slope = (number_text(abs(term)) for term in terms)
    varying = f"{'' if slope == '1' else f'{slope} '}alpha"
    if abs(terms[1]) <= ALIKE:
        return constant
    return (f"{constant} " * (constant != "0") + ("- " if terms[1] < 0 else "+ " * (constant != "0"))) + varying
