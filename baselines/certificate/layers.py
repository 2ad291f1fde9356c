"""A proof of values in layers, one layer after the other, by parts that any thread of any machine does.

See :mod:`nashzoo.baselines.certificate.parts` for the proof. The certificate is twice the sum of the largest loss of
each layer, once for each player, and holds for every state.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nashzoo.baselines.certificate.checker import CERTAIN, ROUNDING, Progress, scale_of
from nashzoo.baselines.certificate.parts import Proven, Solver, fill_codes, prove_part
from nashzoo.baselines.solvers.threaded_loops import each_in_threads, in_parts
from nashzoo.envs.core.game import Floats, Game, Ints

PART = 8192  # states of a part that a thread does
SENT = 1 << 17  # states of a part that another machine does, which takes about 0.2 s


@dataclass(frozen=True)
class Part:
    """Some states of a layer, to be solved and proven. The result is the same on all machines."""

    game: Game
    solver: Solver  # what finds strategies
    rows: slice  # the states
    first: int  # the number of the first state of the layer before, if the rules number the states
    allowed: float  # the largest loss that is no error, points
    listed: Ints | None = None  # the codes of the states, ascending [L], if the rules do not number them
    stored: Floats | None = None  # values to be proven [L], points, at mirror images too; those of the solver when None

    def __call__(self, codes: Ints, values: Floats) -> tuple[Floats, float]:
        """Returns the values of the states ``[L]``, points, and the largest loss of their strategies.

        Args:
            codes: The codes of the states that play leads to ``[K]``, by number, or ascending.
            values: Their values to player 0 ``[K]``, points.

        Raises:
            CertificateError: the proof fails.
        """
        proven, size = Proven(codes, values, self.first), PART
        done = []
        for start in range(self.rows.start, self.rows.stop, size):
            rows = slice(start, min(start + size, self.rows.stop))
            own = slice(rows.start - self.rows.start, rows.stop - self.rows.start)
            listed = None if self.listed is None else self.listed[own]
            stored = None if self.stored is None else self.stored[own]
            done.append(prove_part(self.game, self.solver, proven, rows, self.allowed, listed, stored))
        return np.concatenate([part.values for part in done]), max(part.loss for part in done)


Workers = Callable[[Sequence[Part], Ints, Floats], Iterator[tuple[Part, tuple[Floats, float]]]]


class Storage(NamedTuple):
    """Values that are kept as they are made, so that a later process goes on."""

    values: Floats  # filled with the values [n], points
    lost: Sequence[float] = ()  # the largest losses of the first layers, whose values are there
    note: Callable[[float], None] | None = None  # called when a layer is finished, with its largest loss


def certify_layers(
    game: Game,
    storage: Storage,
    bounds: Ints,
    solver: Solver,
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
        solver: What finds strategies.
        progress: Called during the work with ``"states"``, those that are done, and ``n``.
        stored: Whether the values are there already, see :func:`nashzoo.baselines.certificate.parts.prove_part`.
        codes: The states' codes, ascending ``[n]``, if the rules do not number them; then the last layer is the first.
        workers: Do parts of a layer elsewhere: called with the parts and their arguments, it yields each with its
            result. The threads of this process when None.

    Raises:
        CertificateError: see :func:`nashzoo.baselines.certificate.parts.prove_part`.
    """
    values, lost, layers = storage.values, list(storage.lost), list(itertools.pairwise(bounds.tolist()))
    size = PART if workers is None else SENT
    done, before = int(bounds[len(lost)]), slice(*layers[len(lost) - 1]) if lost else slice(0, 0)
    scale = scale_of(values[:done])
    if progress is not None:
        progress("states", done, len(values))
    for first, last in (layers if codes is None else layers[::-1])[len(lost) :]:
        ahead = slice(last, None) if codes is not None else before
        known = codes_of(game, before) if codes is None else codes[ahead], np.asarray(values[ahead])
        parts = []
        for start in range(first, last, size):
            rows = slice(start, min(start + size, last))
            listed = None if codes is None else codes[rows]
            claimed = values[rows] if stored else None
            parts.append(Part(game, solver, rows, before.start, CERTAIN * scale, listed, claimed))
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
        scale, before = max(scale, scale_of(values[first:last])), slice(first, last)
    return 2 * math.fsum(lost) * (1 + ROUNDING)  # once for each player


def _in_threads(parts: Sequence[Part], *known: Any) -> Iterator[tuple[Part, tuple[Floats, float]]]:
    return each_in_threads(lambda part: part(*known), parts)


def codes_of(game: Game, numbers: slice) -> Ints:
    """Returns the codes of states that the rules number."""
    codes = np.empty(numbers.stop - numbers.start, np.int64)
    in_parts(lambda rows: fill_codes(game.compiled, numbers.start + rows.start, codes[rows]), len(codes))
    return codes
