"""A proof of values in layers, one layer after the other, by parts that any thread of any machine does.

The states of a layer are solved from the values of the layer before, and the checker computes the *loss* of their
strategies in one step. By induction over the layers, see :mod:`nashzoo.baselines.certificate.checker`, the certificate
is twice the sum of the largest loss of each layer, once for each player.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import int64, void

from nashzoo.baselines.certificate.checker import (
    CERTAIN,
    ROUNDING,
    Listing,
    Progress,
    largest_loss,
    looked_ahead,
    readable,
    scale_of,
)
from nashzoo.baselines.solvers import threaded_loops
from nashzoo.baselines.solvers.threaded_loops import each_in_threads, in_parts
from nashzoo.envs.core.game import Floats, Game, Ints
from nashzoo.envs.jit.compiled import compiled
from nashzoo.envs.rules.compiled_game import GAME

SENT = 1 << 17  # states of a part that another machine does, which takes about 0.2 s


class Known(NamedTuple):
    """The states that play leads to from a layer: those of the layer before, or all, if they are listed.

    Attributes:
        first: The number of the first.
        codes: Their codes ``[K]``; ascending, if they are listed.
        values: Their values to player 0 ``[K]``, points; they cannot be written.
    """

    first: int
    codes: Ints
    values: Floats


# Returns the values of some states ``[L]``, points, and strategies of player 0 and player 1, ``[L, actions]`` each.
Equilibria = Callable[[Known, slice], tuple[Floats, Floats, Floats]]


@dataclass(frozen=True)
class Part:
    """Some states of a layer, to be solved and proven. The result is the same on all machines.

    Attributes:
        game: The game.
        equilibria_at: The solver; what it returns is not trusted.
        rows: The states.
        before: The number of the first of the known states; if states are listed, of the first that play may lead to.
        allowed: The largest loss, points.
        numbered: Whether the rules number the states.
        claimed: The values to be proven ``[L]``, points, at mirror images too; those of the solver when None.
    """

    game: Game
    equilibria_at: Equilibria
    rows: slice
    before: int
    allowed: float
    numbered: bool
    claimed: Floats | None = None

    def __call__(self, codes: Ints, values: Floats) -> tuple[Floats, float]:
        """Returns the values of the states ``[L]``, and the largest loss of their strategies.

        Args:
            codes: The codes of the known states ``[K]``.
            values: Their values to player 0 ``[K]``, points.

        Raises:
            CertificateError: the proof fails.
        """
        known = Known(self.before if self.numbered else 0, readable(codes), readable(values))
        listing = Listing(known.codes, known.values, known.values)
        first, last = self.rows.start, self.rows.stop
        proven = np.empty(last - first) if self.claimed is None else self.claimed
        losses = [0.0]
        for start in range(first, last, threaded_loops.PART):
            here = slice(start, min(start + threaded_loops.PART, last))
            rows = slice(here.start - first, here.stop - first)
            solved, *strategies = self.equilibria_at(known, here)
            if self.claimed is None:
                proven[rows] = solved
            for mirrored in (False, True)[: 1 + (self.claimed is not None and self.numbered)]:
                policies = strategies[mirrored], strategies[not mirrored]
                lower, _ = looked_ahead(self.game, listing, here, policies, self.numbered, self.before, mirrored)
                of_state = lower[:, ::-1] if mirrored else lower  # of the players who have the same strategies there
                at = codes_of(self.game, here) if self.numbered else codes[here]
                losses.append(largest_loss(self.game, at, proven[rows], of_state, self.allowed))
        return proven, max(losses)


Workers = Callable[[Sequence[Part], Ints, Floats], Iterator[tuple[Part, tuple[Floats, float]]]]


class Storage(NamedTuple):
    """Values that are kept as they are made, so that a later process goes on.

    Attributes:
        values: Filled with the values ``[n]``, points.
        lost: The largest losses of the first layers, whose values are there.
        note: Called when a layer is finished, with its largest loss.
    """

    values: Floats
    lost: Sequence[float] = ()
    note: Callable[[float], None] | None = None


def certify_layers(
    game: Game,
    storage: Storage,
    bounds: Ints,
    equilibria_at: Equilibria,
    progress: Progress | None = None,
    stored: bool = False,
    codes: Ints | None = None,
    workers: Workers | None = None,
) -> float:
    """Proves the values of states in layers, numbered by the rules or listed; returns the certificate.

    Args:
        game: The game.
        storage: The values of the states to player 0 ``[n]``, by the rules' numbers or in the order of the codes;
            filled in, unless they are stored.
        bounds: The number of the first state of each layer, and ``n``.
        equilibria_at: The solver.
        progress: Called during the work with ``"states"``, those that are done, and ``n``.
        stored: Whether the values are there already; then the mirror images of numbered states are looked at too, at
            which all is exchanged. Else that the rules call the game symmetric is their proof.
        codes: The states' codes, ascending ``[n]``, if the rules do not number them; then the last layer is the first.
        workers: Do parts of a layer elsewhere: called with the parts and their arguments, it yields each with its
            result. The threads of this process when None.

    Raises:
        CertificateError: a strategy is no distribution over the legal actions, its loss in one step is larger than
            rounding, or play leads elsewhere than to the layer before.
    """
    values, lost, numbered = storage.values, list(storage.lost), codes is None
    layers = list(itertools.pairwise(bounds.tolist()))
    done, size = int(bounds[len(lost)]), threaded_loops.PART if workers is None else SENT
    scale = scale_of(values[:done])
    if progress is not None:
        progress("states", done, len(values))
    before = slice(0, len(values)) if not numbered else slice(*layers[len(lost) - 1]) if lost else slice(0, 0)
    for first, last in (layers if numbered else layers[::-1])[len(lost) :]:
        known = (codes_of(game, before) if codes is None else codes), np.asarray(values[before])
        limit, allowed = before.start if numbered else last, CERTAIN * scale
        cuts = [slice(start, min(start + size, last)) for start in range(first, last, size)]
        parts = [
            Part(game, equilibria_at, rows, limit, allowed, numbered, values[rows] if stored else None) for rows in cuts
        ]
        loss = 0.0
        for part, (proven, part_loss) in (workers or _in_threads)(parts, *known):
            if not stored:
                values[part.rows] = proven
            loss, done = max(loss, part_loss), done + len(proven)
            if progress is not None:
                progress("states", done, len(values))
        lost.append(loss)
        if storage.note is not None:
            storage.note(loss)
        scale = max(scale, scale_of(values[first:last]))
        before = slice(first, last) if numbered else before
    return 2 * math.fsum(lost) * (1 + ROUNDING)  # once for each player


def _in_threads(parts: Sequence[Part], *known: Any) -> Iterator[tuple[Part, tuple[Floats, float]]]:
    return each_in_threads(lambda part: part(*known), parts)


def codes_of(game: Game, numbers: slice) -> Ints:
    """Returns the codes of states that the rules number."""
    codes = np.empty(numbers.stop - numbers.start, np.int64)
    in_parts(lambda rows: _fill_codes(game.compiled, numbers.start + rows.start, codes[rows]), len(codes))
    return codes


@compiled(void(GAME, int64, int64[::1]))
def _fill_codes(game: Any, first: int, codes: Ints) -> None:
    code_at, params = game.code_at, game.params
    for k in range(len(codes)):
        codes[k] = code_at(params, first + k)
